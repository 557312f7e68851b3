//! The buffers and counters of one thread of a search.

use crate::leaf_batch::LeafBatch;
use runner_core::{Outcomes, Successor, Successors};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SearchStats {
    pub nodes: u64,
    pub leaves: u64,
    /// Chance nodes answered by the transposition table.
    pub hits: u64,
}

impl SearchStats {
    pub fn add(&mut self, other: Self) {
        self.nodes += other.nodes;
        self.leaves += other.leaves;
        self.hits += other.hits;
    }
}

/// The buffers and counters of one thread. The alignment keeps threads on different cache lines,
/// because the counters change at every node.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Scratch {
    /// The buffers of each level of the tree. A chance node uses the first level of the slice that
    /// it gets, and passes the others on.
    pub(crate) levels: Vec<Level>,
    /// The counters since the last call of [`prepare`](Scratch::prepare).
    pub stats: SearchStats,
}

impl Scratch {
    /// Resets the counters, and allocates the levels for a search of this depth in a game with at
    /// most `max_outcomes` outcomes of a chance node.
    pub fn prepare(&mut self, plies: u8, max_outcomes: usize) {
        while self.levels.len() <= usize::from(plies) {
            self.levels.push(Level::new(max_outcomes));
        }
        self.stats = SearchStats::default();
    }
}

/// The buffers of a chance node: its outcomes, the successors of one outcome, and the outcomes
/// that are leaves or are searched further.
#[derive(Debug)]
pub(crate) struct Level {
    pub outcomes: Box<Outcomes>,
    pub successors: Successors,
    pub leaves: LeafBatch,
    pub interior: InteriorOutcomes,
}

impl Level {
    fn new(max_outcomes: usize) -> Self {
        Self {
            outcomes: Outcomes::with_capacity(max_outcomes),
            successors: Successors::new(),
            leaves: LeafBatch::default(),
            interior: InteriorOutcomes::default(),
        }
    }
}

/// The outcomes of a chance node that are searched further. All are listed before the first
/// is searched, so that their table entries can be prefetched.
#[derive(Debug, Default)]
pub(crate) struct InteriorOutcomes {
    /// The successors of the first outcome, then those of the second, and so on.
    pub successors: Vec<Successor>,
    pub outcomes: Vec<InteriorOutcome>,
}

#[derive(Debug)]
pub(crate) struct InteriorOutcome {
    pub probability: f64,
    /// The end of its successors, which begin at the end of those of the outcome before.
    pub successors_end: usize,
}

impl InteriorOutcomes {
    pub fn clear(&mut self) {
        self.successors.clear();
        self.outcomes.clear();
    }

    pub fn add(&mut self, probability: f64, successors: &[Successor]) {
        self.successors.extend_from_slice(successors);
        let successors_end = self.successors.len();
        self.outcomes.push(InteriorOutcome { probability, successors_end });
    }
}
