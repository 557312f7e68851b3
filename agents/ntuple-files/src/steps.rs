//! Weights as multiples of a step, which is larger for weights that training used less.
//!
//! The rounding error of a weight counts each time the weight is read. Its sum of absolute errors,
//! which grows with each update, shows how often that is: half of all weights have 0.3% of the
//! total. So weights are ranked by their sums, the greatest first, and each time the rank doubles,
//! so does the step. The weights of a group have one step, by the mean of their sums: a step for
//! each weight would take more bytes than it saves.
//!
//! A change is stored only if a smaller step with as many bits would have a larger rounding error.

use crate::contents::Contents;
use crate::groups::GROUP;
use agent_ntuple_network::{Initial, Memory, Places, Record};
use std::ops::Range;

/// Without learning state, all weights have one step. It is the smallest one up to this number of
/// doublings, and doubles for each further one.
const DOUBLINGS_OF_ONE_STEP: u32 = 6;

/// The mean change of the most used weights in smallest steps.
const LEVELS: f64 = 46.0;

/// The decrease of the mean squared rounding error for one bit more, in squared steps: a bit
/// halves the step s, and this is the derivative of the error s^2/12 by the number of bits.
const GAIN_OF_BIT: f32 = std::f32::consts::LN_2 / 6.0;

/// About the number of bits of a stored change, beside those of the mask.
const CHANGE_BITS: f32 = 3.0;

/// Minimum number of weights with the smallest step.
const FEWEST: u64 = 1 << 16;

/// A change of this number of steps is always stored.
const ALWAYS: f32 = 4.0;

/// Maximum number of steps of a weight.
const MOST: f32 = (1 << 30) as f32;

/// Number of classes of sums: the class of a sum is the upper 16 bits of the f32.
const CLASSES: usize = 1 << 16;

/// The changed weights whose sums of absolute errors are in one class.
#[derive(Clone, Copy, Default)]
struct Class {
    weights: u64,
    /// The sum of their absolute changes.
    changes: f64,
}

/// The weights of a network, and how they are rounded.
pub struct Steps<'a, M> {
    /// The smallest step.
    pub step: f32,
    /// The step of a group is doubled once for each limit above the mean of its weights' sums.
    limits: Vec<f32>,
    records: Places<'a, Record<M>>,
    /// True if most changed weights have sums of absolute errors.
    has_sums: bool,
    initial: Initial,
}

impl<'a, M: Memory> Steps<'a, M> {
    /// Returns the steps, with at most this number of doublings.
    pub fn of(contents: &Contents<'a, M>, doublings: u32) -> Self {
        let &Contents { records, initial, .. } = contents;
        let has_sums = records[0].memory.sums().is_some();
        let mut steps = Self { step: 1.0, limits: Vec::new(), records, has_sums, initial };
        steps.has_sums = has_sums && steps.most_have_sums();
        let (classes, largest) = steps.classes();
        let total: u64 = classes.iter().map(|class| class.weights).sum();
        // Each doubling halves the number of weights with the smallest step.
        let used = doublings.min((total / FEWEST).checked_ilog2().unwrap_or(0));
        let lowest: Vec<usize> = (1..=used).map(|k| lowest_of(&classes, total >> k)).collect();
        let most_used = &classes[lowest.last().copied().unwrap_or(0)..];
        let count: u64 = most_used.iter().map(|class| class.weights).sum();
        let changes: f64 = most_used.iter().map(|class| class.changes).sum();
        let mean_change = changes / count.max(1) as f64;
        let further = if steps.has_sums { 0 } else { used.saturating_sub(DOUBLINGS_OF_ONE_STEP) };
        let by_mean = (mean_change / LEVELS * f64::from(1 << further)) as f32;
        steps.step = match by_mean.max(largest / MOST) {
            0.0 => 1.0,
            step => step.max(f32::MIN_POSITIVE),
        };
        steps.limits = lowest.iter().map(|&class| f32::from_bits((class as u32) << 16)).collect();
        steps
    }

    /// Returns false if few changed weights have sums, as if a training began with weights alone.
    fn most_have_sums(&self) -> bool {
        let (mut changed, mut with_sum) = (0, 0);
        for place in (0..self.records.len()).filter(|&place| !self.initial.is_promoted(place)) {
            if self.change(place).is_some() {
                changed += 1;
                with_sum += u64::from(self.sum(place) > 0.0);
            }
        }
        2 * with_sum >= changed
    }

    /// Returns the classes of sums, and the largest absolute change of a weight.
    fn classes(&self) -> (Vec<Class>, f32) {
        let mut classes = vec![Class::default(); CLASSES];
        let mut largest = 0.0f32;
        for place in 0..self.records.len() {
            if let Some(change) = self.change(place) {
                let class = &mut classes[(self.sum(place).to_bits() >> 16) as usize];
                class.weights += 1;
                class.changes += f64::from(change.abs());
                largest = largest.max(change.abs());
            }
        }
        (classes, largest)
    }

    /// Returns the change of a weight in training, if there is one.
    fn change(&self, place: usize) -> Option<f32> {
        let (weight, initial) = (self.records[place].weight.get(), self.initial.at(place));
        (weight.to_bits() != initial.to_bits()).then_some(weight - initial)
    }

    /// Returns the sum of a weight's absolute errors, or 0 if it is not known.
    fn sum(&self, place: usize) -> f32 {
        let sums = if self.has_sums { self.records[place].memory.sums() } else { None };
        sums.map_or(0.0, |sums| sums.1.abs())
    }

    /// Returns the groups with stored weights of a piece that has these places.
    pub fn groups(&self, places: Range<usize>) -> Vec<Group> {
        let mut changes = Vec::with_capacity(GROUP);
        let mut groups = Vec::new();
        for (number, first) in places.clone().step_by(GROUP).enumerate() {
            changes.clear();
            for place in first..places.end.min(first + GROUP) {
                if let Some(amount) = self.change(place) {
                    changes.push(Change { place, amount, sum: self.sum(place).into() });
                }
            }
            if !changes.is_empty() {
                let (steps, doublings) = self.round(&changes, first);
                groups.push(Group { number, doublings, steps });
            }
        }
        groups.retain(|group| group.mask() != 0);
        groups
    }

    /// Returns how often the step of a group is doubled. `mean` is the mean of its weights' sums.
    fn doublings(&self, changes: &[Change], mean: f64) -> u8 {
        let above = self.limits.iter().filter(|&&limit| mean < f64::from(limit));
        let mut doublings = above.count() as u8;
        // A change of a promoted weight is at least one step, see `round`.
        let promoted = changes.iter().filter(|change| self.initial.is_promoted(change.place));
        let smallest = promoted.map(|change| change.amount.abs()).fold(f32::INFINITY, f32::min);
        while doublings > 0 && smallest < self.step / 2.0 * (1u32 << doublings) as f32 {
            doublings -= 1;
        }
        doublings
    }

    /// Returns the numbers of smallest steps of the group from place `first` on, and its doublings.
    fn round(&self, changes: &[Change], first: usize) -> ([i32; GROUP], u8) {
        let mean = changes.iter().map(|change| change.sum).sum::<f64>() / changes.len() as f64;
        let doublings = self.doublings(changes, mean);
        let times = (1u32 << doublings) as f32;
        let step = self.step * times;
        // Smaller changes are rarely stored. The mask takes more bits for each if they are few.
        let stored = changes.iter().filter(|change| change.amount.abs() > 0.7 * step).count();
        let bits = CHANGE_BITS + (GROUP as f32 / stored.max(1) as f32).log2();
        let mut steps = [0; GROUP];
        for change in changes {
            // The use of the weight relative to the group, if its sum is known.
            let use_of_weight = if change.sum > 0.0 { (change.sum / mean) as f32 } else { 1.0 };
            let size = change.amount.abs() / step;
            let rounded = size.round();
            // The decrease of the squared error if the change is stored.
            let gain = size.powi(2) - (size - rounded).powi(2);
            let number = if self.initial.is_promoted(change.place) {
                // Without a stored change, the weight would have the value of an earlier stage.
                rounded.max(1.0)
            } else if use_of_weight * gain > bits * GAIN_OF_BIT || size >= ALWAYS {
                rounded
            } else {
                0.0
            };
            steps[change.place - first] = (number * times).copysign(change.amount) as i32;
        }
        (steps, doublings)
    }
}

/// Consecutive weights with one step.
pub struct Group {
    /// Its number among the groups of its piece, stored or not.
    pub number: usize,
    /// How often the smallest step is doubled to give its step.
    pub doublings: u8,
    /// The number of smallest steps of each weight, a multiple of `2^doublings`. 0 is not stored.
    pub steps: [i32; GROUP],
}

impl Group {
    /// Returns the mask of the stored weights.
    pub fn mask(&self) -> u16 {
        (0..GROUP).fold(0, |mask, k| mask | u16::from(self.steps[k] != 0) << k)
    }
}

/// A weight that training has changed.
struct Change {
    place: usize,
    amount: f32,
    /// The sum of its absolute errors.
    sum: f64,
}

/// Returns the lowest of the highest classes with at most `most` weights together, or the highest.
fn lowest_of(classes: &[Class], most: u64) -> usize {
    let (mut weights, mut lowest) = (0, None);
    for (number, class) in classes.iter().enumerate().rev().filter(|(_, it)| it.weights > 0) {
        weights += class.weights;
        if lowest.is_some() && weights > most {
            break;
        }
        lowest = Some(number);
    }
    lowest.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_the_best_trained_weights_are_found() {
        let mut classes = [Class::default(); 10];
        (classes[2].weights, classes[5].weights, classes[7].weights) = (50, 30, 20);
        let found = [100, 99, 50, 49, 20, 3].map(|most| lowest_of(&classes, most));
        assert_eq!(found, [2, 5, 5, 7, 7, 7]);
        assert_eq!(lowest_of(&[Class::default(); 3], 5), 0);
    }
}
