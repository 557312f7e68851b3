//! Weights as multiples of a step, which is larger for weights that training used less.
//!
//! The rounding error of a weight counts each time the weight is read, and half of all weights have 0.3%
//! of the sum of all absolute errors. So weights are ranked by their sums of absolute errors, which grow
//! with each update. Each time the rank doubles, so does the step. The weights of a group have one step,
//! by the mean of their sums: to store one for each weight takes more bytes than it saves.
//!
//! A change is not stored if its bits reduce the rounding error by less than bits of a smaller step
//! would.

use crate::contents::Contents;
use crate::tree::{GROUP, Piece};
use agent_ntuple_network::{Initial, Memory, Weight};
use std::ops::Range;

/// The smallest step is this part of the mean change of the best trained weights.
const LEVELS: f64 = 48.0;

/// By how much one bit more reduces the mean squared rounding error, in squared steps: a bit halves the step, and
/// with it the error of s^2/12, and this is its derivative.
const BIT: f32 = std::f32::consts::LN_2 / 6.0;

/// Bits of a stored change, about, beside those that say that it is stored.
const CHANGE_BITS: f32 = 3.0;

/// A weight that has been rounded before has less than this number of steps.
const MOST_STEPS: f32 = 1e6;

/// Sums with equal upper 16 bits have the same rank.
const CLASSES: usize = 1 << 16;

/// The steps of a network.
pub struct Steps<'a, M> {
    /// The smallest step.
    pub step: f32,
    /// The step doubles for each of these that the sum of a weight's absolute errors does not reach.
    limits: Vec<f32>,
    weights: &'a [Weight],
    memory: Option<&'a [M]>,
    /// The step of weights that have been rounded before, if they have no learning state.
    rounded: Option<f32>,
    initial: Initial,
}

impl<'a, M: Memory> Steps<'a, M> {
    /// Returns the steps that double this number of times. Without learning state the weights of a
    /// file with steps keep about theirs, and all others have the smallest one.
    pub fn of(contents: &Contents<'a, M>, doublings: u32) -> Self {
        let &Contents { weights, memory, initial, .. } = contents;
        let unset = Self { step: 1.0, limits: Vec::new(), weights, memory, rounded: None, initial };
        let has_sums = memory.is_some_and(|memory| {
            memory.iter().any(|memory| memory.sums().is_some_and(|sums| sums.1 != 0.0))
        });
        if let Some(step) = unset.common_step().filter(|_| !has_sums) {
            // Between the sums of a weight with one doubling less and with this number.
            let limit = |doublings: u32| sum_of_rounded(doublings) * 2.0;
            let limits = (1..=doublings).map(limit).collect();
            return Self { step, limits, rounded: Some(step), ..unset };
        }
        // For each class of sums, the number of changed weights and the sum of their changes.
        let mut classes = vec![(0u64, 0.0); CLASSES];
        for place in 0..weights.len() {
            if let Some(change) = unset.change(place) {
                let class = &mut classes[(unset.sum(place, change).to_bits() >> 16) as usize];
                *class = (class.0 + 1, class.1 + f64::from(change.abs()));
            }
        }
        let total: u64 = classes.iter().map(|class| class.0).sum();
        let limits: Vec<usize> = (1..=doublings).map(|k| best(&classes, total >> k)).collect();
        let trained = &classes[limits.last().copied().unwrap_or(0)..];
        let count: u64 = trained.iter().map(|class| class.0).sum();
        let changes: f64 = trained.iter().map(|class| class.1).sum();
        let step = (changes / count.max(1) as f64 / LEVELS) as f32;
        let limits = limits.iter().map(|&class| f32::from_bits((class as u32) << 16)).collect();
        Self { step: if step > 0.0 { step } else { 1.0 }, limits, ..unset }
    }

    /// Returns the smallest change, if all changes are multiples of it.
    fn common_step(&self) -> Option<f32> {
        let changes = || (0..self.weights.len()).filter_map(|place| self.change(place));
        let sizes = || changes().map(f32::abs).filter(|&size| size > 0.0);
        let step = sizes().fold(f32::INFINITY, f32::min);
        // Of larger numbers the precision does not show whether they are integers.
        let is_multiple = |size: f32| {
            let steps = size / step;
            steps < MOST_STEPS && (steps - steps.round()).abs() < 0.01
        };
        (step.is_finite() && sizes().all(is_multiple)).then_some(step)
    }

    /// Returns the change of a weight in training, if there is one.
    fn change(&self, place: usize) -> Option<f32> {
        let (weight, initial) = (self.weights[place].get(), self.initial.at(place));
        (weight.to_bits() != initial.to_bits()).then_some(weight - initial)
    }

    /// Returns the sum of a weight's absolute errors, or a number with the same order.
    fn sum(&self, place: usize, change: f32) -> f32 {
        match self.rounded {
            Some(step) => sum_of_rounded(((change / step).round() as i64).trailing_zeros()),
            None => {
                self.memory.and_then(|memory| memory[place].sums()).map_or(0.0, |sums| sums.1.abs())
            }
        }
    }

    /// Sets the numbers of steps of a piece, whose weights have these places.
    pub fn round(&self, places: Range<usize>, piece: &mut Piece) {
        let all = places.clone().step_by(GROUP).zip(piece.steps.chunks_mut(GROUP));
        for ((first, steps), doublings) in all.zip(&mut piece.doublings) {
            let changes = (first..places.end.min(first + GROUP))
                .filter_map(|place| Some((place, self.change(place)?)))
                .map(|(place, change)| (place, change, self.sum(place, change)));
            let (count, sum) = changes.clone().fold((0, 0.0), |(n, sum), c| (n + 1, sum + c.2));
            if count == 0 {
                continue;
            }
            let mean = sum / count as f32;
            *doublings = self.limits.iter().filter(|&&limit| mean < limit).count() as u8;
            // An untouched weight of a later stage has the value of an earlier one, so a change there is
            // stored, and is at least one step.
            let promoted = changes.clone().filter(|c| self.initial.is_promoted(c.0));
            let smallest = promoted.map(|c| c.1.abs()).fold(f32::INFINITY, f32::min);
            while *doublings > 0 && smallest < self.step / 2.0 * f32::from(1u16 << *doublings) {
                *doublings -= 1;
            }
            let times = f32::from(1u16 << *doublings);
            let step = self.step * times;
            let stored = changes.clone().filter(|(_, change, _)| change.abs() > 0.7 * step).count();
            let bits = CHANGE_BITS + (GROUP as f32 / stored.max(1) as f32).log2();
            for (place, change, sum) in changes {
                let share = if mean > 0.0 { sum / mean } else { 1.0 };
                let size = change.abs() / step;
                let rounded = size.round();
                let gain = size.powi(2) - (size - rounded).powi(2);
                let number = match self.initial.is_promoted(place) {
                    true => rounded.max(1.0),
                    false if share * gain > bits * BIT => rounded,
                    false => 0.0,
                };
                steps[place - first] = (number * times).copysign(change) as i32;
            }
        }
    }
}

/// Returns a number that orders weights that were rounded before as their sums of absolute errors would:
/// the step doubles about when the sum is a quarter.
fn sum_of_rounded(doublings: u32) -> f32 {
    0.25f32.powi(doublings as i32)
}

/// Returns the lowest of the highest classes that have at most this many weights; at least the highest
/// class that has any.
fn best(classes: &[(u64, f64)], most: u64) -> usize {
    let mut weights = 0;
    let with_any = classes.iter().enumerate().rev().filter(|(_, class)| class.0 > 0);
    let fits = with_any.take_while(|(_, class)| {
        let is_first = weights == 0;
        weights += class.0;
        is_first || weights <= most
    });
    fits.last().map_or(0, |(class, _)| class)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_the_best_trained_weights_are_found() {
        let mut classes = vec![(0, 0.0); 10];
        (classes[2].0, classes[5].0, classes[7].0) = (50, 30, 20);
        let found = [100, 99, 50, 49, 20, 3].map(|most| best(&classes, most));
        assert_eq!(found, [2, 5, 5, 7, 7, 7]);
        assert_eq!(best(&[(0, 0.0); 3], 5), 0);
    }
}
