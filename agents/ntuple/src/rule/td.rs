//! Temporal difference with one step size for all weights.

use super::{Memory, Rule, Table};
use crate::memory::Zeroed;
use crate::network::Place;
use crate::schedule::Schedule;

// SAFETY: it has no bytes.
unsafe impl Zeroed for () {}

impl Memory for () {
    const WORDS: usize = 0;

    fn word(&self, _: usize) -> u32 {
        0
    }

    fn set_word(&self, _: usize, _: u32) {}
}

/// Every weight moves by the same part of the error.
#[derive(Clone, Copy, Debug)]
pub struct Td {
    schedule: Schedule,
    step: f32,
    share: f32,
}

impl Td {
    /// With this step size, shared by `lookups` weights.
    pub fn new(schedule: Schedule, lookups: usize) -> Self {
        Self { schedule, step: schedule.at(0.0), share: 1.0 / lookups as f32 }
    }
}

impl Rule for Td {
    type Memory = ();
    const MEMORY: &'static str = "none";

    fn is_planned(self) -> bool {
        !self.schedule.is_constant()
    }

    fn at(self, done: f64) -> Self {
        Self { step: self.schedule.at(done), ..self }
    }

    #[inline(always)]
    fn update(&self, table: Table<'_, ()>, places: &[Place], error: f32, factor: f32) {
        let change = self.step * self.share * error * factor;
        for &place in places {
            let weight = table.weights.at(place);
            weight.set(weight.get() + change);
        }
    }
}
