//! One move of a game in training: choose the action, update weights, draw the chance outcome.

use super::batches::Training;
use super::game::TrainingGame;
use crate::rule::Rule;
use crate::starts::{Entrances, Restarts};
use crate::update::{Step, TrainingContext};
use agent_ntuple_network::{Estimates, ValueFunction, WeightIndex, position};
use runner_core::{Action, Fault, Game, MAX_ACTIONS, Start, Successor};
use std::hint::select_unpredictable;

impl<G: Game, R: Rule> Training<'_, G, R> {
    /// Makes a move in a game that has legal actions. `previous` is the game that moved before
    /// this one, if there are several; its weights are prefetched for its next move. The
    /// prefetches are spread over the sums of this game, because a burst of them would fill the
    /// processor's list of outstanding reads and stall it.
    #[inline(always)]
    pub fn make_move(
        &self,
        game: &mut TrainingGame,
        previous: Option<&TrainingGame>,
        context: &TrainingContext<'_, R>,
    ) {
        self.begin_move(game);
        if context.learns != ValueFunction::Afterstates {
            self.make_move_in_state(game, context);
            return;
        }
        let n = context.lookup.per_position();
        let mut to_prefetch = previous.into_iter().flat_map(|game| game.afterstate_indices(n));
        let (mut best, mut estimate_of_best, mut best_total) = (0, 0.0, f32::NEG_INFINITY);
        for (k, successor) in game.successors.iter().enumerate() {
            let estimate = context.value(&game.indices[k * n..][..n]);
            if let Some(indices) = to_prefetch.next() {
                context.prefetch(indices);
            }
            let total = successor.reward + estimate;
            (best, estimate_of_best, best_total) = select_unpredictable(
                total > best_total,
                (k, estimate, total),
                (best, estimate_of_best, best_total),
            );
        }
        to_prefetch.for_each(|indices| context.prefetch(indices));
        if best_total == f32::NEG_INFINITY {
            diverged();
        }
        let first_index = self.take(game, context, best, estimate_of_best, None);
        // The actions of the next move are listed now: these are the indices of its afterstates.
        if previous.is_none() {
            game.afterstate_indices(n).for_each(|indices| context.prefetch(indices));
        }
        self.note_stage(game, context, Some(&self.starts.entrances), first_index);
    }

    /// Makes a move in a game if the context has only a part of the weights of a position.
    /// `values` are the values of the afterstates, `last_value` is the value of the last step. A
    /// new stage is added to `entrances` if they are given.
    #[inline(always)]
    pub fn make_move_with_values(
        &self,
        game: &mut TrainingGame,
        context: &TrainingContext<'_, R>,
        entrances: Option<&Entrances>,
        values: &[f32],
        last_value: f32,
    ) {
        self.begin_move(game);
        let (mut best, mut best_total) = (0, f32::NEG_INFINITY);
        for (k, (successor, value)) in game.successors.iter().zip(values).enumerate() {
            let total = successor.reward + value;
            (best, best_total) =
                select_unpredictable(total > best_total, (k, total), (best, best_total));
        }
        if best_total == f32::NEG_INFINITY {
            diverged();
        }
        let first_index = self.take(game, context, best, values[best], Some(last_value));
        let n = context.lookup.per_position();
        game.afterstate_indices(n).for_each(|indices| context.prefetch(indices));
        self.note_stage(game, context, entrances, first_index);
    }

    /// Counts a move, and keeps the position before it if restarts need it.
    #[inline(always)]
    fn begin_move(&self, game: &mut TrainingGame) {
        if matches!(self.starts.restarts, Restarts::Middle(_)) {
            let (state, score) = (game.state, game.score);
            game.waypoints.add(|| Start { state, score });
        }
        game.moves += 1;
    }

    /// Takes the action to afterstate number `number`, whose value is `value`: updates the weights
    /// of earlier steps, draws the chance outcome and lists the next actions. Returns the index of
    /// the first weight of the afterstate. For `last_value` see `UpdateScheme::moved`.
    #[inline(always)]
    fn take(
        &self,
        game: &mut TrainingGame,
        context: &TrainingContext<'_, R>,
        number: usize,
        value: f32,
        last_value: Option<f32>,
    ) -> usize {
        let chosen = game.successors[number];
        let reward = game.reward + chosen.reward;
        let step = Step { position: chosen.afterstate, reward, action: Action(0) };
        let at = number * context.lookup.per_position();
        let first_index = self.add_step(game, context, step, at, value, last_value);
        self.apply_chance(game, context, chosen);
        first_index
    }

    /// Makes a move if states or actions are learned. A step then has the value of the state
    /// before the action, and the reward of the action belongs to the next step.
    #[cold]
    fn make_move_in_state(&self, game: &mut TrainingGame, context: &TrainingContext<'_, R>) {
        let mut buffer = [0.0; MAX_ACTIONS];
        let values = &mut buffer[..game.successors.len()];
        let TrainingContext { records, lookup, promotion, .. } = *context;
        let estimates = Estimates { records, lookup, promotion };
        let state_and_actions = (game.state, &game.successors);
        estimates.of_actions(context.learns, self.game, state_and_actions, values);
        let (mut best, mut best_value) = (0, f32::NEG_INFINITY);
        for (k, &value) in values.iter().enumerate() {
            if value > best_value {
                (best, best_value) = (k, value);
            }
        }
        if best_value == f32::NEG_INFINITY {
            diverged();
        }
        let chosen = game.successors[best];
        let learns_actions = context.learns == ValueFunction::Actions;
        let action = if learns_actions { chosen.action } else { Action(0) };
        let step = Step { position: position(game.state), reward: game.reward, action };
        let indices: &mut [WeightIndex] = &mut game.indices[..lookup.per_position()];
        context.look_up(&step, indices);
        let value = context.value(indices);
        let first_index = self.add_step(game, context, step, 0, value, None);
        self.apply_chance(game, context, chosen);
        // Added to the reward of the chance outcome, which `apply_chance` has set.
        game.reward += chosen.reward;
        self.note_stage(game, context, Some(&self.starts.entrances), first_index);
    }

    /// Updates the weights of earlier steps, then adds a step with this value, whose weight
    /// indices are in `game.indices` from `at` on. Returns the index of its first weight.
    #[inline(always)]
    fn add_step(
        &self,
        game: &mut TrainingGame,
        context: &TrainingContext<'_, R>,
        step: Step,
        at: usize,
        value: f32,
        last_value: Option<f32>,
    ) -> usize {
        if game.trajectory.length() > 0 {
            self.scheme.moved(context, &mut game.trajectory, step.reward, value, last_value);
        }
        let indices = &game.indices[at..][..context.lookup.per_position()];
        game.trajectory.push(indices);
        self.scheme.added(context, &mut game.trajectory, step);
        indices.first().map_or(0, |index| index.index())
    }

    /// Draws the chance outcome of an action, and lists the next legal actions.
    #[inline(always)]
    fn apply_chance(
        &self,
        game: &mut TrainingGame,
        context: &TrainingContext<'_, R>,
        chosen: Successor,
    ) {
        game.score += f64::from(chosen.reward);
        game.state = self.game.spawn(chosen.afterstate, game.random.word());
        game.reward = 0.0;
        if self.has_chance_rewards {
            game.reward = self.game.chance_reward(Some(chosen.afterstate), game.state);
            game.score += f64::from(game.reward);
        }
        game.list_actions(self.game, context);
    }

    /// Notes the stage of the last step, if it is a new one for the game. `first_index` is the
    /// index of the first weight of the step.
    #[inline(always)]
    fn note_stage(
        &self,
        game: &mut TrainingGame,
        context: &TrainingContext<'_, R>,
        entrances: Option<&Entrances>,
        first_index: usize,
    ) {
        if first_index >= game.next_stage_begin {
            enter_stage(game, context, entrances, first_index / context.lookup.per_stage());
        }
    }

    /// Updates the weights for the end of a game. For `last_value` see `UpdateScheme::moved`.
    pub fn update_for_end(
        &self,
        game: &mut TrainingGame,
        context: &TrainingContext<'_, R>,
        last_value: Option<f32>,
    ) {
        if game.trajectory.length() > 0 {
            self.scheme.ended(context, &mut game.trajectory, game.reward, last_value);
        }
    }
}

/// Notes that a game has entered a stage. Its state is an entrance of the stage, unless the game is
/// over.
#[cold]
fn enter_stage<R: Rule>(
    game: &mut TrainingGame,
    context: &TrainingContext<'_, R>,
    entrances: Option<&Entrances>,
    stage: usize,
) {
    game.enter(stage, context);
    if let Some(entrances) = entrances
        && !game.successors.is_empty()
    {
        entrances.add(stage, Start { state: game.state, score: game.score });
    }
}

/// Ends a training in which no action has a value above negative infinity: the values are NaN.
#[cold]
fn diverged() -> ! {
    Fault::new(
        "the training has diverged: the values of all actions are not finite; use a smaller step \
         size",
    )
    .raise()
}
