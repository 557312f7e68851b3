//! Backward: after the game, from its end to its beginning, each estimate
//! corrected by the one that was corrected just before.

use super::{Credit, Trail, Work};
use crate::network::Place;
use crate::rule::Rule;

/// After the game, last things first.
#[derive(Clone, Copy, Debug)]
pub struct Backward;

/// So many visits ahead of need, memory is fetched.
const AHEAD: usize = 4;

impl<R: Rule> Credit<R> for Backward {
    fn horizon(&self) -> usize {
        1
    }

    fn wants_path(&self) -> bool {
        true
    }

    fn moved(&self, _: &Work<'_, R>, _: &mut Trail, _: f32, _: f32) {}

    fn ended(&self, work: &Work<'_, R>, trail: &mut Trail, reward: f32) {
        let n = work.lookup.per_position();
        let mut ring = vec![Place::default(); n * AHEAD];
        let slot = |k: usize| k % AHEAD * n..k % AHEAD * n + n;
        let length = trail.path.len();
        for k in length.saturating_sub(AHEAD)..length {
            work.fetch(&trail.path[k], &mut ring[slot(k)]);
        }
        let mut target = reward;
        for k in (0..length).rev() {
            let places = &ring[slot(k)];
            work.update(places, target - work.value(places), 1.0);
            target = trail.path[k].reward + work.value(places);
            if k >= AHEAD {
                work.fetch(&trail.path[k - AHEAD], &mut ring[slot(k)]);
            }
        }
    }
}
