//! TD(lambda) online: every error corrects the last estimates at once.

use super::{Credit, Trail, Work};
use crate::rule::Rule;

/// Online, with a horizon.
#[derive(Clone, Copy, Debug)]
pub struct Forward {
    /// By which an error counts less for each step back.
    pub lambda: f32,
    /// How many steps back it counts.
    pub horizon: usize,
}

impl Forward {
    #[inline(always)]
    fn correct<R: Rule>(&self, work: &Work<'_, R>, trail: &Trail, target: f32) {
        let error = target - work.value(trail.places(0));
        work.update(trail.places(0), error, 1.0);
        let mut factor = 1.0;
        for back in 1..trail.known().min(self.horizon + 1) {
            factor *= self.lambda;
            work.update(trail.places(back), error, factor);
        }
    }
}

impl<R: Rule> Credit<R> for Forward {
    fn horizon(&self) -> usize {
        self.horizon + 1
    }

    fn moved(&self, work: &Work<'_, R>, trail: &mut Trail, reward: f32, value: f32) {
        if trail.visits() > 0 {
            self.correct(work, trail, reward + value);
        }
    }

    fn ended(&self, work: &Work<'_, R>, trail: &mut Trail, reward: f32) {
        if trail.visits() > 0 {
            self.correct(work, trail, reward);
        }
    }
}
