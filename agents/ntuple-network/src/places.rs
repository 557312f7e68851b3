//! The records of weights in the order of model files, which does not depend on how they lie in
//! memory.

use crate::lookup::Lookup;
use crate::place_map::PlaceMap;
use std::ops::{Index, Range};

/// The records of all weights in the order of model files.
#[derive(Debug)]
pub struct Places<'a, T> {
    records: &'a [T],
    map: Option<&'a PlaceMap>,
}

impl<T> Clone for Places<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Places<'_, T> {}

impl<'a, T> Places<'a, T> {
    pub fn new(records: &'a [T], lookup: &'a Lookup) -> Self {
        Self { records, map: Some(lookup.places()) }
    }

    pub fn len(self) -> usize {
        self.records.len()
    }

    pub fn is_empty(self) -> bool {
        self.records.is_empty()
    }

    #[inline]
    pub fn at(self, place: usize) -> &'a T {
        &self.records[self.map.map_or(place, |map| map.index(place))]
    }

    pub fn iter(self) -> impl Iterator<Item = &'a T> {
        (0..self.len()).map(move |place| self.at(place))
    }

    /// Calls `visit` with each of some places and its record, faster than [`at`](Self::at) for each.
    #[inline]
    pub fn each_of(self, places: Range<usize>, mut visit: impl FnMut(usize, &'a T)) {
        let Some(map) = self.map else {
            return places.for_each(|place| visit(place, &self.records[place]));
        };
        let mut next = places.start;
        while next < places.end {
            let run = map.run(next);
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

/// Records that lie in the order of model files.
impl<'a, T> From<&'a [T]> for Places<'a, T> {
    fn from(records: &'a [T]) -> Self {
        Self { records, map: None }
    }
}
