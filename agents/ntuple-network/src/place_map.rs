//! From the place of a weight in model files to its index in memory.

use std::ops::Range;

/// The index in memory of each place of model files.
#[derive(Clone, Debug, Default)]
pub struct PlaceMap {
    /// Consecutive segments, which have all places.
    segments: Vec<Segment>,
    /// The number of the segment that has the first place of each block of [`BLOCK`] places.
    segment_of_block: Vec<u32>,
}

/// Consecutive places with one order in memory: those of one table.
#[derive(Clone, Debug)]
struct Segment {
    places: Range<usize>,
    /// Index of the first place.
    start: usize,
    order: Order,
}

/// How the places of a segment are ordered in memory.
#[derive(Clone, Debug)]
pub enum Order {
    /// As in model files.
    Same,
    /// Each bit of a place within the segment has another position in the index. `[b][v]` is the
    /// bits of the index for the value v of byte b of the place, the lowest byte first.
    Bits(Box<[[u32; 256]; 4]>),
}

/// Number of places that the search for a segment skips at once.
const BLOCK: usize = 1 << 16;

impl Order {
    /// Creates the order in which bit k of a place is bit `positions[k]` of the index.
    pub fn of_bits(positions: &[u32]) -> Self {
        let mut bytes = Box::new([[0; 256]; 4]);
        for (positions_of_byte, byte) in positions.chunks(8).zip(bytes.iter_mut()) {
            for (value, index) in byte.iter_mut().enumerate() {
                for (bit, &position) in positions_of_byte.iter().enumerate() {
                    *index |= (value as u32 >> bit & 1) << position;
                }
            }
        }
        Self::Bits(bytes)
    }
}

impl PlaceMap {
    /// Adds a segment of `count` places after the others. `start` is the index of its first place.
    pub fn push(&mut self, count: usize, start: usize, order: Order) {
        let first = self.segments.last().map_or(0, |last| last.places.end);
        let places = first..first + count;
        while self.segment_of_block.len() * BLOCK < places.end {
            self.segment_of_block.push(self.segments.len() as u32);
        }
        self.segments.push(Segment { places, start, order });
    }

    #[inline]
    pub fn index(&self, place: usize) -> usize {
        self.run(place).index(place)
    }

    #[inline]
    pub fn run(&self, place: usize) -> Run<'_> {
        let mut number = self.segment_of_block[place / BLOCK] as usize;
        while self.segments[number].places.end <= place {
            number += 1;
        }
        let Segment { ref places, start, ref order } = self.segments[number];
        let segment_start = places.start;
        match order {
            Order::Same => Run { segment_start, end: places.end, start, low: None },
            Order::Bits(bytes) => {
                let within = place - segment_start;
                let [low, second, third, high] = &**bytes;
                let byte = |number: usize| within >> (8 * number) & 255;
                let upper = second[byte(1)] | third[byte(2)] | high[byte(3)];
                let end = places.end.min(segment_start + (within | 255) + 1);
                Run { segment_start, end, start: start + upper as usize, low: Some(low) }
            }
        }
    }
}

/// Consecutive places of a segment that differ in their lowest byte only, or the whole segment if
/// its order is the same in memory.
pub struct Run<'a> {
    /// First place of the segment.
    segment_start: usize,
    /// The place after the last one of the run.
    pub end: usize,
    /// The index without the bits of the lowest byte.
    start: usize,
    /// The bits of the index for each value of the lowest byte. `None` if the order is the same.
    low: Option<&'a [u32; 256]>,
}

impl Run<'_> {
    #[inline(always)]
    pub fn index(&self, place: usize) -> usize {
        let within = place - self.segment_start;
        match self.low {
            None => self.start + within,
            Some(low) => self.start + low[within & 255] as usize,
        }
    }

    /// As [`Places::all_blocks_of`](crate::Places::all_blocks_of), for places of the run.
    #[inline]
    pub fn all_blocks_of(
        &self,
        places: Range<usize>,
        size: usize,
        test: impl Fn(usize) -> bool,
    ) -> bool {
        let [first_place, last_place] = [places.start, places.end - 1];
        let Some(low) = self.low else {
            return (self.index(first_place) / size..=self.index(last_place) / size).all(test);
        };
        let [first, last] = [first_place - self.segment_start, last_place - self.segment_start];
        // The highest bit in which the places differ, and all below, may have any value. In the
        // index, some of them are within a block. Each combination of the others may be a block.
        let varying = ((first ^ last) + 1).next_power_of_two() - 1;
        let fixed_index = self.start + low[first & !varying & 255] as usize;
        let varying_bits = low[varying & 255] as usize;
        let within_block = varying_bits & (size - 1);
        let above_block = varying_bits & !(size - 1);
        let mut combination = 0;
        loop {
            let start = fixed_index + combination;
            // The indices of a combination may reach into the next block.
            if !test(start / size) || !test((start + within_block) / size) {
                return false;
            }
            // The next larger number that has no other bits than `above_block`.
            combination = combination.wrapping_sub(above_block) & above_block;
            if combination == 0 {
                return true;
            }
        }
    }
}
