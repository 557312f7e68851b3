//! A table of the ranks that merge, for loops over many boards.

use runner_core::geometry::Geometry;

/// Which ranks merge, as a table.
#[derive(Clone, Debug)]
pub struct Merges {
    /// Bit `b` of entry `a` is set if ranks `a` and `b` merge.
    partners: [u32; 32],
}

impl Merges {
    pub fn of(board: &Geometry) -> Self {
        let mut partners = [0; 32];
        for (a, b) in board.merges.iter().map(|&(a, b)| (usize::from(a), usize::from(b))) {
            if a < 32 && b < 32 {
                partners[a] |= 1 << b;
                partners[b] |= 1 << a;
            }
        }
        Self { partners }
    }

    #[inline]
    pub fn merge(&self, a: u8, b: u8) -> bool {
        self.partners[usize::from(a)] >> b & 1 != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_has_the_merges_of_the_board() {
        let merges = (3..17).map(|rank| (rank, rank)).chain([(1, 2)]).collect();
        let values = (0..18).collect();
        let board = Geometry { rows: 1, cols: 2, values, merges, ..Geometry::default() };
        let table = Merges::of(&board);
        for (a, b) in (0..32).flat_map(|a| (0..32).map(move |b| (a, b))) {
            assert_eq!(table.merge(a, b), board.merge(a, b), "{a} {b}");
        }
    }
}
