//! The values of all afterstates, sorted.

use crate::key::{Key, Wide};

/// The value of every afterstate: the expected further score of optimal play after it.
#[derive(Debug)]
pub struct AfterstateValues {
    /// True if only the least image of each afterstate under the symmetries of the
    /// board's geometry is listed; false if every image is listed.
    pub canonical: bool,
    entries: Entries,
}

/// Sorted ranges of keys and values, in ascending order.
#[derive(Debug)]
enum Entries {
    Narrow(Vec<Vec<(u64, f32)>>),
    Wide(Vec<Vec<(Wide, f32)>>),
}

/// A key type that [`AfterstateValues`] can hold.
pub trait ValueKey: Key {
    fn values(canonical: bool, entries: Vec<Vec<(Self, f32)>>) -> AfterstateValues;
}

impl ValueKey for u64 {
    fn values(canonical: bool, entries: Vec<Vec<(Self, f32)>>) -> AfterstateValues {
        AfterstateValues { canonical, entries: Entries::Narrow(entries) }
    }
}

impl ValueKey for Wide {
    fn values(canonical: bool, entries: Vec<Vec<(Self, f32)>>) -> AfterstateValues {
        AfterstateValues { canonical, entries: Entries::Wide(entries) }
    }
}

impl AfterstateValues {
    pub fn len(&self) -> usize {
        match &self.entries {
            Entries::Narrow(ranges) => ranges.iter().map(Vec::len).sum(),
            Entries::Wide(ranges) => ranges.iter().map(Vec::len).sum(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bits and the value of each afterstate, by ascending bits.
    pub fn iter(&self) -> Box<dyn Iterator<Item = (u128, f32)> + '_> {
        match &self.entries {
            Entries::Narrow(ranges) => Box::new(ranges.iter().flatten().map(bits)),
            Entries::Wide(ranges) => Box::new(ranges.iter().flatten().map(bits)),
        }
    }
}

fn bits<K: Key>(&(key, value): &(K, f32)) -> (u128, f32) {
    (key.bits(), value)
}
