//! The index of a weight in memory.

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

    /// Returns the index of the weight this many weights before, if there is one.
    #[inline(always)]
    pub(crate) fn before(self, weights: usize) -> Option<Self> {
        u32::try_from(weights).ok().and_then(|weights| self.0.checked_sub(weights)).map(Self)
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
