//! The bag, from which 1, 2 and 3 are drawn without replacement.

/// The numbers of 1s, 2s and 3s that are left, in four bits each from the lowest.
///
/// A bag is never empty: it is refilled when its last tile is drawn. So a full bag has a
/// single representation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bag(pub u32);

/// The greatest number of tiles of each kind: a count has four bits.
pub const MAX_OF_A_KIND: u32 = 15;

impl Bag {
    pub const fn full(of_each: u32) -> Self {
        Self::of([of_each; 3])
    }

    pub const fn of([ones, twos, threes]: [u32; 3]) -> Self {
        Self(ones | twos << 4 | threes << 8)
    }

    pub const fn counts(self) -> [u32; 3] {
        [self.0 & 15, self.0 >> 4 & 15, self.0 >> 8 & 15]
    }

    #[inline(always)]
    pub const fn len(self) -> u32 {
        let [ones, twos, threes] = self.counts();
        ones + twos + threes
    }

    /// Returns the rank of the n-th tile, counted from 0, in the order 1, 2, 3.
    #[inline(always)]
    pub const fn tile(self, n: u32) -> u8 {
        let [ones, twos, _] = self.counts();
        1 + (n >= ones) as u8 + (n >= ones + twos) as u8
    }

    /// Returns the bag without one tile of this rank, or `full` if that was the last tile.
    #[inline(always)]
    pub const fn without(self, rank: u8, full: Self) -> Self {
        let left = self.0 - (1 << (4 * (rank - 1)));
        if left == 0 { full } else { Self(left) }
    }
}
