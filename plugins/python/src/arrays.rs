//! Arrays of numpy and numbers, checked.

use numpy::{
    BorrowError, Element, PyArray, PyArrayDescr, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods,
    PyReadonlyArrayDyn, PyReadwriteArrayDyn, PyUntypedArray, PyUntypedArrayMethods, dtype,
};
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyOverflowError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;

pub type Array<'py, T> = Bound<'py, PyArrayDyn<T>>;

/// The shape of an argument; `None` where any length is allowed.
type Lengths<'a> = &'a [Option<usize>];

/// Borrows an array to read, or a copy of it: of anything that numpy can cast without loss.
pub fn read<'py, T: Element>(
    object: &Bound<'py, PyAny>,
    name: &str,
    lengths: Lengths<'_>,
) -> PyResult<PyReadonlyArrayDyn<'py, T>> {
    let array = match object.cast::<PyArrayDyn<T>>() {
        Ok(array) if array.is_c_contiguous() && array.is_aligned() => array.clone(),
        _ => cast(object, name, lengths)?,
    };
    check(&array, name, lengths)?;
    array.try_readonly().map_err(|error| refused(name, error))
}

/// Copies an array of this many numbers, so that it may be one of those that are written meanwhile.
pub fn numbers<T: Element + Copy>(
    object: &Bound<'_, PyAny>,
    name: &str,
    count: usize,
) -> PyResult<Vec<T>> {
    Ok(read::<T>(object, name, &[Some(count)])?.as_slice()?.to_vec())
}

/// Copies an array of truth values: bytes, which a view of them may have set to any number.
pub fn flags(object: &Bound<'_, PyAny>, name: &str, count: usize) -> PyResult<Vec<bool>> {
    let flags = read::<bool>(object, name, &[Some(count)])?;
    let bytes = numbers::<u8>(&flags.call_method1("view", ("uint8",))?, name, count)?;
    Ok(bytes.into_iter().map(|byte| byte != 0).collect())
}

/// Borrows an array of ours to write. Python may have changed everything about it.
pub fn write<'py, T: Element>(
    array: &Bound<'py, PyAny>,
    name: &str,
    lengths: Lengths<'_>,
) -> PyResult<PyReadwriteArrayDyn<'py, T>> {
    let array = array.cast::<PyArrayDyn<T>>().map_err(|_| wrong_type::<T>(array, name, lengths))?;
    check(array, name, lengths)?;
    if !array.is_c_contiguous() || !array.is_aligned() {
        let expected = expected::<T>(array.py(), name, lengths);
        return Err(PyValueError::new_err(format!("{expected}; this one is not contiguous")));
    }
    array.try_readwrite().map_err(|error| refused(name, error))
}

/// Returns a new array, if numpy can cast the elements safely, or if they are whole numbers that
/// fit.
fn cast<'py, T: Element>(
    object: &Bound<'py, PyAny>,
    name: &str,
    lengths: Lengths<'_>,
) -> PyResult<Array<'py, T>> {
    let (py, wanted) = (object.py(), dtype::<T>(object.py()));
    let numpy = py.import("numpy")?;
    let given = numpy.call_method1("asarray", (object,))?;
    let found = given.cast::<PyUntypedArray>()?.dtype();
    let is_whole = |dtype: &Bound<'_, PyArrayDescr>| matches!(dtype.kind(), b'i' | b'u');
    let is_safe = numpy.call_method1("can_cast", (&found, &wanted))?.extract::<bool>()?;
    if !(is_safe || is_whole(&found) && is_whole(&wanted)) {
        return Err(wrong_type::<T>(&given, name, lengths));
    }
    let copy = numpy.call_method1("array", (&given, &wanted))?;
    let cast = numpy.call_method1("ascontiguousarray", (copy,))?.cast_into::<PyArrayDyn<T>>()?;
    if !is_safe && !numpy.call_method1("array_equal", (&given, &cast))?.extract::<bool>()? {
        let expected = expected::<T>(py, name, lengths);
        return Err(PyValueError::new_err(format!("{expected}; a number of {found} does not fit")));
    }
    Ok(cast)
}

fn check<T: Element>(array: &Array<'_, T>, name: &str, lengths: Lengths<'_>) -> PyResult<()> {
    let found = array.shape();
    let fits = found.len() == lengths.len()
        && found.iter().zip(lengths).all(|(&found, wanted)| wanted.is_none_or(|n| n == found));
    if fits {
        return Ok(());
    }
    let expected = expected::<T>(array.py(), name, lengths);
    Err(PyValueError::new_err(format!("{expected}, not {found:?}")))
}

fn expected<T: Element>(py: Python<'_>, name: &str, lengths: Lengths<'_>) -> String {
    let length = |length: &Option<usize>| length.map_or("n".to_owned(), |n| n.to_string());
    let shape: Vec<_> = lengths.iter().map(length).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    format!(
        "`{name}` must be an array of {} with shape ({}{comma})",
        dtype::<T>(py),
        shape.join(", ")
    )
}

fn wrong_type<T: Element>(array: &Bound<'_, PyAny>, name: &str, lengths: Lengths<'_>) -> PyErr {
    let found = array.getattr("dtype").map_or_else(|_| "?".to_owned(), |dtype| dtype.to_string());
    PyTypeError::new_err(format!("{}, not of {found}", expected::<T>(array.py(), name, lengths)))
}

fn refused(name: &str, error: BorrowError) -> PyErr {
    match error {
        BorrowError::NotWriteable => {
            PyValueError::new_err(format!("`{name}` cannot be written: it is read-only"))
        }
        _ => PyRuntimeError::new_err(format!("`{name}` is in use by another thread")),
    }
}

/// Returns a new array of this shape, which the elements fill.
pub fn array<'py, T: Element>(
    py: Python<'py>,
    elements: Vec<T>,
    shape: &[usize],
) -> PyResult<Array<'py, T>> {
    PyArray::from_vec(py, elements).reshape(shape.to_vec())
}

/// Reads a number that is an argument. One that does not fit its type is a wrong value, as any
/// other that is out of its range, where Python alone raises an `OverflowError`.
pub fn number<'py, T: FromPyObjectOwned<'py>>(argument: &Bound<'py, PyAny>) -> PyResult<T> {
    let read: PyResult<T> = argument.extract::<T>().map_err(Into::into);
    read.map_err(|error| {
        if !error.is_instance_of::<PyOverflowError>(argument.py()) {
            return error;
        }
        PyValueError::new_err(format!("the number {argument} is out of range"))
    })
}
