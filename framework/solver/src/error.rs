//! Errors of a solve.

use runner_core::Fault;

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SolveError {
    #[error("the game does not list its start states; give a state to solve from")]
    NoStarts,
    #[error(
        "the game has more than {states} states by an estimate, which take hours, and {memory} bytes \
         of memory or more"
    )]
    Large { states: u64, memory: u64 },
    #[error(
        "the game does not fit in memory: the {states} states found so far{} need at least \
         {needed} bytes, and the limit is {limit} bytes",
        layer.map(|layer| format!(" (up to layer {layer})")).unwrap_or_default()
    )]
    TooLarge {
        /// Number of states found so far.
        states: u64,
        layer: Option<u64>,
        /// Memory that the solve would have used at this point, in bytes.
        needed: u64,
        /// Memory limit, in bytes.
        limit: u64,
    },
    #[error(
        "value iteration does not converge: after {sweeps} sweeps over {states} states, values \
         still change by {change}, nearly as much as after half as many; a loop that earns \
         rewards has no finite value"
    )]
    Unsettled {
        states: u64,
        sweeps: u64,
        /// Largest change of a value in the last sweep.
        change: f64,
    },
    #[error("the solve was stopped")]
    Interrupted,
    /// The game panicked or broke a law of games.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// Reason why an inner step ends early.
///
/// The step may not know all that a [`SolveError`] reports; `solve` completes it.
#[derive(Debug)]
pub(crate) enum Abort {
    /// The memory limit does not allow this many bytes.
    Memory {
        /// Total memory in use if the request had been granted, in bytes.
        needed: u64,
    },
    /// A position does not fit in a key.
    TooWide,
    Failed(SolveError),
}

impl Abort {
    pub fn fault(message: impl std::fmt::Display) -> Self {
        Self::Failed(SolveError::Fault(Fault::new(message)))
    }

    /// Returns the error for a game that gives different results for the same position.
    #[cold]
    pub fn inconsistent_game() -> Self {
        Self::fault(
            "the game is not deterministic: evaluation reached a position that enumeration had \
             not found",
        )
    }
}
