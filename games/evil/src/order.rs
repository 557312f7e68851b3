//! How well ordered a board is, in a number.

use runner_board::Merges;
use runner_core::Afterstate;
use runner_core::geometry::{Geometry, MAX_CELLS};

/// Measures the order of the boards of one geometry.
#[derive(Clone, Debug)]
pub struct Order {
    geometry: Geometry,
    neighbours: Vec<(usize, usize)>,
    merges: Merges,
}

impl Order {
    /// Returns none if the board is too large.
    pub fn new(geometry: &Geometry) -> Option<Self> {
        if geometry.cells() > MAX_CELLS {
            return None;
        }
        let (rows, cols) = (geometry.rows, geometry.cols);
        let across = (0..rows * cols).filter(|cell| cell % cols + 1 < cols).map(|c| (c, c + 1));
        let down = (cols..rows * cols).map(|cell| (cell - cols, cell));
        let (geometry, merges) = (geometry.clone(), Merges::of(geometry));
        Some(Self { geometry, neighbours: across.chain(down).collect(), merges })
    }

    /// Returns the number of empty cells and of pairs of neighbours that merge, minus the sum of
    /// the differences of rank of all other neighbours.
    pub fn of(&self, afterstate: Afterstate) -> i32 {
        let bits = afterstate.bits();
        let mut ranks = [0; MAX_CELLS];
        let mut order = 0;
        for (cell, rank) in ranks[..self.geometry.cells()].iter_mut().enumerate() {
            *rank = self.geometry.rank(bits, cell);
            order += i32::from(*rank == 0);
        }
        for &(a, b) in &self.neighbours {
            let (a, b) = (ranks[a], ranks[b]);
            if a != 0 && b != 0 {
                order += if self.merges.merge(a, b) { 1 } else { -i32::from(a.abs_diff(b)) };
            }
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use game_2048::{Config, Game2048};
    use runner_core::Game;

    #[test]
    fn empty_cells_and_merges_count_for_and_differences_against_the_order() {
        let game = Game2048::new(Config { rows: 2, cols: 2, ..Config::default() }).unwrap();
        let order = Order::new(game.description().geometry.as_ref().unwrap()).unwrap();
        for (state, expected) in [
            ("0,0/0,0", 4),
            ("2,2/0,0", 2 + 1),
            // The ranks 1 and 5 differ by 4.
            ("2,32/0,0", 2 - 4),
            // Neighbours across corners do not count.
            ("2,0/0,32", 2),
            ("2,4/4,2", -4),
        ] {
            let state = game.parse(state).unwrap();
            let board = Afterstate::from_bits(state.bits());
            assert_eq!(order.of(board), expected, "{}", game.write(state));
        }
    }
}
