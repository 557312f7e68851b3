//! Weights as multiples of a step, which is larger for weights that training used less.
//!
//! The rounding error of a weight counts each time the weight is read, and half of all weights have 0.3%
//! of the sum of all absolute errors. So weights are ranked by their sums of absolute errors, which grow
//! with each update. Each time the rank doubles, so does the step.

use crate::contents::Contents;
use agent_ntuple_network::{Initial, Memory, Weight};

/// The smallest step is this part of the mean change of the best trained weights.
const LEVELS: f64 = 64.0;

/// Sums with equal upper 16 bits have the same rank.
const CLASSES: usize = 1 << 16;

/// The steps of a network.
pub struct Steps<'a, M> {
    /// The smallest step.
    pub step: f32,
    /// The step doubles for each of these that the sum of a weight's absolute errors does not reach.
    limits: Vec<f32>,
    memory: Option<&'a [M]>,
    initial: Initial,
}

impl<'a, M: Memory> Steps<'a, M> {
    /// Returns the steps that double this number of times. Without learning state all weights have
    /// the smallest one.
    pub fn of(contents: &Contents<'a, M>, doublings: u32) -> Self {
        let &Contents { weights, memory, initial, .. } = contents;
        let unset = Self { step: 1.0, limits: Vec::new(), memory, initial };
        // For each class of sums, the number of changed weights and the sum of their changes.
        let mut classes = vec![(0u64, 0.0); CLASSES];
        for (place, weight) in weights.iter().enumerate() {
            if let Some(change) = unset.change(weight, place) {
                let class = &mut classes[(unset.sum(place).to_bits() >> 16) as usize];
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

    /// Returns the change of a weight in training, if there is one.
    fn change(&self, weight: &Weight, place: usize) -> Option<f32> {
        let (weight, initial) = (weight.get(), self.initial.at(place));
        (weight.to_bits() != initial.to_bits()).then_some(weight - initial)
    }

    fn sum(&self, place: usize) -> f32 {
        self.memory.and_then(|memory| memory[place].sums()).map_or(0.0, |sums| sums.1.abs())
    }

    /// Returns the change of a weight in smallest steps, unless it need not be stored.
    pub fn change_in_steps(&self, weight: &Weight, place: usize) -> Option<f32> {
        let change = self.change(weight, place)?;
        let sum = self.sum(place);
        let doublings = self.limits.iter().filter(|&&limit| sum < limit).count();
        let times = (1 << doublings) as f32;
        let steps = (change / (self.step * times)).round() * times;
        // An untouched weight of a later stage has the value of an earlier one.
        (steps != 0.0 || self.initial.is_promoted(place)).then_some(steps)
    }
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
