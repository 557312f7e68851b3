//! Many games in step.

use crate::arrays::{Array, array, flags, number, numbers};
use crate::error::raise_fault;
use crate::game::{Game, pool, with_rules, words};
use crate::outputs::{Outputs, Part, Shape};
use crate::slots::{Autoreset, BatchOptions, Slot};
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;
use runner_core::{Fault, catch};
use runner_play::threads::Threads;
use std::sync::{Mutex, MutexGuard, TryLockError};

struct Inner {
    slots: Vec<Slot>,
    outputs: Outputs,
    /// False before the first reset, and after a step that failed: it has moved some of the games.
    is_started: bool,
}

const NOT_STARTED: &str = "the games have not been started, or a step failed: call `reset`";

/// Games in step. Each step writes its results to the same arrays.
#[pyclass(frozen, module = "runner")]
pub struct Batch {
    options: BatchOptions,
    shape: Shape,
    threads: Option<Threads>,
    inner: Mutex<Inner>,
}

#[pymethods]
impl Batch {
    #[new]
    #[pyo3(signature = (
        game, n, *, autoreset = "next_step", illegal = "error", max_steps = None, threads = 1,
        starts = None
    ))]
    fn new(
        py: Python<'_>,
        game: &Game,
        #[pyo3(from_py_with = number)] n: usize,
        autoreset: &str,
        illegal: &str,
        #[pyo3(from_py_with = number)] max_steps: Option<u64>,
        #[pyo3(from_py_with = number)] threads: usize,
        starts: Option<&Bound<'_, PyAny>>,
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
        let (rows, cols, fields) = (codec.rows, codec.cols, codec.fields.len());
        let shape = Shape { games: n, rows, cols, fields, actions: rules.actions() };
        let outputs = Outputs::new(py, shape)?;
        let starts = starts.map(|starts| rules.starts(starts)).transpose()?.unwrap_or_default();
        let threads = if threads == 1 { None } else { Some(pool(threads)?) };
        let mut slots = Vec::new();
        let reserved = slots.try_reserve_exact(n);
        reserved.map_err(|error| PyMemoryError::new_err(error.to_string()))?;
        slots.extend((0..n).map(|index| Slot::new(index, n)));
        let inner = Mutex::new(Inner { slots, outputs, is_started: false });
        let max_steps = max_steps.unwrap_or(u64::MAX);
        let options = BatchOptions { rules, autoreset, ignores_illegal, max_steps, starts };
        Ok(Self { options, shape, threads, inner })
    }

    fn __repr__(&self) -> String {
        format!("Batch(Game({:?}), {})", self.options.rules.brief(), self.shape.games)
    }

    fn __len__(&self) -> usize {
        self.shape.games
    }

    /// Starts games: all, or those of a mask. `seed` makes game k the k-th of the run with this
    /// seed; with `seeds`, each game is the first of the run with its own seed. Without a seed, the
    /// next games of the run follow. `states`, uint64 with shape (n, 2), are the first positions.
    #[pyo3(signature = (*, seed = None, mask = None, seeds = None, states = None))]
    fn reset(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = number)] seed: Option<u64>,
        mask: Option<&Bound<'_, PyAny>>,
        seeds: Option<&Bound<'_, PyAny>>,
        states: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let n = self.shape.games;
        let mut inner = self.lock()?;
        let mask = mask.map(|mask| flags(mask, "mask", n)).transpose()?;
        let seeds = seeds.map(|seeds| numbers::<u64>(seeds, "seeds", n)).transpose()?;
        let rules = &self.options.rules;
        let states = states.map(|states| rules.states(states)).transpose()?;
        if states.as_ref().is_some_and(|states| states.len() != n) {
            return Err(PyValueError::new_err(format!("`states` must have {n} rows")));
        }
        for (index, &state) in states.iter().flatten().enumerate() {
            if mask.as_ref().is_none_or(|mask| mask[index]) {
                rules.check_position(state)?;
            }
        }
        if seed.is_some() && seeds.is_some() {
            return Err(PyValueError::new_err("`seed` and `seeds` exclude each other"));
        }
        if mask.is_some() && !inner.is_started {
            return Err(PyRuntimeError::new_err(format!("{NOT_STARTED} without a mask")));
        }
        self.run(py, &mut inner, None, |part, _| {
            for index in 0..n {
                if mask.as_ref().is_some_and(|mask| !mask[index]) {
                    continue;
                }
                match (&seeds, seed) {
                    (Some(seeds), _) => part.slots[index].set_run(seeds[index], 0, 1),
                    (None, Some(seed)) => part.slots[index].set_run(seed, index, n),
                    (None, None) => {}
                }
                self.options.reset(part, index, states.as_ref().map(|states| states[index]));
            }
            Ok(())
        })
    }

    /// Makes a move in each game: n actions, whole numbers of any type, or random legal ones.
    #[pyo3(signature = (actions = None))]
    fn step(&self, py: Python<'_>, actions: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let (mut inner, options) = (self.lock()?, &self.options);
        if !inner.is_started {
            return Err(PyRuntimeError::new_err(NOT_STARTED));
        }
        let read = |actions| numbers::<i64>(actions, "actions", self.shape.games);
        let given = actions.map(read).transpose()?;
        let actions = given.as_deref();
        options.check(&inner.slots, actions)?;
        self.run(py, &mut inner, self.threads.as_ref(), |part, first| {
            let actions = actions.map(|actions| &actions[first..first + part.slots.len()]);
            with_rules!(options.rules, |game| options.step(game, part, actions))
        })
    }

    /// The states of all games, uint64 with shape (n, 2).
    #[getter]
    fn states<'py>(&self, py: Python<'py>) -> PyResult<Array<'py, u64>> {
        let inner = self.lock()?;
        let states = words(inner.slots.iter().map(|slot| slot.state.bits()));
        array(py, states, &[self.shape.games, 2])
    }

    /// The scores of all games.
    #[getter]
    fn scores<'py>(&self, py: Python<'py>) -> PyResult<Array<'py, f64>> {
        let scores = self.lock()?.slots.iter().map(|slot| slot.score).collect();
        array(py, scores, &[self.shape.games])
    }

    /// The numbers of steps of all games.
    #[getter]
    fn steps<'py>(&self, py: Python<'py>) -> PyResult<Array<'py, u64>> {
        let steps = self.lock()?.slots.iter().map(|slot| slot.steps).collect();
        array(py, steps, &[self.shape.games])
    }

    /// The arrays by name.
    #[getter]
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.lock()?.outputs.dict(py)
    }
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

    /// Runs a task without Python's lock: on the threads that are given, each with its share of the
    /// games, or on this one. The task receives a part and the number of its first game.
    fn run(
        &self,
        py: Python<'_>,
        inner: &mut Inner,
        threads: Option<&Threads>,
        task: impl Fn(&mut Part<'_, Slot>, usize) -> Result<(), Fault> + Sync,
    ) -> PyResult<()> {
        let Inner { slots, outputs, is_started } = inner;
        let task = &task;
        let ended = outputs.with(py, slots, |mut rest| {
            *is_started = false;
            py.detach(|| {
                let Some(threads) = threads else {
                    return catch(|| task(&mut rest, 0)).flatten();
                };
                let share = self.shape.games.div_ceil(threads.count());
                let mut parts = Vec::new();
                while rest.slots.len() > share {
                    let (part, others) = rest.split(share, self.shape);
                    parts.push(part);
                    rest = others;
                }
                parts.push(rest);
                threads.install(|| {
                    let parts = parts.into_par_iter().enumerate();
                    parts.try_for_each(|(k, mut part)| task(&mut part, k * share))
                })
            })
        })?;
        *is_started = ended.is_ok();
        ended.map_err(|fault| raise_fault(&fault, &[&self.options.rules.loaded.label]))
    }
}
