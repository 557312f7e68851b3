//! The images of positions under the symmetries of a board of any size.

use crate::narrow;
use runner_core::geometry::Geometry;

/// The symmetries of a geometry. Images are computed by [`narrow`] if it allows the board and the
/// position, otherwise cell by cell.
#[derive(Clone, Debug)]
pub struct SymmetryGroup {
    geometry: Geometry,
    narrow: Option<narrow::Symmetries>,
    /// Positions in which one of these bits is set are not narrow: bits of the first word that are
    /// not of cells, and the fifth bits of cells.
    not_narrow: u128,
}

impl SymmetryGroup {
    pub fn new(geometry: &Geometry) -> Self {
        let first_word = u128::from(u64::MAX);
        Self {
            narrow: narrow::Symmetries::of(geometry),
            not_narrow: first_word & !geometry.cell_bits() | geometry.fifth_bits(),
            geometry: geometry.clone(),
        }
    }

    pub fn count(&self) -> usize {
        self.geometry.symmetries.len()
    }

    /// Returns the image of a position, as [`Geometry::transform`] does.
    #[inline]
    pub fn transform(&self, bits: u128, symmetry: usize) -> u128 {
        match &self.narrow {
            Some(narrow) if bits & self.not_narrow == 0 => {
                with_board(bits, narrow.transform(bits as u64, symmetry))
            }
            _ => self.geometry.transform(bits, symmetry),
        }
    }

    /// Returns the smallest of the images of a position, itself included.
    #[inline]
    pub fn least(&self, bits: u128) -> u128 {
        match &self.narrow {
            // The second word is the same in all images, so the first decides.
            Some(narrow) if bits & self.not_narrow == 0 => {
                with_board(bits, narrow.least(bits as u64))
            }
            _ => {
                (1..self.count()).fold(bits, |least, k| least.min(self.geometry.transform(bits, k)))
            }
        }
    }
}

/// Returns the bits of a position with another first word, which has the cells of a narrow board.
#[inline(always)]
fn with_board(bits: u128, board: u64) -> u128 {
    bits >> 64 << 64 | u128::from(board)
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_core::Random;
    use runner_core::geometry::{ExtraField, Symmetry};

    #[test]
    fn the_fast_path_agrees_with_the_geometry_for_positions_with_extra_bits() {
        for ranks in [16, 18] {
            let mirrored = (0..4).flat_map(|row| [3, 2, 1, 0].map(|col| 4 * row + col)).collect();
            let geometry = Geometry {
                rows: 4,
                cols: 4,
                values: (0..ranks).collect(),
                symmetries: vec![
                    Symmetry { cells: (0..16).collect(), actions: vec![] },
                    Symmetry { cells: mirrored, actions: vec![] },
                ],
                extra_fields: vec![ExtraField {
                    name: "bag".into(),
                    bit: 64,
                    bits: 3,
                    labels: vec![],
                }],
                ..Geometry::default()
            };
            let group = SymmetryGroup::new(&geometry);
            let mut random = Random::from_word(1);
            for _ in 0..1000 {
                let mut bits = u128::from(random.word()) << 64 | u128::from(random.word());
                // Fifth bits in half of the positions.
                if random.below(2) == 1 {
                    bits &= !geometry.fifth_bits();
                }
                let images = [0, 1].map(|k| geometry.transform(bits, k));
                assert_eq!([0, 1].map(|k| group.transform(bits, k)), images);
                assert_eq!(group.least(bits), images[0].min(images[1]));
            }
        }
    }
}
