//! Law 8: chance on boards with few empty cells. An environment that lets no tile enter after a
//! merge on a full board, or in the last empty cell, plays longer games than the rules allow.

use crate::effort::Effort;
use crate::law::{Law, Violation, check_state, ensure};
use crate::lists::{outcomes_of, successors_of, written};
use crate::positions::PositionSample;
use runner_core::geometry::Geometry;
use runner_core::{Afterstate, Game, Playout, Random, State, catch};

/// Number of draws after each action.
const DRAWS: u64 = 8;

/// Checks law 8 at the positions, and at full boards with a legal action that are made of them.
/// It is about games in which chance always puts down the same number of tiles where at least
/// two cells are empty.
pub fn check<G: Game>(game: &G, effort: &Effort, sample: &PositionSample) -> Result<(), Violation> {
    let Some(board) = &game.description().geometry else { return Ok(()) };
    let Some(usual) = usual_number(game, board, sample)? else { return Ok(()) };
    let mut random = Random::stream(effort.seed, u64::MAX - 2);
    let full: Vec<State> =
        sample.states.iter().filter_map(|&state| filled(game, board, state, &mut random)).collect();
    for &state in sample.states.iter().chain(&full) {
        check_state(Law::Crowded, game, state, || {
            for successor in successors_of(game, state).iter() {
                let afterstate = successor.afterstate;
                let draws = (0..DRAWS).map(|_| game.spawn(afterstate, random.word()));
                let listed = outcomes_of(game, afterstate).into_iter().map(|o| o.state);
                let mut all = draws.chain(listed);
                all.try_for_each(|next| puts_down(game, board, usual, afterstate, next))?;
            }
            Ok(())
        })?;
    }
    for &state in full.iter().filter(|_| sample.ends) {
        check_state(Law::Crowded, game, state, || {
            let mut played = [Playout::default()];
            game.playouts(&[state], random.word(), &mut played);
            let last = played[0].last;
            ensure(successors_of(game, last).is_empty(), || {
                format!("a playout ends at `{}`, where an action is legal", game.write(last))
            })
        })?;
    }
    Ok(())
}

/// Returns the number of tiles that chance puts down wherever at least two cells are empty; `None`
/// if this number is 0 or differs.
fn usual_number<G: Game>(
    game: &G,
    board: &Geometry,
    sample: &PositionSample,
) -> Result<Option<usize>, Violation> {
    let mut usual = None;
    for &state in &sample.states {
        let numbers = check_state(Law::Crowded, game, state, || {
            let mut added = Vec::new();
            for successor in successors_of(game, state).iter() {
                let before = tiles(board, successor.afterstate.bits());
                if board.cells() - before > 1 {
                    for outcome in outcomes_of(game, successor.afterstate) {
                        added.push(tiles(board, outcome.state.bits()).checked_sub(before));
                    }
                }
            }
            Ok(added)
        })?;
        for number in numbers {
            if number.is_none() || number == Some(0) || usual.is_some_and(|usual| usual != number) {
                return Ok(None);
            }
            usual = Some(number);
        }
    }
    Ok(usual.flatten())
}

fn puts_down<G: Game>(
    game: &G,
    board: &Geometry,
    usual: usize,
    afterstate: Afterstate,
    next: State,
) -> Result<(), String> {
    let before = tiles(board, afterstate.bits());
    let empty = board.cells() - before;
    let expected = before + usual.min(empty);
    let found = tiles(board, next.bits());
    ensure(found == expected, || {
        format!(
            "after {}, with empty cells: {empty}, chance leads to `{}`, which has {found} tiles \
             instead of {expected}",
            written(game, afterstate),
            game.write(next)
        )
    })
}

/// Returns the position with every empty cell filled with a tile of the board; `None` if the game
/// does not read it or no action is legal in it.
fn filled<G: Game>(game: &G, board: &Geometry, state: State, random: &mut Random) -> Option<State> {
    let ranks: Vec<u8> = (0..board.cells()).map(|cell| board.rank(state.bits(), cell)).collect();
    let present: Vec<u8> = ranks.iter().copied().filter(|&rank| rank > 0).collect();
    let count = u32::try_from(present.len()).ok().filter(|&count| count > 0)?;
    let empty = (0..ranks.len()).filter(|&cell| ranks[cell] == 0);
    let bits = empty.fold(state.bits(), |bits, cell| {
        board.with_rank(bits, cell, present[random.below(count) as usize])
    });
    let full = State::from_bits(bits);
    let is_playable =
        || game.parse(&game.write(full)) == Ok(full) && !successors_of(game, full).is_empty();
    matches!(catch(is_playable), Ok(true)).then_some(full)
}

/// Returns the number of cells that are not empty.
fn tiles(board: &Geometry, bits: u128) -> usize {
    (0..board.cells()).filter(|&cell| board.rank(bits, cell) != 0).count()
}
