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

/// The buffers and counters of one thread, aligned so that no two threads share a cache
/// line: the counters change at every node.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct Scratch {
    pub(crate) levels: Vec<Level>,
    /// The counters since [`prepare`](Scratch::prepare).
    pub stats: SearchStats,
}

impl Scratch {
    /// Resets the counters and makes room for a search of this many plies in a game with at
    /// most `max_outcomes` outcomes.
    pub fn prepare(&mut self, plies: u8, max_outcomes: usize) {
        while self.levels.len() <= usize::from(plies) {
            self.levels.push(Level::new(max_outcomes));
        }
        self.stats = SearchStats::default();
    }
}

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
    pub successors: Vec<Successor>,
    /// For each outcome, its probability and the end of its successors.
    pub outcomes: Vec<(f64, usize)>,
}

impl InteriorOutcomes {
    pub fn clear(&mut self) {
        self.successors.clear();
        self.outcomes.clear();
    }

    pub fn add(&mut self, probability: f64, successors: &[Successor]) {
        self.successors.extend_from_slice(successors);
        self.outcomes.push((probability, self.successors.len()));
    }
}
