//! Two players against each other, until it is known who scores more.

use crate::arena::{Arena, Cell, Outcome, Schedule};
use crate::failure::Failure;
use crate::threads::Threads;
use runner_core::{Fault, locked, unpoisoned};
use runner_spec::quantity::{grouped, number};
use runner_stats::{BATCH, Comparison, Verdict};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// Time after which a thread may change to the other player.
const SLICE: Duration = Duration::from_millis(500);
/// Number of games that a player may be ahead of the other.
const LEAD: u64 = 1024;
/// Number of batches after which the number of games is estimated.
const PILOT: u64 = 10;

pub struct Compared {
    pub comparison: Comparison,
    /// The first game without a score, if it ended the comparison.
    pub forfeited: Option<Forfeited>,
    /// Number of games of each player that it rests on.
    pub games: u64,
    pub interrupted: bool,
}

/// The progress of a comparison. Displayed, it is a line of text.
pub struct Progress {
    pub comparison: Comparison,
    /// Number of games of each player that it rests on.
    pub games: u64,
    /// Once, the comparison after the batches that estimate the number of games.
    pub pilot: Option<Comparison>,
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let difference = number(self.comparison.difference());
        write!(f, "{} games of each, A - B {difference}", grouped(self.games))?;
        match self.comparison.interval() {
            Some([low, high]) => write!(f, ", interval {} to {}", number(low), number(high)),
            None => Ok(()),
        }
    }
}

/// Plays up to `most` games of each of two players, rounded down to whole batches, until the answer
/// is known or a batch has a fault. The result does not depend on the number of threads: batches
/// count in the order of their numbers. `stop` ends the games under way; `watch` is called from time
/// to time on this thread.
pub fn compare(
    cells: &[Cell; 2],
    threads: &Threads,
    margin: f64,
    most: u64,
    stop: &AtomicBool,
    watch: &mut dyn FnMut(&Progress),
) -> Result<Compared, Failure> {
    let is_over = AtomicBool::new(false);
    let duel = Duel {
        is_over: &is_over,
        most: most - most % BATCH,
        state: Mutex::new(State {
            next: [0; 2],
            pending: [BTreeMap::new(), BTreeMap::new()],
            comparison: Comparison::new(margin),
            batches: 0,
            pilot: None,
            forfeited: None,
        }),
    };
    let arena = Arena { cells, threads, slice: SLICE, is_timed: false, stop: &is_over };
    arena.play_together(&duel, &mut || {
        if stop.load(Relaxed) {
            is_over.store(true, Relaxed);
        }
        watch(&duel.progress());
    })?;
    let state = unpoisoned(duel.state.into_inner());
    Ok(Compared {
        interrupted: state.comparison.verdict() == Verdict::Undecided && stop.load(Relaxed),
        comparison: state.comparison,
        forfeited: state.forfeited,
        games: state.batches * BATCH,
    })
}

struct Duel<'a> {
    /// Ends the games under way; no other starts.
    is_over: &'a AtomicBool,
    most: u64,
    state: Mutex<State>,
}

struct State {
    /// The first game of each player that no worker has taken.
    next: [u64; 2],
    /// Scores and faults of games that are not part of the comparison yet.
    pending: [BTreeMap<u64, Result<f64, Fault>>; 2],
    comparison: Comparison,
    /// Number of batches that are part of it.
    batches: u64,
    /// The comparison after [`PILOT`] batches, until it is reported.
    pilot: Option<Comparison>,
    /// The first game without a score, if it ended the comparison.
    forfeited: Option<Forfeited>,
}

/// A game that ended in a fault.
pub struct Forfeited {
    /// 0 for A, 1 for B.
    pub player: usize,
    pub number: u64,
    pub fault: Fault,
}

impl State {
    /// Adds the next batches that are complete, and returns true once there is an answer, or a
    /// batch with a fault.
    fn advance(&mut self) -> bool {
        while self.forfeited.is_none() && self.comparison.verdict() == Verdict::Undecided {
            let numbers = self.batches * BATCH..(self.batches + 1) * BATCH;
            let is_whole =
                |games: &BTreeMap<u64, _>| games.range(numbers.clone()).count() as u64 == BATCH;
            if !self.pending.iter().all(is_whole) {
                return false;
            }
            let [a, b] = self.pending.each_mut().map(|games| {
                let later = games.split_off(&numbers.end);
                std::mem::replace(games, later)
            });
            match (mean(0, a), mean(1, b)) {
                (Ok(a), Ok(b)) => {
                    self.comparison.push(a, b);
                    self.batches += 1;
                    if self.batches == PILOT {
                        self.pilot = Some(self.comparison);
                    }
                }
                (Err(forfeited), _) | (_, Err(forfeited)) => self.forfeited = Some(forfeited),
            }
        }
        true
    }
}

/// Returns the mean score of a batch, or its first game without a score.
fn mean(player: usize, batch: BTreeMap<u64, Result<f64, Fault>>) -> Result<f64, Forfeited> {
    let mut sum = 0.0;
    for (number, score) in batch {
        sum += score.map_err(|fault| Forfeited { player, number, fault })?;
    }
    Ok(sum / BATCH as f64)
}

impl Duel<'_> {
    fn progress(&self) -> Progress {
        let mut state = locked(&self.state);
        let games = state.batches * BATCH;
        Progress { comparison: state.comparison, games, pilot: state.pilot.take() }
    }
}

impl Schedule for Duel<'_> {
    fn choose(&self, cells: &[usize]) -> Option<usize> {
        let state = locked(&self.state);
        let behind = cells.iter().copied().min_by_key(|&cell| state.next[cell]);
        behind.filter(|&cell| state.next[cell] < self.most && !self.is_over.load(Relaxed))
    }

    fn take(&self, cell: usize) -> Option<Range<u64>> {
        let mut state = locked(&self.state);
        let first = state.next[cell];
        let is_ahead = first >= state.next[1 - cell] + LEAD;
        if is_ahead || first >= self.most || self.is_over.load(Relaxed) {
            return None;
        }
        state.next[cell] += BATCH;
        Some(first..first + BATCH)
    }

    fn done(&self, _: usize, cell: usize, outcome: Outcome) {
        // A game that was stopped has no score.
        let Some(score) = outcome.result.transpose() else { return };
        let mut state = locked(&self.state);
        state.pending[cell].insert(outcome.number, score.map(|game| game.score));
        if state.advance() {
            self.is_over.store(true, Relaxed);
        }
    }
}
