//! Weight promotion: a weight of a later stage begins with its value in the previous
//! stage. Section V.D of W. Jaśkowski, "Mastering 2048 with delayed temporal coherence learning,
//! multi-stage weight promotion, redundant encoding and carousel shaping" (2018).
//!
//! A weight of a later stage whose bits are all zero is untouched: [`Weight::touch`] never
//! stores these bits. When training first reads such a weight, it gets the value of the
//! nearest earlier stage in which the weight is touched, or of the first stage. Evaluation
//! reads the same value, and changes nothing.

use crate::index::WeightIndex;
use crate::lookup::Lookup;
use crate::memory::Entries;
use crate::weight::{Memory, Record, sum, sum_of};
use runner_core::words;

words! {
    /// The parts of a record that a weight inherits from the previous stage.
    #[derive(Copy)]
    pub enum Inheritance {
        /// Nothing: every stage begins with the initial value.
        None = "none",
        /// The weight.
        Weights = "weights",
        /// The weight and its learning state, such as the sums of TC.
        WeightsAndMemory = "weights-and-memory",
    }
}

/// The weights of a network before training: one value, except for those that are promoted from
/// an earlier stage, which are zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Initial {
    value: f32,
    /// The first place of a weight that is promoted, or the number of weights if there is none.
    end: usize,
}

impl Initial {
    pub fn new(value: f32, inheritance: Inheritance, lookup: &Lookup) -> Self {
        let end = match inheritance {
            Inheritance::None => lookup.weights(),
            Inheritance::Weights | Inheritance::WeightsAndMemory => lookup.per_stage(),
        };
        Self { value, end }
    }

    /// Returns the value of the weights that are not promoted.
    pub fn value(self) -> f32 {
        self.value
    }

    /// Returns true if a weight, while it is untouched, has the value of an earlier stage.
    pub fn is_promoted(self, place: usize) -> bool {
        place >= self.end
    }

    #[inline(always)]
    pub fn at(self, place: usize) -> f32 {
        if place < self.end { self.value } else { 0.0 }
    }

    /// Stores the initial weights. Those that are zero are not written.
    pub fn store<M>(self, records: &[Record<M>]) {
        if self.value != 0.0 {
            records[..self.end].iter().for_each(|record| record.weight.set(self.value));
        }
    }
}

/// Reads and promotes the weights of a network with several stages. The weight that replaces an
/// untouched one is its *source*: in an earlier stage, a multiple of `per_stage` before it.
#[derive(Clone, Copy, Debug)]
pub struct Promotion {
    /// Number of weights of a stage.
    per_stage: usize,
    /// True if the learning state is promoted too.
    with_memory: bool,
}

impl Promotion {
    /// Returns `None` if the network has one stage or its stages inherit nothing.
    pub fn new(inheritance: Inheritance, lookup: &Lookup) -> Option<Self> {
        let with_memory = inheritance == Inheritance::WeightsAndMemory;
        (lookup.stages() > 1 && inheritance != Inheritance::None)
            .then_some(Self { per_stage: lookup.per_stage(), with_memory })
    }

    /// Promotes the untouched weights of a position, and returns the sum of all its weights.
    #[inline(always)]
    pub fn promote_and_sum<M: Memory>(
        self,
        records: Entries<'_, Record<M>>,
        indices: &[WeightIndex],
    ) -> f32 {
        match self.sum(records, indices) {
            Some(value) => value,
            None => self.promote(records, indices),
        }
    }

    /// Returns what [`promote_and_sum`](Self::promote_and_sum) returns, but promotes nothing.
    #[inline(always)]
    pub fn value<M>(self, records: Entries<'_, Record<M>>, indices: &[WeightIndex]) -> f32 {
        match self.sum(records, indices) {
            Some(value) => value,
            None => self.sum_of_sources(records, indices),
        }
    }

    /// Returns the value of a weight, or that of its source if it is untouched.
    pub fn weight<M>(self, records: &[Record<M>], index: usize) -> f32 {
        let (records, index) = (Entries::new(records), WeightIndex::new(index as u32));
        records.at(self.source(records, index)).weight.get()
    }

    /// Returns the sum of a position's weights, or `None` if one of them has a source. All of them
    /// are in the same stage, and weights of the first stage have no source.
    #[inline(always)]
    fn sum<M>(self, records: Entries<'_, Record<M>>, indices: &[WeightIndex]) -> Option<f32> {
        // Counted without a branch, so that the loads do not wait for each other.
        let mut untouched = 0u32;
        let value = sum_of(records, indices, |weight| {
            untouched += u32::from(weight.is_untouched());
            weight.get()
        });
        let first_stage = indices.first().is_none_or(|first| first.index() < self.per_stage);
        (first_stage || untouched == 0).then_some(value)
    }

    #[cold]
    fn promote<M: Memory>(self, records: Entries<'_, Record<M>>, indices: &[WeightIndex]) -> f32 {
        // Most sources are in the previous stage and in no cache.
        for &index in indices {
            if records.at(index).weight.is_untouched()
                && let Some(before) = index.before(self.per_stage)
            {
                records.prefetch(before);
            }
        }
        for &index in indices {
            let record = records.at(index);
            if record.weight.is_untouched() {
                let source = records.at(self.source(records, index));
                record.weight.touch(source.weight.get());
                if self.with_memory {
                    for number in 0..M::WORDS {
                        record.memory.set_word(number, source.memory.word(number));
                    }
                }
            }
        }
        sum(records, indices)
    }

    #[cold]
    fn sum_of_sources<M>(self, records: Entries<'_, Record<M>>, indices: &[WeightIndex]) -> f32 {
        let sources: Vec<_> = indices.iter().map(|&index| self.source(records, index)).collect();
        sum(records, &sources)
    }

    /// Returns the weight itself if it is touched or in the first stage, otherwise its source.
    fn source<M>(self, records: Entries<'_, Record<M>>, index: WeightIndex) -> WeightIndex {
        let mut source = index;
        while records.at(source).weight.is_untouched()
            && let Some(before) = source.before(self.per_stage)
        {
            source = before;
        }
        source
    }
}
