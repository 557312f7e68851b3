//! The layout of a position's 128 bits.
//!
//! | bits | state | afterstate |
//! | --- | --- | --- |
//! | 0 to 99 | the cells, as in [`runner_core::geometry`] | the same, after the move |
//! | 100, 101 | the announced tile: 0, 1, 2 for 1, 2, 3; 3 for a bonus | the same |
//! | 102 to 113 | the [`Bag`] without the announced tile | the same |
//! | 114 to 117 | for a bonus that is announced as a set, the number of the set; otherwise 0 | the same, and for a bonus without a set the max rank when it was announced |
//! | 118, 119 | 0 | the direction of the move |
//! | 120 to 124 | 0 | the lines (rows, or columns of a vertical move) in which the tile may enter |
//!
//! Afterstates hold nothing that does not affect chance, so that equivalent situations are
//! equal afterstates. A state needs no max rank: an announced bonus depends on the max tile at
//! its announcement, and nothing has moved since.

use crate::bag::Bag;
use runner_sliding::Direction;

/// The first bit above the cells.
const EXTRAS: u32 = 100;
/// The lowest bit of the announced tile.
pub const NEXT: u32 = EXTRAS;
/// The lowest bit of the [`Bag`].
pub const BAG: u32 = EXTRAS + 2;
/// The lowest bit of the number that describes a bonus.
pub const BONUS_BIT: u32 = EXTRAS + 14;
const DIRECTION: u32 = 18;
const LINES: u32 = 20;

/// The number of an announced bonus. Lower numbers announce the tile of the next rank.
pub const BONUS: u32 = 3;

/// The announced tile and the bag: the bits of a state outside its cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Announcement {
    /// The rank of the announced tile less 1, or [`BONUS`].
    pub next: u32,
    /// The bag without the announced tile.
    pub bag: Bag,
    /// For a bonus that is announced as a set, the number of the set; in afterstates, for a bonus
    /// without a set, the max rank when it was announced; otherwise 0.
    pub bonus: u32,
}

/// The player's last move: the bits that an afterstate has in addition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LastMove {
    pub direction: Direction,
    /// Bit k is set if the next tile may enter in line k.
    pub lines: u8,
}

impl Announcement {
    #[inline(always)]
    pub const fn of(bits: u128) -> Self {
        let extras = (bits >> EXTRAS) as u32;
        let bag = Bag(extras >> (BAG - EXTRAS) & 0xfff);
        Self { next: extras & 3, bag, bonus: extras >> (BONUS_BIT - EXTRAS) & 15 }
    }

    /// Returns a position with these bits and no others set.
    #[inline(always)]
    pub const fn bits(self) -> u128 {
        (self.next as u128) << EXTRAS
            | (self.bag.0 as u128) << BAG
            | (self.bonus as u128) << BONUS_BIT
    }
}

impl LastMove {
    #[inline(always)]
    pub const fn of(bits: u128) -> Self {
        let extras = (bits >> EXTRAS) as u32;
        Self {
            direction: Direction::ALL[(extras >> DIRECTION & 3) as usize],
            lines: (extras >> LINES & 31) as u8,
        }
    }

    /// Returns a position with these bits and no others set.
    #[inline(always)]
    pub const fn bits(self) -> u128 {
        let Self { direction, lines } = self;
        let extras = (direction as u32) << DIRECTION | (lines as u32) << LINES;
        (extras as u128) << EXTRAS
    }
}

#[inline(always)]
pub const fn cells(bits: u128) -> u128 {
    bits & ((1 << EXTRAS) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_do_not_overlap() {
        for (next, counts) in [(0, [15, 0, 9]), (BONUS, [0, 15, 15]), (2, [1, 2, 3])] {
            for (bonus, direction, lines) in
                [(0, Direction::Left, 31), (15, Direction::Up, 1), (7, Direction::Down, 16)]
            {
                let known = Announcement { next, bag: Bag::of(counts), bonus };
                let moved = LastMove { direction, lines };
                let bits = cells(u128::MAX) | known.bits() | moved.bits();
                assert_eq!((Announcement::of(bits), LastMove::of(bits)), (known, moved));
                assert_eq!(cells(bits).count_ones(), 100);
                assert_eq!(bits >> 125, 0);
            }
        }
    }
}
