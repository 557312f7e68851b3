//! Small tables: the positions that best play visits.

use crate::build::Objective;
use crate::positions::Positions;
use crate::subgame::{After, Starts, SubGame};
use crate::table::{Table, TableError, write};
use rayon::prelude::*;
use runner_board::rows::nth_set_bit;
use runner_core::{Random, Seed, State, Successors};
use std::collections::HashMap;
use std::path::Path;

/// A position of a sub-game: its layer and its number.
type Position = (u32, u64);

/// Games that one task plays.
const GAMES: u64 = 256;

/// Plays games by a table from random starts, and writes the positions that at least `visits` of them
/// have left by a move. Returns how many there are. The same seed gives the same file.
pub fn distill(
    table: &Table,
    path: &Path,
    games: u64,
    visits: u32,
    seed: Seed,
) -> Result<u64, TableError> {
    let tasks = (0..games.div_ceil(GAMES)).into_par_iter();
    let counts = tasks.map(|task| {
        let mut counts = HashMap::new();
        for game in task * GAMES..games.min((task + 1) * GAMES) {
            play(table, &mut Random::stream(seed, game), |position| {
                *counts.entry(position).or_insert(0u32) += 1;
            });
        }
        counts
    });
    let counts = counts.reduce(HashMap::new, |mut all, more| {
        for (position, count) in more {
            *all.entry(position).or_insert(0) += count;
        }
        all
    });
    let mut kept = vec![Vec::new(); table.layers() as usize];
    let visited = counts.into_iter().filter(|&(_, count)| count >= visits);
    visited.for_each(|((sum, number), _)| kept[sum as usize].push(number));
    let layers: Vec<_> = (0u32..)
        .zip(&mut kept)
        .map(|(sum, numbers)| {
            numbers.sort_unstable();
            let count = table.sub_game().count(sum);
            Positions::of_sorted(numbers.iter().copied(), numbers.len(), count)
        })
        .collect();
    let header = table.header().with("games", games).with("visits", visits);
    write(path, header, &layers, |sum| {
        let share = |&number: &u64| table.share(sum, number).expect("best play visits the table");
        Ok(kept[sum as usize].iter().map(share).collect())
    })
}

/// Plays a game by the table, and reports the position after each move.
fn play(table: &Table, random: &mut Random, mut visit: impl FnMut(Position)) {
    let game = table.sub_game();
    let mut moves = Successors::new();
    let Some(mut before) = start(table, random) else { return };
    loop {
        game.tables.successors(State::new(before, 0), &mut moves);
        // The value of the best move, and the position after it unless that is the goal.
        let mut best: Option<(f32, Option<(Position, u64)>)> = None;
        for next in moves.iter() {
            let reward = if table.objective() == Objective::Goal { 0.0 } else { next.reward };
            let after = match game.after(next.afterstate.lo) {
                (_, After::Failed) => continue,
                (_, After::Goal) => None,
                (sum, After::At(number)) => Some(((sum, number), next.afterstate.lo)),
            };
            let value = match (after, table.objective()) {
                (None, Objective::Goal) => Some(1.0),
                (None, Objective::Score { goal }) => Some(goal),
                (Some(((sum, number), _)), _) => {
                    table.share(sum, number).map(|share| table.value_of(share))
                }
            };
            let Some(value) = value.map(|value| reward + value) else { continue };
            if best.is_none_or(|best| value > best.0) {
                best = Some((value, after));
            }
        }
        let Some((_, Some((position, after)))) = best else { return };
        visit(position);
        before = with_tile(game, after, random);
    }
}

/// Returns a random board before a move from which play starts.
fn start(table: &Table, random: &mut Random) -> Option<u64> {
    let game = table.sub_game();
    match game.starts() {
        // Most contents are positions; a table without any is given up.
        Starts::UpTo(greatest) => (0..10_000).find_map(|_| {
            let sum = 1 + random.below(*greatest);
            let number = random.word() % game.count(sum).max(1);
            table.share(sum, number)?;
            Some(with_tile(game, game.walk(sum).board(number), random))
        }),
        Starts::Listed(starts) => {
            let (sum, number) = starts[random.below(starts.len() as u32) as usize];
            Some(game.walk(sum).board(number))
        }
    }
}

/// Returns a board with a random tile in a random free cell.
fn with_tile(game: &SubGame, board: u64, random: &mut Random) -> u64 {
    let empty = game.empty(board);
    let slot = nth_set_bit(empty, random.below(empty.count_ones()));
    board | u64::from(draw(game, random)) << slot
}

/// Returns the rank of a tile that enters.
fn draw(game: &SubGame, random: &mut Random) -> u8 {
    let mut rest = random.unit() as f32;
    let mut last = 0;
    for (rank, _, probability) in game.entries() {
        last = rank;
        if rest < probability {
            break;
        }
        rest -= probability;
    }
    last
}
