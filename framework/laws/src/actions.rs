//! Law 3, what the player can do, and law 4, when the game is over.

use crate::positions::Sample;
use crate::{
    Effort, Law, Summary, Violation, apart, at, close, ensure, outcomes_of, successors_of,
};
use runner_core::{Action, Afterstate, Game, MAX_ACTIONS, Playouts, Random, State, Successor};

/// The list of actions in the description.
pub fn check_description<G: Game>(game: &G) -> Result<(), Violation> {
    apart(Law::Successors, || {
        let names = &game.description().actions;
        let n = names.len();
        ensure((1..=MAX_ACTIONS).contains(&n), || {
            format!("the description lists {n} actions; 1 to {MAX_ACTIONS} are possible")
        })?;
        let twice = names.iter().enumerate().find(|(i, name)| names[..*i].contains(name));
        twice.map_or(Ok(()), |(_, name)| Err(format!("two actions are called `{name}`")))
    })
}

/// Law 3 on every position, as far as it needs no outcomes.
pub fn check_lists<G: Game>(
    game: &G,
    sample: &Sample,
    summary: &mut Summary,
) -> Result<(), Violation> {
    for &state in &sample.states {
        at(Law::Successors, game, state, || {
            let list = listed(game, state)?;
            summary.terminal += u64::from(list.is_empty());
            alone(game, state, &list)
        })?;
    }
    Ok(())
}

/// The rest of law 3: every action changes the position.
pub fn check_changes<G: Game>(game: &G, sample: &Sample) -> Result<(), Violation> {
    for &state in &sample.states {
        at(Law::Successors, game, state, || {
            successors_of(game, state).iter().try_for_each(|s| changes(game, state, s))
        })?;
    }
    Ok(())
}

/// The successors, if they are a list as it should be.
fn listed<G: Game>(game: &G, state: State) -> Result<Vec<Successor>, String> {
    let actions = &game.description().actions;
    let mut buffer = successors_of(game, state);
    let list = buffer.to_vec();
    let mut seen = 0u64;
    for &Successor { action, reward, .. } in &list {
        ensure(action.index() < actions.len(), || {
            format!("lists action {}, and the description has {}", action.0, actions.len())
        })?;
        let name = &actions[action.index()];
        ensure(seen >> action.0 & 1 == 0, || format!("lists `{name}` twice"))?;
        ensure(seen >> action.0 == 0, || format!("lists `{name}` out of the order of actions"))?;
        ensure(reward.is_finite(), || format!("the reward of `{name}` is {reward}"))?;
        seen |= 1 << action.0;
    }
    game.successors(state, &mut buffer);
    ensure(buffer[..] == list[..], || {
        format!(
            "asked again, with the first answer in the buffer, it lists {buffer:?} instead of \
             {list:?}: it must clear the buffer and depend on the state alone"
        )
    })?;
    Ok(list)
}

/// An action must change something: the cells of a board at once, and in any
/// game what can come of it.
fn changes<G: Game>(game: &G, state: State, successor: &Successor) -> Result<(), String> {
    let description = game.description();
    let name = description.action_name(successor.action);
    if let Some(board) = &description.geometry {
        let rank = |bits, cell| board.rank(bits, cell);
        let moved = (0..board.cells())
            .any(|cell| rank(state.bits(), cell) != rank(successor.afterstate.bits(), cell));
        ensure(moved, || format!("lists `{name}`, which changes no cell"))?;
    }
    let next = outcomes_of(game, successor.afterstate);
    let stays = next.len() == 1 && next[0].state == state;
    ensure(!stays, || format!("lists `{name}`, after which the position is always the same"))
}

/// `successor` must say of each action what the list says.
fn alone<G: Game>(game: &G, state: State, list: &[Successor]) -> Result<(), String> {
    let description = game.description();
    for action in (0..description.actions.len()).map(|i| Action(i as u8)) {
        let one = game.successor(state, action);
        let all = list.iter().find(|s| s.action == action).copied();
        ensure(one == all, || {
            let name = description.action_name(action);
            format!("`successor` says {one:?} of `{name}`, and `successors` {all:?}")
        })?;
    }
    Ok(())
}

/// Law 4 on every position.
pub fn check_terminal<G: Game>(
    game: &G,
    effort: &Effort,
    sample: &Sample,
) -> Result<(), Violation> {
    let mut random = Random::stream(effort.seed, u64::MAX);
    // A playout from a late position is short; from all of them it adds up.
    let mut left = 256;
    for &state in &sample.states {
        let word = random.word();
        at(Law::Terminal, game, state, || {
            const GAMES: u64 = 3;
            if successors_of(game, state).is_empty() {
                let none = Playouts { games: GAMES, ..Playouts::default() };
                let played = game.playouts(state, GAMES, word);
                return ensure(played == none, || {
                    format!("nothing is legal, and yet {GAMES} playouts came to {played:?}")
                });
            }
            if !sample.ends || left == 0 {
                return Ok(());
            }
            left -= 1;
            let played = game.playouts(state, GAMES, word);
            ensure(played.games == GAMES && played.moves >= GAMES, || {
                format!("{GAMES} playouts came to {played:?}, though something is legal")
            })
        })?;
    }
    Ok(())
}

/// What differs between two games' successors; the afterstates, if nothing does.
pub fn same_successors<G: Game, R: Game>(
    game: &G,
    reference: &R,
    state: State,
) -> Result<Vec<Afterstate>, String> {
    let (ours, theirs) = (successors_of(game, state), successors_of(reference, state));
    let same = ours.len() == theirs.len()
        && ours.iter().zip(theirs.iter()).all(|(a, b)| {
            let same_reward = close(a.reward.into(), b.reward.into(), 1e-6);
            a.action == b.action && a.afterstate == b.afterstate && same_reward
        });
    ensure(same, || format!("the successors are {ours:?}, and the reference's {theirs:?}"))?;
    Ok(ours.iter().map(|s| s.afterstate).collect())
}
