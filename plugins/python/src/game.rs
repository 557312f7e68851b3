//! Games: their rules, and positions as numbers, texts and arrays.

use crate::arrays::{Array, array, number, read};
use crate::codec::Codec;
use crate::error::{raise, raise_fault};
use crate::registry;
use crate::waiting::unless_interrupted;
use numpy::{PyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use runner_core::{
    Afterstate, Description, Game as _, Outcome, Outcomes, Random, Seed, Spec, State, Successors,
    catch,
};
use runner_play::brief;
use runner_play::failure::Failure;
use runner_play::models;
use runner_play::position::{self, check_starts};
use runner_play::registry::{LoadedGame, Registry};
use runner_play::threads::Threads;
use runner_plugin::TableGame;
use std::fmt::Display;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher, Hash, RandomState};
use std::sync::Arc;

/// Reads a spec: a text, or an object of this module whose text is a spec.
pub fn parse_spec(spec: &Bound<'_, PyAny>) -> PyResult<Spec> {
    read_spec(&spec_text(spec)?)
}

pub fn spec_text(spec: &Bound<'_, PyAny>) -> PyResult<String> {
    let found = spec.get_type();
    if spec.cast::<PyString>().is_err() && found.module()? != "runner" {
        return Err(PyTypeError::new_err(format!("a spec is a text, not {found}")));
    }
    Ok(spec.str()?.to_cow()?.into_owned())
}

/// Reads the spec of a game or of a player, or the file of a model.
pub fn read_spec(text: &str) -> PyResult<Spec> {
    models::player(text).map_err(|error| raise(Failure::from(error)))
}

/// A game of a registry, its tables if it has any, and the layout of its boards.
pub struct Rules {
    pub registry: Arc<Registry>,
    pub loaded: LoadedGame,
    pub tables: Option<TableGame>,
    pub codec: Option<Codec>,
}

/// Evaluates an expression for the rules: over tables, if the game has them.
macro_rules! with_rules {
    ($rules:expr, |$game:ident| $task:expr) => {
        match &$rules.tables {
            Some($game) => $task,
            None => {
                let $game = &*$rules.loaded.rules;
                $task
            }
        }
    };
}
pub(crate) use with_rules;

impl Rules {
    pub fn new(spec: &Spec) -> PyResult<Self> {
        let registry = registry();
        let loaded = registry.game(spec).map_err(raise)?;
        let tables = catch(|| loaded.rules.with_tables())
            .map_err(|fault| raise_fault(&fault, &[&loaded.label]))?;
        let codec = loaded.rules.description().geometry.as_ref().map(Codec::new);
        Ok(Self { registry, loaded, tables, codec })
    }

    pub fn description(&self) -> &Description {
        self.loaded.rules.description()
    }

    pub fn actions(&self) -> usize {
        self.description().actions.len()
    }

    /// Returns the spec without parameters that have their defaults.
    pub fn brief(&self) -> String {
        brief::game(&self.loaded.spec, &self.registry).to_string()
    }

    /// Runs a task of which a fault is one of the game.
    pub fn catch<T>(&self, task: impl FnOnce() -> T) -> PyResult<T> {
        catch(task).map_err(|fault| raise_fault(&fault, &[&self.loaded.label]))
    }

    pub fn board(&self) -> PyResult<&Codec> {
        self.codec.as_ref().ok_or_else(|| {
            PyValueError::new_err(format!("{} is not played on a board", self.brief()))
        })
    }

    /// Returns a state that is given as its number or its text.
    pub fn state(&self, state: &Bound<'_, PyAny>) -> PyResult<State> {
        if let Ok(text) = state.cast::<PyString>() {
            return self.parse(&text.to_cow()?);
        }
        Ok(State::from_bits(self.bits(state, true)?))
    }

    pub fn parse(&self, text: &str) -> PyResult<State> {
        position::parse(&self.loaded, text, &self.registry).map_err(raise)
    }

    /// Returns a state from which games are played.
    pub fn playable(&self, state: &Bound<'_, PyAny>) -> PyResult<State> {
        let state = self.state(state)?;
        self.check_position(state).map(|()| state)
    }

    /// Refuses a state that the rules do not read from its text, such as one of Threes with an
    /// empty bag.
    pub fn check_position(&self, state: State) -> PyResult<()> {
        let rules = &self.loaded.rules;
        let is_position = self.catch(|| rules.parse(&rules.write(state)) == Ok(state))?;
        if is_position { Ok(()) } else { Err(self.impossible(state.bits())) }
    }

    fn afterstate(&self, afterstate: &Bound<'_, PyAny>) -> PyResult<Afterstate> {
        Ok(Afterstate::from_bits(self.bits(afterstate, false)?))
    }

    fn bits(&self, position: &Bound<'_, PyAny>, is_state: bool) -> PyResult<u128> {
        let index = position.call_method0("__index__").map_err(|_| {
            let found = position.get_type();
            PyTypeError::new_err(format!("a position is a number or a text, not {found}"))
        })?;
        match index.extract() {
            Ok(bits) if self.is_possible(bits, is_state) => Ok(bits),
            Ok(bits) => Err(self.impossible(bits)),
            Err(_) => Err(self.no_position(&index)),
        }
    }

    #[inline(always)]
    fn is_possible(&self, bits: u128, is_state: bool) -> bool {
        self.codec.as_ref().is_none_or(|codec| codec.is_possible(bits, is_state))
            && bits != State::RESERVED.bits()
    }

    fn impossible(&self, bits: u128) -> PyErr {
        self.no_position(format_args!("{bits:#x}"))
    }

    fn no_position(&self, number: impl Display) -> PyErr {
        PyValueError::new_err(format!("{number} is no position of {}", self.brief()))
    }

    /// Reads the first positions of games, given as an array of words, or one by one. There must be
    /// one, and none at which a game is over.
    pub fn starts(&self, states: &Bound<'_, PyAny>) -> PyResult<Vec<State>> {
        let starts = self.all_playable(states)?;
        if starts.is_empty() {
            return Err(PyValueError::new_err("`starts` needs a state"));
        }
        check_starts(&starts, &self.loaded).map_err(|failure| raise(failure.of("`starts`")))?;
        Ok(starts)
    }

    /// Returns states from which games are played, given as an array of words, or one by one.
    pub fn all_playable(&self, states: &Bound<'_, PyAny>) -> PyResult<Vec<State>> {
        if states.cast::<PyArrayDyn<u64>>().is_ok_and(|array| array.ndim() == 2) {
            let states = self.states(states)?;
            states.iter().try_for_each(|&state| self.check_position(state))?;
            return Ok(states);
        }
        states.try_iter()?.map(|state| self.playable(&state?)).collect()
    }

    /// Returns the states of an array of words, two for each.
    pub fn states(&self, states: &Bound<'_, PyAny>) -> PyResult<Vec<State>> {
        let array = read::<u64>(states, "states", &[None, Some(2)])?;
        let words = array.as_slice()?.as_chunks::<2>().0;
        let states: Vec<_> = words.iter().map(|&[lo, hi]| State::new(lo, hi)).collect();
        match states.iter().find(|state| !self.is_possible(state.bits(), true)) {
            Some(wrong) => Err(self.impossible(wrong.bits())),
            None => Ok(states),
        }
    }

    /// Returns the afterstates of an array of words, or of boards.
    pub fn afterstates(
        &self,
        positions: &Bound<'_, PyAny>,
        extras: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Afterstate>> {
        self.with_afterstates(positions, extras, collected)
    }

    /// Runs a task with the number of afterstates in an array of words, or of boards, and a
    /// function that reads some of them. Memory for all of a large array would cost a page fault
    /// for each 256.
    pub fn with_afterstates<T>(
        &self,
        positions: &Bound<'_, PyAny>,
        extras: Option<&Bound<'_, PyAny>>,
        task: impl FnOnce(usize, ReadPositions<'_>) -> PyResult<T>,
    ) -> PyResult<T> {
        if positions.cast::<PyArrayDyn<u64>>().is_err() {
            return self.with_boards(positions, extras, task);
        }
        let array = read::<u64>(positions, "afterstates", &[None, Some(2)])?;
        let words = array.as_slice()?.as_chunks::<2>().0;
        task(words.len(), &|first, out| {
            for (place, &[lo, hi]) in out.iter_mut().zip(&words[first..]) {
                *place = Afterstate::new(lo, hi);
                if !self.is_possible(place.bits(), false) {
                    return Err(self.impossible(place.bits()));
                }
            }
            Ok(())
        })
    }

    /// As [`with_afterstates`](Self::with_afterstates), of boards and the fields beside them.
    fn with_boards<T>(
        &self,
        boards: &Bound<'_, PyAny>,
        extras: Option<&Bound<'_, PyAny>>,
        task: impl FnOnce(usize, ReadPositions<'_>) -> PyResult<T>,
    ) -> PyResult<T> {
        let codec = self.board()?;
        let (cells, fields) = (codec.cells(), codec.fields.len());
        let array = read::<u8>(boards, "boards", &[None, Some(codec.rows), Some(codec.cols)])?;
        let boards = array.as_slice()?;
        let shape = [Some(boards.len() / cells), Some(fields)];
        let extra_array = extras.map(|extras| read::<u8>(extras, "extras", &shape)).transpose()?;
        let extras = extra_array.as_ref().map(|extras| extras.as_slice()).transpose()?;
        task(boards.len() / cells, &|first, out| {
            let boards = boards[first * cells..].chunks_exact(cells);
            for (k, (place, board)) in (first..).zip(out.iter_mut().zip(boards)) {
                let extras = extras.map_or(&[][..], |extras| &extras[k * fields..][..fields]);
                let bits = codec.position(board, extras).ok_or_else(|| {
                    PyValueError::new_err(format!(
                        "board {k} has a number that is too large: ranks are below {}, and `extras` \
                         below the sizes of `fields`",
                        codec.ranks
                    ))
                })?;
                *place = Afterstate::from_bits(bits);
            }
            Ok(())
        })
    }
}

/// Writes the positions from a number on.
pub type ReadPositions<'a> = &'a dyn Fn(usize, &mut [Afterstate]) -> PyResult<()>;

fn collected(count: usize, read: ReadPositions<'_>) -> PyResult<Vec<Afterstate>> {
    let mut all = vec![Afterstate::default(); count];
    read(0, &mut all)?;
    Ok(all)
}

/// Returns the hash of what makes two objects equal.
pub fn hash(of: &impl Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(of)
}

/// The words of positions, two for each.
pub fn words(positions: impl Iterator<Item = u128>) -> Vec<u64> {
    positions.flat_map(|bits| [bits as u64, (bits >> 64) as u64]).collect()
}

pub fn allowed(threads: Option<usize>) -> PyResult<Option<usize>> {
    if threads.is_none_or(|threads| (1..=1024).contains(&threads)) {
        return Ok(threads);
    }
    Err(PyValueError::new_err("`threads` is a number from 1 to 1024"))
}

pub fn pool(threads: usize) -> PyResult<Threads> {
    Threads::new(allowed(Some(threads))?).map_err(raise)
}

/// Returns the first word of the first game of a run with this seed, or of one that differs each
/// time.
fn word(seed: Option<u64>) -> u64 {
    let seed = seed.unwrap_or_else(|| RandomState::new().hash_one(()));
    Random::stream(Seed(seed), 0).word()
}

/// The rules of a game, such as `Game("2048(rows: 3)")`. Games with equal specs are equal.
#[pyclass(frozen, module = "runner")]
pub struct Game {
    pub rules: Arc<Rules>,
}

#[pymethods]
impl Game {
    #[new]
    #[pyo3(signature = (spec = "2048"))]
    fn new(py: Python<'_>, spec: &str) -> PyResult<Self> {
        let spec = read_spec(spec)?;
        Ok(Self { rules: Arc::new(unless_interrupted(py, move || Rules::new(&spec))?) })
    }

    fn __repr__(&self) -> String {
        format!("Game({:?})", self.__str__())
    }

    fn __str__(&self) -> String {
        self.rules.brief()
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.spec() == other.spec()
    }

    fn __hash__(&self) -> u64 {
        hash(&self.spec())
    }

    /// The arguments that `pickle` keeps.
    fn __getnewargs__(&self) -> (String,) {
        (self.spec(),)
    }

    /// The spec with all parameters.
    #[getter]
    fn spec(&self) -> String {
        self.rules.loaded.spec.to_string()
    }

    /// The names of the actions.
    #[getter]
    fn actions(&self) -> Vec<String> {
        self.rules.description().actions.clone()
    }

    #[getter]
    fn max_outcomes(&self) -> usize {
        self.rules.description().max_outcomes
    }

    /// Rows and columns of the board, or `None`.
    #[getter]
    fn shape(&self) -> Option<(usize, usize)> {
        self.rules.codec.as_ref().map(|codec| (codec.rows, codec.cols))
    }

    /// The displayed value of every rank of a cell, beginning with 0 for an empty cell.
    #[getter]
    fn values(&self) -> Vec<u64> {
        self.rules.description().geometry.as_ref().map_or(Vec::new(), |board| board.values.clone())
    }

    /// The names of the fields beside the board, each with its number of values.
    #[getter]
    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let fields = PyDict::new(py);
        for field in self.rules.codec.iter().flat_map(|codec| &codec.fields) {
            fields.set_item(&field.name, 1 << field.bits)?;
        }
        Ok(fields)
    }

    /// Returns the start position of the first game of a run with this seed, or a random one.
    #[pyo3(signature = (seed = None))]
    fn start(&self, #[pyo3(from_py_with = number)] seed: Option<u64>) -> PyResult<u128> {
        self.rules.catch(|| self.rules.loaded.rules.start(word(seed)).bits())
    }

    /// Returns all start positions with their probabilities, or `None` if they are too many.
    fn starts(&self) -> PyResult<Option<Vec<(u128, f64)>>> {
        let starts = self.rules.catch(|| self.rules.loaded.rules.starts())?;
        let pair = |start: Outcome| (start.state.bits(), start.probability);
        Ok(starts.map(|starts| starts.into_iter().map(pair).collect()))
    }

    /// Returns each legal action with its reward and its afterstate.
    fn successors(&self, state: &Bound<'_, PyAny>) -> PyResult<Vec<(u8, f32, u128)>> {
        let state = self.rules.state(state)?;
        let mut successors = Successors::new();
        self.rules.catch(|| self.rules.loaded.rules.successors(state, &mut successors))?;
        Ok(successors.iter().map(|s| (s.action.0, s.reward, s.afterstate.bits())).collect())
    }

    /// Returns the states that can follow an afterstate, with their probabilities.
    fn outcomes(&self, afterstate: &Bound<'_, PyAny>) -> PyResult<Vec<(u128, f64)>> {
        let afterstate = self.rules.afterstate(afterstate)?;
        let mut outcomes = Outcomes::with_capacity(self.max_outcomes());
        self.rules.catch(|| self.rules.loaded.rules.outcomes(afterstate, &mut outcomes))?;
        let is_possible = |outcome: &Outcome| self.rules.is_possible(outcome.state.bits(), true);
        if !outcomes.iter().all(is_possible) {
            return Err(self.rules.impossible(afterstate.bits()));
        }
        Ok(outcomes.iter().map(|outcome| (outcome.state.bits(), outcome.probability)).collect())
    }

    /// Returns a state that follows an afterstate, drawn with this seed if one is given.
    #[pyo3(signature = (afterstate, seed = None))]
    fn spawn(
        &self,
        afterstate: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = number)] seed: Option<u64>,
    ) -> PyResult<u128> {
        // The rules draw only where chance has outcomes.
        self.outcomes(afterstate)?;
        let afterstate = self.rules.afterstate(afterstate)?;
        self.rules.catch(|| self.rules.loaded.rules.spawn(afterstate, word(seed)).bits())
    }

    /// Returns the reward of a chance event, or of a start position if `afterstate` is `None`.
    #[pyo3(signature = (afterstate, state))]
    fn chance_reward(
        &self,
        afterstate: Option<&Bound<'_, PyAny>>,
        state: &Bound<'_, PyAny>,
    ) -> PyResult<f32> {
        let from = afterstate.map(|afterstate| self.rules.afterstate(afterstate)).transpose()?;
        let state = self.rules.state(state)?;
        self.rules.catch(|| self.rules.loaded.rules.chance_reward(from, state))
    }

    fn is_over(&self, state: &Bound<'_, PyAny>) -> PyResult<bool> {
        let state = self.rules.state(state)?;
        position::is_over(&self.rules.loaded, state).map_err(raise)
    }

    fn max_tile(&self, state: &Bound<'_, PyAny>) -> PyResult<Option<u64>> {
        let state = self.rules.state(state)?;
        self.rules.catch(|| self.rules.loaded.rules.max_tile(state))
    }

    /// Returns the state of a text.
    fn parse(&self, text: &str) -> PyResult<u128> {
        Ok(self.rules.parse(text)?.bits())
    }

    /// Returns the text of a state.
    fn write(&self, state: &Bound<'_, PyAny>) -> PyResult<String> {
        let state = self.rules.state(state)?;
        self.rules.catch(|| self.rules.loaded.rules.write(state))
    }

    fn write_afterstate(&self, afterstate: &Bound<'_, PyAny>) -> PyResult<String> {
        let afterstate = self.rules.afterstate(afterstate)?;
        self.rules.catch(|| self.rules.loaded.rules.write_afterstate(afterstate))
    }

    /// Returns boards, uint8 with shape (n, rows, cols), and their fields, uint8 with shape
    /// (n, number of fields), of states or afterstates, uint64 with shape (n, 2).
    fn decode<'py>(
        &self,
        positions: &Bound<'py, PyAny>,
    ) -> PyResult<(Array<'py, u8>, Array<'py, u8>)> {
        let (py, codec) = (positions.py(), self.rules.board()?);
        let afterstates = self.rules.afterstates(positions, None)?;
        Ok((codec.boards(py, &afterstates)?, codec.fields_of(py, &afterstates)?))
    }

    /// Returns the positions of boards, the inverse of `decode`.
    #[pyo3(signature = (boards, extras = None))]
    fn encode<'py>(
        &self,
        boards: &Bound<'py, PyAny>,
        extras: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Array<'py, u64>> {
        let positions = self.rules.with_boards(boards, extras, collected)?;
        let count = positions.len();
        array(boards.py(), words(positions.iter().map(|position| position.bits())), &[count, 2])
    }

    /// Returns the afterstates of states, uint64 with shape (n, actions, 2), the rewards of the
    /// actions, float32, and which are legal, bool.
    fn afterstates<'py>(
        &self,
        states: &Bound<'py, PyAny>,
    ) -> PyResult<(Array<'py, u64>, Array<'py, f32>, Array<'py, bool>)> {
        let (py, rules, states) = (states.py(), &*self.rules, self.rules.states(states)?);
        let (n, actions) = (states.len(), rules.actions());
        let size = n * actions;
        let (mut afterstates, mut rewards, mut legal) =
            (vec![0; 2 * size], vec![0.0; size], vec![false; size]);
        py.detach(|| {
            rules.catch(|| {
                let mut successors = Successors::new();
                for (k, &state) in states.iter().enumerate() {
                    with_rules!(rules, |game| game.successors(state, &mut successors));
                    for successor in successors.iter() {
                        let place = k * actions + successor.action.index();
                        let Afterstate { lo, hi } = successor.afterstate;
                        afterstates[2 * place..][..2].copy_from_slice(&[lo, hi]);
                        (rewards[place], legal[place]) = (successor.reward, true);
                    }
                }
            })
        })?;
        Ok((
            array(py, afterstates, &[n, actions, 2])?,
            array(py, rewards, &[n, actions])?,
            array(py, legal, &[n, actions])?,
        ))
    }
}
