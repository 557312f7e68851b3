//! The entries of weights in the order of model files, which knows no permutation of tables.

use crate::lookup::{Lookup, entry};
use std::ops::Index;

/// The entries of all weights in the order of model files.
#[derive(Debug)]
pub struct Places<'a, T> {
    entries: &'a [T],
    keys: &'a [u16],
}

impl<T> Clone for Places<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Places<'_, T> {}

impl<'a, T> Places<'a, T> {
    pub fn new(entries: &'a [T], lookup: &'a Lookup) -> Self {
        Self { entries, keys: lookup.keys() }
    }

    pub fn len(self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(self) -> bool {
        self.entries.is_empty()
    }

    #[inline]
    pub fn at(self, place: usize) -> &'a T {
        &self.entries[entry(self.keys, place)]
    }

    pub fn iter(self) -> impl Iterator<Item = &'a T> {
        (0..self.len()).map(move |place| self.at(place))
    }
}

impl<T> Index<usize> for Places<'_, T> {
    type Output = T;

    #[inline]
    fn index(&self, place: usize) -> &T {
        self.at(place)
    }
}

/// Entries whose lookup permutes no table.
impl<'a, T> From<&'a [T]> for Places<'a, T> {
    fn from(entries: &'a [T]) -> Self {
        Self { entries, keys: &[] }
    }
}
