//! The weights of a network before training.

use crate::lookup::Lookup;
use crate::promotion::Inheritance;
use crate::weight::Weight;

/// The weights of a network before training: one value, except for those that are promoted from
/// an earlier stage, which are zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Initial {
    value: f32,
    end: usize,
}

impl Initial {
    pub fn new(value: f32, inheritance: Inheritance, lookup: &Lookup) -> Self {
        let end = match inheritance {
            Inheritance::None => lookup.weights(),
            Inheritance::Weights | Inheritance::WeightsAndMemory => lookup.per_stage(),
        };
        Self { value, end }
    }

    /// Returns the initial weights of a network without promotion.
    pub fn of_all(value: f32) -> Self {
        Self { value, end: usize::MAX }
    }

    /// Returns the value of the weights that are not promoted.
    pub fn value(self) -> f32 {
        self.value
    }

    /// Returns true if a weight, while it is untouched, has the value of an earlier stage.
    pub fn is_promoted(self, place: usize) -> bool {
        place >= self.end
    }

    #[inline(always)]
    pub fn at(self, place: usize) -> f32 {
        if place < self.end { self.value } else { 0.0 }
    }

    pub fn store(self, weights: &[Weight]) {
        if self.value != 0.0 {
            weights[..self.end].iter().for_each(|weight| weight.set(self.value));
        }
    }
}
