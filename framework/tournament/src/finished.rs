//! A game of a tournament that is over.

use runner_core::Fault;
use runner_play::arena::{Ended, GameOutcome};
use runner_play::faults::Faults;
use runner_stats::{GameResult, MoveTimes};

/// Maximum length of the message of a fault, in characters.
const LONGEST_FAULT: usize = 500;

/// A game that is over: it has a score, or it was forfeited by a fault.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Finished {
    /// Number of the game among those of its agent.
    pub number: u64,
    /// Score; `None` if the game was forfeited.
    pub score: Option<f64>,
    /// Max tile of the last position, if the game has tiles.
    pub max_tile: Option<u64>,
    /// Number of moves; 0 if the game was forfeited.
    pub moves: u64,
    /// Luck in points, if it was measured.
    pub luck: Option<f64>,
    /// Time that it took on its thread, in seconds.
    pub seconds: f64,
    /// Why the game was forfeited.
    pub fault: Option<Box<str>>,
    /// The times of its moves, if they were measured.
    pub move_times: Option<Box<MoveTimes>>,
}

/// The games of each cell that are over, sorted by number.
pub type Games = Vec<Vec<Finished>>;

impl Finished {
    /// Returns the game of an outcome; `None` if it was stopped.
    pub fn of(GameOutcome { number, time, result, times }: GameOutcome) -> Option<Self> {
        let mut finished =
            Self { number, seconds: to_nanoseconds(time.as_secs_f64()), ..Self::default() };
        match result.map(Ended::over).transpose()? {
            Ok(game) => {
                finished.score = Some(game.score);
                finished.max_tile = game.max_tile;
                finished.moves = game.moves;
                finished.luck = game.luck;
                finished.move_times = times.map(Box::new);
            }
            Err(Fault(message)) => {
                finished.fault = Some(message.chars().take(LONGEST_FAULT).collect());
            }
        }
        Some(finished)
    }

    /// Returns the result; `None` if the game was forfeited.
    pub fn result(&self) -> Option<GameResult> {
        let Self { number, moves, max_tile, luck, .. } = *self;
        Some(GameResult { number, score: self.score?, moves, max_tile, luck })
    }
}

pub fn faults(games: &[Finished]) -> Faults {
    let mut faults = Faults::default();
    for game in games {
        if let Some(fault) = &game.fault {
            faults.add(game.number, fault);
        }
    }
    faults
}

pub fn count(games: &Games) -> u64 {
    games.iter().map(Vec::len).sum::<usize>() as u64
}

/// Rounds seconds to nanoseconds: no clock is more precise.
fn to_nanoseconds(seconds: f64) -> f64 {
    (seconds * 1e9).round() / 1e9
}
