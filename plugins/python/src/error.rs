//! Failures as exceptions of Python, with the text of the program.

use crate::python_value;
use pyo3::exceptions::{PyException, PyKeyboardInterrupt, PyValueError};
use pyo3::{PyErr, create_exception};
use runner_core::Fault;
use runner_play::failure::{Failure, attributed};

create_exception!(
    runner,
    RunnerError,
    PyException,
    "A failure of a game, a player, a plugin or a file."
);

/// Returns the exception of a failure: a `ValueError` for wrong arguments, with the place in the
/// text, otherwise a `RunnerError`. If an exception in a Python function caused the failure, that
/// exception is returned.
pub fn raise(failure: impl Into<Failure>) -> PyErr {
    let failure = failure.into();
    let message = failure.to_string();
    if let Some(raised) = python_value::take_raised(&message) {
        return raised;
    }
    match failure {
        Failure::Usage { place: Some(place), .. } => {
            PyValueError::new_err(format!("{message}\n{place}"))
        }
        Failure::Usage { .. } => PyValueError::new_err(message),
        Failure::Interrupted(_) => PyKeyboardInterrupt::new_err(message),
        Failure::Failed { .. } | Failure::Undecided | Failure::ClosedPipe => {
            RunnerError::new_err(message)
        }
    }
}

/// Returns the exception of a fault, which names one of these plugins.
pub fn raise_fault(fault: &Fault, whose: &[&str]) -> PyErr {
    raise(Failure::failed(attributed(&fault.0, whose)))
}
