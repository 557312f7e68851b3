//! The rules of a sliding board as tables: the result of every push of every row, and
//! the tiles that enter afterwards. Code that holds the tables moves without calling
//! the game, at the same speed on both sides of a plugin's boundary.
//!
//! Tables describe narrow boards only, of up to 4 x 4 cells (see
//! [`slots`](crate::slots)), with the actions up, right, down, left in this
//! order. They do not hold ranks above 15: for a position that has one, and for a move
//! that makes one, the game must be asked. Such positions are too rare to cost time. Bits beside
//! the cells are allowed if the game declares that moves and chance leave them unchanged
//! ([`RowTables::with_carried_bits`]).

mod entries;
mod push;

pub use crate::slots::{ROWS, transpose};
pub use entries::{Entries, Entry};
pub use push::{BEYOND, Pushed, Row, Slid, slide};

use crate::slots::fifth_bits;
use crate::{Action, Afterstate, Outcomes, State, Successor, Successors, scale};
use push::push_all;
use std::sync::Arc;

/// The rules of a sliding board as tables.
#[derive(Clone, Debug, PartialEq)]
pub struct RowTables {
    /// The results of pushes of each row, by the 16 bits of its four slots.
    across: Arc<[Row; ROWS]>,
    /// The same for columns.
    down: Arc<[Row; ROWS]>,
    /// The lowest bit of the slot of every cell.
    cells: u64,
    entries: Entries,
    layer_is_sum: bool,
    /// Bits of the second word. If one is set in a position, the game must be asked.
    uncarried_bits: u64,
}

impl RowTables {
    /// Creates the rules of a board with `rows` x `cols` cells, at most 4 x 4.
    ///
    /// `across` pushes rows left (first) and right (last), `down` columns up and down;
    /// on a square board they are the same table. One of `entries`, whose probabilities
    /// sum to 1, enters after every move.
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
        assert!(rows <= 4 && cols <= 4);
        let row = (0..cols).fold(0, |mask, col| mask | 1 << (4 * col));
        let cells = (0..rows).fold(0, |mask, r| mask | row << (16 * r));
        let entries = Entries::new(entries);
        Self { across, down, cells, entries, layer_is_sum: false, uncarried_bits: u64::MAX }
    }

    /// Declares whether the game's [layer](crate::Game::layer) is the sum of the
    /// displayed values of its cells.
    pub fn with_layer_as_sum(self, layer_is_sum: bool) -> Self {
        Self { layer_is_sum, ..self }
    }

    /// Declares bits of a position's second word that moves, chance and symmetries leave
    /// unchanged, and on which legality, rewards, probabilities and layers do not depend. At first
    /// there are none. The game must be asked for positions in which other bits are set.
    pub fn with_carried_bits(self, carried: u64) -> Self {
        Self { uncarried_bits: !carried, ..self }
    }

    /// Returns true if the game's [layer](crate::Game::layer) is the sum of the
    /// displayed values of its cells. If false, the game must be asked.
    pub fn layer_is_sum(&self) -> bool {
        self.layer_is_sum
    }

    /// Returns the bits of the second word that moves and chance leave unchanged.
    pub fn carried_bits(&self) -> u64 {
        !self.uncarried_bits
    }

    /// Returns the table of rows and that of columns.
    pub fn tables(&self) -> (&Arc<[Row; ROWS]>, &Arc<[Row; ROWS]>) {
        (&self.across, &self.down)
    }

    /// Returns the tiles that enter.
    pub fn entries(&self) -> &[Entry] {
        self.entries.list()
    }

    /// Returns the tiles that enter, as a distribution to draw from.
    pub fn draws(&self) -> &Entries {
        &self.entries
    }

    /// Returns a mask with the lowest bit of the slot of every cell.
    pub fn cells(&self) -> u64 {
        self.cells
    }

    /// Fills `out` with the legal moves and returns true. Returns false if the game must
    /// be asked; `out` is then meaningless.
    #[inline(always)]
    pub fn successors(&self, state: State, out: &mut Successors) -> bool {
        let pushed = push_all(&self.across, &self.down, state.lo);
        if state.hi & self.uncarried_bits != 0 || pushed.beyond {
            return false;
        }
        out.clear();
        for action in 0..4 {
            let (board, reward) = (pushed.boards[action], pushed.rewards[action]);
            let afterstate = Afterstate::new(board, state.hi);
            out.push_if(board != state.lo, Action(action as u8), afterstate, reward);
        }
        true
    }

    /// Returns the result of one move: `Ok(None)` if it is not legal, `Err` if the game
    /// must be asked.
    #[inline(always)]
    #[allow(clippy::result_unit_err)]
    pub fn successor(&self, state: State, action: Action) -> Result<Option<Successor>, ()> {
        let Slid { board, reward, beyond } = self.slide(state.lo, action);
        if state.hi & self.uncarried_bits != 0 || beyond {
            return Err(());
        }
        let afterstate = Afterstate::new(board, state.hi);
        Ok((board != state.lo).then_some(Successor { afterstate, reward, action }))
    }

    /// Pushes all tiles of a board without ranks above 15. No branch depends on the
    /// action, so random actions cost no more than others.
    #[inline(always)]
    pub fn slide(&self, board: u64, action: Action) -> Slid {
        slide(&self.across, &self.down, board, action)
    }

    /// Returns the position with a random tile on a random empty cell. There must be an
    /// empty cell. The afterstate may hold ranks above 15.
    #[inline(always)]
    pub fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        let empty = self.empty(afterstate);
        // The high half of the random bits selects the cell, the low half the tile.
        let shift = nth_set_bit(empty, scale((random >> 32) as u32, empty.count_ones()));
        let rank = self.entries.draw(random as u32);
        State::new(afterstate.lo | u64::from(rank) << shift, afterstate.hi)
    }

    /// Fills `out` with every tile on every empty cell, cell by cell.
    pub fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        out.clear();
        let mut empty = self.empty(afterstate);
        let probability_of_cell = 1.0 / f64::from(empty.count_ones());
        while empty != 0 {
            let shift = empty.trailing_zeros();
            for entry in self.entries.list() {
                let board = afterstate.lo | u64::from(entry.rank) << shift;
                let state = State::new(board, afterstate.hi);
                out.push(entry.probability * probability_of_cell, state);
            }
            empty &= empty - 1;
        }
    }

    /// Returns a mask with the lowest bit of the slot of every empty cell.
    #[inline(always)]
    pub fn empty(&self, afterstate: Afterstate) -> u64 {
        // The lowest bit of a slot becomes the OR of its four bits.
        let mut taken = afterstate.lo | afterstate.lo >> 2;
        taken |= taken >> 1;
        // A cell of rank 16 has only its fifth bit.
        if afterstate.hi & self.uncarried_bits != 0 {
            taken |= fifth_bits(afterstate.hi & self.uncarried_bits);
        }
        !taken & self.cells
    }
}

/// Returns the index in `mask` of its set bit number `n`, counted from 0 at the lowest: of
/// `0b10100` number 1 is bit 4. The mask must have more than `n` set bits.
#[inline(always)]
pub fn nth_set_bit(mask: u64, n: u32) -> u32 {
    #[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
    #[allow(unsafe_code)]
    // SAFETY: the cfg says that the processor has this instruction, which moves bit n to the place
    // of set bit n of the mask.
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
    fn both_implementations_of_nth_set_bit_agree() {
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

    /// Returns made-up rules: a push in any direction empties the last cell of each line.
    fn tables() -> RowTables {
        let row = |content: usize| {
            let pushed = content as u32 & 0xfff;
            Row { first: pushed, last: pushed, ..Row::default() }
        };
        let rows: Arc<[Row]> = (0..ROWS).map(row).collect();
        let table: Arc<[Row; ROWS]> = rows.try_into().expect("one row for each content");
        let entries = vec![Entry { rank: 1, probability: 1.0 }];
        RowTables::new(4, 4, table.clone(), table, entries)
    }

    #[test]
    fn carried_bits_pass_through_moves_and_chance_and_others_ask_the_game() {
        let tables = tables().with_carried_bits(0b11 << 40);
        let mut out = Successors::new();
        let state = State::new(0x1_0000_1000, 0b10 << 40);
        assert!(tables.successors(state, &mut out));
        assert!(!out.is_empty());
        for successor in out.iter() {
            assert_eq!(successor.afterstate.hi, state.hi);
            assert_eq!(tables.successor(state, successor.action), Ok(Some(*successor)));
            assert_eq!(tables.spawn(successor.afterstate, 7).hi, state.hi);
            // These bits lie where other games have fifth bits. Here they belong to no cell.
            let without = Afterstate::new(successor.afterstate.lo, 0);
            assert_eq!(tables.empty(successor.afterstate), tables.empty(without));
        }
        let other = State::new(state.lo, 1 << 42);
        assert!(!tables.successors(other, &mut out));
        assert_eq!(tables.successor(other, Action(0)), Err(()));
    }
}
