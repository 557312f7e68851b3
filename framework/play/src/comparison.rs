//! Two players against each other, until it is known who scores more.

mod opponents;

pub use opponents::{ComparisonResult, Margin, Opponents, check_players, check_tile, load_players};

use crate::arena::{Arena, Cell, Ended, GameOutcome, Missing, Schedule};
use crate::failure::Failure;
use crate::kept::Kept;
use crate::threads::Threads;
use runner_core::{Fault, locked, unpoisoned};
use runner_spec::quantity::{grouped, number};
use runner_stats::{BATCH, BatchesLessLuck, Comparison, GameResult, Results, Verdict};
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

/// The figure that is compared, and the limits of the comparison.
pub struct Terms<'a> {
    /// Difference that does not matter, as a share of the mean of B.
    pub margin: f64,
    /// Maximum number of games of each player.
    pub most: u64,
    /// The tile whose rates are compared; `None` compares scores, less their luck if it is
    /// measured.
    pub tile: Option<u64>,
    /// The file that keeps the games. Those that it held when it was opened are not played again.
    pub kept: Option<&'a Kept>,
}

impl Terms<'_> {
    /// Default of `most`.
    pub const GAMES: u64 = 100_000;
}

pub struct Compared {
    pub comparison: Comparison,
    /// The games of each player that it rests on.
    pub results: [Results; 2],
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

/// Plays games of each of two players, at most as many as the terms allow, rounded down to whole
/// batches, until the answer is known or a batch has a fault, which is then returned too. The
/// result does not depend on the number of threads: batches count in the order of their numbers.
/// `stop` ends the games under way; `watch` is called from time to time on this thread.
fn compare(
    cells: &[Cell; 2],
    threads: &Threads,
    terms: &Terms<'_>,
    stop: &AtomicBool,
    watch: &mut dyn FnMut(&Progress),
) -> Result<(Compared, Option<Forfeited>), Failure> {
    let is_over = AtomicBool::new(false);
    let most = terms.most - terms.most % BATCH;
    let before = [0, 1].map(|player| {
        let games = terms.kept.iter().flat_map(|kept| kept.before(player, most));
        games.map(|game| (game.number, Ok(game))).collect::<BTreeMap<_, _>>()
    });
    let duel = Duel {
        is_over: &is_over,
        terms,
        state: Mutex::new(State {
            missing: before.each_ref().map(|games| Missing::new(0..most, games.keys().copied())),
            pending: before,
            comparison: Comparison::new(terms.margin),
            results: Default::default(),
            less_luck: Default::default(),
            batches: 0,
            pilot: None,
            forfeited: None,
        }),
    };
    if locked(&duel.state).advance(terms) {
        is_over.store(true, Relaxed);
    }
    let arena =
        Arena { cells, threads, slice: SLICE, is_timed: false, shown: None, stop: &is_over };
    arena.play_together(&duel, &mut || {
        if terms.kept.is_some_and(|kept| kept.flush().is_err()) || stop.load(Relaxed) {
            is_over.store(true, Relaxed);
        }
        watch(&duel.progress());
    })?;
    terms.kept.map_or(Ok(()), Kept::finish)?;
    let state = unpoisoned(duel.state.into_inner());
    let compared = Compared {
        interrupted: state.comparison.verdict() == Verdict::Undecided && stop.load(Relaxed),
        comparison: state.comparison,
        results: state.results,
        games: state.batches * BATCH,
    };
    Ok((compared, state.forfeited))
}

struct Duel<'a> {
    /// Ends the games under way; no other starts.
    is_over: &'a AtomicBool,
    terms: &'a Terms<'a>,
    state: Mutex<State>,
}

struct State {
    /// The games of each player that no worker has taken.
    missing: [Missing; 2],
    /// Games and faults that are not part of the comparison yet.
    pending: [BTreeMap<u64, Result<GameResult, Fault>>; 2],
    comparison: Comparison,
    results: [Results; 2],
    /// The scores of each player, less their luck if it is measured.
    less_luck: [BatchesLessLuck; 2],
    /// Number of batches that are part of it.
    batches: u64,
    /// The comparison after [`PILOT`] batches, until it is reported.
    pilot: Option<Comparison>,
    /// The first game without a score, if it ended the comparison.
    forfeited: Option<Forfeited>,
}

/// A game that ended in a fault.
struct Forfeited {
    /// 0 for A, 1 for B.
    player: usize,
    number: u64,
    fault: Fault,
}

impl State {
    /// Adds the next batches that are complete, and returns true once there is an answer, or a
    /// batch with a fault.
    fn advance(&mut self, terms: &Terms<'_>) -> bool {
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
            match (self.add(0, a, terms), self.add(1, b, terms)) {
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

    /// Adds a batch to the games of a player, and returns its mean score, score less luck or
    /// rate, or its first game without a score.
    fn add(
        &mut self,
        player: usize,
        batch: BTreeMap<u64, Result<GameResult, Fault>>,
        terms: &Terms<'_>,
    ) -> Result<f64, Forfeited> {
        let mut games = Vec::new();
        for (number, game) in batch {
            games.push(game.map_err(|fault| Forfeited { player, number, fault })?);
        }
        games.iter().for_each(|&game| self.results[player].push(game));
        let Some(tile) = terms.tile else { return Ok(self.less_luck[player].push(&games)) };
        let has_reached = |game: &&GameResult| game.max_tile.is_some_and(|max| max >= tile);
        Ok(games.iter().filter(has_reached).count() as f64 / BATCH as f64)
    }
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
        if self.is_over.load(Relaxed) {
            return None;
        }
        let state = locked(&self.state);
        let left = cells.iter().copied().filter(|&cell| state.missing[cell].left() > 0);
        left.min_by_key(|&cell| (state.missing[cell].next(), cell))
    }

    fn take(&self, cell: usize) -> Option<Range<u64>> {
        let mut state = locked(&self.state);
        match [cell, 1 - cell].map(|cell| state.missing[cell].next()) {
            [Some(next), Some(of_other)] if next >= of_other + LEAD => None,
            _ if self.is_over.load(Relaxed) => None,
            _ => state.missing[cell].take(BATCH),
        }
    }

    fn done(&self, _: usize, cell: usize, outcome: GameOutcome) {
        // A game that was stopped has no score.
        let Some(result) = outcome.result.map(Ended::over).transpose() else { return };
        if let (Ok(game), Some(kept)) = (&result, self.terms.kept) {
            kept.add(cell, game);
        }
        let mut state = locked(&self.state);
        state.pending[cell].insert(outcome.number, result);
        if state.advance(self.terms) {
            self.is_over.store(true, Relaxed);
        }
    }
}
