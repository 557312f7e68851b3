//! Many games in step, in arrays of the caller.

use crate::arrays::{self, array, checked};
use crate::error::RunnerError;
use crate::game::{Game, Rules, pool, with_rules, words};
use numpy::{PyArrayDyn, PyReadonlyArrayDyn, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;
use runner_core::{
    Action, Afterstate, Fault, Game as Law, Random, Seed, Start, State, Successors, catch, scale,
};
use runner_play::threads::Threads;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

/// When a game that is over is followed by another, as gymnasium names it.
#[derive(Clone, Copy, PartialEq)]
enum Autoreset {
    /// In the next step, whose action is ignored.
    NextStep,
    /// At once. The last position is in the arrays `final_boards` and `final_extras`.
    SameStep,
    /// Never: a step of a game that is over is refused.
    Disabled,
}

/// One game of a batch.
struct Slot {
    random: Random,
    state: State,
    /// The legal actions, one bit for each.
    legal: u64,
    score: f64,
    /// The reward of the start position, which the first step adds to its own.
    pending: f64,
    steps: u64,
    /// The seed of the run, the number of the next game in it, and the distance to the one after.
    seed: Seed,
    next: u64,
    stride: u64,
    is_over: bool,
}

/// First positions, and the cumulative shares of them.
struct Starts {
    states: Vec<State>,
    shares: Vec<f64>,
}

struct Options {
    autoreset: Autoreset,
    /// An illegal action changes nothing, and is no error.
    ignores_illegal: bool,
    max_steps: u64,
    starts: Option<Starts>,
}

/// The arrays that each step writes.
struct Arrays {
    boards: Py<PyAny>,
    extras: Py<PyAny>,
    rewards: Py<PyAny>,
    masks: Py<PyAny>,
    terminated: Py<PyAny>,
    truncated: Py<PyAny>,
    finals: Option<(Py<PyAny>, Py<PyAny>)>,
}

/// The places of one or more slots in the arrays.
struct Part<'a> {
    slots: &'a mut [Slot],
    boards: &'a mut [u8],
    extras: &'a mut [u8],
    rewards: &'a mut [f64],
    masks: &'a mut [bool],
    terminated: &'a mut [bool],
    truncated: &'a mut [bool],
    final_boards: &'a mut [u8],
    final_extras: &'a mut [u8],
}

impl<'a> Part<'a> {
    /// Cuts the part after `n` slots. `sizes` are the numbers of cells, fields and actions.
    fn split(self, n: usize, [cells, fields, actions]: [usize; 3]) -> (Self, Self) {
        let has_finals = !self.final_boards.is_empty();
        macro_rules! cut {
            ($($name:ident: $length:expr),*) => {{
                $(let $name = self.$name.split_at_mut($length);)*
                (Self { $($name: $name.0),* }, Self { $($name: $name.1),* })
            }};
        }
        cut!(
            slots: n, boards: n * cells, extras: n * fields, rewards: n, masks: n * actions,
            terminated: n, truncated: n,
            final_boards: if has_finals { n * cells } else { 0 },
            final_extras: if has_finals { n * fields } else { 0 }
        )
    }
}

struct Inner {
    slots: Vec<Slot>,
    arrays: Arrays,
    threads: Option<Threads>,
    /// A step that failed has moved some of the games.
    is_broken: bool,
    is_started: bool,
}

/// Games in step. Each step writes its results to arrays: those that the caller gives, or new ones.
#[pyclass(frozen, module = "runner")]
pub struct Batch {
    rules: Arc<Rules>,
    options: Options,
    count: usize,
    inner: Mutex<Inner>,
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (
        game, n, *, autoreset = "next_step", illegal = "error", max_steps = None, threads = 1,
        starts = None, weights = None, boards = None, extras = None, rewards = None, masks = None,
        terminated = None, truncated = None
    ))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        game: &Game,
        n: usize,
        autoreset: &str,
        illegal: &str,
        max_steps: Option<u64>,
        threads: usize,
        starts: Option<&Bound<'_, PyAny>>,
        weights: Option<Vec<f64>>,
        boards: Option<Py<PyAny>>,
        extras: Option<Py<PyAny>>,
        rewards: Option<Py<PyAny>>,
        masks: Option<Py<PyAny>>,
        terminated: Option<Py<PyAny>>,
        truncated: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let rules = game.rules.clone();
        let codec = rules.board()?;
        if n == 0 || max_steps == Some(0) {
            return Err(PyValueError::new_err("a batch has at least one game and one step"));
        }
        let autoreset = match autoreset {
            "next_step" => Autoreset::NextStep,
            "same_step" => Autoreset::SameStep,
            "disabled" => Autoreset::Disabled,
            _ => {
                let message = "`autoreset` is \"next_step\", \"same_step\" or \"disabled\"";
                return Err(PyValueError::new_err(message));
            }
        };
        let ignores_illegal = match illegal {
            "error" => false,
            "ignore" => true,
            _ => return Err(PyValueError::new_err("`illegal` is \"error\" or \"ignore\"")),
        };
        let board = [n, codec.rows, codec.cols];
        let fields = [n, codec.fields.len()];
        let finals = match autoreset {
            Autoreset::SameStep => Some((
                owned::<u8>(py, None, "final_boards", &board)?,
                owned::<u8>(py, None, "final_extras", &fields)?,
            )),
            _ => None,
        };
        let arrays = Arrays {
            boards: owned::<u8>(py, boards, "boards", &board)?,
            extras: owned::<u8>(py, extras, "extras", &fields)?,
            rewards: owned::<f64>(py, rewards, "rewards", &[n])?,
            masks: owned::<bool>(py, masks, "masks", &[n, rules.actions()])?,
            terminated: owned::<bool>(py, terminated, "terminated", &[n])?,
            truncated: owned::<bool>(py, truncated, "truncated", &[n])?,
            finals,
        };
        let starts = starts.map(|starts| read_starts(&rules, starts, weights)).transpose()?;
        let slot = |number: usize| Slot {
            random: Random::from_word(0),
            state: State::RESERVED,
            legal: 0,
            score: 0.0,
            pending: 0.0,
            steps: 0,
            seed: Seed(0),
            next: number as u64,
            stride: n as u64,
            is_over: false,
        };
        let threads = match threads {
            1 => None,
            threads => Some(pool(threads)?),
        };
        let mut slots = Vec::new();
        let reserved = slots.try_reserve_exact(n);
        reserved.map_err(|error| PyMemoryError::new_err(error.to_string()))?;
        slots.extend((0..n).map(slot));
        let inner = Inner { slots, arrays, threads, is_broken: false, is_started: false };
        let max_steps = max_steps.unwrap_or(u64::MAX);
        let options = Options { autoreset, ignores_illegal, max_steps, starts };
        Ok(Self { rules, options, count: n, inner: Mutex::new(inner) })
    }

    fn __len__(&self) -> usize {
        self.count
    }

    /// Starts games: all, or those of a mask. `seed` makes game k the k-th of the run with this
    /// seed; `seeds` has a seed for each game, which is the first of its run. Without a seed, the
    /// next games of the run follow. `states`, uint64 with shape (n, 2), are the first positions.
    #[pyo3(signature = (*, seed = None, mask = None, seeds = None, states = None))]
    fn reset(
        &self,
        py: Python<'_>,
        seed: Option<u64>,
        mask: Option<&Bound<'_, PyAny>>,
        seeds: Option<&Bound<'_, PyAny>>,
        states: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let n = self.count;
        let mut inner = self.lock()?;
        let mask: Option<PyReadonlyArrayDyn<'_, bool>> =
            mask.map(|mask| arrays::read(mask, "mask", &[Some(n)])).transpose()?;
        let mask = mask.as_ref().map(|mask| mask.as_slice()).transpose()?;
        let seeds: Option<PyReadonlyArrayDyn<'_, u64>> =
            seeds.map(|seeds| arrays::read(seeds, "seeds", &[Some(n)])).transpose()?;
        let seeds = seeds.as_ref().map(|seeds| seeds.as_slice()).transpose()?;
        let states = states.map(|states| self.rules.states(states)).transpose()?;
        if states.as_ref().is_some_and(|states| states.len() != n) {
            return Err(PyValueError::new_err(format!("`states` must have {n} rows")));
        }
        if mask.is_some() && (inner.is_broken || !inner.is_started) {
            let message = "the games have not been started: reset them all, without a mask";
            return Err(PyRuntimeError::new_err(message));
        }
        let (rules, options) = (&*self.rules, &self.options);
        let task = |index: usize, slot: &mut Slot| {
            if mask.is_some_and(|mask| !mask[index]) {
                return false;
            }
            if let Some(seed) = seed {
                (slot.seed, slot.next, slot.stride) = (Seed(seed), index as u64, n as u64);
            }
            if let Some(seeds) = seeds {
                (slot.seed, slot.next, slot.stride) = (Seed(seeds[index]), 0, 1);
            }
            let state = states.as_ref().map(|states| states[index]);
            with_rules!(rules, |game| slot.begin(game, options, state));
            true
        };
        inner.is_started = false;
        inner.run(
            py,
            self,
            |part, _| {
                for index in 0..part.slots.len() {
                    if task(index, &mut part.slots[index]) {
                        let Part { rewards, terminated, truncated, .. } = part;
                        (rewards[index], terminated[index], truncated[index]) =
                            (0.0, part.slots[index].is_over, false);
                        self.observe(part, index);
                    }
                }
                Ok(())
            },
            None,
        )?;
        inner.is_started = true;
        Ok(())
    }

    /// Makes a move in each game: the actions of an array, int64 with shape (n,), or random legal
    /// ones.
    #[pyo3(signature = (actions = None))]
    fn step(&self, py: Python<'_>, actions: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let mut inner = self.lock()?;
        if inner.is_broken || !inner.is_started {
            return Err(PyRuntimeError::new_err("the games have not been started: call `reset`"));
        }
        let actions: Option<PyReadonlyArrayDyn<'_, i64>> = actions
            .map(|actions| arrays::read(actions, "actions", &[Some(self.count)]))
            .transpose()?;
        let actions = actions.as_ref().map(|actions| actions.as_slice()).transpose()?;
        self.check(&inner.slots, actions)?;
        let (rules, threads) = (&*self.rules, inner.threads.clone());
        inner.run(
            py,
            self,
            |part, actions| with_rules!(rules, |game| self.step_part(game, part, actions)),
            Some((threads, actions)),
        )
    }

    /// Returns the afterstates of all games: boards, uint8 with shape (n, actions, rows, cols), the
    /// rewards of the actions, float32, and the afterstates as words, uint64 with shape
    /// (n, actions, 2). Illegal actions have zeros.
    #[allow(clippy::type_complexity)]
    fn afterstates<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(
        Bound<'py, PyArrayDyn<u8>>,
        Bound<'py, PyArrayDyn<f32>>,
        Bound<'py, PyArrayDyn<u64>>,
    )> {
        let inner = self.lock()?;
        let (rules, codec) = (&*self.rules, self.rules.board()?);
        let (n, actions, cells) = (self.count, rules.actions(), codec.cells());
        let mut boards = vec![0; n * actions * cells];
        let mut rewards = vec![0.0; n * actions];
        let mut positions = vec![0; n * actions * 2];
        let slots = &inner.slots;
        py.detach(|| {
            rules.catch(|| {
                let mut successors = Successors::new();
                for (k, slot) in slots.iter().enumerate() {
                    with_rules!(rules, |game| game.successors(slot.state, &mut successors));
                    for successor in successors.iter() {
                        let place = k * actions + successor.action.index();
                        let Afterstate { lo, hi } = successor.afterstate;
                        codec.board(
                            successor.afterstate.bits(),
                            &mut boards[place * cells..][..cells],
                        );
                        rewards[place] = successor.reward;
                        positions[2 * place..][..2].copy_from_slice(&[lo, hi]);
                    }
                }
            })
        })?;
        Ok((
            array(py, boards, &[n, actions, codec.rows, codec.cols])?,
            array(py, rewards, &[n, actions])?,
            array(py, positions, &[n, actions, 2])?,
        ))
    }

    /// The states of all games, uint64 with shape (n, 2).
    #[getter]
    fn states<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<u64>>> {
        let inner = self.lock()?;
        let states = words(inner.slots.iter().map(|slot| slot.state.bits()));
        array(py, states, &[self.count, 2])
    }

    /// The scores of all games.
    #[getter]
    fn scores<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let inner = self.lock()?;
        array(py, inner.slots.iter().map(|slot| slot.score).collect(), &[self.count])
    }

    /// The numbers of steps of all games.
    #[getter]
    fn steps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<u64>>> {
        let inner = self.lock()?;
        array(py, inner.slots.iter().map(|slot| slot.steps).collect(), &[self.count])
    }

    /// The arrays by name.
    #[getter]
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let inner = self.lock()?;
        let dict = PyDict::new(py);
        let Arrays { boards, extras, rewards, masks, terminated, truncated, finals } =
            &inner.arrays;
        dict.set_item("boards", boards)?;
        dict.set_item("extras", extras)?;
        dict.set_item("rewards", rewards)?;
        dict.set_item("masks", masks)?;
        dict.set_item("terminated", terminated)?;
        dict.set_item("truncated", truncated)?;
        if let Some((boards, extras)) = finals {
            dict.set_item("final_boards", boards)?;
            dict.set_item("final_extras", extras)?;
        }
        Ok(dict)
    }
}

/// Returns the array of a caller, checked, or a new one.
fn owned<T: numpy::Element + Default + Clone>(
    py: Python<'_>,
    given: Option<Py<PyAny>>,
    name: &str,
    shape: &[usize],
) -> PyResult<Py<PyAny>> {
    match given {
        Some(given) => {
            let shape: Vec<_> = shape.iter().copied().map(Some).collect();
            checked::<T>(given.bind(py), name, &shape)?;
            let writable = given.bind(py).getattr("flags")?.getattr("writeable")?.is_truthy()?;
            match writable {
                true => Ok(given),
                false => Err(PyValueError::new_err(format!("`{name}` cannot be written"))),
            }
        }
        None => {
            let count = shape.iter().try_fold(1usize, |count, &length| count.checked_mul(length));
            let mut new = Vec::new();
            let is_there = count.is_some_and(|count| new.try_reserve_exact(count).is_ok());
            let Some(count) = count.filter(|_| is_there) else {
                return Err(PyMemoryError::new_err(format!("`{name}` does not fit in memory")));
            };
            new.resize(count, T::default());
            Ok(array(py, new, shape)?.into_any().unbind())
        }
    }
}

fn read_starts(
    rules: &Rules,
    states: &Bound<'_, PyAny>,
    weights: Option<Vec<f64>>,
) -> PyResult<Starts> {
    let states = match states.cast::<PyUntypedArray>() {
        Ok(array) if array.ndim() == 2 => rules.states(states)?,
        _ => states.try_iter()?.map(|state| rules.state(&state?)).collect::<PyResult<_>>()?,
    };
    let weights = weights.unwrap_or_else(|| vec![1.0; states.len()]);
    let total: f64 = weights.iter().sum();
    let is_right = weights.iter().all(|weight| *weight >= 0.0) && total > 0.0 && total.is_finite();
    if weights.len() != states.len() || !is_right {
        let message =
            "`starts` needs a state, and `weights` a number of 0 or more for each, not all 0";
        return Err(PyValueError::new_err(message));
    }
    let mut sum = 0.0;
    let shares = weights.iter().map(|weight| {
        sum += weight / total;
        sum
    });
    Ok(Starts { shares: shares.collect(), states })
}

impl Slot {
    /// Starts the next game of the run.
    fn begin<G: Law>(&mut self, game: &G, options: &Options, given: Option<State>) {
        self.random = Random::stream(self.seed, self.next);
        self.next += self.stride;
        let start = match (given, &options.starts) {
            (Some(state), _) => Start { state, score: 0.0 },
            (None, Some(Starts { states, shares })) => {
                let number = self.random.unit();
                let index = shares.partition_point(|share| *share <= number).min(states.len() - 1);
                Start { state: states[index], score: 0.0 }
            }
            (None, None) => Start::new(game, game.start(self.random.word())),
        };
        (self.state, self.score, self.pending, self.steps) =
            (start.state, start.score, start.score, 0);
        let mut successors = Successors::new();
        self.list(game, &mut successors);
    }

    #[inline(always)]
    fn list<G: Law>(&mut self, game: &G, successors: &mut Successors) {
        game.successors(self.state, successors);
        self.legal = successors.iter().fold(0, |legal, s| legal | 1 << s.action.0);
        self.is_over = self.legal == 0;
    }
}

/// Returns the n-th of the bits that are set.
#[inline(always)]
fn nth_bit(mut bits: u64, n: u32) -> u8 {
    for _ in 0..n {
        bits &= bits - 1;
    }
    bits.trailing_zeros() as u8
}

impl Batch {
    fn lock(&self) -> PyResult<MutexGuard<'_, Inner>> {
        match self.inner.try_lock() {
            Ok(inner) => Ok(inner),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => {
                Err(PyRuntimeError::new_err("the batch is in use by another thread"))
            }
        }
    }

    /// Refuses the actions of a step before any of them is made.
    fn check(&self, slots: &[Slot], actions: Option<&[i64]>) -> PyResult<()> {
        if self.options.autoreset == Autoreset::Disabled
            && let Some(k) = slots.iter().position(|slot| slot.is_ended(&self.options))
        {
            return Err(PyValueError::new_err(format!("game {k} is over: reset it")));
        }
        let Some(actions) = actions else { return Ok(()) };
        let count = self.rules.actions() as i64;
        let is_wrong = |(slot, &action): (&Slot, &i64)| {
            !(0..count).contains(&action)
                || !self.options.ignores_illegal
                    && slot.legal >> action & 1 == 0
                    && !slot.is_ended(&self.options)
        };
        let Some(k) = slots.iter().zip(actions).position(is_wrong) else { return Ok(()) };
        let state = self.rules.catch(|| self.rules.loaded.rules.write(slots[k].state))?;
        Err(PyValueError::new_err(match actions[k] {
            action if (0..count).contains(&action) => {
                let name = self.rules.description().action_name(Action(action as u8));
                format!("the action of game {k}, `{name}`, is not legal in {state}")
            }
            action => {
                format!("the action of game {k} is {action}, which is not from 0 to {}", count - 1)
            }
        }))
    }

    /// Writes the position of a slot.
    #[inline(always)]
    fn observe(&self, part: &mut Part<'_>, index: usize) {
        let Some(codec) = &self.rules.codec else { return };
        let (cells, fields) = (codec.cells(), codec.fields.len());
        let slot = &part.slots[index];
        codec.board(slot.state.bits(), &mut part.boards[index * cells..][..cells]);
        codec.extras(slot.state.bits(), &mut part.extras[index * fields..][..fields]);
        let actions = part.masks.len() / part.slots.len();
        for (action, legal) in part.masks[index * actions..][..actions].iter_mut().enumerate() {
            *legal = slot.legal >> action & 1 == 1;
        }
    }

    fn step_part<G: Law>(
        &self,
        game: &G,
        part: &mut Part<'_>,
        actions: Option<&[i64]>,
    ) -> Result<(), Fault> {
        let options = &self.options;
        let has_chance_rewards = game.has_chance_rewards();
        let mut successors = Successors::new();
        catch(|| {
            for index in 0..part.slots.len() {
                let slot = &mut part.slots[index];
                part.truncated[index] = false;
                if slot.is_ended(options) {
                    slot.begin(game, options, None);
                    (part.rewards[index], part.terminated[index]) = (0.0, slot.is_over);
                    self.observe(part, index);
                    continue;
                }
                // A player draws before chance does, as in every game of the runner.
                let word = slot.random.word();
                let action = match actions {
                    Some(actions) => actions[index] as u8,
                    None => {
                        nth_bit(slot.legal, scale((word >> 32) as u32, slot.legal.count_ones()))
                    }
                };
                let mut reward = std::mem::take(&mut slot.pending);
                slot.steps += 1;
                if slot.legal >> action & 1 == 1 {
                    let Some(chosen) = game.successor(slot.state, Action(action)) else {
                        let message = "`successor` and `successors` list different actions";
                        Fault::new(message).raise()
                    };
                    let next = game.spawn(chosen.afterstate, slot.random.word());
                    let mut earned = f64::from(chosen.reward);
                    if has_chance_rewards {
                        earned += f64::from(game.chance_reward(Some(chosen.afterstate), next));
                    }
                    slot.state = next;
                    slot.score += earned;
                    reward += earned;
                    slot.list(game, &mut successors);
                }
                part.rewards[index] = reward;
                part.terminated[index] = slot.is_over;
                part.truncated[index] = slot.steps >= options.max_steps;
                if options.autoreset == Autoreset::SameStep && slot.is_ended(options) {
                    self.observe(part, index);
                    self.keep_final(part, index);
                    part.slots[index].begin(game, options, None);
                }
                self.observe(part, index);
            }
        })
    }

    #[cold]
    fn keep_final(&self, part: &mut Part<'_>, index: usize) {
        let Some(codec) = &self.rules.codec else { return };
        let copy = |from: &[u8], to: &mut [u8], size: usize| {
            let range = index * size..(index + 1) * size;
            to[range.clone()].copy_from_slice(&from[range]);
        };
        copy(part.boards, part.final_boards, codec.cells());
        copy(part.extras, part.final_extras, codec.fields.len());
    }
}

impl Slot {
    /// Returns true if the game is over, or has reached the limit of steps.
    #[inline(always)]
    fn is_ended(&self, options: &Options) -> bool {
        self.is_over || self.steps >= options.max_steps
    }
}

impl Inner {
    /// Runs a task on the slots and their places in the arrays, without Python's lock: on the threads
    /// that are given, each with its share of the actions, or on this one.
    fn run(
        &mut self,
        py: Python<'_>,
        batch: &Batch,
        task: impl Fn(&mut Part<'_>, Option<&[i64]>) -> Result<(), Fault> + Sync,
        shared: Option<(Option<Threads>, Option<&[i64]>)>,
    ) -> PyResult<()> {
        let (n, rules) = (batch.count, &*batch.rules);
        let codec = rules.board()?;
        let sizes = [codec.cells(), codec.fields.len(), rules.actions()];
        let board = [Some(n), Some(codec.rows), Some(codec.cols)];
        let fields = [Some(n), Some(sizes[1])];
        let one = [Some(n)];
        let Self { slots, arrays: own, .. } = self;
        // The caller could have changed their shapes.
        let mut boards = arrays::write::<u8>(own.boards.bind(py), "boards", &board)?;
        let mut extras = arrays::write::<u8>(own.extras.bind(py), "extras", &fields)?;
        let mut rewards = arrays::write::<f64>(own.rewards.bind(py), "rewards", &one)?;
        let masks = [Some(n), Some(sizes[2])];
        let mut masks = arrays::write::<bool>(own.masks.bind(py), "masks", &masks)?;
        let mut terminated = arrays::write::<bool>(own.terminated.bind(py), "terminated", &one)?;
        let mut truncated = arrays::write::<bool>(own.truncated.bind(py), "truncated", &one)?;
        let mut finals = match &own.finals {
            Some((boards, extras)) => Some((
                arrays::write::<u8>(boards.bind(py), "final_boards", &board)?,
                arrays::write::<u8>(extras.bind(py), "final_extras", &fields)?,
            )),
            None => None,
        };
        let (final_boards, final_extras): (&mut [u8], &mut [u8]) = match &mut finals {
            Some((boards, extras)) => (boards.as_slice_mut()?, extras.as_slice_mut()?),
            None => (&mut [], &mut []),
        };
        let mut whole = Part {
            slots,
            boards: boards.as_slice_mut()?,
            extras: extras.as_slice_mut()?,
            rewards: rewards.as_slice_mut()?,
            masks: masks.as_slice_mut()?,
            terminated: terminated.as_slice_mut()?,
            truncated: truncated.as_slice_mut()?,
            final_boards,
            final_extras,
        };
        let (threads, actions) = shared.unwrap_or_default();
        let ended = py.detach(|| match threads {
            None => catch(|| task(&mut whole, actions)).and_then(|result| result),
            Some(threads) => {
                let share = n.div_ceil(threads.count());
                let (mut parts, mut rest) = (Vec::new(), whole);
                while rest.slots.len() > share {
                    let (part, others) = rest.split(share, sizes);
                    parts.push(part);
                    rest = others;
                }
                parts.push(rest);
                threads.install(|| {
                    let parts = parts.into_par_iter().enumerate();
                    parts
                        .map(|(k, mut part)| {
                            let from = k * share;
                            let length = part.slots.len();
                            task(&mut part, actions.map(|actions| &actions[from..from + length]))
                        })
                        .collect::<Result<(), Fault>>()
                })
            }
        });
        self.is_broken = ended.is_err();
        ended.map_err(|fault| {
            let whose = [rules.loaded.label.as_str()];
            RunnerError::new_err(runner_play::failure::attributed(&fault.0, &whose))
        })
    }
}
