//! Update schemes that update after the game. The steps of the game are looked up again. To
//! prefetch their weights, a window looks up a few steps ahead.

use super::context::TrainingContext;
use super::trajectory::Step;
use crate::rule::Rule;
use agent_ntuple_network::WeightIndex;

/// Updates from the last step to the first, each towards its λ return.
///
/// K. Matsuzaki, "Developing a 2048 player with backward temporal coherence learning and restart"
/// (2017). G is the λ return; V(s(t+1)) is the value after the update of step t+1:
///
/// ```text
/// G(t) = r(t+1) + V(s(t+1)) + λ (G(t+1) - V(s(t+1)))
/// V(s(t)) ← V(s(t)) + α (G(t) - V(s(t)))
/// ```
pub fn backward<R: Rule>(
    context: &TrainingContext<'_, R>,
    path: &[Step],
    lambda: f32,
    last_reward: f32,
) {
    const WINDOW: usize = 4;
    let mut window = PathWindow::<R, WINDOW>::new(context, path);
    for k in path.len().saturating_sub(WINDOW)..path.len() {
        window.look_up(k);
    }
    // G(t) of the step t that is updated next.
    let mut target = last_reward;
    for k in (0..path.len()).rev() {
        window.update(k, target);
        let value = window.value(k);
        target = path[k].reward + value + lambda * (target - value);
        if let Some(earlier) = k.checked_sub(WINDOW) {
            window.look_up(earlier);
        }
    }
}

/// Updates from the first step to the last, towards the λ return of five steps with λ = 0.5.
///
/// Formula 6 of K.-H. Yeh and others, "Multi-stage temporal difference learning for 2048-like
/// games" (2017); R(n) is the return of n steps, Formula 4:
///
/// ```text
/// 0.5 R(1) + 0.25 R(2) + 0.125 R(3) + 0.0625 R(4) + 0.0625 R(5)
/// ```
pub fn mean_return<R: Rule>(context: &TrainingContext<'_, R>, path: &[Step], last_reward: f32) {
    const WEIGHTS: [f32; 5] = [0.5, 0.25, 0.125, 0.0625, 0.0625];
    // The current step, the next five, and two that are being prefetched.
    const WINDOW: usize = 8;
    let mut window = PathWindow::<R, WINDOW>::new(context, path);
    for k in 0..WINDOW - 1 {
        window.look_up(k);
    }
    for k in 0..path.len() {
        window.look_up(k + WINDOW - 1);
        let (mut rewards, mut target) = (0.0, 0.0);
        for (later, weight) in (k + 1..).zip(WEIGHTS) {
            let Some(step) = path.get(later) else {
                // The game has ended, so this return and all longer ones are equal.
                let rest: f32 = WEIGHTS[later - k - 1..].iter().sum();
                target += rest * (rewards + last_reward);
                break;
            };
            rewards += step.reward;
            target += weight * (rewards + window.value(later));
        }
        window.update(k, target);
    }
}

/// The weight indices of up to `N` consecutive steps of a path. Those of step k are part k modulo
/// `N` of `indices`.
struct PathWindow<'a, R: Rule, const N: usize> {
    context: &'a TrainingContext<'a, R>,
    path: &'a [Step],
    indices: Vec<WeightIndex>,
}

impl<'a, R: Rule, const N: usize> PathWindow<'a, R, N> {
    fn new(context: &'a TrainingContext<'a, R>, path: &'a [Step]) -> Self {
        let indices = vec![WeightIndex::default(); context.lookup.per_position() * N];
        Self { context, path, indices }
    }

    /// Looks up a step and prefetches its weights. The step takes the place of the step `N` before
    /// or after it. Does nothing if the path has no step of this number.
    fn look_up(&mut self, number: usize) {
        if let Some(step) = self.path.get(number) {
            let n = self.context.lookup.per_position();
            let indices = &mut self.indices[number % N * n..][..n];
            self.context.look_up(step, indices);
        }
    }

    fn indices(&self, number: usize) -> &[WeightIndex] {
        let n = self.context.lookup.per_position();
        &self.indices[number % N * n..][..n]
    }

    fn value(&self, number: usize) -> f32 {
        self.context.known_value(self.indices(number))
    }

    fn update(&self, number: usize, target: f32) {
        self.context.update(self.indices(number), target - self.value(number), 1.0);
    }
}
