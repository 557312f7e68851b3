//! From the place of a weight in model files to its index in memory.

use std::ops::Range;

/// The index in memory of each place of model files.
#[derive(Clone, Debug, Default)]
pub struct PlaceMap {
    /// In ascending order, and of all places.
    segments: Vec<Segment>,
    /// For each `BLOCK` places, the segment of the first.
    first: Vec<u32>,
}

/// Places whose indices follow by one rule.
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
    Same,
    /// Each bit of a place within the segment has another position in the index. For each value of
    /// each byte of the place, the bits of the index.
    Bits(Box<[[u32; 256]; 4]>),
}

/// Number of places that the search for a segment skips at once.
const BLOCK: usize = 1 << 16;

impl Order {
    /// Creates the order in which the bits of a place have these positions, the lowest bit first.
    pub fn of_bits(positions: &[u32]) -> Self {
        let mut bytes = Box::new([[0; 256]; 4]);
        for (bits, byte) in positions.chunks(8).zip(bytes.iter_mut()) {
            for (value, index) in byte.iter_mut().enumerate() {
                let set = bits.iter().enumerate().filter(|(bit, _)| value >> bit & 1 == 1);
                *index = set.map(|(_, &position)| 1 << position).sum();
            }
        }
        Self::Bits(bytes)
    }
}

impl PlaceMap {
    /// Adds places after the others: their number, the index of the first one, and their order.
    pub fn push(&mut self, count: usize, start: usize, order: Order) {
        let begin = self.segments.last().map_or(0, |last| last.places.end);
        let places = begin..begin + count;
        while self.first.len() * BLOCK < places.end {
            self.first.push(self.segments.len() as u32);
        }
        self.segments.push(Segment { places, start, order });
    }

    #[inline]
    pub fn index(&self, place: usize) -> usize {
        self.run(place).index(place)
    }

    /// Returns the indices from a place on, as far as only the lowest byte of a place changes.
    #[inline]
    pub fn run(&self, place: usize) -> Run<'_> {
        let mut number = self.first[place / BLOCK] as usize;
        while self.segments[number].places.end <= place {
            number += 1;
        }
        let Segment { ref places, start, ref order } = self.segments[number];
        let first = places.start;
        match order {
            Order::Same => Run { first, end: places.end, start, low: None },
            Order::Bits(bytes) => {
                let within = place - first;
                let [low, second, third, high] = &**bytes;
                let byte = |number: usize| within >> (8 * number) & 255;
                let upper = second[byte(1)] | third[byte(2)] | high[byte(3)];
                let end = places.end.min(first + (within | 255) + 1);
                Run { first, end, start: start + upper as usize, low: Some(low) }
            }
        }
    }
}

/// Consecutive places whose indices follow from their lowest byte.
pub struct Run<'a> {
    /// First place of the segment.
    first: usize,
    pub end: usize,
    start: usize,
    /// The bits of the index for each value of the lowest byte; none if the order is the same.
    low: Option<&'a [u32; 256]>,
}

impl Run<'_> {
    #[inline(always)]
    pub fn index(&self, place: usize) -> usize {
        let within = place - self.first;
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
        let [first, last] = [first_place - self.first, last_place - self.first];
        // The bits in which the places differ, and all below, as bits of the index: those within a
        // block, and those above, of which each combination may be a block.
        let varying = ((first ^ last) + 1).next_power_of_two() - 1;
        let index = self.start + low[first & !varying & 255] as usize;
        let bits = low[varying & 255] as usize;
        let (within, above) = (bits & (size - 1), bits & !(size - 1));
        let mut some = 0;
        loop {
            let start = index + some;
            if !test(start / size) || !test((start + within) / size) {
                return false;
            }
            some = some.wrapping_sub(above) & above;
            if some == 0 {
                return true;
            }
        }
    }
}
