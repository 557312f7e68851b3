//! Layers: their shapes and parameters.

use std::ops::Range;

/// The computation of a layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Sums of rows of a table and a bias: a layer over one-hot inputs. The first layer only.
    Table {
        /// Sums of an input; all use the same table, as the places of a convolution do.
        places: usize,
        /// Rows that each sum has.
        terms: usize,
        /// Rows of the table.
        rows: usize,
        /// Length of a row.
        width: usize,
    },
    /// A matrix and a bias, applied to each of several places.
    Dense {
        /// Vectors of an input that the matrix is applied to.
        places: usize,
        /// Length of such a vector.
        inputs: usize,
        /// Length of its result.
        outputs: usize,
    },
    /// The patches that a kernel covers on a grid of vectors. With a [`Dense`](Kind::Dense)
    /// layer after it this is a convolution.
    Patches {
        /// Rows and columns of the grid.
        grid: [usize; 2],
        /// Rows and columns of the kernel.
        kernel: [usize; 2],
        /// Length of the vectors.
        channels: usize,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    pub kind: Kind,
    /// Adds the output of the layer before the previous one: the end of a residual block.
    pub skip: bool,
    /// Replaces negative results by 0.
    pub relu: bool,
}

impl Layer {
    /// Creates a layer without a skip connection.
    pub fn new(kind: Kind, relu: bool) -> Self {
        Self { kind, skip: false, relu }
    }

    /// Creates a dense layer with one place.
    pub fn dense(inputs: usize, outputs: usize, relu: bool) -> Self {
        Self::new(Kind::Dense { places: 1, inputs, outputs }, relu)
    }

    pub fn outputs(&self) -> usize {
        match self.kind {
            Kind::Table { places, width, .. } => places * width,
            Kind::Dense { places, outputs, .. } => places * outputs,
            Kind::Patches { grid, kernel, channels } => {
                let [rows, columns] = windows(grid, kernel);
                rows * columns * kernel[0] * kernel[1] * channels
            }
        }
    }

    /// Returns the number of elements of an input. For a table it is the number of rows that
    /// are named.
    pub fn inputs(&self) -> usize {
        match self.kind {
            Kind::Table { places, terms, .. } => places * terms,
            Kind::Dense { places, inputs, .. } => places * inputs,
            Kind::Patches { grid: [rows, columns], channels, .. } => rows * columns * channels,
        }
    }

    /// Returns the shape of its matrix or table, if it has one. A bias of the second length
    /// follows it.
    pub fn shape(&self) -> Option<[usize; 2]> {
        match self.kind {
            Kind::Table { rows, width, .. } => Some([rows, width]),
            Kind::Dense { inputs, outputs, .. } => Some([inputs, outputs]),
            Kind::Patches { .. } => None,
        }
    }

    pub fn parameters(&self) -> usize {
        self.shape().map_or(0, |[rows, columns]| (rows + 1) * columns)
    }

    pub(crate) fn fan_in(&self) -> usize {
        match self.kind {
            Kind::Table { terms, .. } => terms,
            Kind::Dense { inputs, .. } => inputs,
            Kind::Patches { .. } => 1,
        }
    }
}

/// Returns the rows and columns of the places at which a kernel fits on a grid.
pub fn windows(grid: [usize; 2], kernel: [usize; 2]) -> [usize; 2] {
    [grid[0] + 1 - kernel[0], grid[1] + 1 - kernel[1]]
}

/// Calls `work` with the range of an input and that of an output that are equal, for all
/// vectors of all patches.
pub(crate) fn each_patch(
    grid: [usize; 2],
    kernel: [usize; 2],
    channels: usize,
    mut work: impl FnMut(Range<usize>, Range<usize>),
) {
    let [rows, columns] = windows(grid, kernel);
    // The vectors of a row of the kernel lie one behind the other in the input too.
    let length = kernel[1] * channels;
    let mut to = 0;
    for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
        for line in row..row + kernel[0] {
            let from = (line * grid[1] + column) * channels;
            work(from..from + length, to..to + length);
            to += length;
        }
    }
}
