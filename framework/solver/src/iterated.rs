//! Games without layers: all states are found, and then gone through again and
//! again, each value from those of what follows, until none changes any more.
//!
//! What was found last comes first in a sweep, since values come from the ends of
//! the game. Every sweep builds on its own new values, so it is one thread's work.

use crate::SolveError;
use crate::Stop;
use crate::harvest::Harvest;
use crate::memory::Share;
use crate::rules::{BATCH, Lists};
use crate::solve::{Answer, Progress, Solution, Task};
use crate::table::Map;
use crate::worths::{Listed, Worths};
use runner_core::{Afterstate, Game, State};
use std::sync::atomic::Ordering;

/// A value that changes by less than this part of itself has settled.
const SETTLED: f64 = 1e-13;
/// After so many sweeps, and twice as many, and so on, changes must have shrunk,
/// as they are and not as parts of what changes...
const PATIENCE: u64 = 1000;
/// ...to this part of what they were.
const SHRUNK: f64 = 0.9;
/// Between two reports lie so many states at most.
const REPORT: usize = 1 << 14;

/// Solves a game by sweeps.
pub fn solve<K: Listed, G: Game>(task: &Task<'_, G>) -> Result<Solution, Stop> {
    let mut sweeper = Sweeper::<K, G>::find(task)?;
    sweeper.settle()?;
    let roots: Vec<f64> = sweeper.roots.iter().map(|&root| sweeper.values[root]).collect();
    Ok(Solution {
        states: sweeper.states.len() as u64,
        value: task.value_of_starts(&roots),
        answer: task.question.state.map(|state| sweeper.answer(state)).transpose()?,
        worths: if task.question.worths { Some(sweeper.harvest()?) } else { None },
    })
}

/// By how much values change.
#[derive(Clone, Copy, Default)]
struct Change {
    absolute: f64,
    /// As a part of the value, or of 1 if that is more. A value that grows for ever
    /// changes less and less so.
    relative: f64,
}

struct Sweeper<'a, 't, K, G> {
    task: &'t Task<'a, G>,
    /// All states as they were found.
    states: Vec<K>,
    /// The number of each.
    numbers: Map<'a, K, usize>,
    values: Vec<f64>,
    /// The numbers of the roots, in their order.
    roots: Vec<usize>,
    share: Share<'a>,
}

fn key<K: Listed>(bits: u128) -> Result<K, Stop> {
    K::of(bits).ok_or(Stop::TooWide)
}

impl<'a, 't, K: Listed, G: Game> Sweeper<'a, 't, K, G> {
    fn find(task: &'t Task<'a, G>) -> Result<Self, Stop> {
        let mut sweeper = Self {
            task,
            states: Vec::new(),
            numbers: Map::new(0, task.memory)?,
            values: Vec::new(),
            roots: Vec::new(),
            share: task.memory.take(0)?,
        };
        for root in task.roots() {
            let number = sweeper.number(root)?;
            sweeper.roots.push(number);
        }
        let rules = &task.rules;
        let (mut lists, mut more) = (rules.lists(), rules.lists());
        let mut next = 0;
        while let Some(&from) = sweeper.states.get(next) {
            for &after in rules.afterstates(&[from], &mut lists) {
                let (states, _) = rules.states(&[key::<K>(after.bits())?], &mut more);
                states.iter().try_for_each(|&next| sweeper.number(next).map(|_| ()))?;
            }
            if next.is_multiple_of(REPORT) {
                let states = sweeper.states.len() as u64;
                task.tell(Progress::Found { states, layer: None })?;
            }
            next += 1;
        }
        Ok(sweeper)
    }

    /// The number of a state, a new one if it has none.
    fn number(&mut self, state: State) -> Result<usize, Stop> {
        let key = key(state.bits())?;
        if let Some(number) = self.numbers.get(key) {
            return Ok(number);
        }
        let number = self.states.len();
        if number == self.states.capacity() {
            let roomy = number + number / 4 + 1024;
            self.share.resize(roomy * (size_of::<K>() + size_of::<f64>()))?;
            self.states.reserve_exact(roomy - number);
            self.values.reserve_exact(roomy - number);
        }
        self.numbers.insert(key, number)?;
        self.states.push(key);
        self.values.push(0.0);
        self.task.found.store(number as u64 + 1, Ordering::Relaxed);
        Ok(number)
    }

    fn value(&self, state: State) -> Result<f64, Stop> {
        let number = self.numbers.get(key(state.bits())?);
        number.map(|number| self.values[number]).ok_or_else(|| {
            Stop::fault(
                "the game does not say the same each time: a position is new on the way back",
            )
        })
    }

    fn worth(&self, after: Afterstate, lists: &mut Lists) -> Result<f64, Stop> {
        let mut worth = 0.0;
        let keep = |_: K, mean| {
            worth = mean;
            Ok(())
        };
        self.task.rules.worths(&[key(after.bits())?], lists, |next| self.value(next), keep)?;
        Ok(worth)
    }

    fn settle(&mut self) -> Result<(), Stop> {
        let (mut sweeps, mut mark, mut before) = (0, PATIENCE, f64::INFINITY);
        loop {
            let Change { relative, absolute: change } = self.sweep(sweeps)?;
            sweeps += 1;
            if relative <= SETTLED {
                return Ok(());
            }
            if sweeps == mark {
                if change > SHRUNK * before {
                    let states = self.states.len() as u64;
                    return Err(Stop::Failed(SolveError::Unsettled { states, sweeps, change }));
                }
                (mark, before) = (2 * mark, change);
            }
        }
    }

    /// Goes through all states once, and returns the largest change.
    fn sweep(&mut self, sweeps: u64) -> Result<Change, Stop> {
        let rules = &self.task.rules;
        let (mut lists, mut more) = (rules.lists(), rules.lists());
        let mut largest = Change::default();
        for number in (0..self.states.len()).rev() {
            let mut value = 0.0;
            let worth = |after: Afterstate| self.worth(after, &mut more);
            rules.values(&[self.states[number]], &mut lists, worth, |_, best| {
                value = best;
                Ok(())
            })?;
            let change = (value - self.values[number]).abs();
            largest.absolute = largest.absolute.max(change);
            largest.relative = largest.relative.max(change / value.abs().max(1.0));
            self.values[number] = value;
            if number.is_multiple_of(REPORT) {
                self.task.tell(Progress::Swept { sweeps, change: largest.absolute })?;
            }
        }
        Ok(largest)
    }

    fn answer(&self, state: State) -> Result<Answer, Stop> {
        let mut lists = self.task.rules.lists();
        let worth = |after: Afterstate| self.worth(after, &mut lists);
        let (value, action) = self.task.rules.best(state, worth)?;
        Ok(Answer { value, action })
    }

    /// The worth of every afterstate.
    fn harvest(&self) -> Result<Worths, Stop> {
        let rules = &self.task.rules;
        let (mut lists, mut more) = (rules.lists(), rules.lists());
        let mut worths: Map<'_, K, f64> = Map::new(0, self.task.memory)?;
        for batch in self.states.chunks(BATCH) {
            for &after in rules.afterstates(batch, &mut lists) {
                let key = key(after.bits())?;
                if worths.get(key).is_none() {
                    worths.insert(key, self.worth(after, &mut more)?)?;
                }
            }
        }
        let harvest = Harvest::new(self.task, worths.keys().step_by(1000).collect())?;
        harvest.bring(worths.entries())?;
        harvest.worths()
    }
}
