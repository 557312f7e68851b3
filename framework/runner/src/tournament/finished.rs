//! A game of a tournament that is over.

use crate::arena::Outcome;
use crate::faults::Faults;
use runner_stats::{GameResult, MoveTimes};

/// Maximum length of the message of a fault, in characters.
const LONGEST_FAULT: usize = 500;

/// A game that is over.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// Number of the game among those of its agent.
    pub number: u64,
    /// Score; `None` if the game was forfeited.
    pub score: Option<f64>,
    /// Max tile of the last position, if the game has tiles.
    pub max_tile: Option<u64>,
    /// Number of moves; 0 if the game was forfeited.
    pub moves: u64,
    /// Time that it took on its thread, in seconds.
    pub seconds: f64,
    /// Why the game was forfeited.
    pub fault: Option<Box<str>>,
    /// The times of its moves, if they were measured.
    pub move_times: Option<Box<MoveTimes>>,
}

impl Finished {
    /// Returns the result; `None` if the game was forfeited.
    pub fn result(&self) -> Option<GameResult> {
        let Self { number, moves, max_tile, .. } = *self;
        Some(GameResult { number, score: self.score?, moves, max_tile })
    }
}

/// Returns the faults of the forfeited ones among games.
pub fn faults(games: &[Finished]) -> Faults {
    let mut faults = Faults::default();
    for game in games {
        if let Some(fault) = &game.fault {
            faults.add(game.number, fault);
        }
    }
    faults
}

impl From<Outcome> for Finished {
    fn from(Outcome { number, time, result, times }: Outcome) -> Self {
        let seconds = to_nanoseconds(time.as_secs_f64());
        match result {
            Ok(game) => Self {
                number,
                score: Some(game.score),
                max_tile: game.max_tile,
                moves: game.moves,
                seconds,
                fault: None,
                move_times: times.map(Box::new),
            },
            Err(fault) => Self {
                number,
                score: None,
                max_tile: None,
                moves: 0,
                seconds,
                fault: Some(fault.0.chars().take(LONGEST_FAULT).collect()),
                move_times: None,
            },
        }
    }
}

/// Rounds seconds to nanoseconds: no clock is more precise.
fn to_nanoseconds(seconds: f64) -> f64 {
    (seconds * 1e9).round() / 1e9
}
