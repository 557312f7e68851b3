//! Boards as inputs of a network.

use crate::layer::{Kind, Layer, windows};
use runner_core::geometry::{ExtraField, Geometry};

/// Encodes a board as one-hot numbers: one for each rank of each cell that a kernel covers, and
/// for each value of each extra field. A place of the kernel names one row for each cell and
/// field, so that the first layer is a sum of rows.
#[derive(Clone, Debug)]
pub struct Encoder {
    geometry: Geometry,
    kernel: [usize; 2],
    /// For each place, the cells that the kernel covers.
    places: Vec<Vec<usize>>,
}

impl Encoder {
    /// Creates the encoder of a board for a kernel of this many rows and columns.
    ///
    /// # Panics
    ///
    /// If the kernel is empty or larger than the board.
    pub fn new(geometry: &Geometry, kernel: [usize; 2]) -> Self {
        let [rows, columns] = windows([geometry.rows, geometry.cols], kernel);
        assert!(rows > 0 && columns > 0 && kernel[0] > 0 && kernel[1] > 0);
        let mut places = Vec::new();
        for row in 0..rows {
            for column in 0..columns {
                let firsts = (row..row + kernel[0]).map(|line| line * geometry.cols + column);
                places.push(firsts.flat_map(|first| first..first + kernel[1]).collect());
            }
        }
        Self { geometry: geometry.clone(), kernel, places }
    }

    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Returns the rows and columns of the places of the kernel.
    pub fn grid(&self) -> [usize; 2] {
        windows([self.geometry.rows, self.geometry.cols], self.kernel)
    }

    /// Returns the first layer of a network that reads this encoder's rows.
    pub fn layer(&self, width: usize, relu: bool) -> Layer {
        let fields = &self.geometry.extra_fields;
        let of_fields: usize = fields.iter().map(|field| 1 << field.bits).sum();
        let terms = self.places[0].len() + fields.len();
        let rows = self.places[0].len() * self.ranks() + of_fields;
        Layer::new(Kind::Table { places: self.places.len(), terms, rows, width }, relu)
    }

    fn ranks(&self) -> usize {
        self.geometry.values.len()
    }

    pub fn encode(&self, position: u128, out: &mut Vec<u16>) {
        let most = self.ranks() - 1;
        let cells = self.geometry.cells();
        let mut ranks = [0; u8::MAX as usize];
        for (cell, rank) in ranks[..cells].iter_mut().enumerate() {
            *rank = usize::from(self.geometry.rank(position, cell)).min(most);
        }
        for place in &self.places {
            let mut base = 0;
            for &cell in place {
                out.push((base + ranks[cell]) as u16);
                base += self.ranks();
            }
            for ExtraField { bit, bits, .. } in &self.geometry.extra_fields {
                out.push((base + (position >> bit) as usize % (1 << bits)) as u16);
                base += 1 << bits;
            }
        }
    }
}
