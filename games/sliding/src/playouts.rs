//! Random games of [`Scattered`](crate::Scattered) on row tables.

use crate::lanes::{self, RandomGame};
use runner_core::rows::{Entries, RowTables, Slid, nth_set_bit};
use runner_core::{Action, Afterstate, Game, Playout, Random, State};
use std::hint::select_unpredictable;

/// Plays random games of `game`, whose rules are in `tables`, as [`Game::playouts`] does.
pub(crate) fn play<G: Game>(
    game: &G,
    tables: &RowTables,
    starts: &[State],
    random: u64,
    results: &mut [Playout],
) {
    assert_eq!(starts.len(), results.len());
    if starts.iter().any(|start| start.hi != 0) {
        return runner_core::playouts::play(game, starts, random, results);
    }
    let entries = tables.draws();
    lanes::play(
        starts.iter().copied(),
        random,
        |lane, random| attempt(lane, game, tables, entries, random),
        |number, &RandomGame { position, score, moves, .. }| {
            results[number] = Playout { last: position, score, moves };
        },
    );
}

/// Tries a random action and returns true if the game is over.
#[inline(always)]
fn attempt<G: Game>(
    lane: &mut RandomGame<State>,
    game: &G,
    tables: &RowTables,
    entries: &Entries,
    random: &mut Random,
) -> bool {
    // Two bits for the action, 32 for the tile, 30 for its cell.
    let word = random.word();
    let action = Action(word as u8 & 3);
    let Slid { board, reward, beyond } = tables.slide(lane.position.lo, action);
    if beyond {
        return finish(lane, game, action, word);
    }
    let legal = board != lane.position.lo;
    let empty = tables.empty(Afterstate::new(board, 0));
    let n = ((word >> 34) * u64::from(empty.count_ones())) >> 30;
    // An illegal action can leave no empty cell; the result is then not used.
    let cell = nth_set_bit(empty, n as u32) & 63;
    let tile = u64::from(entries.draw((word >> 2) as u32)) << cell;
    lane.position.lo = select_unpredictable(legal, board | tile, board);
    lane.tried = select_unpredictable(legal, 0, lane.tried | 1 << action.0);
    lane.moves += u64::from(legal);
    // The reward of an illegal action is 0.
    lane.score += f64::from(reward);
    lane.tried == 15
}

/// Takes an action whose result the tables do not hold, and lets the game itself finish.
/// Returns true if the game is over.
#[cold]
#[inline(never)]
fn finish<G: Game>(lane: &mut RandomGame<State>, game: &G, action: Action, word: u64) -> bool {
    let Some(chosen) = game.successor(lane.position, action) else {
        lane.tried |= 1 << action.0;
        return lane.tried == 15;
    };
    let mut random = Random::from_word(word);
    let next = game.spawn(chosen.afterstate, random.word());
    let mut rest = [Playout::default()];
    runner_core::playouts::play(game, &[next], random.word(), &mut rest);
    let [Playout { last, score, moves }] = rest;
    lane.position = last;
    lane.moves += 1 + moves;
    lane.score += f64::from(chosen.reward) + score;
    true
}
