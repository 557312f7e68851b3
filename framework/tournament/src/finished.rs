//! A game of a tournament that is over.

use runner_play::arena::Outcome;
use runner_play::faults::Faults;
use runner_stats::{GameResult, MoveTimes};
use std::cmp::Ordering;

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

/// The games of each cell that are over, by number.
pub type Games = Vec<Vec<Finished>>;

impl Finished {
    /// Returns the result; `None` if the game was forfeited.
    pub fn result(&self) -> Option<GameResult> {
        let Self { number, moves, max_tile, .. } = *self;
        Some(GameResult { number, score: self.score?, moves, max_tile })
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

pub fn forfeited(games: &[Vec<Finished>]) -> u64 {
    games.iter().flatten().filter(|game| game.score.is_none()).count() as u64
}

/// Returns the mean score of all games of an agent in a game, which its rank is by: a forfeited game
/// counts 0, or the minimum of the scores if that is below 0. `mean` and `min` are those of the games
/// with a score, if there are any. Returns `None` without games.
pub fn mean_with_forfeits(mean: f64, min: f64, scored: u64, forfeited: u64) -> Option<f64> {
    if scored == 0 {
        return (forfeited > 0).then_some(0.0);
    }
    let share = forfeited as f64 / (scored + forfeited) as f64;
    Some(mean * (1.0 - share) + min.min(0.0) * share)
}

/// Orders two agents by their means with forfeits: the larger one first, and one without games
/// last.
pub fn better_mean_first(a: Option<f64>, b: Option<f64>) -> Ordering {
    let [a, b] = [a, b].map(|mean| mean.unwrap_or(f64::NEG_INFINITY));
    b.total_cmp(&a)
}

impl From<Outcome> for Finished {
    fn from(Outcome { number, time, result, times }: Outcome) -> Self {
        let seconds = to_nanoseconds(time.as_secs_f64());
        let (score, max_tile, fault, move_times) = (None, None, None, None);
        let over = Self { number, score, max_tile, moves: 0, seconds, fault, move_times };
        match result {
            Ok(game) => Self {
                score: Some(game.score),
                max_tile: game.max_tile,
                moves: game.moves,
                move_times: times.map(Box::new),
                ..over
            },
            Err(fault) => {
                let fault = fault.0.chars().take(LONGEST_FAULT).collect();
                Self { fault: Some(fault), ..over }
            }
        }
    }
}

/// Rounds seconds to nanoseconds: no clock is more precise.
fn to_nanoseconds(seconds: f64) -> f64 {
    (seconds * 1e9).round() / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forfeited_game_never_raises_the_mean_that_ranks() {
        assert_eq!(mean_with_forfeits(100.0, 10.0, 5, 0), Some(100.0));
        assert_eq!(mean_with_forfeits(100.0, 10.0, 5, 5), Some(50.0));
        assert_eq!(mean_with_forfeits(-2.0, -8.0, 3, 1), Some(-3.5));
        assert_eq!(mean_with_forfeits(0.0, f64::INFINITY, 0, 9), Some(0.0));
        assert_eq!(mean_with_forfeits(0.0, f64::INFINITY, 0, 0), None);
        let mut means = [Some(-2.0), None, Some(3.0)];
        means.sort_by(|&a, &b| better_mean_first(a, b));
        assert_eq!(means, [Some(3.0), Some(-2.0), None]);
    }
}
