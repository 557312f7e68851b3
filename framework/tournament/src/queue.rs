//! The games of a tournament that are left, and those that are over: [`Queue`], a schedule.

use super::finished::{Finished, Games};
use super::line::GameLine;
use super::resolved::BuiltTournament;
use runner_core::locked;
use runner_files::LineFile;
use runner_play::arena::{GameOutcome, Missing, Schedule};
use runner_spec::quantity::{grouped, time};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// Maximum number of games that a worker takes at once.
const BATCH: u64 = 64;
/// Maximum time of the games that a worker takes at once, in seconds. An interrupt waits for them.
const BATCH_TIME: f64 = 0.1;
/// A worker takes at most 1/16 of its share of the games left, so that all end at about one time.
const PARTS: u64 = 16;

pub struct Queue<'a> {
    built: &'a BuiltTournament,
    /// In the order of [`BuiltTournament::cells`].
    cells: Vec<Mutex<CellQueue>>,
    /// True if no other game may start.
    is_over: AtomicBool,
}

pub enum TournamentEvent {
    /// How many games are over, as a line of text.
    Progress(String),
    Note(String),
}

pub type TournamentWatch<'a> = &'a mut dyn FnMut(TournamentEvent);

struct CellQueue {
    /// Games that no worker has taken.
    missing: Missing,
    total: u64,
    /// First those that were read from the folder, then the others in the order of their ends.
    finished: Vec<Finished>,
    /// Number of games in `finished` that were read, or that `take_finished` has returned.
    written: usize,
    /// Time of the games in `finished`, in seconds.
    seconds: f64,
}

impl CellQueue {
    /// `finished` are the games that were read from the folder, sorted by number.
    fn new(finished: Vec<Finished>, numbers: Range<u64>) -> Self {
        let total = numbers.end - numbers.start;
        let missing = Missing::new(numbers, finished.iter().map(|game| game.number));
        let seconds = finished.iter().map(|game| game.seconds).sum();
        Self { missing, total, written: finished.len(), finished, seconds }
    }

    /// Returns the number of games that a worker takes at once: one until a time is known.
    fn batch(&self) -> u64 {
        ((BATCH_TIME / self.seconds_per_game()) as u64).clamp(1, BATCH)
    }

    /// Returns the mean time of a game; NaN without one, which casts to 0.
    fn seconds_per_game(&self) -> f64 {
        self.seconds / self.finished.len() as f64
    }

    fn add(&mut self, game: Finished) {
        self.seconds += game.seconds;
        self.finished.push(game);
    }

    /// Returns the games that ended since the last call. They are copied, so that their lines can
    /// be made without the lock.
    fn take_finished(&mut self) -> Vec<Finished> {
        let games = self.finished[self.written..].to_vec();
        self.written = self.finished.len();
        games
    }
}

impl<'a> Queue<'a> {
    /// Returns the queue of the games of a tournament, of which `finished` are over.
    pub fn new(built: &'a BuiltTournament, finished: Games) -> Self {
        let mut cells = Vec::new();
        for of_cell in finished {
            cells.push(Mutex::new(CellQueue::new(of_cell, built.tournament.numbers())));
        }
        Self { built, cells, is_over: AtomicBool::new(false) }
    }

    pub fn close(&self) {
        self.is_over.store(true, Relaxed);
    }

    /// Adds the lines of the games that ended since the last call.
    pub fn add_lines(&self, file: &mut LineFile) {
        for (index, cell) in self.cells.iter().enumerate() {
            let games = locked(cell).take_finished();
            games.iter().for_each(|game| file.add(&GameLine::of(self.built, index, game)));
        }
    }

    /// Returns how many games are over, and the time for the others once every agent has finished
    /// a game.
    pub fn progress(&self) -> String {
        let (mut over, mut left, mut seconds_left) = (0, 0, 0.0);
        for cell in &self.cells {
            let cell = locked(cell);
            let left_of_cell = cell.total - cell.finished.len() as u64;
            if left_of_cell > 0 {
                seconds_left += left_of_cell as f64 * cell.seconds_per_game();
            }
            over += cell.finished.len() as u64;
            left += left_of_cell;
        }
        let games = format!("{} of {} games", grouped(over), grouped(over + left));
        // The time is NaN as long as a cell has no finished game.
        match Duration::try_from_secs_f64(seconds_left / self.built.threads.count() as f64) {
            Ok(time_left) => format!("{games}, {} left", time(time_left)),
            Err(_) => games,
        }
    }

    /// Returns the games that are over, sorted by number.
    pub fn into_games(self) -> Games {
        let mut games = Vec::new();
        for cell in &self.cells {
            let mut of_cell = std::mem::take(&mut locked(cell).finished);
            of_cell.sort_unstable_by_key(|game| game.number);
            games.push(of_cell);
        }
        games
    }
}

impl Schedule for Queue<'_> {
    /// Chooses the cell with the largest share of its games left.
    fn choose(&self, cells: &[usize]) -> Option<usize> {
        if self.is_over.load(Relaxed) {
            return None;
        }
        let mut chosen = None;
        let mut largest = 0.0;
        for &index in cells {
            let cell = locked(&self.cells[index]);
            let share_left = cell.missing.left() as f64 / cell.total as f64;
            if share_left > largest {
                (chosen, largest) = (Some(index), share_left);
            }
        }
        chosen
    }

    fn take(&self, cell: usize) -> Option<Range<u64>> {
        if self.is_over.load(Relaxed) {
            return None;
        }
        let mut cell = locked(&self.cells[cell]);
        let part = cell.missing.left() / (PARTS * self.built.threads.count() as u64);
        let most = part.clamp(1, cell.batch());
        cell.missing.take(most)
    }

    fn done(&self, _: usize, cell: usize, outcome: GameOutcome) {
        // Games of a tournament are never stopped, so each has a result.
        if let Some(game) = Finished::of(outcome) {
            locked(&self.cells[cell]).add(game);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(number: u64, score: f64) -> Finished {
        Finished { number, score: Some(score), moves: 1, seconds: 0.5, ..Finished::default() }
    }

    #[test]
    fn slow_games_are_taken_one_at_a_time_and_fast_ones_in_batches() {
        let batch = |seconds| {
            let game = Finished { seconds, ..game(0, 1.0) };
            CellQueue::new(vec![game], 0..9).batch()
        };
        assert_eq!([batch(60.0), batch(0.03), batch(1e-5), batch(0.0)], [1, 3, BATCH, BATCH]);
        assert_eq!(CellQueue::new(Vec::new(), 0..9).batch(), 1);
    }
}
