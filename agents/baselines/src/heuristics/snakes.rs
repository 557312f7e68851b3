//! Snake paths over a board: along a side from a corner, then back along the next line.

/// A corner of a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Corner {
    UpperLeft,
    UpperRight,
    LowerLeft,
    LowerRight,
}

impl Corner {
    /// The four corners, row by row.
    pub const ALL: [Self; 4] =
        [Self::UpperLeft, Self::UpperRight, Self::LowerLeft, Self::LowerRight];

    pub fn is_lower(self) -> bool {
        matches!(self, Self::LowerLeft | Self::LowerRight)
    }

    pub fn is_right(self) -> bool {
        matches!(self, Self::UpperRight | Self::LowerRight)
    }

    /// Returns the cells of the two snakes that begin here: along the rows, and along the
    /// columns.
    pub fn snakes(self, rows: usize, cols: usize) -> [Vec<usize>; 2] {
        let cell = |row: usize, col: usize| {
            let row = if self.is_lower() { rows - 1 - row } else { row };
            let col = if self.is_right() { cols - 1 - col } else { col };
            row * cols + col
        };
        let place = |line: usize, k: usize, length: usize| {
            if line.is_multiple_of(2) { k } else { length - 1 - k }
        };
        let along_rows = (0..rows).flat_map(|row| (0..cols).map(move |k| (row, k)));
        let along_cols = (0..cols).flat_map(|col| (0..rows).map(move |k| (col, k)));
        [
            along_rows.map(|(row, k)| cell(row, place(row, k, cols))).collect(),
            along_cols.map(|(col, k)| cell(place(col, k, rows), col)).collect(),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_snake_visits_every_cell_once() {
        let snakes = Corner::ALL.map(|corner| corner.snakes(2, 3));
        assert_eq!(snakes[0], [[0, 1, 2, 5, 4, 3], [0, 3, 4, 1, 2, 5]]);
        assert_eq!(snakes[1], [[2, 1, 0, 3, 4, 5], [2, 5, 4, 1, 0, 3]]);
        assert_eq!(snakes[3], [[5, 4, 3, 0, 1, 2], [5, 2, 1, 4, 3, 0]]);
        for mut cells in snakes.into_iter().flatten() {
            cells.sort_unstable();
            assert_eq!(cells, [0, 1, 2, 3, 4, 5]);
        }
    }
}
