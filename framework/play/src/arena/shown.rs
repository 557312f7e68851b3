//! Games under way, as another thread shows them.

use runner_core::{State, locked};
use std::sync::Mutex;
use std::time::Duration;

/// A game of a player that takes less time is over before it is seen.
pub const SEEN: Duration = Duration::from_millis(250);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnderWay {
    pub state: State,
    /// Number of moves so far.
    pub moves: u64,
}

/// The game of each worker whose moves this program makes. Those of fast players are not here.
#[derive(Debug, Default)]
pub struct ShownGames(Vec<Place>);

/// The game of one worker.
pub type Place = Mutex<Option<UnderWay>>;

impl ShownGames {
    pub fn new(workers: usize) -> Self {
        Self((0..workers).map(|_| Place::default()).collect())
    }

    pub fn place(&self, worker: usize) -> &Place {
        &self.0[worker]
    }

    pub fn games(&self) -> impl Iterator<Item = UnderWay> {
        self.0.iter().filter_map(|place| *locked(place))
    }
}
