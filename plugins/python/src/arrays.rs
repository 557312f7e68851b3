//! Arrays of numpy, checked.

use numpy::{
    Element, PyArray, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn, PyReadwriteArrayDyn,
    PyUntypedArray, PyUntypedArrayMethods, dtype,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

pub type Array<'py, T> = Bound<'py, PyArrayDyn<T>>;

/// Borrows an array to read. The shape holds `None` where any length is allowed.
pub fn read<'py, T: Element>(
    object: &Bound<'py, PyAny>,
    name: &str,
    shape: &[Option<usize>],
) -> PyResult<PyReadonlyArrayDyn<'py, T>> {
    let in_use = |error| PyValueError::new_err(format!("`{name}` is in use: {error}"));
    checked(object, name, shape)?.try_readonly().map_err(in_use)
}

/// Copies an array of this many numbers, so that it may be one of those that are written meanwhile.
pub fn numbers<T: Element + Copy>(
    object: &Bound<'_, PyAny>,
    name: &str,
    count: usize,
) -> PyResult<Vec<T>> {
    Ok(read::<T>(object, name, &[Some(count)])?.as_slice()?.to_vec())
}

/// Borrows an array to write.
pub fn write<'py, T: Element>(
    object: &Bound<'py, PyAny>,
    name: &str,
    shape: &[Option<usize>],
) -> PyResult<PyReadwriteArrayDyn<'py, T>> {
    let in_use = |error| PyValueError::new_err(format!("`{name}` cannot be written: {error}"));
    checked(object, name, shape)?.try_readwrite().map_err(in_use)
}

fn checked<'a, 'py, T: Element>(
    object: &'a Bound<'py, PyAny>,
    name: &str,
    shape: &[Option<usize>],
) -> PyResult<&'a Array<'py, T>> {
    let expected = || {
        let length = |length: &Option<usize>| length.map_or("n".to_owned(), |n| n.to_string());
        let shape: Vec<_> = shape.iter().map(length).collect();
        let comma = if shape.len() == 1 { "," } else { "" };
        let dtype = dtype::<T>(object.py());
        format!(
            "`{name}` must be a contiguous array of {dtype} with shape ({}{comma})",
            shape.join(", ")
        )
    };
    let array = object.cast::<PyUntypedArray>().map_err(|_| {
        let found = object.get_type();
        PyTypeError::new_err(format!("{}, not {found}", expected()))
    })?;
    let typed = object
        .cast::<PyArrayDyn<T>>()
        .map_err(|_| PyTypeError::new_err(format!("{}, not of {}", expected(), array.dtype())))?;
    let found = array.shape();
    let fits = found.len() == shape.len()
        && found.iter().zip(shape).all(|(&found, wanted)| wanted.is_none_or(|n| n == found));
    if !fits {
        return Err(PyValueError::new_err(format!("{}, not {found:?}", expected())));
    }
    if !array.is_c_contiguous() {
        return Err(PyValueError::new_err(format!("{}; this one is not contiguous", expected())));
    }
    Ok(typed)
}

/// Returns a new array of this shape, which the elements fill.
pub fn array<'py, T: Element>(
    py: Python<'py>,
    elements: Vec<T>,
    shape: &[usize],
) -> PyResult<Array<'py, T>> {
    PyArray::from_vec(py, elements).reshape(shape.to_vec())
}
