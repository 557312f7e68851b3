//! Games under way, as another thread shows them.

use runner_core::{State, locked};
use std::sync::Mutex;
use std::time::Duration;

/// Shortest time of a game that a viewer can see. The games of faster players are not shown.
pub const SHORTEST_SEEN: Duration = Duration::from_millis(250);

/// The last position of a game under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnderWay {
    pub state: State,
    /// Number of moves so far.
    pub moves: u64,
}

/// The game under way of each worker.
#[derive(Debug, Default)]
pub struct ShownGames(Vec<ShownGame>);

/// The game under way of one worker; `None` between games, and while its games are too fast.
pub type ShownGame = Mutex<Option<UnderWay>>;

impl ShownGames {
    pub fn new(workers: usize) -> Self {
        Self((0..workers).map(|_| ShownGame::default()).collect())
    }

    pub fn of_worker(&self, worker: usize) -> &ShownGame {
        &self.0[worker]
    }

    pub fn under_way(&self) -> impl Iterator<Item = UnderWay> {
        self.0.iter().filter_map(|game| *locked(game))
    }
}
