//! The solution of a sub-game: forward to find its positions, backward for their values.
//!
//! A move keeps the sum of the free cells and a tile that enters raises it, so positions fall into
//! layers by their sums, and only the layers of the next few sums matter to one. Positions are those
//! after a move, before a tile enters: what a search asks for. The positions between a tile and a move
//! are marked forward, and valued backward when they are first asked for. Each layer is kept in the
//! folder of the build when it is done, and a stopped build continues with the next one.

use crate::positions::{Places, Positions};
use crate::subgame::{After, Starts, SubGame};
use crate::work::{Work, WorkError};
use bytemuck::zeroed_vec;
use rayon::prelude::*;
use runner_core::{Control, State, Successors};
use std::collections::VecDeque;
use std::fmt;
use std::iter::successors;
use std::ops::Range;
use std::str::FromStr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Words of marks, and buckets of positions, that one task takes.
const WORDS: usize = 512;
const BUCKETS: usize = 64;

/// Progress of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
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
pub enum BuildError {
    #[error("the build was stopped")]
    Stopped,
    #[error("no play from its starts makes the goal")]
    NoGoal,
    #[error(transparent)]
    Work(#[from] WorkError),
}

/// What best play is to reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Objective {
    /// The goal: values are probabilities.
    Goal,
    /// The greatest expected sum of rewards, with these points for the goal.
    Score { goal: f32 },
}

impl fmt::Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Goal => f.write_str("goal"),
            Self::Score { goal } => write!(f, "score {goal}"),
        }
    }
}

impl FromStr for Objective {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text.strip_prefix("score ") {
            Some(goal) => goal.parse().map(|goal| Self::Score { goal }).map_err(|_| ()),
            None if text == "goal" => Ok(Self::Goal),
            None => Err(()),
        }
    }
}

type Report<'a> = &'a (dyn Fn(Progress) -> Control + Sync);

/// The values of a layer, in memory.
#[derive(Debug)]
struct Layer {
    places: Places,
    values: Vec<f32>,
}

/// Solves a sub-game: the value of each position under best play. Returns the number of layers, which
/// the folder of the build then holds.
pub fn solve(
    game: &SubGame,
    objective: Objective,
    work: &mut Work,
    report: Report<'_>,
) -> Result<u32, BuildError> {
    let layers = match work.listed() {
        Some(layers) => layers,
        None => list(game, work, report)?,
    };
    value(game, objective, layers, work, report)?;
    Ok(layers)
}

/// The marks of the positions of a layer.
#[derive(Debug)]
struct Marks(Vec<AtomicU64>);

impl Marks {
    fn new(game: &SubGame, sum: u32) -> Self {
        Self(zeroed_vec(game.count(sum).div_ceil(64) as usize))
    }

    #[inline(always)]
    fn set(&self, number: u64) {
        let (word, bit) = (&self.0[(number / 64) as usize], 1 << (number % 64));
        if word.load(Relaxed) & bit == 0 {
            word.fetch_or(bit, Relaxed);
        }
    }

    /// Calls a function with each marked board, on all threads.
    fn for_each_board(&self, game: &SubGame, sum: u32, call: impl Fn(u64, &mut Successors) + Sync) {
        self.0.par_chunks(WORDS).enumerate().for_each(|(chunk, words)| {
            let mut walk = game.walk(sum);
            let mut moves = Successors::new();
            for (at, word) in words.iter().enumerate() {
                let mut left = word.load(Relaxed);
                while left != 0 {
                    let bit = u64::from(left.trailing_zeros());
                    let number = 64 * (chunk * WORDS + at) as u64 + bit;
                    call(walk.board(number), &mut moves);
                    left &= left - 1;
                }
            }
        });
    }

    fn into_positions(self) -> Positions<Vec<u8>> {
        let words: Vec<u64> = self.0.into_iter().map(AtomicU64::into_inner).collect();
        Positions::of_bits(&words)
    }
}

/// Lists the positions that play reaches, layer by layer.
fn list(game: &SubGame, work: &mut Work, report: Report<'_>) -> Result<u32, BuildError> {
    let step = game.step();
    // The layers before this one, the last first.
    let mut earlier: VecDeque<Positions<Vec<u8>>> = VecDeque::new();
    let (mut done, mut layers) = (0, 0);
    for sum in 0..=game.index.greatest() {
        let positions = match work.positions(sum) {
            Some(positions) => positions,
            None => {
                let positions = list_layer(game, sum, &earlier);
                work.keep_positions(sum, &positions)?;
                positions
            }
        };
        done += positions.len() as u64;
        earlier.push_front(positions);
        earlier.truncate(step);
        if sum > game.start_units() && earlier.iter().all(Positions::is_empty) {
            break;
        }
        layers = sum + 1;
        let progress = Progress { layer: sum, last: game.index.greatest(), done, total: None };
        if report(progress) == Control::Stop {
            return Err(BuildError::Stopped);
        }
    }
    work.set_listed(layers)?;
    Ok(layers)
}

fn list_layer(
    game: &SubGame,
    sum: u32,
    earlier: &VecDeque<Positions<Vec<u8>>>,
) -> Positions<Vec<u8>> {
    let before = Marks::new(game, sum);
    mark_starts(game, sum, &before);
    for (units, positions) in (1..).zip(earlier) {
        let ranks: Vec<u8> =
            game.entries().filter(|entry| entry.1 == units).map(|entry| entry.0).collect();
        let buckets: Vec<_> = ranges(positions).collect();
        buckets.into_par_iter().filter(|_| !ranks.is_empty()).for_each(|buckets| {
            let mut walk = game.walk(sum - units);
            positions.for_each(buckets, |_, number| {
                let board = walk.board(number);
                for slot in slots(game.empty(board)) {
                    for &rank in &ranks {
                        if let Some((_, number)) = game.number(board | u64::from(rank) << slot) {
                            before.set(number);
                        }
                    }
                }
            });
        });
    }
    let after = Marks::new(game, sum);
    before.for_each_board(game, sum, |board, moves| {
        game.tables.successors(State::new(board, 0), moves);
        for next in moves.iter() {
            if let (_, After::At(number)) = game.after(next.afterstate.lo) {
                after.set(number);
            }
        }
    });
    after.into_positions()
}

/// Marks the positions of a layer from which play starts.
fn mark_starts(game: &SubGame, sum: u32, marks: &Marks) {
    match game.starts() {
        Starts::UpTo(greatest) => {
            let mut walk = game.walk(sum);
            for number in (0..game.count(sum)).filter(|_| sum <= *greatest) {
                // A position and its images have one number, that of the least image.
                if let (_, After::At(own)) = game.after(walk.board(number)) {
                    marks.set(own);
                }
            }
        }
        Starts::Listed(starts) => {
            starts.iter().filter(|start| start.0 == sum).for_each(|start| marks.set(start.1));
        }
    }
}

/// Returns the positions of the set bits of a mask.
#[inline(always)]
fn slots(mask: u64) -> impl Iterator<Item = u32> {
    let next = |left: &u64| Some(left & (left - 1)).filter(|&left| left != 0);
    let left = successors(Some(mask).filter(|&mask| mask != 0), next);
    left.map(u64::trailing_zeros)
}

/// Divides the buckets of a layer into tasks.
fn ranges(positions: &Positions<Vec<u8>>) -> impl Iterator<Item = Range<usize>> + use<> {
    let buckets = positions.buckets();
    (0..buckets).step_by(BUCKETS).map(move |begin| begin..(begin + BUCKETS).min(buckets))
}

/// The values of the positions of a layer before a move, filled in when they are first asked for.
struct Memo(Vec<AtomicU32>);

impl Memo {
    /// Returns a memo without values, in memory that was another's.
    fn cleared(mut memory: Vec<AtomicU32>, count: u64) -> Self {
        memory.clear();
        memory.resize_with(count as usize, AtomicU32::default);
        Self(memory)
    }
}

/// Computes the values from the last layer to the first.
fn value(
    game: &SubGame,
    objective: Objective,
    count: u32,
    work: &mut Work,
    report: Report<'_>,
) -> Result<(), BuildError> {
    let step = game.step();
    let mut total = 0;
    for sum in 0..count {
        total += work.positions(sum).ok_or(WorkError::Lost)?.len() as u64;
    }
    // The layers behind this one, with their memos; the next first.
    let mut later: VecDeque<(Layer, Memo)> = VecDeque::new();
    let (mut done, mut can_succeed) = (0, false);
    for sum in (0..count + step as u32).rev() {
        let positions = match sum < count {
            true => work.positions(sum).ok_or(WorkError::Lost)?,
            // Nothing is behind the last layer.
            false => Positions::of_bits(&[]),
        };
        let known = work.values(sum).filter(|values| values.len() == positions.len());
        let values = match known {
            Some(values) => values,
            None if sum >= count => Vec::new(),
            None => {
                let values = value_layer(game, objective, sum, &positions, &later);
                work.keep_values(sum, &values)?;
                values
            }
        };
        done += positions.len() as u64;
        can_succeed |= values.iter().any(|&value| value > 0.0);
        // Fresh memory costs a page fault for each page.
        let memo = match later.len() == step {
            true => later.pop_back().map(|(_, memo)| memo.0).unwrap_or_default(),
            false => Vec::new(),
        };
        let memo = Memo::cleared(memo, game.count(sum));
        let places = Places::of(&positions, game.count(sum));
        later.push_front((Layer { places, values }, memo));
        let progress = Progress { layer: sum, last: count, done, total: Some(total) };
        if report(progress) == Control::Stop {
            return Err(BuildError::Stopped);
        }
    }
    if can_succeed { Ok(()) } else { Err(BuildError::NoGoal) }
}

fn value_layer(
    game: &SubGame,
    objective: Objective,
    sum: u32,
    positions: &Positions<Vec<u8>>,
    later: &VecDeque<(Layer, Memo)>,
) -> Vec<f32> {
    let entries: Vec<_> = game.entries().collect();
    let mut values = vec![0.0; positions.len()];
    split(positions, &mut values).into_par_iter().for_each(|(buckets, first, values)| {
        let mut walk = game.walk(sum);
        let mut moves = Successors::new();
        positions.for_each(buckets, |place, number| {
            let board = walk.board(number);
            let empty = game.empty(board);
            let mut value = 0.0;
            for slot in slots(empty) {
                for &(rank, units, probability) in &entries {
                    let (layer, memo) = &later[units as usize - 1];
                    let next = board | u64::from(rank) << slot;
                    value += probability * ask(game, objective, layer, memo, next, &mut moves);
                }
            }
            values[place - first] = value / empty.count_ones() as f32;
        });
    });
    values
}

/// Divides a layer into tasks: buckets, the place of their first position, and where their values go.
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

/// Returns the value of a position before a move.
#[inline(always)]
fn ask(
    game: &SubGame,
    objective: Objective,
    layer: &Layer,
    memo: &Memo,
    board: u64,
    moves: &mut Successors,
) -> f32 {
    let Some((_, number)) = game.number(board) else { return 0.0 };
    let place = &memo.0[number as usize];
    match place.load(Relaxed) {
        0 => {
            let best = best_move(game, objective, layer, board, moves);
            // One more than the bits, so that 0 is free.
            place.store(best.to_bits() + 1, Relaxed);
            best
        }
        known => f32::from_bits(known - 1),
    }
}

fn best_move(
    game: &SubGame,
    objective: Objective,
    layer: &Layer,
    board: u64,
    moves: &mut Successors,
) -> f32 {
    game.tables.successors(State::new(board, 0), moves);
    let mut best = 0f32;
    for next in moves.iter() {
        let after = game.after(next.afterstate.lo).1;
        let value = match (after, objective) {
            (After::Failed, _) => continue,
            (After::Goal, Objective::Goal) => return 1.0,
            (After::Goal, Objective::Score { goal }) => next.reward + goal,
            (After::At(number), _) => {
                let value = layer.places.find(number).map_or(0.0, |place| layer.values[place]);
                match objective {
                    Objective::Goal => value,
                    Objective::Score { .. } => next.reward + value,
                }
            }
        };
        best = best.max(value);
    }
    best
}
