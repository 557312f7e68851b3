//! The place of a weight in model files, and its index in memory.

/// A weight of a network, by its place in model files and the key of its table in memory.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The place among all weights in the order of model files.
    pub(crate) number: u32,
    /// The key of its table, see [`memory`](crate::memory).
    pub(crate) key: u32,
}

impl Place {
    /// Returns the index of the weight in tables that are permuted by their keys.
    #[inline(always)]
    pub fn index(self) -> WeightIndex {
        WeightIndex(self.number ^ self.key)
    }
}

/// Index of a weight in a table of weights: of a [`Lookup`](crate::Lookup), below its
/// [`weights`](crate::Lookup::weights), or of a [`StepNetwork`](crate::StepNetwork).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct WeightIndex(u32);

impl WeightIndex {
    /// Returns the index of a weight. The caller guarantees that it is in range.
    #[inline(always)]
    pub(crate) fn new(index: u32) -> Self {
        Self(index)
    }

    /// Returns the index this many places before, if there is one.
    #[inline(always)]
    pub(crate) fn before(self, places: usize) -> Option<Self> {
        u32::try_from(places).ok().and_then(|places| self.0.checked_sub(places)).map(Self)
    }

    #[inline(always)]
    pub(crate) fn number(self) -> u32 {
        self.0
    }

    #[inline(always)]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
