//! Random games, the kernel of Monte Carlo methods.

use crate::{Action, Game, Random, State};

/// What a batch of random games came to.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[repr(C)]
pub struct Playouts {
    /// Games played to the end.
    pub games: u64,
    /// Actions taken in all of them.
    pub moves: u64,
    /// The sum of their scores, from the given state on.
    pub score: f64,
}

/// Plays `games` games with uniformly random legal actions from `state`.
///
/// An action is drawn among all and drawn again if it is not legal, so that most
/// moves cost one action's computation instead of all of them.
pub fn play<G: Game + ?Sized>(game: &G, state: State, games: u64, random: u64) -> Playouts {
    let mut random = Random::from_word(random);
    let actions = game.description().actions.len() as u32;
    let chance_rewards = game.has_chance_rewards();
    let mut total = Playouts { games, ..Playouts::default() };
    for _ in 0..games {
        let mut state = state;
        while let Some(chosen) = draw(game, state, actions, &mut random) {
            total.score += f64::from(chosen.reward);
            total.moves += 1;
            let next = game.spawn(chosen.afterstate, random.word());
            if chance_rewards {
                total.score += f64::from(game.chance_reward(Some(chosen.afterstate), next));
            }
            state = next;
        }
    }
    total
}

/// A uniformly random legal action, or `None` in a terminal state.
#[inline(always)]
fn draw<G: Game + ?Sized>(
    game: &G,
    state: State,
    actions: u32,
    random: &mut Random,
) -> Option<crate::Successor> {
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
