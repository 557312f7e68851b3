//! The five-step lambda return of multi-stage TD learning, after the game:
//! 0.5 R1 + 0.25 R2 + 0.125 R3 + 0.0625 R4 + 0.0625 R5.

use super::{Credit, Trail, Visit, Work};
use crate::network::Place;
use crate::rule::Rule;

/// After the game, with a mean of the next five returns.
#[derive(Clone, Copy, Debug)]
pub struct MeanReturn;

/// How much each return counts, that of one step first.
const WEIGHTS: [f32; 5] = [0.5, 0.25, 0.125, 0.0625, 0.0625];

/// Visits whose memory is at hand: the present one, five to look at, two that
/// are being fetched.
const RING: usize = 8;

impl<R: Rule> Credit<R> for MeanReturn {
    fn horizon(&self) -> usize {
        1
    }

    fn wants_path(&self) -> bool {
        true
    }

    fn moved(&self, _: &Work<'_, R>, _: &mut Trail, _: f32, _: f32) {}

    fn ended(&self, work: &Work<'_, R>, trail: &mut Trail, last_reward: f32) {
        let path = &trail.path;
        let n = work.lookup.per_position();
        let mut ring = vec![Place::default(); n * RING];
        let slot = |k: usize| k % RING * n..k % RING * n + n;
        for (k, visit) in path.iter().enumerate().take(RING - 1) {
            work.fetch(visit, &mut ring[slot(k)]);
        }
        for k in 0..path.len() {
            if let Some(visit) = path.get(k + RING - 1) {
                work.fetch(visit, &mut ring[slot(k + RING - 1)]);
            }
            let mut earned = 0.0;
            let mut target = 0.0;
            for (step, weight) in WEIGHTS.into_iter().enumerate() {
                match path.get(k + step + 1) {
                    Some(&Visit { reward, .. }) => {
                        earned += reward;
                        target += weight * (earned + work.value(&ring[slot(k + step + 1)]));
                    }
                    None => {
                        // Every longer return is what was left to earn.
                        let rest: f32 = WEIGHTS[step..].iter().sum();
                        target += rest * (earned + last_reward);
                        break;
                    }
                }
            }
            let places = &ring[slot(k)];
            work.update(places, target - work.value(places), 1.0);
        }
    }
}
