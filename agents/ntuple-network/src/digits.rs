//! The digits of a place within the table of a tuple.

use crate::shape::Shape;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digit {
    pub content: Content,
    /// Number of values of the digit.
    pub radix: usize,
    /// Increase of the place for each unit of the digit.
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
    /// Returns the same content of the cell that `image` returns.
    pub fn mapped(self, image: impl Fn(u8) -> u8) -> Self {
        match self {
            Self::Low(cell) => Self::Low(image(cell)),
            Self::High(cell) => Self::High(image(cell)),
            Self::ExtraField(_) => self,
        }
    }
}

/// Returns the digits of a place within the table of a tuple, the lowest first.
pub fn digits(shape: &Shape<'_>, tuple: usize) -> Vec<Digit> {
    let Shape { network, lookup, board, .. } = shape;
    let ordered = &lookup.ordered_cells()[tuple];
    let mut contents = Vec::new();
    for &field in &network.tuples()[tuple].extra_fields {
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
