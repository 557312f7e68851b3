//! The state of a worker for the thread that watches it.

use runner_core::Pulse;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// Number of games that a greedy value plays at once on each thread: their lookups
/// overlap.
pub const INTERLEAVED: usize = 8;

/// The number of no game, and of no cell.
const NONE: u64 = u64::MAX;

/// The state of a worker for the thread that watches it. Only the worker writes the games.
#[derive(Debug)]
#[repr(align(64))]
pub struct Sign {
    /// Ends the games of the worker, and shows whether their moves end.
    pub pulse: Pulse,
    cell: AtomicU64,
    games: [AtomicU64; INTERLEAVED],
}

impl Default for Sign {
    fn default() -> Self {
        let none = || AtomicU64::new(NONE);
        Self { pulse: Pulse::default(), cell: none(), games: [(); INTERLEAVED].map(|()| none()) }
    }
}

impl Sign {
    /// Sets the cell whose games begin.
    pub fn set_cell(&self, cell: usize) {
        self.cell.store(cell as u64, Relaxed);
    }

    /// Notes the beginning of a game.
    pub fn begin(&self, number: u64) {
        self.replace(NONE, number);
    }

    /// Notes the end of a game.
    pub fn end(&self, number: u64) {
        self.replace(number, NONE);
    }

    fn replace(&self, old: u64, new: u64) {
        if let Some(place) = self.games.iter().find(|place| place.load(Relaxed) == old) {
            place.store(new, Relaxed);
        }
    }

    /// Returns the cell whose games are under way.
    pub fn cell(&self) -> Option<usize> {
        usize::try_from(self.cell.load(Relaxed)).ok()
    }

    /// Returns the games under way.
    pub fn games(&self) -> Vec<u64> {
        self.games.iter().map(|game| game.load(Relaxed)).filter(|&game| game != NONE).collect()
    }
}
