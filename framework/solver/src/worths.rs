//! The worth of every afterstate, in order.

use crate::key::{Key, Wide};

/// The worth of afterstates: what the best play earns on average after each.
#[derive(Debug)]
pub struct Worths {
    /// Whether one afterstate stands for all its images under the symmetries of the
    /// board's geometry; else each is there for itself.
    pub canonical: bool,
    entries: Entries,
}

#[derive(Debug)]
enum Entries {
    Narrow(Vec<Vec<(u64, f32)>>),
    Wide(Vec<Vec<(Wide, f32)>>),
}

/// Keys of which lists of worths can be kept.
pub trait Listed: Key {
    /// The worths of such keys.
    fn worths(canonical: bool, entries: Vec<Vec<(Self, f32)>>) -> Worths;
}

impl Listed for u64 {
    fn worths(canonical: bool, entries: Vec<Vec<(Self, f32)>>) -> Worths {
        Worths { canonical, entries: Entries::Narrow(entries) }
    }
}

impl Listed for Wide {
    fn worths(canonical: bool, entries: Vec<Vec<(Self, f32)>>) -> Worths {
        Worths { canonical, entries: Entries::Wide(entries) }
    }
}

impl Worths {
    /// How many there are.
    pub fn len(&self) -> usize {
        match &self.entries {
            Entries::Narrow(ranges) => ranges.iter().map(Vec::len).sum(),
            Entries::Wide(ranges) => ranges.iter().map(Vec::len).sum(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bits of all afterstates, ascending, and what each is worth.
    pub fn iter(&self) -> Box<dyn Iterator<Item = (u128, f32)> + '_> {
        match &self.entries {
            Entries::Narrow(ranges) => Box::new(ranges.iter().flatten().map(bits)),
            Entries::Wide(ranges) => Box::new(ranges.iter().flatten().map(bits)),
        }
    }
}

fn bits<K: Key>(&(key, worth): &(K, f32)) -> (u128, f32) {
    (key.bits(), worth)
}
