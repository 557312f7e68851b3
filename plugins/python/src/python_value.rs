//! Values that are written in Python: a plugin of the value `python(id: N)`, whose estimates are
//! those of a function that the number names.

use crate::arrays::{number, numbers};
use crate::codec::Codec;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use runner_core::{
    Afterstate, BuildContext, BuildError, Fault, Plugin, Value, ValuePlugin, ValueScale, locked,
    parameters,
};
use runner_spec::one_line;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

pub const NAME: &str = "python";

struct Function {
    function: Py<PyAny>,
    takes_extras: bool,
    scale: ValueScale,
}

#[derive(Default)]
struct Functions {
    next: u64,
    by_id: BTreeMap<u64, Arc<Function>>,
    /// The last exception that a function raised, with the text of its fault.
    raised: Option<(String, PyErr)>,
}

static FUNCTIONS: Mutex<Functions> =
    Mutex::new(Functions { next: 1, by_id: BTreeMap::new(), raised: None });

fn functions() -> MutexGuard<'static, Functions> {
    locked(&FUNCTIONS)
}

/// Returns the exception that caused a failure with this text, if a function raised it.
pub fn take_raised(failure: &str) -> Option<PyErr> {
    let raised = functions().raised.take_if(|(text, _)| failure.contains(text.as_str()));
    raised.map(|(_, error)| error)
}

/// A function that estimates boards, as a value for agents of this process: its text is a spec.
///
/// The function gets boards, uint8 with shape (n, rows, cols), and if `extras` is set the fields
/// beside them, uint8 with shape (n, number of fields). It returns n numbers: the points to come
/// after each of these afterstates, or if `bounds` are given ratings between them.
#[pyclass(frozen, module = "runner")]
pub struct PythonValue {
    id: u64,
}

#[pymethods]
impl PythonValue {
    #[new]
    #[pyo3(signature = (function, *, extras = false, bounds = None))]
    fn new(
        function: Bound<'_, PyAny>,
        extras: bool,
        #[pyo3(from_py_with = number)] bounds: Option<(f32, f32)>,
    ) -> PyResult<Self> {
        if !function.is_callable() {
            return Err(PyTypeError::new_err("a value in Python is a function"));
        }
        let scale = match bounds {
            None => ValueScale::Points,
            Some((min, max)) if min < max && min.is_finite() && max.is_finite() => {
                ValueScale::Rating { min, max }
            }
            Some(_) => {
                let message = "`bounds` are two finite numbers, the lower first";
                return Err(PyValueError::new_err(message));
            }
        };
        let function =
            Arc::new(Function { function: function.unbind(), takes_extras: extras, scale });
        let functions = &mut *functions();
        let id = functions.next;
        functions.next += 1;
        functions.by_id.insert(id, function);
        Ok(Self { id })
    }

    /// The spec, such as `python(id: 1)`.
    fn __str__(&self) -> String {
        format!("{NAME}(id: {})", self.id)
    }

    fn __repr__(&self) -> String {
        self.__str__()
    }
}

impl Drop for PythonValue {
    fn drop(&mut self) {
        // Agents that were built keep the function. It is dropped after the lock is released.
        let function = functions().by_id.remove(&self.id);
        drop(function);
    }
}

parameters! {
    /// The parameters of [`Estimates`].
    pub struct Config {
        /// Number of the function
        pub id: u64 = 0;
    }
}

struct Estimates {
    function: Arc<Function>,
    codec: Codec,
}

impl Estimates {
    fn call(&self, py: Python<'_>, afterstates: &[Afterstate], values: &mut [f32]) -> PyResult<()> {
        let boards = self.codec.boards(py, afterstates)?;
        let function = self.function.function.bind(py);
        let returned = if self.function.takes_extras {
            function.call1((boards, self.codec.fields_of(py, afterstates)?))?
        } else {
            function.call1((boards,))?
        };
        // A copy, which is aligned and in the byte order of this machine.
        let estimates = py.import("numpy")?.call_method1("array", (returned, "float32"))?;
        let name = "the result of a value in Python";
        values.copy_from_slice(&numbers(&estimates, name, afterstates.len())?);
        if !values.iter().all(|value| value.is_finite()) {
            let message = "a value in Python returned a number that is not finite";
            return Err(PyValueError::new_err(message));
        }
        let ValueScale::Rating { min, max } = self.function.scale else { return Ok(()) };
        // Searches cut what the bounds make certain.
        match values.iter().find(|value| !(min..=max).contains(*value)) {
            None => Ok(()),
            Some(outside) => Err(PyValueError::new_err(format!(
                "a value in Python returned {outside}, which is outside its `bounds` {min} to {max}"
            ))),
        }
    }
}

impl Value for Estimates {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        let called = Python::attach(|py| {
            self.call(py, afterstates, values).map_err(|error| {
                let text = format!("the value in Python failed: {error}");
                // The old exception is dropped after the lock: it may own other values.
                let old = functions().raised.replace((one_line(&text), error));
                drop(old);
                text
            })
        });
        if let Err(text) = called {
            Fault::new(one_line(&text)).raise();
        }
    }

    fn scale(&self) -> ValueScale {
        self.function.scale
    }
}

impl Plugin for Estimates {
    const NAME: &'static str = NAME;
    const ABOUT: &'static str = "the estimates of a function of Python";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;
}

impl ValuePlugin for Estimates {
    fn new(config: Config, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let Some(board) = &context.game.geometry else {
            return Err(BuildError::new("this game has no board, which a value in Python needs"));
        };
        let Some(function) = functions().by_id.get(&config.id).cloned() else {
            let message = "names no `runner.PythonValue`: keep it as long as its spec is used";
            return Err(BuildError::of("id", format!("{} {message}", config.id)));
        };
        Ok(Self { function, codec: Codec::new(board) })
    }
}

runner_plugin::export_plugin! {
    values: [Estimates],
}
