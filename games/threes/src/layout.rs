//! Where what lies in the 128 bits of a position.
//!
//! | bits | state | afterstate |
//! | --- | --- | --- |
//! | 0 to 99 | the cells, as [`runner_core::board`] lays them | the same, after the move |
//! | 100, 101 | the announced tile: 0, 1, 2 for 1, 2, 3; 3 for a bonus | the same |
//! | 102 to 113 | the [`Bag`] without the announced tile | the same |
//! | 114 to 117 | 0 | of a bonus: the greatest rank when it was announced; else 0 |
//! | 118, 119 | 0 | the direction of the move |
//! | 120 to 124 | 0 | the lines (rows, or columns of a vertical move) in which the tile may enter |
//!
//! What is not told apart here is the same to chance, so that equal situations
//! are equal afterstates. A state's own greatest tile is the one that counts for
//! its announced bonus: nothing has moved since.

use crate::bag::Bag;
use runner_sliding::Direction;

/// Where the extras begin: all bits above the cells.
const EXTRAS: u32 = 100;
/// Where the announced tile is.
pub const NEXT: u32 = EXTRAS;
const BAG: u32 = 2;
const GREATEST: u32 = 14;
const DIRECTION: u32 = 18;
const LINES: u32 = 20;

/// The announcement of a bonus. Those below it announce the tile of the next rank.
pub const BONUS: u32 = 3;

/// The bits of a state that are no cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    /// The announced tile, less 1, or [`BONUS`].
    pub next: u32,
    /// What is left when the announced tile is drawn.
    pub bag: Bag,
}

/// The bits that an afterstate has besides.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moved {
    /// Of an announced bonus, the greatest rank when it was decided on.
    pub greatest: u8,
    /// Where all was pushed.
    pub direction: Direction,
    /// Bit k: the next tile may enter in line k.
    pub lines: u8,
}

impl Known {
    /// Of a state, or an afterstate.
    #[inline(always)]
    pub const fn of(bits: u128) -> Self {
        let extras = (bits >> EXTRAS) as u32;
        Self { next: extras & 3, bag: Bag(extras >> BAG & 0xfff) }
    }

    /// In place, all else 0.
    #[inline(always)]
    pub const fn bits(self) -> u128 {
        ((self.next | self.bag.0 << BAG) as u128) << EXTRAS
    }
}

impl Moved {
    /// Of an afterstate.
    #[inline(always)]
    pub const fn of(bits: u128) -> Self {
        let extras = (bits >> EXTRAS) as u32;
        Self {
            greatest: (extras >> GREATEST & 15) as u8,
            direction: Direction::ALL[(extras >> DIRECTION & 3) as usize],
            lines: (extras >> LINES & 31) as u8,
        }
    }

    /// In place, all else 0.
    #[inline(always)]
    pub const fn bits(self) -> u128 {
        let Self { greatest, direction, lines } = self;
        let extras = (greatest as u32) << GREATEST
            | (direction as u32) << DIRECTION
            | (lines as u32) << LINES;
        (extras as u128) << EXTRAS
    }
}

/// The cells alone.
#[inline(always)]
pub const fn cells(bits: u128) -> u128 {
    bits & ((1 << EXTRAS) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_has_bits_of_its_own() {
        for (next, counts) in [(0, [15, 0, 9]), (BONUS, [0, 15, 15]), (2, [1, 2, 3])] {
            for (greatest, direction, lines) in
                [(0, Direction::Left, 31), (15, Direction::Up, 1), (7, Direction::Down, 16)]
            {
                let known = Known { next, bag: Bag::of(counts) };
                let moved = Moved { greatest, direction, lines };
                let bits = cells(u128::MAX) | known.bits() | moved.bits();
                assert_eq!((Known::of(bits), Moved::of(bits)), (known, moved));
                assert_eq!(cells(bits).count_ones(), 100);
                assert_eq!(bits >> 125, 0);
            }
        }
    }
}
