//! Weights as multiples of a step, which is larger for weights that training used less.
//!
//! The rounding error of a weight counts each time the weight is read, and half of all weights have 0.3%
//! of the sum of all absolute errors. So weights are ranked by their sums of absolute errors, which grow
//! with each update. Each time the rank doubles, so does the step. The weights of a group have one step,
//! by the mean of their sums: to store one for each weight takes more bytes than it saves.
//!
//! A change is stored only if its bits reduce the rounding error more than the same bits would by a smaller
//! step.

use crate::contents::Contents;
use crate::groups::GROUP;
use agent_ntuple_network::{Initial, Memory, Places, Record};
use std::ops::Range;

/// Without learning state, one step for all weights takes the place of this many doublings. It doubles for
/// each one more.
const DOUBLINGS_OF_ONE_STEP: u32 = 6;

/// The smallest step is this part of the mean change of the best trained weights.
const LEVELS: f64 = 46.0;

/// By how much one bit more reduces the mean squared rounding error, in squared steps: a bit halves the step s,
/// and this is the derivative of the error s^2/12 by the bits.
const BIT: f32 = std::f32::consts::LN_2 / 6.0;

/// Bits of a stored change, about, beside those that say that it is stored.
const CHANGE_BITS: f32 = 3.0;

/// At least this many weights have the smallest step.
const FEWEST: u64 = 1 << 16;

/// A change of this many steps is always stored.
const ALWAYS: f32 = 4.0;

/// No weight has more steps than this.
const MOST: f32 = (1 << 30) as f32;

/// Sums with equal upper 16 bits have the same rank.
const CLASSES: usize = 1 << 16;

/// The changed weights whose sums have the same rank.
#[derive(Clone, Copy, Default)]
struct Class {
    weights: u64,
    /// The sum of their absolute changes.
    changes: f64,
}

pub struct Steps<'a, M> {
    /// The smallest step.
    pub step: f32,
    /// The step of a group doubles for each of these that the mean sum of its absolute errors does not reach.
    limits: Vec<f32>,
    records: Places<'a, Record<M>>,
    /// True if the records have the sums of absolute errors.
    has_sums: bool,
    initial: Initial,
}

impl<'a, M: Memory> Steps<'a, M> {
    /// Returns the steps, with this number of doublings.
    pub fn of(contents: &Contents<'a, M>, doublings: u32) -> Self {
        let &Contents { records, learns, initial, .. } = contents;
        let mut steps = Self { step: 1.0, limits: Vec::new(), records, has_sums: learns, initial };
        // A training that began with the weights alone has the sums of a few.
        let (mut changed, mut with_sum) = (0, 0);
        for place in (0..records.len()).filter(|&place| !initial.is_promoted(place)) {
            if steps.change(place).is_some() {
                changed += 1;
                with_sum += u64::from(steps.sum(place) > 0.0);
            }
        }
        steps.has_sums &= 2 * with_sum >= changed;
        let (classes, largest) = steps.classes();
        let total: u64 = classes.iter().map(|class| class.weights).sum();
        // The rank of a weight says how much it matters only among many.
        let used = doublings.min((total / FEWEST).checked_ilog2().unwrap_or(0));
        // Without learning state all weights have one step, which takes the place of the doublings.
        let more = if steps.has_sums { 0 } else { used.saturating_sub(DOUBLINGS_OF_ONE_STEP) };
        let larger = f64::from(1 << more);
        let limits: Vec<usize> = (1..=used).map(|k| best(&classes, total >> k)).collect();
        let trained = &classes[limits.last().copied().unwrap_or(0)..];
        let count: u64 = trained.iter().map(|class| class.weights).sum();
        let changes: f64 = trained.iter().map(|class| class.changes).sum();
        let by_mean = (changes / count.max(1) as f64 / LEVELS * larger) as f32;
        steps.step = match by_mean.max(largest / MOST) {
            0.0 => 1.0,
            step => step.max(f32::MIN_POSITIVE),
        };
        steps.limits = limits.iter().map(|&class| f32::from_bits((class as u32) << 16)).collect();
        steps
    }

    /// Returns the classes of sums, and the largest change of a weight.
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

    /// Returns the groups with stored weights of a piece, whose weights have these places.
    pub fn groups(&self, places: Range<usize>) -> Vec<Group> {
        let mut changes = Vec::with_capacity(GROUP);
        let mut groups = Vec::new();
        for (number, first) in places.clone().step_by(GROUP).enumerate() {
            changes.clear();
            changes.extend((first..places.end.min(first + GROUP)).filter_map(|place| {
                let change = self.change(place)?;
                Some(Change { place, change, sum: self.sum(place).into() })
            }));
            if !changes.is_empty() {
                let (steps, doublings) = self.round(&changes, first);
                groups.push(Group { number, doublings, steps });
            }
        }
        groups.retain(|group| group.mask() != 0);
        groups
    }

    /// Returns the numbers of steps of a group, and how often its step is doubled.
    fn round(&self, changes: &[Change], first: usize) -> ([i32; GROUP], u8) {
        let mean = changes.iter().map(|change| change.sum).sum::<f64>() / changes.len() as f64;
        let mut doublings =
            self.limits.iter().filter(|&&limit| mean < f64::from(limit)).count() as u8;
        // An untouched weight of a later stage has the value of an earlier one, so a change there is
        // stored, and is at least one step.
        let is_promoted = |change: &&Change| self.initial.is_promoted(change.place);
        let promoted = changes.iter().filter(is_promoted).map(|change| change.change.abs());
        let smallest = promoted.fold(f32::INFINITY, f32::min);
        while doublings > 0 && smallest < self.step / 2.0 * (1u32 << doublings) as f32 {
            doublings -= 1;
        }
        let times = (1u32 << doublings) as f32;
        let step = self.step * times;
        // Smaller ones are rarely stored.
        let stored = changes.iter().filter(|change| change.change.abs() > 0.7 * step).count();
        let bits = CHANGE_BITS + (GROUP as f32 / stored.max(1) as f32).log2();
        let mut steps = [0; GROUP];
        for change in changes {
            // A weight without a sum was trained before its learning state was lost. With this share a
            // multiple of the step is always stored.
            let share = if change.sum > 0.0 { (change.sum / mean) as f32 } else { 1.0 };
            let size = change.change.abs() / step;
            let rounded = size.round();
            let gain = size.powi(2) - (size - rounded).powi(2);
            let number = if is_promoted(&change) {
                rounded.max(1.0)
            } else if share * gain > bits * BIT || size >= ALWAYS {
                rounded
            } else {
                0.0
            };
            steps[change.place - first] = (number * times).copysign(change.change) as i32;
        }
        (steps, doublings)
    }
}

/// Weights with one step.
pub struct Group {
    /// The number of groups of its piece before it.
    pub number: usize,
    /// How often the smallest step is doubled to give its step.
    pub doublings: u8,
    /// The numbers of smallest steps: multiples of the group's step.
    pub steps: [i32; GROUP],
}

impl Group {
    /// Returns a mask with a bit for each weight that is not 0.
    pub fn mask(&self) -> u16 {
        (0..GROUP).fold(0, |mask, k| mask | u16::from(self.steps[k] != 0) << k)
    }
}

/// A weight that training has changed.
struct Change {
    place: usize,
    change: f32,
    /// The sum of its absolute errors.
    sum: f64,
}

/// Returns the lowest of the highest classes that have at most this many weights; at least the highest
/// class that has any.
fn best(classes: &[Class], most: u64) -> usize {
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
        let found = [100, 99, 50, 49, 20, 3].map(|most| best(&classes, most));
        assert_eq!(found, [2, 5, 5, 7, 7, 7]);
        assert_eq!(best(&[Class::default(); 3], 5), 0);
    }
}
