//! The geometry of a board, prepared for heuristics.

use runner_core::geometry::{FIFTH_BITS, Geometry, MAX_CELLS};
use runner_core::{Afterstate, BuildContext, BuildError};

#[derive(Clone, Debug)]
pub struct Board {
    geometry: Geometry,
    slots: Vec<u32>,
    /// The displayed value of each rank.
    values: Vec<f64>,
    /// Bit `b` of entry `a` is set if ranks `a` and `b` merge.
    partners: [u32; 32],
}

impl Board {
    /// The board of the game, or an error that names the value if there is none.
    pub fn of(context: &BuildContext<'_>, name: &str) -> Result<Self, BuildError> {
        let geometry = crate::board(context, name)?;
        if geometry.cells() > MAX_CELLS {
            let message = format!("`{name}` supports boards of up to {MAX_CELLS} cells");
            return Err(BuildError::new(message));
        }
        let mut partners = [0; 32];
        for (a, b) in geometry.merges.iter().filter(|&&(a, b)| a < 32 && b < 32) {
            partners[usize::from(*a)] |= 1 << b;
            partners[usize::from(*b)] |= 1 << a;
        }
        Ok(Self {
            partners,
            slots: (0..geometry.cells()).map(|cell| geometry.slot(cell)).collect(),
            values: geometry.values.iter().map(|&value| value as f64).collect(),
            geometry,
        })
    }

    pub fn rows(&self) -> usize {
        self.geometry.rows
    }

    pub fn cols(&self) -> usize {
        self.geometry.cols
    }

    pub fn cells(&self) -> usize {
        self.slots.len()
    }

    /// Returns the displayed value of a rank, or of the highest rank if the game does not
    /// have this one.
    pub fn value(&self, rank: u8) -> f64 {
        self.values.get(usize::from(rank)).or(self.values.last()).copied().unwrap_or(0.0)
    }

    #[inline]
    pub fn merge(&self, a: u8, b: u8) -> bool {
        self.partners[usize::from(a)] >> b & 1 != 0
    }

    pub fn max_rank(&self) -> usize {
        self.values.len().clamp(1, 32) - 1
    }

    pub fn max_value(&self) -> f64 {
        self.values.iter().copied().fold(0.0, f64::max)
    }

    /// Returns true if a cell has a rank above 15.
    #[inline(always)]
    pub fn has_high_rank(&self, afterstate: Afterstate) -> bool {
        self.geometry.has_fifth_bits() && afterstate.hi >> (FIFTH_BITS - 64) != 0
    }

    /// Writes the rank of each cell, row by row, and returns the number of cells.
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

    /// Returns the cells of each row, then of each column.
    pub fn lines(&self) -> Vec<Vec<usize>> {
        let (rows, cols) = (self.rows(), self.cols());
        let across = (0..rows).map(|row| (0..cols).map(|col| row * cols + col).collect());
        let down = (0..cols).map(|col| (0..rows).map(|row| row * cols + col).collect());
        across.chain(down).collect()
    }
}
