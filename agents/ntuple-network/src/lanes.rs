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
    /// The extra fields of its tuple.
    fields: &'a [usize],
    /// The slot of each cell, in the order of the arrangement.
    slots: Vec<i8>,
}

/// The bytes of a lookup in the order in which cells fill them.
const BYTES: [usize; 4] = [0, 2, 1, 3];

impl Lanes {
    /// Creates the lookups of tuples: each with its arrangement, and the numbers of its extra fields.
    /// Those of free tuples in every image come first, then the fixed tuples.
    pub fn new<'a>(
        free: impl Iterator<Item = (&'a Arrangement, &'a [usize])>,
        fixed: impl Iterator<Item = (&'a Arrangement, &'a [usize])>,
        board: &Geometry,
    ) -> Self {
        let mut lanes = Vec::new();
        for (arrangement, fields) in free {
            for symmetry in &board.symmetries {
                let slot = |&cell: &u8| board.slot(symmetry.cells[usize::from(cell)].into()) as i8;
                let slots = arrangement.cells.iter().map(slot).collect();
                lanes.push(Lane { arrangement, fields, slots });
            }
        }
        for (arrangement, fields) in fixed {
            let slot = |&cell: &u8| board.slot(cell.into()) as i8;
            let slots = arrangement.cells.iter().map(slot).collect();
            lanes.push(Lane { arrangement, fields, slots });
        }
        let field =
            |field: &runner_core::geometry::ExtraField| (field.bit - 64, (1 << field.bits) - 1);
        let fields: Vec<(u32, u32)> = board.extra_fields.iter().map(field).collect();
        let eights = lanes.chunks(LANES).map(|lanes| Eight::new(lanes, fields.len())).collect();
        Self { eights, count: lanes.len(), fields }
    }

    pub fn count(&self) -> usize {
        self.count
    }

    /// Writes the index of each lookup to `out`. `start` is added to each index; `hi` has the extra
    /// fields, which are read if the constant is true.
    #[inline(always)]
    pub fn indices<const EXTRA: bool>(
        &self,
        board: u64,
        hi: u64,
        start: u32,
        out: &mut [WeightIndex],
    ) {
        let (board, start) = (spread(board), u32x8::splat(start));
        let index = |eight: &Eight| {
            let content = eight.content(board);
            let content = if EXTRA {
                eight.with_fields(
                    content,
                    self.fields.iter().map(|&(bit, mask)| (hi >> bit) as u32 & mask),
                )
            } else {
                content + (content & eight.above)
            };
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
    fn new(lanes: &[Lane<'_>], fields: usize) -> Self {
        let lane = |lane: usize| lanes.get(lane);
        let slot = |byte: usize, second: usize| {
            let lane = lane(byte / 4)?;
            let pair =
                BYTES.iter().position(|&there| there == byte % 4).expect("one of four bytes");
            lane.slots.get(2 * pair + second).copied()
        };
        let bytes =
            |second: usize| std::array::from_fn(|byte| slot(byte, second).unwrap_or(-1)).into();
        let factor = |word: usize| match lane(word / 2) {
            Some(lane) if word % 2 == 1 => 1i16 << (HALF * lane.slots.len() as u32),
            _ => 1,
        };
        let each = |value: &dyn Fn(&Lane<'_>) -> u32| -> u32x8 {
            std::array::from_fn(|number| lane(number).map_or(0, value)).into()
        };
        let above = |lane: &Lane<'_>| {
            if lane.arrangement.is_paired { !((1 << HALF) - 1) } else { 0 }
        };
        let field = |field: usize| {
            let shift = |lane: &Lane<'_>| {
                let own = lane.fields.iter().position(|&own| own == field)?;
                let below = lane.arrangement.extra_bits[..own].iter().sum::<u32>();
                Some(lane.arrangement.extra_start() + below)
            };
            let used = |lane: &Lane<'_>| if shift(lane).is_some() { u32::MAX } else { 0 };
            (each(&|lane| shift(lane).unwrap_or(0)), each(&used))
        };
        Self {
            first: bytes(0),
            second: bytes(1),
            factors: std::array::from_fn(factor).into(),
            above: each(&above),
            start: each(&|lane| lane.arrangement.start),
            gap: each(&|lane| lane.arrangement.gap()),
            fields: (0..fields).map(field).collect(),
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
