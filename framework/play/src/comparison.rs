//! Compares two players, A (index 0) and B (index 1), until it is known who scores more. Both play
//! games of their own; the mean scores of whole batches of games are compared.

mod opponents;

pub use opponents::{ComparisonResult, Margin, Opponents, check_players, check_tile, load_players};

use crate::arena::{Arena, Ended, GameOutcome, Missing, Schedule};
use crate::failure::{Failure, attributed};
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
/// Maximum number of games by which a player is ahead of the other.
const LEAD: u64 = 1024;
/// Number of batches from which the number of games to come is estimated.
const PILOT: u64 = 10;

/// The figure that is compared, and the limits of the comparison.
pub struct Terms<'a> {
    /// Difference that does not matter, as a share of the mean of B.
    pub margin: f64,
    /// Maximum number of games of each player.
    pub most: u64,
    /// The tile whose rates are compared; if `None`, the scores are compared. If luck is measured,
    /// it is subtracted from the scores.
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
    /// The games of each player that are part of the comparison.
    pub results: [Results; 2],
    pub interrupted: bool,
}

/// The progress of a comparison. Displayed, it is a line of text.
pub struct Progress {
    pub comparison: Comparison,
    /// Number of games of each player that are part of the comparison.
    pub games: u64,
    /// The comparison after `PILOT` batches, in the first report after these, otherwise `None`.
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

impl Opponents {
    /// Plays games of each player until the answer is known. Fails if a game ends in a fault.
    /// `terms.most` is rounded down to whole batches. The result does not depend on the number of
    /// threads: batches are added in the order of their numbers. `stop` ends the games under way;
    /// `watch` is called from time to time on this thread.
    pub fn compare(
        &self,
        threads: &Threads,
        terms: &Terms<'_>,
        stop: &AtomicBool,
        watch: &mut dyn FnMut(&Progress),
    ) -> Result<Compared, Failure> {
        let cells = &self.cells;
        let mut state = DuelState::new(terms);
        let is_over = AtomicBool::new(state.advance(terms));
        let duel = Duel { is_over: &is_over, terms, state: Mutex::new(state) };
        let arena =
            Arena { cells, threads, slice: SLICE, is_timed: false, shown: None, stop: &is_over };
        arena.play_together(&duel, &mut || {
            if terms.kept.is_some_and(|kept| kept.flush().is_err()) || stop.load(Relaxed) {
                is_over.store(true, Relaxed);
            }
            watch(&duel.progress());
        })?;
        terms.kept.map_or(Ok(()), Kept::finish)?;
        let DuelState { comparison, results, forfeited, .. } = unpoisoned(duel.state.into_inner());
        if let Some(Forfeited { player, number, fault }) = forfeited {
            let (cell, name) = (&cells[player], ["A", "B"][player]);
            return Err(Failure::failed(format!(
                "game {number} of {name} (seed {seed}) ended in a fault, and has no score: {}; \
                 `runner eval` of {name} with `--seed {seed} --games {}` plays it again as its \
                 last game, and `runner tournament` counts such games as forfeited",
                attributed(&fault.0, &[&cell.game.label, &cell.label]),
                number + 1,
                seed = cell.seed.0,
            )));
        }
        let interrupted = comparison.verdict() == Verdict::Undecided && stop.load(Relaxed);
        Ok(Compared { comparison, results, interrupted })
    }
}

/// The schedule of a comparison. Its cells are the players.
struct Duel<'a> {
    /// Ends the games under way; no other starts.
    is_over: &'a AtomicBool,
    terms: &'a Terms<'a>,
    state: Mutex<DuelState>,
}

/// Games and faults by number.
type Games = BTreeMap<u64, Result<GameResult, Fault>>;

/// The games of both players, which the workers share. Arrays have an item for each player.
struct DuelState {
    /// The games that no worker has taken.
    missing: [Missing; 2],
    /// Games and faults that are not part of the comparison yet.
    pending: [Games; 2],
    comparison: Comparison,
    results: [Results; 2],
    /// Computes the mean score of a batch, less its luck if that is measured.
    less_luck: [BatchesLessLuck; 2],
    /// Number of batches that are part of the comparison.
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

impl DuelState {
    /// The games that the file kept are pending.
    fn new(terms: &Terms<'_>) -> Self {
        let most = terms.most - terms.most % BATCH;
        let mut pending = [Games::new(), Games::new()];
        if let Some(kept) = terms.kept {
            for (player, games) in pending.iter_mut().enumerate() {
                games.extend(kept.before(player, most).map(|game| (game.number, Ok(game))));
            }
        }
        Self {
            missing: pending.each_ref().map(|games| Missing::new(0..most, games.keys().copied())),
            pending,
            comparison: Comparison::new(terms.margin),
            results: Default::default(),
            less_luck: Default::default(),
            batches: 0,
            pilot: None,
            forfeited: None,
        }
    }

    /// Adds all next batches that are complete to the comparison. Returns true if the comparison
    /// is over: there is an answer, or a batch has a fault.
    fn advance(&mut self, terms: &Terms<'_>) -> bool {
        while self.forfeited.is_none() && self.comparison.verdict() == Verdict::Undecided {
            let first = self.batches * BATCH;
            let end = first + BATCH;
            if self.pending.iter().any(|games| (games.range(first..end).count() as u64) < BATCH) {
                return false;
            }
            let [a, b] = self.pending.each_mut().map(|games| {
                let later = games.split_off(&end);
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

    /// Adds a batch to the results of a player. Returns the figure of the batch that is compared:
    /// the rate of the tile, or the mean score. Fails with the first game that ended in a fault.
    fn add(&mut self, player: usize, batch: Games, terms: &Terms<'_>) -> Result<f64, Forfeited> {
        let mut games = Vec::new();
        for (number, game) in batch {
            games.push(game.map_err(|fault| Forfeited { player, number, fault })?);
        }
        games.iter().for_each(|&game| self.results[player].push(game));
        let Some(tile) = terms.tile else { return Ok(self.less_luck[player].push(&games)) };
        let reached = games.iter().filter(|game| game.max_tile.is_some_and(|max| max >= tile));
        Ok(reached.count() as f64 / BATCH as f64)
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
    /// Chooses the player whose next game has the lower number.
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
        let [next, of_other] = [cell, 1 - cell].map(|player| state.missing[player].next());
        let is_ahead = next.zip(of_other).is_some_and(|(next, of_other)| next >= of_other + LEAD);
        if is_ahead || self.is_over.load(Relaxed) {
            return None;
        }
        state.missing[cell].take(BATCH)
    }

    fn done(&self, _: usize, cell: usize, outcome: GameOutcome) {
        // A game that was stopped has no score, and is left out.
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
