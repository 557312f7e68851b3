//! The results of games with random actions, and the totals of many games from one state.

use crate::game::random_games;
use crate::{Game, Random, State};

/// The result of one game with random actions.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[repr(C)]
pub struct Playout {
    /// The terminal position.
    pub last: State,
    /// The score, counted from the given state.
    pub score: f64,
    /// The number of moves.
    pub moves: u64,
}

/// The totals of several games with random actions.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct PlayoutTotals {
    /// Number of games, all played to their end.
    pub games: u64,
    /// Number of moves in all games.
    pub moves: u64,
    /// The sum of the scores, counted from the given state.
    pub score: f64,
}

/// Plays `games` games from one state by [`Game::playouts`], and returns their totals.
pub fn totals<G: Game + ?Sized>(game: &G, state: State, games: u64, random: u64) -> PlayoutTotals {
    totals_of(|starts, random, out| game.playouts(starts, random, out), state, games, random)
}

/// As [`totals`], but by [`random_games`], which does not use an implementation of the game.
pub fn general_totals<G: Game + ?Sized>(
    game: &G,
    state: State,
    games: u64,
    random: u64,
) -> PlayoutTotals {
    totals_of(|starts, random, out| random_games(game, starts, random, out), state, games, random)
}

fn totals_of(
    playouts: impl Fn(&[State], u64, &mut [Playout]),
    state: State,
    games: u64,
    random: u64,
) -> PlayoutTotals {
    /// Number of games of one call.
    const BATCH: u64 = 256;
    let starts = [state; BATCH as usize];
    let mut results = [Playout::default(); BATCH as usize];
    let mut stream = Random::from_word(random);
    let mut totals = PlayoutTotals::default();
    while totals.games < games {
        let count = BATCH.min(games - totals.games);
        let batch = &mut results[..count as usize];
        playouts(&starts[..count as usize], stream.word(), batch);
        totals.games += count;
        for result in batch {
            totals.moves += result.moves;
            totals.score += result.score;
        }
    }
    totals
}
