//! Many games with random actions from one state.

use crate::game::random_games;
use crate::{Game, Playout, PlayoutTotals, Random, State};

/// Plays `games` games from one state with the game's own kernel, [`Game::playouts`], and
/// returns their totals.
pub fn totals<G: Game + ?Sized>(game: &G, state: State, games: u64, random: u64) -> PlayoutTotals {
    totals_of(|starts, random, out| game.playouts(starts, random, out), state, games, random)
}

/// Returns what [`totals`] does, with the kernel for any game, [`random_games`].
pub fn general_totals<G: Game + ?Sized>(
    game: &G,
    state: State,
    games: u64,
    random: u64,
) -> PlayoutTotals {
    totals_of(|starts, random, out| random_games(game, starts, random, out), state, games, random)
}

fn totals_of(
    kernel: impl Fn(&[State], u64, &mut [Playout]),
    state: State,
    games: u64,
    random: u64,
) -> PlayoutTotals {
    const BATCH: u64 = 256;
    let (starts, mut results) = ([state; BATCH as usize], [Playout::default(); BATCH as usize]);
    let mut random = Random::from_word(random);
    let mut totals = PlayoutTotals::default();
    while totals.games < games {
        let count = BATCH.min(games - totals.games);
        let results = &mut results[..count as usize];
        kernel(&starts[..count as usize], random.word(), results);
        totals.games += count;
        for result in results {
            totals.moves += result.moves;
            totals.score += result.score;
        }
    }
    totals
}
