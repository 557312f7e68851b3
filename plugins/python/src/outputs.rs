//! The arrays that each step of a batch writes, with a row for each game.

use crate::arrays::{array, write};
use numpy::{Element, PyArrayDyn};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The lengths of the arrays: the number of games, and the length of a row.
#[derive(Clone, Copy)]
pub struct Shape {
    pub games: usize,
    pub rows: usize,
    pub cols: usize,
    pub fields: usize,
    pub actions: usize,
}

/// Declares the arrays, each with the type of its elements and the lengths after the number of
/// games.
macro_rules! outputs {
    ($($name:ident: $element:ty [$($length:ident)*];)*) => {
        pub struct Outputs {
            shape: Shape,
            $($name: Py<PyArrayDyn<$element>>,)*
        }

        /// Some games, and their places in the arrays.
        pub struct Part<'a, S> {
            pub slots: &'a mut [S],
            $(pub $name: &'a mut [$element],)*
        }

        impl Outputs {
            pub fn new(py: Python<'_>, shape: Shape) -> PyResult<Self> {
                $(let $name = zeros(py, &[shape.games $(, shape.$length)*])?;)*
                Ok(Self { shape, $($name,)* })
            }

            /// Returns the arrays by name.
            pub fn dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
                let dict = PyDict::new(py);
                $(dict.set_item(stringify!($name), &self.$name)?;)*
                Ok(dict)
            }

            /// Runs a task on all games and the arrays, whose shapes the caller could have changed.
            pub fn with<S, T>(
                &self,
                py: Python<'_>,
                slots: &mut [S],
                task: impl FnOnce(Part<'_, S>) -> T,
            ) -> PyResult<T> {
                $(
                    let lengths = [Some(self.shape.games) $(, Some(self.shape.$length))*];
                    let mut $name = write(self.$name.bind(py), stringify!($name), &lengths)?;
                )*
                Ok(task(Part { slots, $($name: $name.as_slice_mut()?,)* }))
            }
        }

        impl<S> Part<'_, S> {
            /// Cuts the part after this many games.
            pub fn split(self, games: usize, shape: Shape) -> (Self, Self) {
                let slots = self.slots.split_at_mut(games);
                $(let $name = self.$name.split_at_mut(games $(* shape.$length)*);)*
                (Self { slots: slots.0, $($name: $name.0,)* }, Self { slots: slots.1, $($name: $name.1,)* })
            }
        }
    };
}

outputs! {
    boards: u8 [rows cols];
    extras: u8 [fields];
    rewards: f64 [];
    masks: bool [actions];
    terminated: bool [];
    truncated: bool [];
    // The last position of a game that the same step follows by another one.
    final_boards: u8 [rows cols];
    final_extras: u8 [fields];
}

fn zeros<T: Element + Default + Clone>(
    py: Python<'_>,
    shape: &[usize],
) -> PyResult<Py<PyArrayDyn<T>>> {
    let count = shape.iter().try_fold(1usize, |count, &length| count.checked_mul(length));
    let mut new = Vec::new();
    let reserved = count.filter(|&count| new.try_reserve_exact(count).is_ok());
    let count = reserved.ok_or_else(|| PyMemoryError::new_err("the games do not fit in memory"))?;
    new.resize(count, T::default());
    Ok(array(py, new, shape)?.unbind())
}
