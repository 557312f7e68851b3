//! The digits of the indices of a table.

use crate::definition::Network;
use crate::lookup::Lookup;
use crate::shape::Shape;
use crate::tuple::{ALPHABET, Tuple};
use runner_core::geometry::Geometry;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digit {
    pub content: Content,
    pub radix: usize,
    /// Increase of the index for each unit of its value.
    pub stride: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// The low two bits of a cell's rank.
    Low(u8),
    /// The high two bits of a cell's rank.
    High(u8),
    /// An extra field, by its number.
    ExtraField(usize),
}

impl Content {
    pub fn mapped(self, cell: impl Fn(u8) -> u8) -> Self {
        match self {
            Self::Low(at) => Self::Low(cell(at)),
            Self::High(at) => Self::High(cell(at)),
            Self::ExtraField(_) => self,
        }
    }
}

/// Returns the digits of the index within the table of a tuple, the lowest first.
pub fn digits(network: &Network, lookup: &Lookup, number: usize, board: &Geometry) -> Vec<Digit> {
    let Tuple { cells, extra_fields, .. } = &network.tuples()[number];
    let mut ordered = vec![0; cells.len()];
    for (&cell, &digit) in cells.iter().zip(&lookup.digits()[number]) {
        ordered[digit] = cell;
    }
    let mut contents = Vec::new();
    for &field in extra_fields {
        contents.push((Content::ExtraField(field), 1 << board.extra_fields[field].bits));
    }
    contents.extend(ordered.iter().map(|&cell| (Content::Low(cell), 4)));
    contents.extend(ordered.iter().map(|&cell| (Content::High(cell), 4)));
    let (mut digits, mut stride) = (Vec::new(), 1);
    for (content, radix) in contents {
        digits.push(Digit { content, radix, stride });
        stride *= radix;
    }
    digits
}

/// For each cell of a tuple, and then for each of its extra fields: what each of its values adds to
/// the index within the table.
pub fn axes(shape: &Shape<'_>, tuple: usize) -> Vec<Vec<usize>> {
    let Shape { network, lookup, board, .. } = shape;
    let digits = digits(network, lookup, tuple, board);
    // A digit that the table lacks adds nothing.
    let stride = |content| digits.iter().find(|d| d.content == content).map_or(0, |d| d.stride);
    let Tuple { cells, extra_fields, .. } = &network.tuples()[tuple];
    let mut axes = Vec::new();
    for &cell in cells {
        let [low, high] = [Content::Low(cell), Content::High(cell)].map(stride);
        axes.push((0..ALPHABET).map(|rank| (rank & 3) * low + (rank >> 2) * high).collect());
    }
    for &field in extra_fields {
        let step = stride(Content::ExtraField(field));
        axes.push((0..1 << board.extra_fields[field].bits).map(|value| value * step).collect());
    }
    axes
}
