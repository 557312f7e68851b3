//! Law 3, the legal actions, and law 4, the end of the game.

use crate::effort::{CheckSummary, Effort};
use crate::law::{Law, Violation, check_sign, check_state, ensure};
use crate::lists::{close, outcomes_of, successors_of};
use crate::positions::PositionSample;
use runner_core::{Action, Afterstate, Game, PlayoutTotals, Random, State, Successor, playouts};

/// Checks law 3 at every position, except the part that needs outcomes.
pub fn check_lists<G: Game>(
    game: &G,
    sample: &PositionSample,
    summary: &mut CheckSummary,
) -> Result<(), Violation> {
    for &state in &sample.states {
        check_state(Law::Successors, game, state, || {
            let list = list_of(game, state)?;
            summary.terminal += u64::from(list.is_empty());
            single_successors_agree(game, state, &list)
        })?;
    }
    Ok(())
}

/// Checks the rest of law 3: every action changes the position.
pub fn check_changes<G: Game>(game: &G, sample: &PositionSample) -> Result<(), Violation> {
    for &state in &sample.states {
        check_state(Law::Successors, game, state, || {
            successors_of(game, state).iter().try_for_each(|s| action_changes(game, state, s))
        })?;
    }
    Ok(())
}

/// Returns the successors if they are a valid list.
fn list_of<G: Game>(game: &G, state: State) -> Result<Vec<Successor>, String> {
    let actions = &game.description().actions;
    let mut buffer = successors_of(game, state);
    let list = buffer.to_vec();
    let mut seen = 0u64;
    for &Successor { action, reward, .. } in &list {
        ensure(action.index() < actions.len(), || {
            format!("lists action {}, but the description has {} actions", action.0, actions.len())
        })?;
        let name = &actions[action.index()];
        ensure(seen >> action.0 & 1 == 0, || format!("lists `{name}` twice"))?;
        ensure(seen >> action.0 == 0, || format!("lists `{name}` out of the order of actions"))?;
        ensure(reward.is_finite(), || format!("the reward of `{name}` is {reward}"))?;
        check_sign(game, reward, || format!("reward of `{name}`"))?;
        seen |= 1 << action.0;
    }
    game.successors(state, &mut buffer);
    ensure(buffer[..] == list[..], || {
        format!(
            "a second call with the same buffer lists {buffer:?} instead of {list:?}: `successors` \
             must clear the buffer and depend on the state alone"
        )
    })?;
    Ok(list)
}

/// Checks that an action changes the cells, on a board, and that it can lead to another
/// position.
fn action_changes<G: Game>(game: &G, state: State, successor: &Successor) -> Result<(), String> {
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
    ensure(!stays, || format!("lists `{name}`, which never changes the position"))
}

/// Checks that `successor` agrees with the list for every action.
fn single_successors_agree<G: Game>(
    game: &G,
    state: State,
    list: &[Successor],
) -> Result<(), String> {
    let description = game.description();
    for action in (0..description.actions.len()).map(|i| Action(i as u8)) {
        let one = game.successor(state, action);
        let all = list.iter().find(|s| s.action == action).copied();
        ensure(one == all, || {
            let name = description.action_name(action);
            format!("for `{name}`, `successor` gives {one:?} and `successors` {all:?}")
        })?;
    }
    Ok(())
}

pub fn check_terminal<G: Game>(
    game: &G,
    effort: &Effort,
    sample: &PositionSample,
) -> Result<(), Violation> {
    let mut random = Random::stream(effort.seed, u64::MAX);
    // Maximum number of positions to play out from, because playouts take time.
    let mut left = 256;
    for &state in &sample.states {
        let word = random.word();
        check_state(Law::Terminal, game, state, || {
            const GAMES: u64 = 3;
            if successors_of(game, state).is_empty() {
                let none = PlayoutTotals { games: GAMES, ..PlayoutTotals::default() };
                let played = playouts::totals(game, state, GAMES, word);
                return ensure(played == none, || {
                    format!("no action is legal, but {GAMES} playouts give {played:?}")
                });
            }
            if !sample.ends || left == 0 {
                return Ok(());
            }
            left -= 1;
            let played = playouts::totals(game, state, GAMES, word);
            ensure(played.games == GAMES && played.moves >= GAMES, || {
                format!("{GAMES} playouts give {played:?}, although an action is legal")
            })
        })?;
    }
    Ok(())
}

/// Compares the successors of two games. Returns the afterstates if they are equal.
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
    ensure(same, || format!("the successors are {ours:?}, those of the reference {theirs:?}"))?;
    Ok(ours.iter().map(|s| s.afterstate).collect())
}
