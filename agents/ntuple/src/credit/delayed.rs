//! Delayed TD(lambda): one correction for each estimate, when all errors that
//! count for it are known. The cost does not depend on lambda.

use super::{Credit, Trail, Work};
use crate::rule::Rule;

/// Delayed by a horizon.
#[derive(Clone, Copy, Debug)]
pub struct Delayed {
    /// By which an error counts less for each step back.
    pub lambda: f32,
    /// How many steps a correction waits.
    pub horizon: usize,
}

impl Delayed {
    /// The sum of the errors that are known for the visit `back` steps ago.
    fn sum(&self, trail: &Trail, back: usize) -> f32 {
        (0..=back).fold(0.0, |sum, later| sum * self.lambda + trail.note(later))
    }

    /// Notes the error of the last visit, and corrects the oldest.
    fn note<R: Rule>(&self, work: &Work<'_, R>, trail: &mut Trail, target: f32) {
        let error = target - work.value(trail.places(0));
        trail.set_note(0, error);
        if trail.visits() > self.horizon {
            let delta = self.sum(trail, self.horizon);
            work.update(trail.places(self.horizon), delta, 1.0);
        }
    }
}

impl<R: Rule> Credit<R> for Delayed {
    fn horizon(&self) -> usize {
        self.horizon + 1
    }

    fn moved(&self, work: &Work<'_, R>, trail: &mut Trail, reward: f32, value: f32) {
        if trail.visits() > 0 {
            self.note(work, trail, reward + value);
        }
    }

    fn ended(&self, work: &Work<'_, R>, trail: &mut Trail, reward: f32) {
        if trail.visits() == 0 {
            return;
        }
        self.note(work, trail, reward);
        for back in (0..self.horizon.min(trail.visits())).rev() {
            let delta = self.sum(trail, back);
            work.update(trail.places(back), delta, 1.0);
        }
    }
}
