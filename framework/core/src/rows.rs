//! A sliding board told as tables: what each row becomes when it is pushed
//! either way, and what enters afterwards. Whoever holds the tables moves
//! without calling the game, at the same speed on both sides of a plugin's
//! boundary.
//!
//! Only boards of up to 4 x 4 are told so (see [`board`](crate::board) for where
//! their cells lie), whose positions are their cells alone and whose actions are
//! up, right, down, left in this order. A position with a rank above 15, or a
//! move that would make one, is not in the tables: the answer is then "ask the
//! game", which is rare enough to cost nothing.

use crate::{Action, Afterstate, Outcomes, State, Successor, Successors, scale};
use std::sync::Arc;

/// A row of four cells has this many contents.
pub const ROWS: usize = 1 << 16;

/// Set in a [`Row`]'s result that needs a rank above 15.
pub const BEYOND: u32 = 1 << 31;

/// What becomes of a row.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[repr(C)]
pub struct Row {
    /// Its content after a push toward its first cell, or [`BEYOND`].
    pub first: u32,
    /// Its content after a push toward its last cell, or [`BEYOND`].
    pub last: u32,
    /// The reward of the push toward the first cell.
    pub first_reward: f32,
    /// The reward of the push toward the last cell.
    pub last_reward: f32,
}

/// A tile that enters on a uniformly random empty cell.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Entry {
    /// Its rank.
    pub rank: u8,
    /// How likely it is that this tile enters, and not another of the list.
    pub probability: f64,
}

/// The rules of a sliding board as tables.
#[derive(Clone, Debug, PartialEq)]
pub struct RowTables {
    across: Arc<[Row; ROWS]>,
    down: Arc<[Row; ROWS]>,
    cells: u64,
    entries: Vec<Entry>,
    /// `random <= below[i]` selects entry i, the first for which it holds.
    below: Vec<u32>,
}

impl RowTables {
    /// The rules of a board with `rows` x `cols` cells, of at most four each.
    ///
    /// `across` pushes rows left (first) and right, `down` columns up and down;
    /// they are the same table on a square board. `entries` with their
    /// probabilities, summing to 1, enter after every move.
    ///
    /// # Panics
    ///
    /// If there are more than four rows or columns, or no entries.
    pub fn new(
        rows: usize,
        cols: usize,
        across: Arc<[Row; ROWS]>,
        down: Arc<[Row; ROWS]>,
        entries: Vec<Entry>,
    ) -> Self {
        assert!(rows <= 4 && cols <= 4 && !entries.is_empty());
        let row = (0..cols).fold(0, |mask, col| mask | 1 << (4 * col));
        let cells = (0..rows).fold(0, |mask, r| mask | row << (16 * r));
        let mut sum = 0.0;
        let mut below: Vec<u32> = (entries.iter())
            .map(|entry| {
                sum += entry.probability;
                (sum * (1u64 << 32) as f64) as u32
            })
            .collect();
        // Rounding leaves no gap: the last takes what is left.
        *below.last_mut().expect("not empty") = u32::MAX;
        Self { across, down, cells, entries, below }
    }

    /// The tables for rows and for columns.
    pub fn tables(&self) -> (&Arc<[Row; ROWS]>, &Arc<[Row; ROWS]>) {
        (&self.across, &self.down)
    }

    /// What enters.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// One bit for every cell of the board, at the lowest bit of its slot.
    pub fn cells(&self) -> u64 {
        self.cells
    }

    /// Fills `out` with the legal moves, or returns false if the game must be
    /// asked (`out` is then of no use).
    #[inline(always)]
    pub fn successors(&self, state: State, out: &mut Successors) -> bool {
        out.clear();
        let across = push(&self.across, state.lo);
        let down = push(&self.down, transpose(state.lo));
        if state.hi != 0 || (across.beyond | down.beyond) & BEYOND != 0 {
            return false;
        }
        let moves = [
            (transpose(down.first), down.first_reward),
            (across.last, across.last_reward),
            (transpose(down.last), down.last_reward),
            (across.first, across.first_reward),
        ];
        for (action, (board, reward)) in moves.into_iter().enumerate() {
            if board != state.lo {
                out.push(Action(action as u8), Afterstate::new(board, 0), reward);
            }
        }
        true
    }

    /// The outcome of one move: `Ok(None)` if it is not legal, `Err` if the game
    /// must be asked.
    #[inline(always)]
    #[allow(clippy::result_unit_err)]
    pub fn successor(&self, state: State, action: Action) -> Result<Option<Successor>, ()> {
        let vertical = action.0 & 1 == 0;
        let (table, lines) =
            if vertical { (&self.down, transpose(state.lo)) } else { (&self.across, state.lo) };
        let toward_first = action.0 == 0 || action.0 == 3;
        let (mut board, reward, beyond) = push_one(table, lines, toward_first);
        if state.hi != 0 || beyond & BEYOND != 0 {
            return Err(());
        }
        if vertical {
            board = transpose(board);
        }
        let afterstate = Afterstate::new(board, 0);
        Ok((board != state.lo).then_some(Successor { afterstate, reward, action }))
    }

    /// The board with a random tile on a random empty cell, of which there is
    /// one at least. The afterstate may hold ranks above 15.
    #[inline(always)]
    pub fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        let empty = self.empty(afterstate);
        let cell = nth_set_bit(empty, scale((random >> 32) as u32, empty.count_ones()));
        let which = self.below.iter().position(|&below| random as u32 <= below);
        let rank = self.entries[which.unwrap_or(0)].rank;
        State::new(afterstate.lo | u64::from(rank) << cell, afterstate.hi)
    }

    /// Every tile on every empty cell, cell by cell.
    pub fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        out.clear();
        let mut empty = self.empty(afterstate);
        let share = 1.0 / f64::from(empty.count_ones());
        while empty != 0 {
            let cell = empty.trailing_zeros();
            for entry in &self.entries {
                let board = afterstate.lo | u64::from(entry.rank) << cell;
                out.push(entry.probability * share, State::new(board, afterstate.hi));
            }
            empty &= empty - 1;
        }
    }

    /// The lowest bit of the slot of every empty cell.
    #[inline(always)]
    fn empty(&self, afterstate: Afterstate) -> u64 {
        let mut taken = afterstate.lo | afterstate.lo >> 2;
        taken |= taken >> 1;
        if afterstate.hi != 0 {
            taken |= fifth_bits(afterstate.hi);
        }
        !taken & self.cells
    }
}

/// The fifth bits of a narrow board's cells, each at the lowest bit of its slot.
#[cold]
fn fifth_bits(hi: u64) -> u64 {
    let fifth = hi >> (crate::board::FIFTH_BITS - 64);
    (0..16).fold(0, |mask, slot| mask | (fifth >> slot & 1) << (4 * slot))
}

struct Pushed {
    first: u64,
    last: u64,
    first_reward: f32,
    last_reward: f32,
    beyond: u32,
}

/// Pushes the four lines of a board both ways.
#[inline(always)]
fn push(table: &[Row; ROWS], lines: u64) -> Pushed {
    let [a, b, c, d] = [0, 16, 32, 48].map(|shift| &table[(lines >> shift & 0xffff) as usize]);
    Pushed {
        first: join([a.first, b.first, c.first, d.first]),
        last: join([a.last, b.last, c.last, d.last]),
        first_reward: (a.first_reward + b.first_reward) + (c.first_reward + d.first_reward),
        last_reward: (a.last_reward + b.last_reward) + (c.last_reward + d.last_reward),
        beyond: (a.first | b.first | c.first | d.first) | (a.last | b.last | c.last | d.last),
    }
}

/// Pushes the four lines of a board one way.
#[inline(always)]
fn push_one(table: &[Row; ROWS], lines: u64, toward_first: bool) -> (u64, f32, u32) {
    let pick = |shift: u32| {
        let row = &table[(lines >> shift & 0xffff) as usize];
        if toward_first { (row.first, row.first_reward) } else { (row.last, row.last_reward) }
    };
    let [a, b, c, d] = [pick(0), pick(16), pick(32), pick(48)];
    (join([a.0, b.0, c.0, d.0]), (a.1 + b.1) + (c.1 + d.1), a.0 | b.0 | c.0 | d.0)
}

#[inline(always)]
fn join([a, b, c, d]: [u32; 4]) -> u64 {
    u64::from(a) | u64::from(b) << 16 | u64::from(c) << 32 | u64::from(d) << 48
}

/// Mirrors a narrow board at its main diagonal: rows become columns.
#[inline(always)]
pub const fn transpose(board: u64) -> u64 {
    // Swap within 2 x 2 blocks of cells, then the blocks.
    let t = (board ^ board >> 12) & 0x0000_f0f0_0000_f0f0;
    let board = board ^ t ^ t << 12;
    let t = (board ^ board >> 24) & 0x0000_0000_ff00_ff00;
    board ^ t ^ t << 24
}

/// The position of the set bit number `n`, counted from 0 and from the lowest;
/// there must be as many.
#[inline(always)]
pub fn nth_set_bit(mask: u64, n: u32) -> u32 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    #[allow(unsafe_code)]
    // SAFETY: the instruction is there, the cfg says so.
    return unsafe { core::arch::x86_64::_pdep_u64(1 << n, mask) }.trailing_zeros();
    #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
    return nth_set_bit_portable(mask, n);
}

/// [`nth_set_bit`] for any processor.
#[inline]
pub fn nth_set_bit_portable(mut mask: u64, n: u32) -> u32 {
    for _ in 0..n {
        mask &= mask - 1;
    }
    mask.trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    #[test]
    fn transposing_moves_cell_r_c_to_c_r() {
        let mut random = Random::from_word(1);
        for _ in 0..1000 {
            let board = random.word();
            let mirrored = transpose(board);
            for (r, c) in (0..4).flat_map(|r| (0..4).map(move |c| (r, c))) {
                assert_eq!(board >> (16 * r + 4 * c) & 15, mirrored >> (16 * c + 4 * r) & 15);
            }
        }
    }

    #[test]
    fn both_selections_of_a_bit_agree() {
        let mut random = Random::from_word(2);
        for _ in 0..1000 {
            let mask = random.word() & random.word();
            for n in 0..mask.count_ones() {
                let bit = nth_set_bit(mask, n);
                assert_eq!(bit, nth_set_bit_portable(mask, n));
                assert_eq!((mask & ((1 << bit) - 1)).count_ones(), n);
                assert!(mask >> bit & 1 == 1);
            }
        }
    }
}
