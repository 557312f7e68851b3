//! The digits of the indices of a table.

use crate::definition::Network;
use crate::lookup::Lookup;
use crate::tuple::USUAL_ALPHABET;
use runner_core::board::Geometry;

/// A digit of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digit {
    /// The part of a position that it reads.
    pub content: Content,
    /// Number of its values.
    pub radix: usize,
    /// Increase of the index for each unit of its value.
    pub stride: usize,
}

/// The part of a position that a digit reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// The low two bits of a cell's rank.
    Low(u8),
    /// The high two bits of a cell's rank.
    High(u8),
    /// The rank of a cell.
    Rank(u8),
    /// An extra field, by its number.
    ExtraField(usize),
}

impl Content {
    /// Returns the content with another cell.
    pub fn mapped(self, cell: impl Fn(u8) -> u8) -> Self {
        match self {
            Self::Low(at) => Self::Low(cell(at)),
            Self::High(at) => Self::High(cell(at)),
            Self::Rank(at) => Self::Rank(cell(at)),
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
    let ranks = network.alphabet();
    let digits: Vec<(Content, usize)> = if ranks == USUAL_ALPHABET {
        let low = cells.iter().map(|&cell| (Content::Low(cell), 4));
        let high = cells.iter().map(|&cell| (Content::High(cell), 4));
        low.chain(high).chain(fields).collect()
    } else {
        fields.chain(cells.iter().map(|&cell| (Content::Rank(cell), ranks))).collect()
    };
    let with_stride = |stride: &mut usize, (content, radix): (Content, usize)| {
        let digit = Digit { content, radix, stride: *stride };
        *stride *= radix;
        Some(digit)
    };
    digits.into_iter().scan(1, with_stride).collect()
}
