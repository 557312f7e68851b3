//! Boards as heuristics look at them.

use runner_core::board::{FIFTH_BITS, Geometry};
use runner_core::{Afterstate, BuildContext, BuildError};

/// The most cells that a board has.
pub const MAX_CELLS: usize = 25;

/// Reads boards of one geometry.
#[derive(Clone, Debug)]
pub struct Board {
    geometry: Geometry,
    /// The slot of each cell.
    slots: Vec<u32>,
    /// The displayed value of each rank.
    values: Vec<f64>,
    /// Bit `b` of entry `a` is set if ranks `a` and `b` merge.
    merges: [u32; 32],
}

impl Board {
    /// The board of the game that is played.
    pub fn of(site: &BuildContext<'_>, name: &str) -> Result<Self, BuildError> {
        let Some(geometry) = &site.game.geometry else {
            let message = format!("`{name}` looks at boards, and this game has none");
            return Err(BuildError::new(message));
        };
        if geometry.cells() > MAX_CELLS {
            let message = format!("`{name}` looks at boards of up to {MAX_CELLS} cells");
            return Err(BuildError::new(message));
        }
        let mut merges = [0; 32];
        for (a, b) in geometry.merges.iter().map(|&(a, b)| (usize::from(a), usize::from(b))) {
            if a < 32 && b < 32 {
                merges[a] |= 1 << b;
                merges[b] |= 1 << a;
            }
        }
        Ok(Self {
            merges,
            slots: (0..geometry.cells()).map(|cell| geometry.slot(cell)).collect(),
            values: geometry.values.iter().map(|&value| value as f64).collect(),
            geometry: geometry.clone(),
        })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.geometry.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.geometry.cols
    }

    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.slots.len()
    }

    /// What a rank shows; a rank that the game does not name is like its greatest.
    pub fn value(&self, rank: u8) -> f64 {
        self.values.get(usize::from(rank)).or(self.values.last()).copied().unwrap_or(0.0)
    }

    /// Returns true if two tiles of these ranks merge.
    #[inline]
    pub fn merge(&self, a: u8, b: u8) -> bool {
        self.merges[usize::from(a)] >> b & 1 != 0
    }

    /// The highest rank that a cell can have.
    pub fn max_rank(&self) -> usize {
        self.values.len().clamp(1, 32) - 1
    }

    /// The greatest of all tiles.
    pub fn greatest(&self) -> f64 {
        self.values.iter().copied().fold(0.0, f64::max)
    }

    /// Returns true if a cell has a rank above 15.
    #[inline(always)]
    pub fn has_high_rank(&self, afterstate: Afterstate) -> bool {
        self.geometry.has_fifth_bits() && afterstate.hi >> (FIFTH_BITS - 64) != 0
    }

    /// The rank of each cell, row by row.
    #[inline]
    pub fn read(&self, afterstate: Afterstate, ranks: &mut [u8; MAX_CELLS]) -> usize {
        let bits = afterstate.bits();
        if self.geometry.has_fifth_bits() {
            for (cell, rank) in ranks[..self.cells()].iter_mut().enumerate() {
                *rank = self.geometry.rank(bits, cell);
            }
        } else {
            for (rank, slot) in ranks.iter_mut().zip(&self.slots) {
                *rank = (bits >> (4 * slot)) as u8 & 15;
            }
        }
        self.cells()
    }

    /// All rows and all columns, as lists of cells.
    pub fn lines(&self) -> Vec<Vec<usize>> {
        let (rows, cols) = (self.rows(), self.cols());
        let across = (0..rows).map(|row| (0..cols).map(|col| row * cols + col).collect());
        let down = (0..cols).map(|col| (0..rows).map(|row| row * cols + col).collect());
        across.chain(down).collect()
    }
}
