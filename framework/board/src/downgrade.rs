//! Tile-downgrading: a position whose large tiles are lowered by one rank, so that a value
//! that has learned smaller tiles can evaluate it.

use runner_core::geometry::Geometry;

/// Returns the bits with every rank above the largest missing one lowered by one, if the
/// highest rank is at least `least`.
///
/// The missing ranks are those between the empty cell and the highest rank that no cell
/// has. Lowering changes none of the merges: where it would, or where no rank is missing,
/// the result is `None`. The game's highest rank is lowered if one cell has it: it merges with
/// nothing, and one tile of the rank below merges with no other cell either.
pub fn downgraded(board: &Geometry, bits: u128, least: u8) -> Option<u128> {
    let ranks: Vec<u8> = (0..board.cells()).map(|cell| board.rank(bits, cell)).collect();
    let highest = ranks.iter().copied().max().filter(|&highest| highest >= least)?;
    let missing = (1..highest).rev().find(|rank| !ranks.contains(rank))?;
    let lowered = |rank: u8| if rank > missing { rank - 1 } else { rank };
    let keeps = |a: u8, b: u8| board.merge(a, b) == board.merge(lowered(a), lowered(b));
    let is_top = |rank: u8| usize::from(rank) + 1 == board.values.len();
    let mut cells = ranks.iter().enumerate();
    let is_kept = cells.all(|(cell, &rank)| {
        let mut others = ranks.iter().enumerate();
        others.all(|(other, &next)| (other == cell && is_top(rank)) || keeps(rank, next))
    });
    is_kept.then(|| {
        let cells = ranks.iter().enumerate();
        cells.fold(bits, |bits, (cell, &rank)| board.with_rank(bits, cell, lowered(rank)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a row of cells in which equal ranks of at least `first` merge, and 1 with 2.
    fn row(cells: usize, first: u8) -> Geometry {
        let merges = (first..17).map(|rank| (rank, rank)).chain([(1, 2)]).collect();
        let values = (0..18).collect();
        Geometry { rows: 1, cols: cells, values, merges, ..Geometry::default() }
    }

    fn downgraded_ranks(board: &Geometry, ranks: &[u8], least: u8) -> Option<Vec<u8>> {
        let bits = ranks
            .iter()
            .enumerate()
            .fold(0, |bits, (cell, &rank)| board.with_rank(bits, cell, rank));
        let lowered = downgraded(board, bits, least)?;
        Some((0..board.cells()).map(|cell| board.rank(lowered, cell)).collect())
    }

    #[test]
    fn ranks_above_the_largest_missing_one_are_lowered() {
        let board = row(5, 1);
        for (ranks, expected) in [
            ([16, 15, 13, 0, 1], Some(vec![15, 14, 13, 0, 1])),
            ([16, 16, 14, 14, 3], Some(vec![15, 15, 14, 14, 3])),
            // 15 is the largest missing one, whatever else is missing.
            ([16, 14, 12, 2, 0], Some(vec![15, 14, 12, 2, 0])),
            ([5, 4, 3, 2, 1], None),
            ([0, 0, 0, 0, 0], None),
        ] {
            assert_eq!(downgraded_ranks(&board, &ranks, 1), expected, "{ranks:?}");
        }
        assert_eq!(downgraded_ranks(&board, &[14, 12, 0, 0, 0], 15), None, "below the least rank");
        assert!(downgraded_ranks(&board, &[14, 12, 0, 0, 0], 14).is_some());
    }

    #[test]
    fn merges_are_kept() {
        // Ranks 1 and 2 merge with each other, equal ranks from 3 on.
        let board = row(4, 3);
        assert_eq!(downgraded_ranks(&board, &[6, 4, 2, 1], 1), Some(vec![5, 4, 2, 1]));
        assert_eq!(downgraded_ranks(&board, &[3, 1, 0, 0], 1), None, "3 would become a 2");
        assert_eq!(downgraded_ranks(&board, &[3, 3, 1, 0], 1), None);
        assert_eq!(downgraded_ranks(&board, &[3, 0, 0, 0], 1), None, "a 2 merges with other tiles");
        // Two tiles of rank 17 do not merge, those of rank 16 do.
        let board = row(3, 1);
        assert_eq!(downgraded_ranks(&board, &[17, 15, 3], 1), Some(vec![16, 15, 3]));
        assert_eq!(downgraded_ranks(&board, &[17, 17, 15], 1), None);
    }
}
