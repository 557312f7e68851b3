//! The solution of a sub-game: forward to find its positions, backward for their values.
//!
//! A move keeps the sum of the free cells and a tile that enters raises it, so positions fall into
//! layers by their sums, and only the layers of the next few sums matter to one. Positions are
//! those after a move, before a tile enters: what a search asks for. The positions between a tile
//! and a move are marked, and visited in the order of their numbers, forward and backward: what is
//! looked up for one then lies near that of the next. Each layer is kept in the folder of the build
//! when it is done, and a stopped build continues with the next one.

use super::positions::{Places, Positions};
use super::subgame::{After, SubGame};
use super::work::{Work, WorkError};
use bytemuck::zeroed_vec;
use rayon::prelude::*;
use runner_core::Control;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Words of marks, and buckets of positions, that one task takes.
const WORDS: usize = 512;
const BUCKETS: usize = 64;

/// Progress of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildProgress {
    /// The layer that is done, in units of the smallest tile.
    pub layer: u32,
    /// The greatest layer; an upper bound while positions are listed.
    pub last: u32,
    /// Positions listed, or valued, so far.
    pub done: u64,
    /// All positions, once they are listed.
    pub total: Option<u64>,
}

/// Why a build has ended without a table.
#[derive(Debug, thiserror::Error)]
pub enum TableBuildError {
    #[error("the build was stopped")]
    Stopped,
    #[error("no play from its starts makes the goal")]
    NoGoal,
    #[error(transparent)]
    Work(#[from] WorkError),
}

type Report<'a> = &'a (dyn Fn(BuildProgress) -> Control + Sync);

/// The values of a layer, in memory.
#[derive(Debug)]
struct Layer {
    places: Places,
    values: Vec<f32>,
}

/// Solves a sub-game: the probability of the goal under best play for each position. Returns the
/// number of layers, which the folder of the build then holds.
pub fn solve(game: &SubGame, work: &Work, report: Report<'_>) -> Result<u32, TableBuildError> {
    let layers = match work.listed() {
        Some(layers) => layers,
        None => list(game, work, report)?,
    };
    value(game, layers, work, report)?;
    Ok(layers)
}

/// The marks of the positions of a layer.
#[derive(Debug)]
struct Marks(Vec<AtomicU64>);

impl Marks {
    fn new(game: &SubGame, sum: u32) -> Self {
        Self(zeroed_vec(game.index.count(sum).div_ceil(64) as usize))
    }

    /// Marks the boards of a layer before a move, which are positions of `earlier` layers, the last
    /// first, with one more tile.
    fn of_boards<'p>(
        game: &SubGame,
        sum: u32,
        earlier: impl Iterator<Item = &'p Positions<Vec<u8>>>,
    ) -> Self {
        let marks = Self::new(game, sum);
        for (units, positions) in (1..).zip(earlier) {
            let tiles: Vec<_> =
                game.entries().filter(|tile| tile.1 == units).map(|tile| (tile.0, units)).collect();
            let buckets: Vec<_> = ranges(positions).filter(|_| !tiles.is_empty()).collect();
            buckets.into_par_iter().for_each(|buckets| {
                let mut walk = game.walk(sum - units);
                positions.for_each(buckets, |_, number| {
                    walk.cursor.entered(number, &tiles, |_, number| marks.set(number));
                });
            });
        }
        marks
    }

    #[inline(always)]
    fn set(&self, number: u64) {
        let (word, bit) = (&self.0[(number / 64) as usize], 1 << (number % 64));
        if word.load(Relaxed) & bit == 0 {
            word.fetch_or(bit, Relaxed);
        }
    }

    fn into_positions(self) -> Positions<Vec<u8>> {
        let words: Vec<u64> = self.0.into_iter().map(AtomicU64::into_inner).collect();
        Positions::of_bits(&words)
    }
}

/// Calls a function with the place of each set bit.
#[inline(always)]
fn for_each_set(words: &[AtomicU64], mut call: impl FnMut(usize)) {
    for (at, word) in words.iter().enumerate() {
        let mut left = word.load(Relaxed);
        while left != 0 {
            call(64 * at + left.trailing_zeros() as usize);
            left &= left - 1;
        }
    }
}

/// Lists the positions that play reaches, layer by layer.
fn list(game: &SubGame, work: &Work, report: Report<'_>) -> Result<u32, TableBuildError> {
    let step = game.step();
    // The layers before this one, the last first.
    let mut earlier: VecDeque<Positions<Vec<u8>>> = VecDeque::new();
    let (mut done, mut layers) = (0, 0);
    for sum in 0..=game.index.greatest() {
        let positions = match work.positions(sum) {
            Some(positions) => positions,
            None => {
                let positions = list_layer(game, sum, earlier.iter());
                work.keep_positions(sum, &positions)?;
                positions
            }
        };
        done += positions.len() as u64;
        earlier.push_front(positions);
        earlier.truncate(step);
        if sum > game.start_units && earlier.iter().all(Positions::is_empty) {
            break;
        }
        layers = sum + 1;
        let progress = BuildProgress { layer: sum, last: game.index.greatest(), done, total: None };
        if report(progress) == Control::Stop {
            return Err(TableBuildError::Stopped);
        }
    }
    work.set_listed(layers)?;
    Ok(layers)
}

fn list_layer<'p>(
    game: &SubGame,
    sum: u32,
    earlier: impl Iterator<Item = &'p Positions<Vec<u8>>>,
) -> Positions<Vec<u8>> {
    let before = Marks::of_boards(game, sum, earlier);
    mark_starts(game, sum, &before);
    let after = Marks::new(game, sum);
    before.0.par_chunks(WORDS).enumerate().for_each(|(chunk, words)| {
        let first = (chunk * 64 * WORDS) as u64;
        let mut walk = game.walk(sum);
        for_each_set(words, |at| {
            let board = walk.board(first + at as u64);
            walk.moves(board, |moved| {
                if let After::At(number) = moved {
                    after.set(number);
                }
            });
        });
    });
    after.into_positions()
}

/// Marks the positions of a layer from which play starts.
fn mark_starts(game: &SubGame, sum: u32, marks: &Marks) {
    if sum > game.start_units {
        return;
    }
    let mut walk = game.walk(sum);
    for number in 0..game.index.count(sum) {
        if !game.has_goal(walk.board(number)) {
            marks.set(number);
        }
    }
}

/// Divides the buckets of a layer into tasks.
fn ranges(positions: &Positions<Vec<u8>>) -> impl Iterator<Item = Range<usize>> + use<> {
    let buckets = positions.buckets();
    (0..buckets).step_by(BUCKETS).map(move |begin| begin..(begin + BUCKETS).min(buckets))
}

/// Computes the values from the last layer to the first.
fn value(
    game: &SubGame,
    count: u32,
    work: &Work,
    report: Report<'_>,
) -> Result<(), TableBuildError> {
    let step = game.step();
    let mut total = 0;
    for sum in 0..count {
        total += work.positions(sum).ok_or(WorkError::Lost)?.len() as u64;
    }
    // The positions of a layer and of those before it, the last first.
    let mut layers: VecDeque<Positions<Vec<u8>>> = VecDeque::new();
    // The values before a move of the next layers, by number.
    let mut later: VecDeque<Vec<f32>> = VecDeque::new();
    let (mut done, mut can_succeed) = (0, false);
    for sum in (0..count + step as u32).rev() {
        while layers.len() <= step && layers.len() <= sum as usize {
            layers.push_back(match sum - layers.len() as u32 {
                sum if sum < count => work.positions(sum).ok_or(WorkError::Lost)?,
                // Nothing is behind the last layer.
                _ => Positions::of_bits(&[]),
            });
        }
        let Some(positions) = layers.pop_front() else { break };
        let values = match work.values_of(sum, &positions) {
            Some(values) => values,
            None if sum >= count => Vec::new(),
            None => {
                let values = value_layer(game, sum, &positions, &later);
                work.keep_values(sum, &values)?;
                values
            }
        };
        done += positions.len() as u64;
        can_succeed |= values.iter().any(|&value| value > 0.0);
        // Fresh memory costs a page fault for each page.
        let mut memory =
            if later.len() == step { later.pop_back().unwrap_or_default() } else { Vec::new() };
        memory.resize(game.index.count(sum) as usize, 0.0);
        let is_known = |(units, positions)| work.values_of(sum - units, positions).is_some();
        if !(1..).zip(&layers).all(is_known) {
            let layer = Layer { places: Places::of(&positions, game.index.count(sum)), values };
            let boards = Marks::of_boards(game, sum, layers.iter());
            value_boards(game, sum, &boards, &layer, &mut memory);
        }
        later.push_front(memory);
        let progress = BuildProgress { layer: sum, last: count, done, total: Some(total) };
        if report(progress) == Control::Stop {
            return Err(TableBuildError::Stopped);
        }
    }
    if can_succeed { Ok(()) } else { Err(TableBuildError::NoGoal) }
}

/// Computes the values of the positions of a layer. `later` has the values before a move of the
/// next layers.
fn value_layer(
    game: &SubGame,
    sum: u32,
    positions: &Positions<Vec<u8>>,
    later: &VecDeque<Vec<f32>>,
) -> Vec<f32> {
    let tiles: Vec<_> = game.entries().map(|(rank, units, _)| (rank, units)).collect();
    let entries: Vec<_> = game
        .entries()
        .map(|(_, units, probability)| (probability, &*later[units as usize - 1]))
        .collect();
    let mut values = vec![0.0; positions.len()];
    split(positions, &mut values).into_par_iter().for_each(|(buckets, first, values)| {
        let mut walk = game.walk(sum);
        positions.for_each(buckets, |place, number| {
            let mut value = 0.0;
            let empty = walk.cursor.entered(number, &tiles, |tile, number| {
                let (probability, later) = entries[tile];
                value += probability * later[number as usize];
            });
            values[place - first] = value / empty as f32;
        });
    });
    values
}

/// Computes the values of boards before a move. Those of others are left as they are.
fn value_boards(game: &SubGame, sum: u32, boards: &Marks, layer: &Layer, values: &mut [f32]) {
    let chunks = boards.0.par_chunks(WORDS).zip(values.par_chunks_mut(64 * WORDS)).enumerate();
    chunks.for_each(|(chunk, (words, values))| {
        let first = (chunk * 64 * WORDS) as u64;
        let mut walk = game.walk(sum);
        for_each_set(words, |at| {
            let board = walk.board(first + at as u64);
            let mut best = 0f32;
            walk.moves(board, |moved| {
                best = best.max(match moved {
                    After::At(number) => {
                        layer.places.find(number).map_or(0.0, |place| layer.values[place])
                    }
                    _ => 1.0,
                });
            });
            values[at] = best;
        });
    });
}

/// Divides a layer into tasks: buckets, the place of their first position, and where their values
/// go.
fn split<'v>(
    positions: &Positions<Vec<u8>>,
    mut values: &'v mut [f32],
) -> Vec<(Range<usize>, usize, &'v mut [f32])> {
    let mut first = 0;
    let task = |buckets: Range<usize>| {
        let next = positions.place(buckets.end);
        let (own, rest) = std::mem::take(&mut values).split_at_mut(next - first);
        let task = (buckets, first, own);
        (values, first) = (rest, next);
        task
    };
    ranges(positions).map(task).collect()
}
