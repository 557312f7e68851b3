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
    /// A position that is reached with a lower probability is evaluated statically.
    pub min_probability: f64,
    /// Size of the transposition table in bytes; `None` for a search without one.
    pub table_bytes: Option<usize>,
    pub threads: usize,
}

impl SearchOptions {
    /// Returns the options of a search to a fixed depth on one thread, with a table of 16 MiB.
    pub fn plies(plies: u8) -> Self {
        Self {
            depth: DepthPolicy::fixed(plies),
            time: None,
            min_probability: 0.0,
            table_bytes: Some(16 << 20),
            threads: 1,
        }
    }

    /// Returns true if the value of a table entry depends on the path to its position, because the
    /// probability of the path decides which positions are searched. Entries of one game can then
    /// change the moves of the next, and with several threads the moves depend on timing.
    pub fn has_path_dependent_entries(&self) -> bool {
        self.table_bytes.is_some() && self.min_probability > 0.0
    }
}
