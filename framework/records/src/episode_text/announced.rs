//! The tile that a game announces before it enters: see `ExtraField` of the board.

use runner_core::geometry::{ExtraField, Geometry};
use runner_core::{Game, State};
use std::ops::RangeInclusive;

/// Number of start positions that are drawn in search of one with the same tiles. The rarest tiles
/// of a bag of twelve are those of one start in 200.
const STARTS: u64 = 100_000;

/// The field of the announced tile. Its value is one less than the number of the tile in the text:
/// its rank, or for a bonus the number after those ranks.
pub struct Announced<'a> {
    board: &'a Geometry,
    field: &'a ExtraField,
}

impl<'a> Announced<'a> {
    pub fn new(board: &'a Geometry, field: &'a ExtraField) -> Self {
        Self { board, field }
    }

    pub fn mask(&self) -> u128 {
        self.field.mask()
    }

    /// Returns the numbers that the text may hold.
    pub fn range(&self) -> RangeInclusive<usize> {
        1..=1 << self.field.bits
    }

    /// Returns the number of the tile that a position announces.
    pub fn of(&self, bits: u128) -> usize {
        ((bits & self.mask()) >> self.field.bit) as usize + 1
    }

    /// Returns the position with another announced tile.
    pub fn with(&self, bits: u128, next: usize) -> u128 {
        bits & !self.mask() | (next as u128 - 1) << self.field.bit
    }

    /// Returns the start position with these tiles and this announced tile. What else it holds,
    /// such as the rest of a bag, is that of a drawn start with as many tiles of each rank: the
    /// cells of the tiles do not matter for it.
    pub fn start<G: Game>(&self, game: &G, tiles: u128, next: usize) -> Option<State> {
        let ranks = self.ranks(tiles);
        let starts = (0..STARTS).map(|random| game.start(random).bits());
        let mut alike =
            starts.filter(|&start| self.of(start) == next && self.ranks(start) == ranks);
        alike.next().map(|start| State::from_bits(start & !self.board.cell_bits() | tiles))
    }

    /// Returns the ranks on a board, sorted.
    fn ranks(&self, bits: u128) -> Vec<u8> {
        let mut ranks: Vec<_> =
            (0..self.board.cells()).map(|cell| self.board.rank(bits, cell)).collect();
        ranks.sort_unstable();
        ranks
    }
}

/// Orders tiles so that each could have been drawn from a bag with as many of each kind, which is
/// filled again when it is empty: one of each kind, then a second one of each, and so on.
pub fn order_as_drawn(tiles: &mut [(usize, u8)]) {
    let mut count = [0; 256];
    let mut turn = |rank: u8| {
        count[usize::from(rank)] += 1;
        count[usize::from(rank)]
    };
    let mut turns: Vec<_> = tiles.iter().map(|&(cell, rank)| (turn(rank), rank, cell)).collect();
    turns.sort_unstable();
    for (tile, (_, rank, cell)) in tiles.iter_mut().zip(turns) {
        *tile = (cell, rank);
    }
}
