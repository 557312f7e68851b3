//! The evaluation of leaves, by random games or by a value, and the priors of their actions.
//!
//! Lists of values, estimates and priors of actions have one number for each action of each leaf,
//! in the order of the leaves and of their successors.

use crate::leaves::{Leaf, LeafBatch};
use crate::options::SearchOptions;
use runner_core::{Afterstate, Fault, Game, Playout, Random, State, Value};

/// Temperature of priors that are made from action values, as a share of the difference between the
/// largest and the smallest value.
const PRIOR_TEMPERATURE: f32 = 0.2;

#[derive(Debug)]
pub struct Evaluator<'a, V: ?Sized> {
    value: Option<&'a V>,
    prior: Option<&'a V>,
    playouts: usize,
}

#[derive(Debug, Default)]
pub struct Buffers {
    states: Vec<State>,
    afterstates: Vec<Afterstate>,
    values: Vec<f32>,
    /// The values of the leaves that have actions.
    leaf_values: Vec<f32>,
    /// The priors of a policy: one row for each leaf, one entry for each action of the game.
    rows: Vec<f32>,
    playouts: Vec<Playout>,
}

impl<'a, V: Value + ?Sized> Evaluator<'a, V> {
    /// Evaluates with a value, or without one by playouts. Priors are those of `prior`, or else the
    /// value's own.
    pub fn new(value: Option<&'a V>, prior: Option<&'a V>, options: &SearchOptions) -> Self {
        Self { value, prior, playouts: options.playouts as usize }
    }

    pub fn reward_weight(&self) -> f64 {
        self.value.map_or(1.0, |value| value.scale().reward_weight().into())
    }

    pub fn terminal_value(&self) -> f64 {
        self.value.map_or(0.0, |value| value.scale().terminal_value().into())
    }

    /// Writes the successors and the value of every leaf of a batch, and estimates and
    /// priors of their actions if the values have them.
    ///
    /// # Panics
    ///
    /// Raises a [`Fault`] if a value returns a number that is not finite.
    pub fn evaluate<G: Game>(
        &self,
        game: &G,
        batch: &mut LeafBatch,
        buffers: &mut Buffers,
        random: &mut Random,
    ) {
        let terminal = self.terminal_value();
        for leaf in batch.leaves_mut() {
            game.successors(leaf.state, &mut leaf.successors);
            leaf.value = if leaf.successors.is_empty() { terminal } else { 0.0 };
        }
        match self.value {
            Some(value) if value.has_priors() => {
                priors_of_policy(game, value, batch, buffers);
                for (leaf, &value) in batch.nonterminal_mut().zip(&buffers.leaf_values) {
                    check(game, leaf.state, "the value", value);
                    leaf.value = value.into();
                }
            }
            Some(value) => {
                action_values(game, value, "the value", batch, buffers);
                batch.estimates.extend_from_slice(&buffers.values);
                for_each_leaf(batch, &mut buffers.values, |leaf, estimates| {
                    if let Some(best) = estimates.iter().copied().reduce(f32::max) {
                        leaf.value = best.into();
                    }
                });
            }
            None => self.play_out(game, batch, buffers, random),
        }
        if let Some(prior) = self.prior {
            // They replace the priors of `value`.
            batch.priors.clear();
            if prior.has_priors() {
                priors_of_policy(game, prior, batch, buffers);
            } else {
                action_values(game, prior, "`prior`", batch, buffers);
                for_each_leaf(batch, &mut buffers.values, |_, values| softmax(values));
                batch.priors.extend_from_slice(&buffers.values);
            }
        }
    }

    /// Sets the value of each leaf to the mean score of its playouts.
    fn play_out<G: Game>(
        &self,
        game: &G,
        batch: &mut LeafBatch,
        buffers: &mut Buffers,
        random: &mut Random,
    ) {
        let Buffers { states, playouts, .. } = buffers;
        states.clear();
        for leaf in batch.nonterminal() {
            states.extend(std::iter::repeat_n(leaf.state, self.playouts));
        }
        playouts.resize(states.len(), Playout::default());
        game.playouts(states, random.word(), playouts);
        for (leaf, of_leaf) in batch.nonterminal_mut().zip(playouts.chunks(self.playouts)) {
            let sum: f64 = of_leaf.iter().map(|playout| playout.score).sum();
            leaf.value = sum / self.playouts as f64;
        }
    }
}

/// Calls a function with each leaf and its part of `values`, a list with a number for each action.
fn for_each_leaf(
    batch: &mut LeafBatch,
    values: &mut [f32],
    mut call: impl FnMut(&mut Leaf, &mut [f32]),
) {
    let mut rest = values;
    for leaf in batch.leaves_mut() {
        let (of_leaf, of_later_leaves) = rest.split_at_mut(leaf.successors.len());
        rest = of_later_leaves;
        call(leaf, of_leaf);
    }
}

/// Replaces `buffers.values` by the estimates of the actions. `what` names the value in errors.
fn action_values<G: Game, V: Value + ?Sized>(
    game: &G,
    value: &V,
    what: &str,
    batch: &mut LeafBatch,
    buffers: &mut Buffers,
) {
    let Buffers { afterstates, values, .. } = buffers;
    afterstates.clear();
    let successors = || batch.leaves().iter().flat_map(|leaf| leaf.successors.iter());
    afterstates.extend(successors().map(|successor| successor.afterstate));
    values.resize(afterstates.len(), 0.0);
    if value.estimates_actions() {
        for_each_leaf(batch, values, |leaf, estimates| {
            if !estimates.is_empty() {
                value.action_values(game, leaf.state, &leaf.successors, estimates);
            }
        });
    } else {
        value.evaluate(afterstates, values);
        let weight = value.scale().reward_weight();
        values.iter_mut().zip(successors()).for_each(|(value, s)| *value += weight * s.reward);
    }
    for_each_leaf(batch, values, |leaf, estimates| {
        estimates.iter().for_each(|&value| check(game, leaf.state, what, value));
    });
}

/// Adds the priors of a policy to `batch.priors`, and replaces `buffers.leaf_values` by the
/// values of the leaves.
fn priors_of_policy<G: Game, V: Value + ?Sized>(
    game: &G,
    policy: &V,
    batch: &mut LeafBatch,
    buffers: &mut Buffers,
) {
    let Buffers { states, leaf_values, rows, .. } = buffers;
    let actions = game.description().actions.len();
    states.clear();
    states.extend(batch.nonterminal().map(|leaf| leaf.state));
    leaf_values.resize(states.len(), 0.0);
    rows.resize(states.len() * actions, 0.0);
    policy.evaluate_states(game, states, rows, leaf_values);
    let mut priors = std::mem::take(&mut batch.priors);
    for (leaf, row) in batch.nonterminal().zip(rows.chunks(actions)) {
        for successor in leaf.successors.iter() {
            let prior = row[successor.action.index()];
            check(game, leaf.state, "the prior", prior);
            priors.push(prior);
        }
    }
    batch.priors = priors;
}

/// Replaces action values by their softmax.
fn softmax(values: &mut [f32]) {
    let most = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let least = values.iter().copied().fold(f32::INFINITY, f32::min);
    let unit = PRIOR_TEMPERATURE * (most - least);
    let mut sum = 0.0;
    for value in &mut *values {
        // Equal values have equal priors.
        *value = if unit > 0.0 { ((*value - most) / unit).exp() } else { 1.0 };
        sum += *value;
    }
    values.iter_mut().for_each(|value| *value /= sum);
}

#[inline(always)]
fn check<G: Game>(game: &G, state: State, what: &str, value: f32) {
    if !value.is_finite() {
        wrong(game, state, what, value);
    }
}

#[cold]
#[inline(never)]
fn wrong<G: Game>(game: &G, state: State, what: &str, value: f32) -> ! {
    let state = game.write(state);
    Fault::new(format!("{what} is {value} in {state}; a finite number is needed")).raise()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priors_of_action_values_sum_to_one_and_do_not_depend_on_their_unit() {
        let priors_of = |values: &[f32]| {
            let mut priors = values.to_vec();
            softmax(&mut priors);
            priors
        };
        let priors = priors_of(&[10.0, 30.0, 20.0]);
        assert!((priors.iter().sum::<f32>() - 1.0).abs() < 1e-6);
        assert!(priors[1] > priors[2] && priors[2] > priors[0] && priors[0] > 0.0);
        let scaled = priors_of(&[-5.0, -3.0, -4.0]);
        priors.iter().zip(scaled).for_each(|(a, b)| assert!((a - b).abs() < 1e-6));
        assert_eq!(priors_of(&[7.0, 7.0]), [0.5, 0.5]);
        assert_eq!(priors_of(&[7.0]), [1.0]);
        let largest = priors_of(&[f32::MIN / 4.0, f32::MAX / 4.0]);
        assert!(largest.iter().all(|prior| prior.is_finite()), "nothing overflows");
    }
}
