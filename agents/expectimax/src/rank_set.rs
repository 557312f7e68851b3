//! A set of the ranks of tiles that enter a board.

use runner_core::rows::Entry;

/// A set of ranks below 32: bit r is set if rank r is in the set.
#[derive(Clone, Copy, Debug, Default)]
pub struct RankSet(u32);

impl RankSet {
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[inline(always)]
    pub fn add_if(&mut self, condition: bool, rank: u8) {
        self.0 |= u32::from(condition) << rank;
    }

    #[inline(always)]
    pub fn contains(self, rank: u8) -> bool {
        self.0 >> rank & 1 != 0
    }

    #[inline(always)]
    pub fn contains_all(self, tiles: &[Entry]) -> bool {
        tiles.iter().all(|tile| self.contains(tile.rank))
    }
}
