//! Why a game was not solved.

use runner_core::Fault;

/// Why a game was not solved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SolveError {
    /// It does not list the states in which it begins, and none was given.
    #[error("the game does not list the states in which it begins; give a state to solve it from")]
    NoStarts,
    /// It needs more memory than it may take.
    #[error(
        "the game is too large: {states} states are found{}, and they need at least {needed} \
         bytes of the {limit} that may be taken",
        layer.map(|layer| format!(" up to layer {layer}")).unwrap_or_default()
    )]
    TooLarge {
        /// How many states were found until then.
        states: u64,
        /// The layer that was reached, in a game of layers.
        layer: Option<u64>,
        /// How many bytes the solve would have taken at this point.
        needed: u64,
        /// How many it may take.
        limit: u64,
    },
    /// Its values grow for ever, or nearly so.
    #[error(
        "the value of the game does not settle: after {sweeps} sweeps over {states} states \
         values still change by {change}, hardly less than halfway there; a loop that earns \
         rewards has no finite value"
    )]
    Unsettled {
        /// How many states it has.
        states: u64,
        /// How often all were gone through.
        sweeps: u64,
        /// The largest change in the last sweep.
        change: f64,
    },
    /// It was told to stop.
    #[error("the solve was stopped")]
    Interrupted,
    /// The game failed, or broke a law.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// Why work ends early, on its way up to where more is known.
#[derive(Debug)]
pub(crate) enum Stop {
    /// There is not as much memory as this.
    Memory {
        /// How many bytes would be taken.
        needed: u64,
    },
    /// A position does not fit the keys.
    TooWide,
    /// It was told to stop.
    Interrupted,
    /// Anything else.
    Failed(SolveError),
}

impl Stop {
    /// The game failed, or broke a law.
    pub fn fault(message: impl std::fmt::Display) -> Self {
        Self::Failed(SolveError::Fault(Fault::new(message)))
    }
}
