//! Values and agents, built from specs.

use crate::arrays::{Array, array, number};
use crate::error::{raise, raise_fault};
use crate::game::{Game, Rules, hash, parse_spec, pool, read_spec, with_rules};
use crate::waiting::{Worker, unless_interrupted};
use crate::{python_value, to_python};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use rayon::prelude::*;
use runner_core::{
    Action, Afterstate, Game as Law, Seed, Spec, Successors, Value as Estimate, ValueScale, catch,
    locked,
};
use runner_play::analysis::{analyse_one, choose, choose_one};
use runner_play::brief;
use runner_play::player::NamedPlayer;
use runner_play::threads::{Services, Threads};
use runner_plugin::DynValue;
use serde_json::{Map, json};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// Number of boards that a thread evaluates at once.
const CHUNK: usize = 4096;
/// Number of boards that are read at once, a mebibyte.
const AT_ONCE: usize = 16 * CHUNK;

fn rules_of(py: Python<'_>, game: Option<&Bound<'_, PyAny>>) -> PyResult<Arc<Rules>> {
    let spec = match game.map(|game| (game, game.cast::<Game>())) {
        Some((_, Ok(game))) => return Ok(game.get().rules.clone()),
        Some((spec, Err(_))) => parse_spec(spec)?,
        None => read_spec("2048")?,
    };
    unless_interrupted(py, move || Rules::new(&spec)).map(Arc::new)
}

/// The arguments that `pickle` keeps: a spec, a game, and those with names.
type KeptArguments<'py> = ((String, String), Bound<'py, PyDict>);

struct Names {
    rules: Arc<Rules>,
    spec: String,
    brief: String,
    label: String,
}

impl Names {
    fn new(rules: Arc<Rules>, spec: &Spec, label: String) -> Self {
        let brief = brief::player(spec, &rules.registry).to_string();
        Self { spec: spec.to_string(), brief, label, rules }
    }

    /// What makes two values or two agents equal.
    fn key(&self) -> (&str, String) {
        (&self.spec, self.rules.loaded.spec.to_string())
    }

    fn arguments<'py>(&self, py: Python<'py>, threads: usize) -> PyResult<KeptArguments<'py>> {
        let (spec, game) = self.key();
        if spec.contains(&format!("{}(", python_value::NAME)) {
            let message = format!("{spec} has a function of this process, which cannot be pickled");
            return Err(PyTypeError::new_err(message));
        }
        let named = PyDict::new(py);
        named.set_item("threads", threads)?;
        Ok(((spec.to_owned(), game), named))
    }

    /// Runs a task of which a fault is one of the game or the player.
    fn catch<T>(&self, task: impl FnOnce() -> T) -> PyResult<T> {
        let whose = [&*self.rules.loaded.label, &self.label];
        catch(task).map_err(|fault| raise_fault(&fault, &whose))
    }
}

/// A value, which estimates afterstates of a game. Values with equal specs and games are equal.
#[pyclass(frozen, module = "runner")]
pub struct Value {
    names: Names,
    value: DynValue,
    threads: Option<Threads>,
}

#[pymethods]
impl Value {
    #[new]
    #[pyo3(signature = (spec, game = None, *, threads = 1))]
    fn new(
        py: Python<'_>,
        spec: &Bound<'_, PyAny>,
        game: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = number)] threads: usize,
    ) -> PyResult<Self> {
        let (rules, spec) = (rules_of(py, game)?, parse_spec(spec)?);
        unless_interrupted(py, move || {
            let pool = pool(threads)?;
            let services = Services::new(&pool, &rules.registry, &rules.loaded);
            let built = rules.registry.value(&spec, &rules.loaded, &services.share());
            let (value, spec) = built.map_err(raise)?;
            let label = rules.registry.player(spec.name()).map_err(raise)?.label();
            let names = Names::new(rules, &spec, label);
            Ok(Self { names, value, threads: (threads > 1).then_some(pool) })
        })
    }

    fn __repr__(&self) -> String {
        format!("Value({:?}, {:?})", self.names.brief, self.names.rules.brief())
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.names.key() == other.names.key()
    }

    fn __hash__(&self) -> u64 {
        hash(&self.names.key())
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<KeptArguments<'py>> {
        self.names.arguments(py, self.threads.as_ref().map_or(1, Threads::count))
    }

    fn __str__(&self) -> &str {
        &self.names.brief
    }

    /// The spec with all parameters.
    #[getter]
    fn spec(&self) -> &str {
        &self.names.spec
    }

    /// The game as text.
    #[getter]
    fn game(&self) -> String {
        self.names.rules.brief()
    }

    /// `None` if estimates are points to come; the bounds of a rating.
    #[getter]
    fn bounds(&self) -> PyResult<Option<(f32, f32)>> {
        Ok(match self.names.catch(|| self.value.scale())? {
            ValueScale::Points => None,
            ValueScale::Rating { min, max } => Some((min, max)),
        })
    }

    /// Returns the estimates of afterstates, float32: boards, uint8 with shape (n, rows, cols), and
    /// what is known beside them, or words, uint64 with shape (n, 2).
    #[pyo3(signature = (afterstates, extras = None))]
    fn evaluate<'py>(
        &self,
        afterstates: &Bound<'py, PyAny>,
        extras: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Array<'py, f32>> {
        let py = afterstates.py();
        self.names.rules.with_afterstates(afterstates, extras, |count, read| {
            let mut values = vec![0.0; count];
            // Other threads of Python may change the array while this one evaluates, so it reads
            // before.
            let mut positions = vec![Afterstate::default(); count.min(AT_ONCE)];
            for (part, values) in values.chunks_mut(AT_ONCE).enumerate() {
                let positions = &mut positions[..values.len()];
                read(part * AT_ONCE, positions)?;
                let task = |(positions, values): (&[Afterstate], &mut [f32])| {
                    self.names.catch(|| self.value.evaluate(positions, values))
                };
                py.detach(|| match &self.threads {
                    None => task((positions, values)),
                    Some(threads) => threads.install(|| {
                        let chunks = values.par_chunks_mut(CHUNK);
                        positions.par_chunks(CHUNK).zip(chunks).try_for_each(task)
                    }),
                })?;
            }
            array(py, values, &[count])
        })
    }

    /// Returns the values of all actions of states, uint64 with shape (n, 2): float32 with shape
    /// (n, actions), NaN for actions that are not legal.
    fn action_values<'py>(&self, states: &Bound<'py, PyAny>) -> PyResult<Array<'py, f32>> {
        let (py, rules) = (states.py(), &*self.names.rules);
        let states = rules.states(states)?;
        let actions = rules.actions();
        let mut values = vec![f32::NAN; states.len() * actions];
        py.detach(|| {
            self.names.catch(|| {
                let mut successors = Successors::new();
                for (values, &state) in values.chunks_exact_mut(actions).zip(&states) {
                    with_rules!(rules, |game| {
                        game.successors(state, &mut successors);
                        let mut own = vec![0.0; successors.len()];
                        if !own.is_empty() {
                            self.value.action_values(game, state, &successors, &mut own);
                        }
                        for (successor, value) in successors.iter().zip(own) {
                            values[successor.action.index()] = value;
                        }
                    });
                }
            })
        })?;
        array(py, values, &[states.len(), actions])
    }

    /// Evaluates afterstates this many times without Python: the speed of the engine, for benches.
    fn evaluate_repeatedly(
        &self,
        afterstates: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = number)] times: u32,
    ) -> PyResult<()> {
        let positions = self.names.rules.afterstates(afterstates, None)?;
        let mut values = vec![0.0; positions.len()];
        let task = || (0..times).for_each(|_| self.value.evaluate(&positions, &mut values));
        afterstates.py().detach(|| self.names.catch(task))
    }
}

/// An agent, or the greedy policy of a value, as a player of a game. Agents with equal specs and
/// games are equal.
#[pyclass(frozen, module = "runner")]
pub struct Agent {
    player: Arc<(Names, Mutex<NamedPlayer>)>,
    /// The thread that calls the player.
    caller: Worker,
    /// The thread pool of the player's plugins.
    threads: Threads,
}

#[pymethods]
impl Agent {
    #[new]
    #[pyo3(signature = (spec, game = None, *, threads = 1))]
    fn new(
        py: Python<'_>,
        spec: &Bound<'_, PyAny>,
        game: Option<&Bound<'_, PyAny>>,
        #[pyo3(from_py_with = number)] threads: usize,
    ) -> PyResult<Self> {
        let (rules, spec) = (rules_of(py, game)?, parse_spec(spec)?);
        unless_interrupted(py, move || {
            let threads = pool(threads)?;
            let player = NamedPlayer::trained(&rules.registry, &spec, &rules.loaded, &threads)
                .map_err(raise)?;
            let names = Names::new(rules, &player.spec, player.label.clone());
            let player = Arc::new((names, Mutex::new(player)));
            Ok(Self { player, caller: Worker::start(), threads })
        })
    }

    fn __repr__(&self) -> String {
        format!("Agent({:?}, {:?})", self.names().brief, self.names().rules.brief())
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.names().key() == other.names().key()
    }

    fn __hash__(&self) -> u64 {
        hash(&self.names().key())
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<KeptArguments<'py>> {
        self.names().arguments(py, self.threads.count())
    }

    fn __str__(&self) -> &str {
        &self.names().brief
    }

    /// The spec with all parameters.
    #[getter]
    fn spec(&self) -> &str {
        &self.names().spec
    }

    /// Returns the action in a state, or `None` if the game is over or the agent gives up. Of
    /// several states, as an array of words or one by one, it returns an array of int64, with -1
    /// for `None`. Each state begins a new game, so that the answer depends on the state and the
    /// seed alone.
    #[pyo3(signature = (state, seed = 1))]
    fn act<'py>(
        &self,
        py: Python<'py>,
        state: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = number)] seed: u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        if state.try_iter().is_ok() && !state.is_instance_of::<PyString>() {
            return self.act_in_all(py, state, Seed(seed)).map(Bound::into_any);
        }
        let state = self.names().rules.playable(state)?;
        let chosen = self.run(py, move |player, rules| {
            choose_one(&rules.loaded, &mut player.player, state, Seed(seed), &mut Successors::new())
        })?;
        Ok(chosen.map(|Action(action)| action).into_pyobject(py)?.into_any())
    }

    /// Returns what the agent computes about a state: `action`, `values` by action, and `facts`.
    #[pyo3(signature = (state, seed = 1))]
    fn think<'py>(
        &self,
        py: Python<'py>,
        state: &Bound<'py, PyAny>,
        #[pyo3(from_py_with = number)] seed: u64,
    ) -> PyResult<Bound<'py, PyDict>> {
        let state = self.names().rules.playable(state)?;
        let analysis = self.run(py, move |player, rules| {
            let successors = &mut Successors::new();
            analyse_one(&rules.loaded, &mut player.player, state, Seed(seed), successors)
        })?;
        let dict = PyDict::new(py);
        dict.set_item("action", analysis.choice.map(|Action(action)| action))?;
        let values = PyDict::new(py);
        for (Action(action), value) in analysis.action_values {
            values.set_item(action, value)?;
        }
        dict.set_item("values", values)?;
        let facts = analysis.facts.into_iter().map(|(name, fact)| (name, json!(fact)));
        dict.set_item("facts", to_python(py, &facts.collect::<Map<_, _>>().into())?)?;
        Ok(dict)
    }
}

impl Agent {
    fn names(&self) -> &Names {
        &self.player.0
    }

    fn act_in_all<'py>(
        &self,
        py: Python<'py>,
        states: &Bound<'py, PyAny>,
        seed: Seed,
    ) -> PyResult<Array<'py, i64>> {
        let states = self.names().rules.all_playable(states)?;
        let (threads, stop) = (self.threads.clone(), Arc::<AtomicBool>::default());
        let stopped = stop.clone();
        let chosen = self.run(py, move |player, rules| {
            let chosen = choose(&rules.loaded, player, &states, seed, &threads, &stopped);
            chosen.unwrap_or_else(|fault| fault.raise())
        });
        // After an interrupt the thread continues otherwise.
        stop.store(true, Relaxed);
        let actions: Vec<_> = chosen?
            .into_iter()
            .flatten()
            .map(|action| action.map_or(-1, |Action(action)| i64::from(action)))
            .collect();
        let count = actions.len();
        array(py, actions, &[count])
    }

    /// Runs a task with the player, without Python's lock.
    fn run<T: Send + 'static>(
        &self,
        py: Python<'_>,
        task: impl FnOnce(&mut NamedPlayer, &Rules) -> T + Send + 'static,
    ) -> PyResult<T> {
        let shared = self.player.clone();
        self.caller.run(py, move || {
            let (names, player) = &*shared;
            let mut player = locked(player);
            names.catch(|| task(&mut player, &names.rules))
        })
    }
}
