//! Values and agents, built from specs.

use crate::arrays::array;
use crate::error::{raise, raise_fault};
use crate::game::{Game, Rules, parse_spec, pool, read_spec, with_rules};
use numpy::PyArrayDyn;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;
use runner_core::{
    Action, Afterstate, Agent as Player, Fact, Facts, Fault, Game as Law, Learner, Random, Seed,
    State, Successors, Turn, Value as Estimate, ValueScale, catch, locked,
};
use runner_play::analysis::analyse_one;
use runner_play::brief::brief;
use runner_play::failure::Failure;
use runner_play::models;
use runner_play::player::NamedPlayer;
use runner_play::threads::{Services, Threads};
use runner_plugin::DynValue;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// Number of boards that a thread evaluates at once.
const CHUNK: usize = 4096;

fn rules_of(py: Python<'_>, game: Option<&Bound<'_, PyAny>>) -> PyResult<Arc<Rules>> {
    let spec = match game.map(|game| (game, game.cast::<Game>())) {
        Some((_, Ok(game))) => return Ok(game.get().rules.clone()),
        Some((spec, Err(_))) => parse_spec(spec)?,
        None => read_spec("2048")?,
    };
    py.detach(|| Rules::new(&spec)).map(Arc::new)
}

fn facts_dict<'py>(py: Python<'py>, facts: Facts) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, fact) in facts {
        match fact {
            Fact::Count(count) => dict.set_item(name, count)?,
            Fact::Number(number) => dict.set_item(name, number)?,
            Fact::Text(text) => dict.set_item(name, text)?,
        }
    }
    Ok(dict)
}

/// A value, which estimates afterstates of a game.
#[pyclass(frozen, module = "runner")]
pub struct Value {
    rules: Arc<Rules>,
    value: DynValue,
    spec: String,
    brief: String,
    label: String,
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
        threads: usize,
    ) -> PyResult<Self> {
        let (rules, spec) = (rules_of(py, game)?, parse_spec(spec)?);
        py.detach(|| {
            let pool = pool(threads)?;
            let services = Services::new(&pool, &rules.registry, &rules.loaded);
            let loaded = rules.registry.value(&spec, &rules.loaded, &services.share());
            let loaded = loaded.map_err(raise)?;
            Ok(Self {
                brief: brief(&loaded.spec, &rules.registry).to_string(),
                spec: loaded.spec.to_string(),
                label: loaded.label,
                value: loaded.value,
                threads: (threads > 1).then_some(pool),
                rules,
            })
        })
    }

    fn __repr__(&self) -> String {
        format!("Value({:?}, {:?})", self.brief, self.game())
    }

    fn __str__(&self) -> &str {
        &self.brief
    }

    /// The spec with all parameters.
    #[getter]
    fn spec(&self) -> &str {
        &self.spec
    }

    /// The game as text.
    #[getter]
    fn game(&self) -> String {
        brief(&self.rules.loaded.spec, &self.rules.registry).to_string()
    }

    /// `None` if estimates are points to come; the bounds of a rating.
    #[getter]
    fn bounds(&self) -> PyResult<Option<(f32, f32)>> {
        Ok(match self.catch(|| self.value.scale())? {
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
    ) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
        let positions = self.rules.afterstates(afterstates, extras)?;
        self.estimate(afterstates.py(), &positions, DynValue::evaluate)
    }

    /// Returns the exact values of afterstates, NaN where they are not known.
    #[pyo3(signature = (afterstates, extras = None))]
    fn exact_values<'py>(
        &self,
        afterstates: &Bound<'py, PyAny>,
        extras: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
        let positions = self.rules.afterstates(afterstates, extras)?;
        self.estimate(afterstates.py(), &positions, DynValue::exact_values)
    }

    /// Returns the values of all actions of states, uint64 with shape (n, 2): float32 with shape
    /// (n, actions), NaN for actions that are not legal.
    fn action_values<'py>(
        &self,
        states: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
        let (py, rules, states) = (states.py(), &*self.rules, self.rules.states(states)?);
        let actions = rules.actions();
        let mut values = vec![f32::NAN; states.len() * actions];
        py.detach(|| {
            self.catch(|| {
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
    fn evaluate_repeatedly(&self, afterstates: &Bound<'_, PyAny>, times: u32) -> PyResult<()> {
        let positions = self.rules.afterstates(afterstates, None)?;
        let mut values = vec![0.0; positions.len()];
        let task = || (0..times).for_each(|_| self.value.evaluate(&positions, &mut values));
        afterstates.py().detach(|| self.catch(task))
    }

    /// Returns the progress of a learner, or `None` for a value that does not learn.
    fn progress<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        if !self.value.is_learner() {
            return Ok(None);
        }
        let progress = self.catch(|| self.value.progress())?;
        let dict = PyDict::new(py);
        dict.set_item("moves", progress.moves)?;
        dict.set_item("episodes", progress.episodes)?;
        dict.set_item("seconds", progress.elapsed.as_secs_f64())?;
        dict.set_item("mean", (progress.window > 0).then_some(progress.mean))?;
        Ok(Some(dict))
    }

    /// Saves a learner. Its formats are those of `runner model`; the extension of the file names one.
    #[pyo3(signature = (path, format = None))]
    fn save(&self, py: Python<'_>, path: PathBuf, format: Option<&str>) -> PyResult<()> {
        py.detach(|| {
            if !self.value.is_learner() {
                return Err(Failure::usage(format!("`{}` does not learn", self.brief)));
            }
            let format = models::format(&self.value, format, &path)?;
            models::save(&self.value, &path, &format)
        })
        .map_err(raise)
    }

    /// Loads a model, or the mean of several.
    #[pyo3(signature = (*paths))]
    fn load(&self, py: Python<'_>, paths: Vec<PathBuf>) -> PyResult<()> {
        py.detach(|| {
            if !self.value.is_learner() {
                return Err(Failure::usage(format!("`{}` does not learn", self.brief)));
            }
            let paths: Vec<_> = paths.iter().map(PathBuf::as_path).collect();
            Ok(self.value.load(&paths)?)
        })
        .map_err(raise)
    }
}

impl Value {
    fn catch<T>(&self, task: impl FnOnce() -> T) -> PyResult<T> {
        catch(task).map_err(|fault| self.fault(&fault))
    }

    fn fault(&self, fault: &Fault) -> PyErr {
        raise_fault(fault, &[&self.rules.loaded.label, &self.label])
    }

    /// Returns the estimates by a function of the value, which all threads call.
    fn estimate<'py>(
        &self,
        py: Python<'py>,
        afterstates: &[Afterstate],
        function: impl Fn(&DynValue, &[Afterstate], &mut [f32]) + Sync,
    ) -> PyResult<Bound<'py, PyArrayDyn<f32>>> {
        let mut values = vec![0.0; afterstates.len()];
        let task = |(values, part): (&mut [f32], &[Afterstate])| {
            catch(|| function(&self.value, part, values))
        };
        let ended = py.detach(|| match &self.threads {
            None => task((&mut values, afterstates)),
            Some(threads) => threads.install(|| {
                values.par_chunks_mut(CHUNK).zip(afterstates.par_chunks(CHUNK)).try_for_each(task)
            }),
        });
        ended.map_err(|fault| self.fault(&fault))?;
        array(py, values, &[afterstates.len()])
    }
}

/// An agent, or the greedy policy of a value, as a player of a game.
#[pyclass(frozen, module = "runner")]
pub struct Agent {
    rules: Arc<Rules>,
    spec: String,
    brief: String,
    label: String,
    player: Mutex<NamedPlayer>,
    /// The thread pool of the player's plugins.
    _threads: Threads,
}

#[pymethods]
impl Agent {
    #[new]
    #[pyo3(signature = (spec, game = None, *, threads = 1))]
    fn new(
        py: Python<'_>,
        spec: &Bound<'_, PyAny>,
        game: Option<&Bound<'_, PyAny>>,
        threads: usize,
    ) -> PyResult<Self> {
        let (rules, spec) = (rules_of(py, game)?, parse_spec(spec)?);
        py.detach(|| {
            let threads = pool(threads)?;
            let player = NamedPlayer::trained(&rules.registry, &spec, &rules.loaded, &threads);
            let player = player.map_err(raise)?;
            Ok(Self {
                spec: player.spec.to_string(),
                brief: brief(&player.spec, &rules.registry).to_string(),
                label: player.label.clone(),
                player: Mutex::new(player),
                rules,
                _threads: threads,
            })
        })
    }

    fn __repr__(&self) -> String {
        let game = brief(&self.rules.loaded.spec, &self.rules.registry);
        format!("Agent({:?}, {:?})", self.brief, game.to_string())
    }

    fn __str__(&self) -> &str {
        &self.brief
    }

    /// The spec with all parameters.
    #[getter]
    fn spec(&self) -> &str {
        &self.spec
    }

    /// Returns the action in a state, or `None` if the game is over or the agent gives up. Each call
    /// begins a new game at the state, so that the answer depends on the state and the seed alone.
    #[pyo3(signature = (state, seed = 1))]
    fn act(&self, state: &Bound<'_, PyAny>, seed: u64) -> PyResult<Option<u8>> {
        let state = self.rules.state(state)?;
        state_of(self, |player, rules| {
            let mut successors = Successors::new();
            rules.loaded.rules.successors(state, &mut successors);
            if successors.is_empty() {
                return None;
            }
            let random = Random::stream(Seed(seed), state.lo ^ state.hi).word();
            player.player.begin(&*rules.loaded.rules, state);
            let turn = Turn { state, successors: &successors, random };
            player.player.act(&*rules.loaded.rules, &turn).map(|Action(action)| action)
        })
    }

    /// Returns what the agent computes about a state: `action`, `values` by action, and `facts`.
    #[pyo3(signature = (state, seed = 1))]
    fn think<'py>(
        &self,
        py: Python<'py>,
        state: &Bound<'py, PyAny>,
        seed: u64,
    ) -> PyResult<Bound<'py, PyDict>> {
        let state: State = self.rules.state(state)?;
        let analysis = state_of(self, |player, rules| {
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
        dict.set_item("facts", facts_dict(py, analysis.facts)?)?;
        Ok(dict)
    }
}

/// Runs a task with the player of an agent, without Python's lock.
fn state_of<T: Send>(
    agent: &Agent,
    task: impl FnOnce(&mut NamedPlayer, &Rules) -> T + Send,
) -> PyResult<T> {
    let Agent { rules, label, player, .. } = agent;
    let done = Python::attach(|py| {
        py.detach(|| {
            let mut player = locked(player);
            catch(|| task(&mut player, rules))
        })
    });
    done.map_err(|fault| raise_fault(&fault, &[&rules.loaded.label, label]))
}
