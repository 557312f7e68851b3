//! The indices of a position's weights on a board up to 4 x 4, eight lookups at a time.
//!
//! The board is a vector of 16 bytes, in each the rank of a cell with its low two bits at 0 and its high two
//! bits at 4. A lookup takes the bytes of its cells, two cells in one byte, and exchanges
//! half bytes until the low halves of all cells are below the high ones. The positions of the
//! cells are data, so images of a tuple are lookups like any others.

use crate::arrangement::{Arrangement, HALF};
use crate::index::WeightIndex;
use crate::memory::LANES;
use bytemuck::cast;
use runner_core::geometry::Geometry;
use wide::{i8x32, i16x16, u8x16, u32x8};

/// Maximum number of cells of a tuple: the low halves of all cells are a positive number of 16 bits.
pub const MAX_LANE_CELLS: usize = 7;

/// The lookups of all tuples in all images.
#[derive(Clone, Debug)]
pub struct Lanes {
    eights: Vec<Eight>,
    /// For each eight, the index of the first weight of their table or pair of tables, if they have one in
    /// common.
    tables: Vec<Option<u32>>,
    /// Number of lookups. The last eight may have more.
    count: usize,
    /// The position of each extra field in the high half of a position, and its mask.
    fields: Vec<(u32, u32)>,
}

/// Eight lookups.
#[derive(Clone, Debug)]
struct Eight {
    /// For each byte of a lookup, the slot of its first cell, or -1.
    first: i8x32,
    /// The same for its second cell.
    second: i8x32,
    /// Factors of the low and the high halves of the cells.
    factors: i16x16,
    /// The bits of an index that move up by one for a pair.
    above: u32x8,
    start: u32x8,
    /// Bits by which all but the low half of the first cell move up.
    gap: u32x8,
    /// For each extra field, its position, and a mask that is zero if the lookup does not read it.
    fields: Vec<(u32x8, u32x8)>,
}

/// A lookup of a tuple in one image.
struct Lane<'a> {
    arrangement: &'a Arrangement,
    /// The slot of each cell, in the order of the arrangement.
    slots: Vec<i8>,
}

impl<'a> Lane<'a> {
    /// Creates the lookup in the image that maps cells by `image`.
    fn new(arrangement: &'a Arrangement, board: &Geometry, image: impl Fn(u8) -> u8) -> Self {
        let slot = |&cell: &u8| board.slot(image(cell).into()) as i8;
        Self { arrangement, slots: arrangement.cells.iter().map(slot).collect() }
    }
}

/// The bytes of a lookup in the order in which pairs of cells fill them.
const BYTES: [usize; 4] = [0, 2, 1, 3];

impl Lanes {
    /// Creates the lookups of arranged tuples: those of free tuples in every image, then those of fixed tuples.
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
        let mut fields = Vec::new();
        for field in &board.extra_fields {
            fields.push((field.bit - 64, (1 << field.bits) - 1));
        }
        let table = |lane: &Lane<'_>| match lane.arrangement {
            Arrangement { start, is_paired: true, .. } => start & !(1 << HALF),
            Arrangement { start, .. } => *start,
        };
        let common = |lanes: &[Lane<'_>]| {
            let first = table(&lanes[0]);
            lanes.iter().all(|lane| table(lane) == first).then_some(first)
        };
        let tables = lanes.chunks(LANES).map(common).collect();
        let eights = lanes.chunks(LANES).map(|lanes| Eight::new(lanes, fields.len())).collect();
        Self { eights, tables, count: lanes.len(), fields }
    }

    /// Returns for each eight one of two sides, so that no table has lookups on both and both have
    /// about as many lookups. `None` if there is no such division.
    pub fn sides(&self) -> Option<Vec<usize>> {
        let (mut sides, mut sizes) = (Vec::new(), [0, 0]);
        for &table in &self.tables {
            let start = table?;
            let earlier = self.tables[..sides.len()].iter().position(|&it| it == Some(start));
            let side = earlier.map_or(usize::from(sizes[1] < sizes[0]), |earlier| sides[earlier]);
            sizes[side] += 1;
            sides.push(side);
        }
        (sizes[0] > 0 && sizes[1] > 0).then_some(sides)
    }

    /// Returns the lookups of some eights, given by their numbers, and the positions of these lookups
    /// among all.
    pub fn part(&self, numbers: &[usize]) -> (Self, Vec<usize>) {
        let all = |number: usize| LANES * number..self.count.min(LANES * (number + 1));
        let positions: Vec<usize> = numbers.iter().copied().flat_map(all).collect();
        let part = Self {
            eights: numbers.iter().map(|&number| self.eights[number].clone()).collect(),
            tables: numbers.iter().map(|&number| self.tables[number]).collect(),
            count: positions.len(),
            fields: self.fields.clone(),
        };
        (part, positions)
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// Writes the index of each lookup of a board to `out`. `start` is added to each index.
    #[inline(always)]
    pub fn indices(&self, board: u64, start: u32, out: &mut [WeightIndex]) {
        self.write(board, start, out, |eight, content| content + (content & eight.above));
    }

    /// Writes the indices where tuples have extra fields, which `hi` holds.
    #[inline(never)]
    pub fn indices_with_fields(&self, board: u64, hi: u64, start: u32, out: &mut [WeightIndex]) {
        let values = self.fields.iter().map(|&(bit, mask)| (hi >> bit) as u32 & mask);
        self.write(board, start, out, |eight, content| eight.with_fields(content, values.clone()));
    }

    /// Writes the index of each lookup, from its content by `place`.
    #[inline(always)]
    fn write(
        &self,
        board: u64,
        start: u32,
        out: &mut [WeightIndex],
        place: impl Fn(&Eight, u32x8) -> u32x8,
    ) {
        let (board, start) = (spread(board), u32x8::splat(start));
        let index = |eight: &Eight| {
            let content = place(eight, eight.content(board));
            (content + eight.start + start).to_array().map(WeightIndex::new)
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
        let (mut first, mut second, mut factors) = ([-1; 32], [-1; 32], [1; 16]);
        let [mut above, mut start, mut gap] = [[0; LANES]; 3];
        let mut shifts_and_masks = vec![([0; LANES], [0; LANES]); fields];
        for (number, Lane { arrangement, slots }) in lanes.iter().enumerate() {
            for (pair, byte) in slots.chunks(2).zip(BYTES) {
                first[4 * number + byte] = pair[0];
                second[4 * number + byte] = pair.get(1).copied().unwrap_or(-1);
            }
            factors[2 * number + 1] = 1 << (HALF * slots.len() as u32);
            above[number] = if arrangement.is_paired { !((1 << HALF) - 1) } else { 0 };
            start[number] = arrangement.start;
            gap[number] = arrangement.gap();
            for field in &arrangement.fields {
                let (shifts, masks) = &mut shifts_and_masks[field.number];
                (shifts[number], masks[number]) = (field.start, u32::MAX);
            }
        }
        let fields = shifts_and_masks.into_iter();
        Self {
            first: first.into(),
            second: second.into(),
            factors: factors.into(),
            above: above.into(),
            start: start.into(),
            gap: gap.into(),
            fields: fields.map(|(shifts, masks)| (shifts.into(), masks.into())).collect(),
        }
    }

    /// Returns the low halves of the cells of each lookup, and above them the high ones.
    #[inline(always)]
    fn content(&self, board: i8x32) -> u32x8 {
        let [first, second]: [u32x8; 2] =
            [self.first, self.second].map(|cells| cast(board.swizzle_half_relaxed(cells)));
        let pairs = first | second << 2;
        // The second and the fifth half byte change places, and so do the fourth and the seventh.
        let moved = (pairs ^ pairs >> 12) & u32x8::splat(0xf0f0);
        let halves = pairs ^ moved ^ moved << 12;
        cast(cast::<_, i16x16>(halves).dot(self.factors))
    }

    /// Returns a content with the values of the extra fields inserted.
    #[inline(always)]
    fn with_fields(&self, content: u32x8, values: impl Iterator<Item = u32>) -> u32x8 {
        let low = u32x8::splat((1 << HALF) - 1);
        let moved = content & low | (content & !low) << self.gap;
        self.fields.iter().zip(values).fold(moved, |index, (&(shift, used), value)| {
            index | u32x8::splat(value) << shift & used
        })
    }
}

/// Returns the board, with four bits per cell, as bytes: of each rank the low two bits at 0 and the
/// high two at 4. Both halves of the vector are equal.
#[inline(always)]
fn spread(board: u64) -> i8x32 {
    const SPREAD: [u8; 16] = [0, 1, 2, 3, 16, 17, 18, 19, 32, 33, 34, 35, 48, 49, 50, 51];
    const EVEN: u64 = 0x0f0f_0f0f_0f0f_0f0f;
    let [even, odd] = [board & EVEN, board >> 4 & EVEN].map(|cells| cast([cells, 0]));
    let cells = u8x16::unpack_low(even, odd);
    cast([u8x16::from(SPREAD).shuffle(cells); 2])
}
