//! Failures at run time and failures to build.

use runner_spec::Spec;
use std::fmt;

/// A failure of a game, value or agent at run time.
///
/// Hot functions have no error in their signature: a fault is raised, unwinds to the
/// nearest plugin entry or to the program, and ends the game in which it happened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Fault(pub String);

impl Fault {
    /// Creates a fault with a message.
    pub fn new(message: impl fmt::Display) -> Self {
        Self(message.to_string())
    }

    /// Unwinds with this fault to the nearest [`catch`]. No panic message is printed.
    pub fn raise(self) -> ! {
        std::panic::resume_unwind(Box::new(self))
    }

    /// Creates a fault from a caught panic. A raised fault is returned unchanged.
    pub fn from_panic(payload: Box<dyn std::any::Any + Send>) -> Self {
        if let Some(fault) = payload.downcast_ref::<Fault>() {
            fault.clone()
        } else if let Some(text) = payload.downcast_ref::<&str>() {
            Self(format!("panicked: {text}"))
        } else if let Some(text) = payload.downcast_ref::<String>() {
            Self(format!("panicked: {text}"))
        } else {
            Self("panicked".into())
        }
    }
}

/// Runs `task` and returns its fault if it raises one or panics.
pub fn catch<T>(task: impl FnOnce() -> T) -> Result<T, Fault> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(task)).map_err(Fault::from_panic)
}

/// The reason why a game, value or agent could not be built from its spec.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct BuildError {
    /// Description of the problem, with the allowed values.
    pub message: String,
    /// The parameter that caused the error, so that the message can point at it.
    pub parameter: Option<String>,
}

impl BuildError {
    /// Creates an error of the whole spec.
    pub fn new(message: impl fmt::Display) -> Self {
        Self { message: message.to_string(), parameter: None }
    }

    /// Creates the error of a host that builds nothing of this kind.
    pub fn no_plugins(kind: &str, spec: &Spec) -> Self {
        Self::new(format!("no {kind} can be built by name here, and `{spec}` was asked for"))
    }

    /// Creates an error of one parameter.
    pub fn of(parameter: &str, message: impl fmt::Display) -> Self {
        Self { message: message.to_string(), parameter: Some(parameter.to_owned()) }
    }
}

impl From<Fault> for BuildError {
    fn from(fault: Fault) -> Self {
        Self::new(fault)
    }
}
