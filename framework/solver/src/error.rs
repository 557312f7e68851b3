//! Errors of a solve.

use runner_core::Fault;

/// Reason why a game was not solved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SolveError {
    /// The game does not list its start states, and the options name no state.
    #[error("the game does not list its start states; give a state to solve from")]
    NoStarts,
    /// The solve needs more memory than the limit allows.
    #[error(
        "the game does not fit in memory: the {states} states found so far{} need at least \
         {needed} bytes, and the limit is {limit} bytes",
        layer.map(|layer| format!(" (up to layer {layer})")).unwrap_or_default()
    )]
    TooLarge {
        /// Number of states found so far.
        states: u64,
        /// Layer that was being expanded, in a game with layers.
        layer: Option<u64>,
        /// Memory that the solve would have used at this point, in bytes.
        needed: u64,
        /// Memory limit, in bytes.
        limit: u64,
    },
    /// Value iteration does not converge: some loop earns rewards for ever.
    #[error(
        "value iteration does not converge: after {sweeps} sweeps over {states} states, values \
         still change by {change}, nearly as much as after half as many; a loop that earns \
         rewards has no finite value"
    )]
    Unsettled {
        /// Number of states.
        states: u64,
        /// Number of sweeps.
        sweeps: u64,
        /// Largest change of a value in the last sweep.
        change: f64,
    },
    /// The caller asked the solve to stop.
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
    /// A position does not fit the key type.
    TooWide,
    /// The caller asked the solve to stop.
    Interrupted,
    /// Any other reason.
    Failed(SolveError),
}

impl Abort {
    /// Returns the error for a game that broke a law.
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
