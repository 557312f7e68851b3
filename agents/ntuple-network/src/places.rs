//! The records of weights in the order of model files.

use crate::lookup::Lookup;
use crate::place_map::PlaceMap;
use std::ops::{Index, Range};

/// Records that are accessed by their places in model files, wherever they lie in memory.
#[derive(Debug)]
pub struct Places<'a, T> {
    /// In the order of memory.
    records: &'a [T],
    map: &'a PlaceMap,
}

impl<T> Clone for Places<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Places<'_, T> {}

impl<'a, T> Places<'a, T> {
    /// Wraps records that lie in the order of a lookup's indices.
    pub fn new(records: &'a [T], lookup: &'a Lookup) -> Self {
        Self { records, map: lookup.places() }
    }

    pub fn len(self) -> usize {
        self.records.len()
    }

    pub fn is_empty(self) -> bool {
        self.records.is_empty()
    }

    #[inline]
    pub fn at(self, place: usize) -> &'a T {
        &self.records[self.map.index(place)]
    }

    /// Returns the records in the order of memory.
    pub fn in_memory(self) -> &'a [T] {
        self.records
    }

    /// Returns true if `test` is true for each block that has one of these places; it may test
    /// more. Block k is the records from `size * k` on in memory. The size is a power of two.
    #[inline]
    pub fn all_blocks_of(
        self,
        places: Range<usize>,
        size: usize,
        test: impl Fn(usize) -> bool,
    ) -> bool {
        let mut next = places.start;
        while next < places.end {
            let run = self.map.run(next);
            if !run.all_blocks_of(next..places.end.min(run.end), size, &test) {
                return false;
            }
            next = run.end;
        }
        true
    }

    /// Calls `visit` with each of some places and its record. This is faster than
    /// [`at`](Self::at).
    #[inline]
    pub fn each_of(self, places: Range<usize>, mut visit: impl FnMut(usize, &'a T)) {
        let mut next = places.start;
        while next < places.end {
            let run = self.map.run(next);
            for place in next..places.end.min(run.end) {
                visit(place, &self.records[run.index(place)]);
            }
            next = run.end;
        }
    }
}

impl<T> Index<usize> for Places<'_, T> {
    type Output = T;

    #[inline]
    fn index(&self, place: usize) -> &T {
        self.at(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place_map::Order;
    use std::cell::RefCell;
    use std::collections::BTreeSet;

    #[test]
    fn blocks_of_places_are_those_of_their_indices() {
        // The bits of the second segment are spread; the third begins within a block.
        let spread = Order::of_bits(&[0, 4, 1, 8, 9, 2, 11, 3, 10, 5, 6, 7]);
        let mut map = PlaceMap::default();
        map.push(700, 4096, Order::Same);
        map.push(4096, 0, spread);
        map.push(50, 4796, Order::Same);
        let records = vec![0u8; 4846];
        let places = Places { records: &records, map: &map };
        for (first, size) in [(0, 16), (690, 16), (700, 4), (764, 64), (3000, 128), (4790, 32)] {
            let some = first..first + 56;
            let needed: BTreeSet<_> = some.clone().map(|place| map.index(place) / size).collect();
            for &block in &needed {
                assert!(!places.all_blocks_of(some.clone(), size, |number| number != block));
            }
            assert!(places.all_blocks_of(some.clone(), size, |_| true));
        }
        // Aligned places that differ in 6 bits, of which two are above those of a block.
        let tested = RefCell::new(BTreeSet::new());
        let test = |number| {
            tested.borrow_mut().insert(number);
            true
        };
        places.all_blocks_of(700 + 64..700 + 128, 256, test);
        let exact: BTreeSet<_> = (764..828).map(|place| map.index(place) / 256).collect();
        assert_eq!(tested.into_inner(), exact);
    }
}
