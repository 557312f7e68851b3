//! Where the games of a training begin. Every start position is chosen here.

use runner_core::{Game, Random, Seed, State};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The start of a game.
pub struct Start {
    pub state: State,
    /// Score with which the position is reached.
    pub score: f64,
    /// The random stream of the rest of the game.
    pub random: Random,
}

/// Chooses the start of every game of a training. Game number k draws from stream k of the
/// seed.
pub struct Starts {
    seed: Seed,
    next: AtomicU64,
    end: u64,
}

impl Starts {
    /// Creates the starts of at most `games` games, the first of which has number `first`.
    pub fn new(seed: Seed, first: u64, games: u64) -> Self {
        Self { seed, next: AtomicU64::new(first), end: first.saturating_add(games) }
    }

    /// Returns the start of the next game, or `None` if no more games may begin.
    pub fn next<G: Game>(&self, game: &G) -> Option<Start> {
        let number = self.next.fetch_add(1, Relaxed);
        if number >= self.end {
            return None;
        }
        let mut random = Random::stream(self.seed, number);
        let state = game.start(random.word());
        let score = match game.has_chance_rewards() {
            true => f64::from(game.chance_reward(None, state)),
            false => 0.0,
        };
        Some(Start { state, score, random })
    }

    /// Returns the number of the first game that has not begun.
    pub fn into_next_game(self) -> u64 {
        // Threads that found no game left have counted on.
        self.next.into_inner().min(self.end)
    }
}
