//! Where the games of a training begin. Every start position is chosen here.

use runner_core::{Fault, Game, Random, Seed, Start, Successors};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The start of a game and the random stream of the rest of it.
pub struct NewGame {
    pub start: Start,
    pub random: Random,
}

/// Chooses the start of every game of a training. Game number k draws from stream k of the
/// seed.
pub struct Starts<'a> {
    seed: Seed,
    /// Positions to choose from; if there are none, games start as the rules say.
    positions: &'a [Start],
    next: AtomicU64,
    end: u64,
}

impl<'a> Starts<'a> {
    /// Creates the starts of at most `games` games, the first of which has number `first`.
    /// Returns an error if one of the positions is terminal.
    pub fn new<G: Game>(
        game: &G,
        seed: Seed,
        positions: &'a [Start],
        first: u64,
        games: u64,
    ) -> Result<Self, Fault> {
        let mut successors = Successors::new();
        for start in positions {
            game.successors(start.state, &mut successors);
            if successors.is_empty() {
                let text = game.write(start.state);
                return Err(Fault::new(format!("no legal action in the start position {text}")));
            }
        }
        Ok(Self { seed, positions, next: AtomicU64::new(first), end: first.saturating_add(games) })
    }

    /// Returns the start of the next game, or `None` if no more games may begin.
    pub fn next<G: Game>(&self, game: &G) -> Option<NewGame> {
        let number = self.next.fetch_add(1, Relaxed);
        if number >= self.end {
            return None;
        }
        let mut random = Random::training_stream(self.seed, number);
        let start = match self.positions {
            [] => {
                let state = game.start(random.word());
                let score = match game.has_chance_rewards() {
                    true => f64::from(game.chance_reward(None, state)),
                    false => 0.0,
                };
                Start { state, score }
            }
            positions => positions[random.below(positions.len() as u32) as usize],
        };
        Some(NewGame { start, random })
    }

    /// Returns the number of the first game that has not begun.
    pub fn into_next_game(self) -> u64 {
        // Threads that found no game left have counted on.
        self.next.into_inner().min(self.end)
    }
}
