//! n-step TD: the target is what the next n steps earned, and the estimate there.

use super::{Credit, Trail, Work};
use crate::rule::Rule;

/// Corrections after n steps.
#[derive(Clone, Copy, Debug)]
pub struct NStep {
    /// How many steps a correction looks ahead.
    pub steps: usize,
}

impl NStep {
    /// Adds a reward to what the known visits have earned since.
    fn earn(trail: &mut Trail, reward: f32) {
        for back in 0..trail.known() {
            trail.set_note(back, trail.note(back) + reward);
        }
    }

    fn correct<R: Rule>(work: &Work<'_, R>, trail: &Trail, back: usize, value: f32) {
        let places = trail.places(back);
        work.update(places, trail.note(back) + value - work.value(places), 1.0);
    }
}

impl<R: Rule> Credit<R> for NStep {
    fn horizon(&self) -> usize {
        self.steps
    }

    fn moved(&self, work: &Work<'_, R>, trail: &mut Trail, reward: f32, value: f32) {
        Self::earn(trail, reward);
        let oldest = self.steps - 1;
        if trail.visits() > oldest {
            Self::correct(work, trail, oldest, value);
        }
        // The visit that comes now takes this place, and has earned nothing yet.
        let next = trail.visits() % self.steps;
        trail.notes[next] = 0.0;
    }

    fn ended(&self, work: &Work<'_, R>, trail: &mut Trail, reward: f32) {
        Self::earn(trail, reward);
        for back in (0..trail.known()).rev() {
            Self::correct(work, trail, back, 0.0);
        }
    }
}
