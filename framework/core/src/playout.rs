//! Games with uniformly random actions, the kernel of Monte Carlo methods.

use crate::{Action, Game, Random, State, Successor, impl_layout};

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

impl_layout!(Playout { last: State, score: f64, moves: u64 });

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

/// Plays a game from each of `starts` to its end with uniformly random legal actions, for
/// any game: the default of [`Game::playouts`].
///
/// Actions are drawn from all actions and drawn again if they are not legal, so that most
/// moves compute one action instead of all.
///
/// # Panics
///
/// If there are not as many results as starts.
pub fn play<G: Game + ?Sized>(game: &G, starts: &[State], random: u64, results: &mut [Playout]) {
    assert_eq!(starts.len(), results.len());
    let mut random = Random::from_word(random);
    let actions = game.description().actions.len() as u32;
    let chance_rewards = game.has_chance_rewards();
    for (&start, result) in starts.iter().zip(results) {
        *result = Playout { last: start, ..Playout::default() };
        while let Some(chosen) = draw(game, result.last, actions, &mut random) {
            result.score += f64::from(chosen.reward);
            result.moves += 1;
            let next = game.spawn(chosen.afterstate, random.word());
            if chance_rewards {
                result.score += f64::from(game.chance_reward(Some(chosen.afterstate), next));
            }
            result.last = next;
        }
    }
}

/// Returns a uniformly random legal action, or `None` in a terminal state.
#[inline(always)]
fn draw<G: Game + ?Sized>(
    game: &G,
    state: State,
    actions: u32,
    random: &mut Random,
) -> Option<Successor> {
    let mut untried = u64::MAX >> (64 - actions);
    while untried != 0 {
        let action = Action(random.below(actions) as u8);
        if untried >> action.0 & 1 == 0 {
            continue;
        }
        if let Some(successor) = game.successor(state, action) {
            return Some(successor);
        }
        untried &= !(1 << action.0);
    }
    None
}

/// Plays `games` games from one state with the game's own kernel, [`Game::playouts`], and
/// returns their totals.
pub fn totals<G: Game + ?Sized>(game: &G, state: State, games: u64, random: u64) -> PlayoutTotals {
    totals_of(
        |starts, random, results| game.playouts(starts, random, results),
        state,
        games,
        random,
    )
}

/// Returns what [`totals`] does, with the kernel for any game, [`play`].
pub fn general_totals<G: Game + ?Sized>(
    game: &G,
    state: State,
    games: u64,
    random: u64,
) -> PlayoutTotals {
    totals_of(|starts, random, results| play(game, starts, random, results), state, games, random)
}

/// Plays `games` games from one state in batches and returns their totals.
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
