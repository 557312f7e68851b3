//! The options of a search.

use crate::depth::DepthPolicy;
use std::time::Duration;

/// Maximum search depth in plies.
pub const MAX_PLIES: u8 = 32;

#[derive(Clone, PartialEq, Debug)]
pub struct SearchOptions {
    /// Search depth in plies; with a time limit, the maximum depth.
    pub depth: DepthPolicy,
    /// Time limit for a move. The search deepens iteratively until it expires.
    pub time: Option<Duration>,
    /// Which chance outcomes are not searched.
    pub forward_pruning: ForwardPruning,
    /// Size of the transposition table in bytes; `None` for a search without one.
    pub table_bytes: Option<usize>,
    /// Keeps one table entry for all symmetric images of a position.
    pub canonical: bool,
    /// Accepts table entries of a deeper search.
    pub deeper: bool,
    /// Prunes with the bounds of the value, if its scale has bounds.
    pub prune: bool,
    pub threads: usize,
}

impl SearchOptions {
    pub fn plies(plies: u8) -> Self {
        Self {
            depth: DepthPolicy::fixed(plies),
            time: None,
            forward_pruning: ForwardPruning::default(),
            table_bytes: Some(16 << 20),
            canonical: false,
            deeper: false,
            prune: false,
            threads: 1,
        }
    }

    /// Returns true if a table entry depends on the path on which its position was
    /// reached. Entries of one game can then change the moves of the next, and with
    /// several threads the moves depend on timing.
    pub fn has_path_dependent_entries(&self) -> bool {
        self.table_bytes.is_some() && (self.deeper || self.forward_pruning.min_probability > 0.0)
    }
}

/// The chance outcomes that a search omits or evaluates statically.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ForwardPruning {
    /// A position that is reached with a lower probability is evaluated statically.
    pub min_probability: f64,
    /// Number of plies, from the root, in which rare tiles are considered. See
    /// [`OutcomeFilter`](crate::outcomes::OutcomeFilter).
    pub full_plies: u8,
}

impl Default for ForwardPruning {
    fn default() -> Self {
        Self { min_probability: 0.0, full_plies: MAX_PLIES }
    }
}
