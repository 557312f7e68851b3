//! The indices of a position's weights on a board up to 4 x 4, eight at a time.
//!
//! A *lookup* is one tuple in one image of the board: it reads one weight. Images of a tuple are
//! lookups like any others, with other slots for the cells. [`Lanes`] has the lookups of a network.
//! It computes their indices by vectors of eight lanes, one lookup in each lane ([`Eight`]).
//!
//! An example: a tuple of four cells in the slots 5, 6, 1, 2, which hold the ranks 13, 2, 7, 9.
//!
//! 1. [`spread`] gives each rank a byte, with its low two bits at bit 0 and its high two at bit 4.
//!    Rank 13, `0b11_01`, becomes 0x31; the others become 0x02, 0x13, 0x21.
//! 2. A lane has four bytes. Each takes two cells, the second one 2 bits higher:
//!    byte 0 has cells 0 and 1, `0x31 | 0x02 << 2` = 0x39; byte 2 has cells 2 and 3,
//!    `0x13 | 0x21 << 2` = 0x97. The lane is 0x0097_0039.
//! 3. Two exchanges of nibbles gather the low two bits of all cells, their low *halves*, in the low
//!    16 bits: cell k at bit 2k. The high halves are above, in the same order: 0x0093_0079.
//! 4. The high halves move down to the low ones, which take 8 bits here: the *content* is 0x9379.
//! 5. All but the low two bits move up by the gap of the [`Arrangement`]. If the tuple is one of a
//!    pair, the gap is 1 bit, and 0x9379 becomes 0x126f1. The start of the table is added.

use crate::arrangement::{Arrangement, FIRST_LOW, HALF_BITS};
use crate::index::WeightIndex;
use crate::memory::LANES;
use crate::table::FieldBits;
use bytemuck::cast;
use runner_core::geometry::Geometry;
use std::ops::Range;
use wide::{i8x32, i16x16, u8x16, u32x8};

/// Maximum number of cells of a tuple. `Eight::content` multiplies the low halves of all cells as a
/// signed 16-bit number: those of eight cells would use the sign bit.
pub const MAX_LANE_CELLS: usize = 7;

/// The slot of a cell that a tuple does not have. It reads as rank 0.
const NO_CELL: i8 = -1;

/// The bytes of a lane in the order in which cells fill them, two cells each. The exchanges in
/// [`Eight::content`] put the nibbles of the bytes in this order.
const BYTES: [usize; 4] = [0, 2, 1, 3];

/// The lookups of all tuples in all images.
#[derive(Clone, Debug)]
pub struct Lanes {
    eights: Vec<Eight>,
    /// The [`Arrangement::table_start`] of each eight. `None` if its lookups have several.
    tables: Vec<Option<u32>>,
    /// Number of lookups. The last eight may have unused lanes.
    count: usize,
    fields: Vec<FieldBits>,
}

/// Eight lookups, one in each lane.
#[derive(Clone, Debug)]
struct Eight {
    /// For each byte of each lane, the slot of its first cell, or [`NO_CELL`].
    first: i8x32,
    /// The slot of its second cell, or [`NO_CELL`].
    second: i8x32,
    /// For each lane, 1 and the power of two that moves high halves to their bits of a content.
    factors: i16x16,
    /// The bits that move up by one: all but the first cell's low half if the tuple is one of a
    /// pair of tuples, else none.
    above: u32x8,
    /// Index of the table's first weight.
    start: u32x8,
    /// Bits by which all but the first cell's low half move up.
    gap: u32x8,
    fields: Vec<FieldLanes>,
}

/// An extra field in the indices of eight lookups.
#[derive(Clone, Copy, Debug)]
struct FieldLanes {
    /// Position of its lowest bit in an index.
    shift: u32x8,
    /// All bits set if the lookup reads the field, otherwise 0.
    used: u32x8,
}

/// A lookup that is not in a vector yet.
struct Lane<'a> {
    arrangement: &'a Arrangement,
    /// The slot of each cell, in the order of the arrangement.
    slots: Vec<i8>,
}

impl<'a> Lane<'a> {
    /// Creates the lookup in the image that maps cells by `image`.
    fn new(arrangement: &'a Arrangement, board: &Geometry, image: impl Fn(u8) -> u8) -> Self {
        let cells = arrangement.cells.iter().map(|&cell| image(cell));
        Self { arrangement, slots: cells.map(|cell| board.slot(cell.into()) as i8).collect() }
    }
}

impl Lanes {
    /// Creates the lookups: first those of free tuples in every image, then those of fixed tuples.
    pub fn new(arranged: &[Arrangement], board: &Geometry) -> Self {
        let mut lanes = Vec::new();
        for arrangement in arranged.iter().filter(|it| !it.is_fixed) {
            for symmetry in &board.symmetries {
                lanes.push(Lane::new(arrangement, board, |cell| symmetry.cells[usize::from(cell)]));
            }
        }
        for arrangement in arranged.iter().filter(|it| it.is_fixed) {
            lanes.push(Lane::new(arrangement, board, |cell| cell));
        }
        let fields: Vec<FieldBits> = board.extra_fields.iter().map(FieldBits::new).collect();
        let (mut eights, mut tables) = (Vec::new(), Vec::new());
        for lanes in lanes.chunks(LANES) {
            eights.push(Eight::new(lanes, fields.len()));
            let table = lanes[0].arrangement.table_start();
            let is_common = lanes.iter().all(|lane| lane.arrangement.table_start() == table);
            tables.push(is_common.then_some(table));
        }
        Self { eights, tables, count: lanes.len(), fields }
    }

    /// Divides the eights into two sides with about as many lookups, so that no table is read on
    /// both. Returns the numbers of the eights of each side; `None` if there is no such division.
    pub fn sides(&self) -> Option<[Vec<usize>; 2]> {
        let mut sides = [Vec::new(), Vec::new()];
        for (number, &table) in self.tables.iter().enumerate() {
            let table = table?;
            let has_table = |&eight: &usize| self.tables[eight] == Some(table);
            let side = match sides.iter().position(|side| side.iter().any(has_table)) {
                Some(side) => side,
                None => usize::from(sides[1].len() < sides[0].len()),
            };
            sides[side].push(number);
        }
        sides.iter().all(|side| !side.is_empty()).then_some(sides)
    }

    /// Returns the lookups of some eights alone.
    pub fn part(&self, eights: &[usize]) -> Self {
        Self {
            eights: eights.iter().map(|&eight| self.eights[eight].clone()).collect(),
            tables: eights.iter().map(|&eight| self.tables[eight]).collect(),
            count: eights.iter().map(|&eight| self.numbers(eight).len()).sum(),
            fields: self.fields.clone(),
        }
    }

    /// Returns the numbers of the lookups of an eight.
    pub fn numbers(&self, eight: usize) -> Range<usize> {
        LANES * eight..self.count.min(LANES * (eight + 1))
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// Writes the index of each lookup, if no tuple has extra fields. `start` is the index of the
    /// first weight of the position's stage.
    #[inline(always)]
    pub fn indices(&self, board: u64, start: u32, out: &mut [WeightIndex]) {
        // Bits that are added to themselves move up by one.
        self.write(board, start, out, |eight, content| content + (content & eight.above));
    }

    /// Writes the index of each lookup, as [`indices`](Self::indices) does, if tuples have extra
    /// fields. `hi` is the second word of the position, which holds the fields.
    #[inline(never)]
    pub fn indices_with_fields(&self, board: u64, hi: u64, start: u32, out: &mut [WeightIndex]) {
        let values = self.fields.iter().map(|field| field.value(hi));
        self.write(board, start, out, |eight, content| eight.with_fields(content, values.clone()));
    }

    /// Writes the index of each lookup. `offset` returns the index within a table from the content.
    #[inline(always)]
    fn write(
        &self,
        board: u64,
        start: u32,
        out: &mut [WeightIndex],
        offset: impl Fn(&Eight, u32x8) -> u32x8,
    ) {
        let (ranks, start) = (spread(board), u32x8::splat(start));
        let index = |eight: &Eight| {
            let in_table = offset(eight, eight.content(ranks));
            (in_table + eight.start + start).to_array().map(WeightIndex::new)
        };
        let (eights, rest) = out[..self.count].as_chunks_mut::<LANES>();
        for (out, eight) in eights.iter_mut().zip(&self.eights) {
            *out = index(eight);
        }
        if !rest.is_empty() {
            let last = index(&self.eights[eights.len()]);
            rest.copy_from_slice(&last[..rest.len()]);
        }
    }
}

impl Eight {
    /// Creates up to eight lookups, on a board with this number of extra fields.
    fn new(lanes: &[Lane<'_>], fields: usize) -> Self {
        let (mut first, mut second, mut factors) = ([NO_CELL; 32], [NO_CELL; 32], [1; 16]);
        let [mut above, mut start, mut gap] = [[0; LANES]; 3];
        let (mut shifts, mut used) = (vec![[0; LANES]; fields], vec![[0; LANES]; fields]);
        for (number, Lane { arrangement, slots }) in lanes.iter().enumerate() {
            for (two_cells, byte) in slots.chunks(2).zip(BYTES) {
                first[4 * number + byte] = two_cells[0];
                second[4 * number + byte] = two_cells.get(1).copied().unwrap_or(NO_CELL);
            }
            factors[2 * number + 1] = 1 << (HALF_BITS * slots.len() as u32);
            above[number] = if arrangement.is_paired { !FIRST_LOW } else { 0 };
            start[number] = arrangement.start;
            gap[number] = arrangement.gap();
            for field in &arrangement.fields {
                shifts[field.number][number] = field.start;
                used[field.number][number] = u32::MAX;
            }
        }
        let fields = shifts.into_iter().zip(used);
        Self {
            first: first.into(),
            second: second.into(),
            factors: factors.into(),
            above: above.into(),
            start: start.into(),
            gap: gap.into(),
            fields: fields
                .map(|(shift, used)| FieldLanes { shift: shift.into(), used: used.into() })
                .collect(),
        }
    }

    /// Returns the content of each lookup: low halves of cells, and above them the high ones.
    #[inline(always)]
    fn content(&self, ranks: i8x32) -> u32x8 {
        let [first, second]: [u32x8; 2] =
            [self.first, self.second].map(|slots| cast(ranks.swizzle_half_relaxed(slots)));
        let cells = first | second << 2;
        // Nibble 1, from the lowest on, changes places with nibble 4, and 3 with 6.
        let moved = (cells ^ cells >> 12) & u32x8::splat(0xf0f0);
        let halves = cells ^ moved ^ moved << 12;
        // The low 16 bits times 1, plus the high 16 bits times the other factor.
        cast(cast::<_, i16x16>(halves).dot(self.factors))
    }

    /// Returns the index within a table: the content with the extra fields in its gap.
    #[inline(always)]
    fn with_fields(&self, content: u32x8, values: impl Iterator<Item = u32>) -> u32x8 {
        let first_low = u32x8::splat(FIRST_LOW);
        let mut offset = content & first_low | (content & !first_low) << self.gap;
        for (field, value) in self.fields.iter().zip(values) {
            offset |= u32x8::splat(value) << field.shift & field.used;
        }
        offset
    }
}

/// Returns the rank in each of the 16 slots as a byte, with its low two bits at bit 0 and its high
/// two at bit 4. Both halves of the vector have all of them.
#[inline(always)]
fn spread(board: u64) -> i8x32 {
    /// The byte of each rank.
    const SPREAD: [u8; 16] = [0, 1, 2, 3, 16, 17, 18, 19, 32, 33, 34, 35, 48, 49, 50, 51];
    /// The slots with even numbers.
    const EVEN: u64 = 0x0f0f_0f0f_0f0f_0f0f;
    let [even, odd] = [board & EVEN, board >> 4 & EVEN].map(|cells| cast([cells, 0]));
    let ranks = u8x16::unpack_low(even, odd);
    cast([u8x16::from(SPREAD).shuffle(ranks); 2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_of_the_example_is_as_described() {
        let arrangement = Arrangement {
            start: 0,
            cells: vec![5, 6, 1, 2],
            fields: Vec::new(),
            is_paired: true,
            is_fixed: true,
        };
        let eight = Eight::new(&[Lane { arrangement: &arrangement, slots: vec![5, 6, 1, 2] }], 0);
        let board = 13 << 20 | 2 << 24 | 7 << 4 | 9 << 8;
        let content = eight.content(spread(board));
        assert_eq!(content.to_array()[0], 0x9379);
        assert_eq!((content + (content & eight.above)).to_array()[0], 0x126f1);
    }
}
