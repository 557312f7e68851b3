//! What went wrong while something ran, and what could not be built.

use std::fmt;

/// A failure of a game, value or agent while it was at work.
///
/// Hot calls have no error in their signature: a fault is raised, unwinds to the
/// nearest plugin entry or to the runner, and ends the game in which it happened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Fault(pub String);

impl Fault {
    /// A fault with this message.
    pub fn new(message: impl fmt::Display) -> Self {
        Self(message.to_string())
    }

    /// Unwinds with this fault, to where [`catch`] is waiting. No panic message
    /// is printed.
    pub fn raise(self) -> ! {
        std::panic::resume_unwind(Box::new(self))
    }

    /// What a caught unwinding says: a raised fault as it is, a panic as its
    /// message.
    pub fn from_panic(payload: Box<dyn std::any::Any + Send>) -> Self {
        match payload.downcast::<Fault>() {
            Ok(fault) => *fault,
            Err(payload) => Self(match payload.downcast_ref::<&str>() {
                Some(text) => format!("panicked: {text}"),
                None => match payload.downcast_ref::<String>() {
                    Some(text) => format!("panicked: {text}"),
                    None => "panicked".into(),
                },
            }),
        }
    }
}

/// Runs what may raise a fault or panic.
pub fn catch<T>(task: impl FnOnce() -> T) -> Result<T, Fault> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(task)).map_err(Fault::from_panic)
}

/// Why a game, value or agent could not be built from its spec.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct BuildError {
    /// What is wrong, and what is allowed.
    pub message: String,
    /// The parameter that is to blame, so that it can be pointed at.
    pub parameter: Option<String>,
}

impl BuildError {
    /// An error of the whole.
    pub fn new(message: impl fmt::Display) -> Self {
        Self { message: message.to_string(), parameter: None }
    }

    /// An error of one parameter.
    pub fn of(parameter: &str, message: impl fmt::Display) -> Self {
        Self { message: message.to_string(), parameter: Some(parameter.to_owned()) }
    }
}

impl From<Fault> for BuildError {
    fn from(fault: Fault) -> Self {
        Self::new(fault)
    }
}
