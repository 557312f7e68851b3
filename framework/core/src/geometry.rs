//! The shape of a board, for a game that is played on one, and where its cells lie in
//! the 128 bits of a position. Algorithms on boards are in the crate `runner-board`; this part is
//! here because a [`Description`](crate::Description) holds it and
//! [`Game::transform`](crate::Game::transform) permutes cells by default.
//!
//! A cell holds a *rank*: 0 for empty, then the game's tiles in ascending order. The
//! low four bits of the cell in *slot* k lie at bits 4k to 4k+3 of the position. The
//! rows of a *narrow* board, one of up to 4 x 4, begin four slots apart, so that the
//! board fits the first word whatever its size; those of a larger one begin five slots apart.
//! For example, on a board of 2 x 3 the last cell of the second row is in slot 6, bits 24 to 27.
//! A game with more than 16 ranks keeps the fifth bit of slot k at bit 100+k
//! ([`FIFTH_BITS`]). All other bits are the game's own: the announced tile, the bag.

use crate::Action;
use serde::{Deserialize, Serialize};

/// The bit of a position at which the fifth bits of the cells begin, in games with
/// more than 16 ranks.
pub const FIFTH_BITS: u32 = 100;

/// The greatest number of rows and of columns of a board.
const MAX_SIDE: usize = 5;

/// The greatest number of cells of a board.
pub const MAX_CELLS: usize = MAX_SIDE * MAX_SIDE;

/// The greatest number of ranks: what five bits hold.
const MAX_RANKS: usize = 32;

/// The greatest number of bits of a field.
const MAX_FIELD: u32 = 8;

/// Returns how many slots apart the rows of a board of this size lie.
pub const fn stride(rows: usize, cols: usize) -> usize {
    if rows <= 4 && cols <= 4 { 4 } else { 5 }
}

/// The shape of a board.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Geometry {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub cols: usize,
    /// The displayed value of every rank. It is 0 for rank 0, which is an empty cell, and for the
    /// rank of a stone.
    pub values: Vec<u64>,
    /// The board's symmetries; the first is the identity.
    pub symmetries: Vec<Symmetry>,
    /// Bits beside the cells that a player knows and that estimates may depend on,
    /// such as an announced tile. No symmetry changes them.
    #[serde(default)]
    pub extra_fields: Vec<ExtraField>,
    /// Further bits beside the cells that a player can know by counting, such as the remaining
    /// tiles of a bag. Estimates leave them out. A state has no bits but these, the cells and
    /// `extra_fields`.
    #[serde(default)]
    pub counted_fields: Vec<ExtraField>,
    /// Pairs of ranks that merge when a push brings them together, the lower rank first.
    /// Empty if nothing merges.
    #[serde(default)]
    pub merges: Vec<(u8, u8)>,
}

/// Bits of a position, outside its cells, that have a meaning for players.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtraField {
    /// The name, one word.
    pub name: String,
    /// The lowest bit, 64 or higher.
    pub bit: u32,
    /// The number of bits, at most 8.
    pub bits: u32,
    /// The texts that screens show for the numbers of the field, from 0 on: a tile by its value.
    /// The list is empty if the field is not shown; numbers with an empty text are not shown
    /// either.
    #[serde(default)]
    pub labels: Vec<String>,
}

impl ExtraField {
    /// Returns the mask of the field's bits.
    pub fn mask(&self) -> u128 {
        ((1 << self.bits) - 1) << self.bit
    }
}

/// A symmetry of a board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symmetry {
    /// `cells[i]` is the cell whose content moves to cell `i`.
    pub cells: Vec<u8>,
    /// `actions[a]` is the action that action `a` becomes.
    pub actions: Vec<Action>,
}

impl Geometry {
    /// Returns the fields beside the board that screens show, each as its name, its text, and the
    /// rank of the tile if the text is the value of one.
    pub fn shown_fields(&self, position: u128) -> Vec<(&str, &str, Option<u8>)> {
        let mut shown = Vec::new();
        for field in &self.extra_fields {
            let number = (position & field.mask()) >> field.bit;
            let label = field.labels.get(number as usize).map_or("", String::as_str);
            if !label.is_empty() {
                let rank = self.values.iter().position(|&v| v != 0 && v.to_string() == label);
                shown.push((field.name.as_str(), label, rank.map(|rank| rank as u8)));
            }
        }
        shown
    }

    /// Checks the board of a game with `actions` actions.
    pub(crate) fn check(&self, actions: usize) -> Result<(), String> {
        let Self { rows, cols, values, symmetries, extra_fields, counted_fields, merges } = self;
        if !(1..=MAX_SIDE).contains(rows) || !(1..=MAX_SIDE).contains(cols) {
            return Err(format!(
                "the board has {rows} x {cols} cells; 1 x 1 to {MAX_SIDE} x {MAX_SIDE} are possible"
            ));
        }
        let ranks = values.len();
        if !(1..=MAX_RANKS).contains(&ranks) {
            return Err(format!("the board lists {ranks} values; 1 to {MAX_RANKS} are possible"));
        }
        for (number, symmetry) in symmetries.iter().enumerate() {
            let images: Vec<_> = symmetry.actions.iter().map(|action| action.0).collect();
            check_permutation(number, "cells", &symmetry.cells, self.cells())?;
            check_permutation(number, "actions", &images, actions)?;
        }
        if symmetries.is_empty() {
            return Err("the board lists no symmetry; the first is the identity".into());
        }
        for ExtraField { name, bit, bits, .. } in extra_fields.iter().chain(counted_fields) {
            if !(1..=MAX_FIELD).contains(bits) || !(64..=128 - bits).contains(bit) {
                return Err(format!(
                    "the field `{name}` has {bits} bits from bit {bit} on; 1 to {MAX_FIELD} bits from 64 to \
                     127 are possible"
                ));
            }
        }
        match merges.iter().find(|&&(low, high)| low > high || usize::from(high) >= ranks) {
            Some(merge) => Err(format!("the merge {merge:?} is no pair of ranks, the lower first")),
            None => Ok(()),
        }
    }

    /// Returns true if two tiles of these ranks merge.
    pub fn merge(&self, a: u8, b: u8) -> bool {
        self.merges.contains(&(a.min(b), a.max(b)))
    }

    /// Returns true if cells of this rank hold a stone, which has no value and is not empty.
    pub fn is_stone(&self, rank: u8) -> bool {
        rank > 0 && self.values.get(usize::from(rank)) == Some(&0)
    }

    /// Returns the number of cells, which are counted row by row.
    pub fn cells(&self) -> usize {
        self.rows * self.cols
    }

    /// Returns the slot of a cell.
    #[inline]
    pub fn slot(&self, cell: usize) -> u32 {
        (cell / self.cols * stride(self.rows, self.cols) + cell % self.cols) as u32
    }

    /// Returns true if cells have a fifth bit.
    pub fn has_fifth_bits(&self) -> bool {
        self.values.len() > 16
    }

    /// Returns the mask of the bits of a position that hold the fifth bits of its
    /// cells: 0 in a game with up to 16 ranks.
    pub fn fifth_bits(&self) -> u128 {
        if !self.has_fifth_bits() {
            return 0;
        }
        (0..self.cells()).fold(0, |mask, cell| mask | 1 << (FIFTH_BITS + self.slot(cell)))
    }

    /// Returns the mask of the bits of a position that hold its cells.
    pub fn cell_bits(&self) -> u128 {
        let low = (0..self.cells()).fold(0, |mask, cell| mask | 15 << (4 * self.slot(cell)));
        low | self.fifth_bits()
    }

    /// Returns the rank in a cell of the position with these bits.
    pub fn rank(&self, bits: u128, cell: usize) -> u8 {
        let slot = self.slot(cell);
        let low = (bits >> (4 * slot)) as u8 & 15;
        if self.has_fifth_bits() {
            low | ((bits >> (FIFTH_BITS + slot)) as u8 & 1) << 4
        } else {
            low
        }
    }

    /// Returns the bits of the position with another rank in a cell.
    pub fn with_rank(&self, bits: u128, cell: usize, rank: u8) -> u128 {
        let slot = self.slot(cell);
        let mut changed = bits & !(15 << (4 * slot)) | u128::from(rank & 15) << (4 * slot);
        if self.has_fifth_bits() {
            let fifth = FIFTH_BITS + slot;
            changed = changed & !(1 << fifth) | u128::from(rank >> 4 & 1) << fifth;
        }
        changed
    }

    /// Returns the text of each cell, all of equal width: a point for an empty cell, `#` for a
    /// stone, `?` for a rank that the game does not have.
    pub fn texts(&self, bits: u128) -> Vec<String> {
        let text = |cell| {
            let rank = self.rank(bits, cell);
            match self.values.get(usize::from(rank)) {
                Some(_) if self.is_stone(rank) => "#".to_owned(),
                Some(0) => ".".to_owned(),
                Some(value) => value.to_string(),
                None => "?".to_owned(),
            }
        };
        let texts: Vec<_> = (0..self.cells()).map(text).collect();
        let width = texts.iter().map(String::len).max().unwrap_or(0);
        texts.iter().map(|text| format!("{text:>width$}")).collect()
    }

    /// Returns the bits with the cells permuted by a symmetry and all other bits
    /// unchanged.
    pub fn transform(&self, bits: u128, symmetry: usize) -> u128 {
        let from = &self.symmetries[symmetry].cells;
        (0..self.cells()).fold(bits, |out, cell| {
            self.with_rank(out, cell, self.rank(bits, usize::from(from[cell])))
        })
    }
}

/// Checks the cells or the actions (`what`) of symmetry `number`: `images` must be a permutation of
/// 0 to `count` - 1, and those of symmetry 0 the identity.
fn check_permutation(number: usize, what: &str, images: &[u8], count: usize) -> Result<(), String> {
    let mut sorted = images.to_vec();
    sorted.sort_unstable();
    if !sorted.into_iter().map(usize::from).eq(0..count) {
        let last = count - 1;
        Err(format!("the {what} of symmetry {number} are not a permutation of 0 to {last}"))
    } else if number == 0 && !images.is_sorted() {
        Err("symmetry 0 must be the identity".into())
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_masks_hold_exactly_the_bits_of_the_cells() {
        for (rows, cols, ranks) in [(2, 3, 16), (4, 4, 18), (5, 5, 18), (4, 5, 16)] {
            let values = (0..ranks).collect();
            let board = Geometry { rows, cols, values, ..Geometry::default() };
            let full = (0..board.cells()).fold(0, |bits, cell| board.with_rank(bits, cell, 31));
            assert_eq!(board.cell_bits(), full);
            assert_eq!(board.fifth_bits() != 0, ranks > 16);
            assert_eq!(board.fifth_bits() & board.cell_bits(), board.fifth_bits());
        }
    }
}
