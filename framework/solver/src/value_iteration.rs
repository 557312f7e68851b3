//! Value iteration, for games without layers.
//!
//! This is Algorithm 2 ("Reinforcement Learning") of the tree-search paper on 2048: every V(s)
//! begins at 0, and sweeps set each V(s) to the maximum over actions of reward plus expected V(s')
//! until no value changes. Here rewards belong to actions and chance outcomes, future rewards are
//! not discounted, and a sweep reads the values that it has already updated, which converges in
//! fewer sweeps. A sweep runs on one thread for that reason. It visits the states in the reverse
//! order of their discovery, because values propagate from the ends of games.

use crate::bellman::{BATCH, Scratch};
use crate::collector::ValueCollector;
use crate::error::{Abort, SolveError};
use crate::file::PackedValues;
use crate::job::{Job, Solution, SolveProgress, StateValue};
use crate::key::{Key, key};
use crate::memory::Reservation;
use crate::table::Map;
use runner_core::{Afterstate, Game, State};
use std::sync::atomic::Ordering;

/// Relative change below which a value has converged.
const TOLERANCE: f64 = 1e-13;
/// First sweep after which convergence is checked; the following checks are at twice as
/// many sweeps each.
const FIRST_CHECK: u64 = 1000;
/// Iteration continues only if the largest change fell to this fraction since the last check.
const REQUIRED_DECREASE: f64 = 0.9;
/// Maximum number of states between two progress reports.
const REPORT_INTERVAL: usize = 1 << 14;

pub fn solve<K: Key, G: Game>(job: &Job<'_, G>) -> Result<Solution, Abort> {
    let mut iteration = Iteration::<K, G>::enumerate(job)?;
    iteration.converge()?;
    let root_values: Vec<f64> =
        iteration.roots.iter().map(|&root| iteration.values[root]).collect();
    let afterstate_values =
        if job.options.keep_afterstates { Some(iteration.collect()?) } else { None };
    Ok(Solution {
        states: iteration.states.len() as u64,
        value: job.game_value(&root_values),
        state_value: job.options.state.map(|state| iteration.state_value(state)).transpose()?,
        afterstate_values,
    })
}

/// Largest change of a value in a sweep.
#[derive(Clone, Copy, Default)]
struct Change {
    absolute: f64,
    /// The change divided by the value, or by 1 if the value is smaller. It shrinks even
    /// for a value that grows without limit.
    relative: f64,
}

struct Iteration<'a, 't, K, G> {
    job: &'t Job<'a, G>,
    states: Vec<K>,
    /// Index of each state in `states`.
    indices: Map<'a, K, usize>,
    values: Vec<f64>,
    /// Indices of the roots, in their order.
    roots: Vec<usize>,
    reservation: Reservation<'a>,
}

impl<'a, 't, K: Key, G: Game> Iteration<'a, 't, K, G> {
    /// Finds all reachable states.
    fn enumerate(job: &'t Job<'a, G>) -> Result<Self, Abort> {
        let mut iteration = Self {
            job,
            states: Vec::new(),
            indices: Map::new(0, job.memory)?,
            values: Vec::new(),
            roots: Vec::new(),
            reservation: job.memory.reserve(0)?,
        };
        for root in job.roots() {
            let index = iteration.insert(root)?;
            iteration.roots.push(index);
        }
        let bellman = &job.bellman;
        let (mut scratch, mut outcome_scratch) = (bellman.scratch(), bellman.scratch());
        let mut next = 0;
        while let Some(&from) = iteration.states.get(next) {
            for &after in bellman.afterstates(&[from], &mut scratch) {
                let after = key::<K>(after.bits())?;
                let (states, _) = bellman.states(&[after], &mut outcome_scratch);
                states.iter().try_for_each(|&next| iteration.insert(next).map(|_| ()))?;
            }
            if next.is_multiple_of(REPORT_INTERVAL) {
                let states = iteration.states.len() as u64;
                job.report(SolveProgress::Enumerating { states, layer: None })?;
            }
            next += 1;
        }
        Ok(iteration)
    }

    /// Returns the index of a state; adds the state if it is new.
    fn insert(&mut self, state: State) -> Result<usize, Abort> {
        let key = key(state.bits())?;
        if let Some(index) = self.indices.get(key) {
            return Ok(index);
        }
        let index = self.states.len();
        if index == self.states.capacity() {
            let capacity = index + index / 4 + 1024;
            self.reservation.resize(capacity * (size_of::<K>() + size_of::<f64>()))?;
            self.states.reserve_exact(capacity - index);
            self.values.reserve_exact(capacity - index);
        }
        self.indices.insert(key, index)?;
        self.states.push(key);
        self.values.push(0.0);
        self.job.found.store(index as u64 + 1, Ordering::Relaxed);
        Ok(index)
    }

    fn value(&self, state: State) -> Result<f64, Abort> {
        let index = self.indices.get(key(state.bits())?);
        index.map(|index| self.values[index]).ok_or_else(Abort::inconsistent_game)
    }

    fn afterstate_value(&self, after: Afterstate, scratch: &mut Scratch) -> Result<f64, Abort> {
        let mut value = 0.0;
        let store = |_: K, mean| {
            value = mean;
            Ok(())
        };
        let state_value = |next| self.value(next);
        self.job.bellman.afterstate_values(&[key(after.bits())?], scratch, state_value, store)?;
        Ok(value)
    }

    fn converge(&mut self) -> Result<(), Abort> {
        let (mut sweeps, mut check, mut last) = (0, FIRST_CHECK, f64::INFINITY);
        loop {
            let Change { relative, absolute: change } = self.sweep(sweeps)?;
            sweeps += 1;
            if relative <= TOLERANCE {
                return Ok(());
            }
            if sweeps == check {
                if change > REQUIRED_DECREASE * last {
                    let states = self.states.len() as u64;
                    return Err(Abort::Failed(SolveError::Unsettled { states, sweeps, change }));
                }
                (check, last) = (2 * check, change);
            }
        }
    }

    /// Updates the value of every state once and returns the largest change.
    fn sweep(&mut self, sweeps: u64) -> Result<Change, Abort> {
        let bellman = &self.job.bellman;
        let (mut scratch, mut outcome_scratch) = (bellman.scratch(), bellman.scratch());
        let mut largest = Change::default();
        for index in (0..self.states.len()).rev() {
            let mut value = 0.0;
            let after = |after: Afterstate| self.afterstate_value(after, &mut outcome_scratch);
            bellman.state_values(&[self.states[index]], &mut scratch, after, |_, best| {
                value = best;
                Ok(())
            })?;
            let change = (value - self.values[index]).abs();
            largest.absolute = largest.absolute.max(change);
            largest.relative = largest.relative.max(change / value.abs().max(1.0));
            self.values[index] = value;
            if index.is_multiple_of(REPORT_INTERVAL) {
                self.job.report(SolveProgress::Iterating { sweeps, change: largest.absolute })?;
            }
        }
        Ok(largest)
    }

    fn state_value(&self, state: State) -> Result<StateValue, Abort> {
        let mut scratch = self.job.bellman.scratch();
        let after = |after: Afterstate| self.afterstate_value(after, &mut scratch);
        self.job.bellman.state_value(state, after)
    }

    fn collect(&self) -> Result<PackedValues, Abort> {
        let bellman = &self.job.bellman;
        let (mut scratch, mut outcome_scratch) = (bellman.scratch(), bellman.scratch());
        let mut values: Map<'_, K, f64> = Map::new(0, self.job.memory)?;
        for batch in self.states.chunks(BATCH) {
            for &after in bellman.afterstates(batch, &mut scratch) {
                let key = key(after.bits())?;
                if values.get(key).is_none() {
                    values.insert(key, self.afterstate_value(after, &mut outcome_scratch)?)?;
                }
            }
        }
        let collector = ValueCollector::new(self.job, values.len())?;
        collector.add(values.entries());
        collector.finish()
    }
}
