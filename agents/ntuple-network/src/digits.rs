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
pub fn digits(network: &Network, lookup: &Lookup, tuple: usize, board: &Geometry) -> Vec<Digit> {
    let order = &lookup.digits()[tuple];
    let tuple = &network.tuples()[tuple];
    let mut cells = vec![0; tuple.cells.len()];
    for (&cell, &digit) in tuple.cells.iter().zip(order) {
        cells[digit] = cell;
    }
    let fields = tuple.extra_fields.iter().map(|&field| {
        let radix = 1usize << board.extra_fields[field].bits;
        (Content::ExtraField(field), radix)
    });
    let low = cells.iter().map(|&cell| (Content::Low(cell), 4));
    let high = cells.iter().map(|&cell| (Content::High(cell), 4));
    let with_stride = |stride: &mut usize, (content, radix): (Content, usize)| {
        let digit = Digit { content, radix, stride: *stride };
        *stride *= radix;
        Some(digit)
    };
    fields.chain(low).chain(high).scan(1, with_stride).collect()
}

/// For each cell of a tuple, and then for each of its extra fields: what each of its values adds to
/// the index within the table.
pub fn axes(shape: &Shape<'_>, tuple: usize) -> Vec<Vec<usize>> {
    let Shape { network, lookup, board, .. } = shape;
    let digits = digits(network, lookup, tuple, board);
    // A digit that the table lacks adds nothing.
    let stride = |content| digits.iter().find(|d| d.content == content).map_or(0, |d| d.stride);
    let cell = |&cell: &u8| {
        let [low, high] = [Content::Low(cell), Content::High(cell)].map(stride);
        (0..ALPHABET).map(|rank| (rank & 3) * low + (rank >> 2) * high).collect()
    };
    let field = |&field: &usize| {
        let stride = stride(Content::ExtraField(field));
        (0..1 << board.extra_fields[field].bits).map(|value: usize| value * stride).collect()
    };
    let Tuple { cells, extra_fields, .. } = &network.tuples()[tuple];
    cells.iter().map(cell).chain(extra_fields.iter().map(field)).collect()
}
