//! One move of a game in training: choose, update, apply the chance outcome.

use super::game::TrainingGame;
use crate::rule::Rule;
use crate::starts::{Entrances, Restarts};
use crate::update::{Step, TrainingContext, UpdateScheme};
use agent_ntuple_network::{Estimates, ValueFunction, WeightIndex, position};
use runner_core::{Action, Fault, Game, MAX_ACTIONS, Start, Successor};
use std::hint::select_unpredictable;

/// Number of steps within which the weights of a step are still in the second-level cache: those of
/// earlier ones are prefetched before their update.
const CACHED_STEPS: usize = 8;

pub struct Moves<'a, G> {
    game: &'a G,
    scheme: UpdateScheme,
    chance_rewards: bool,
    /// True if games keep their positions.
    waypoints: bool,
    /// See [`UpdateScheme::next_update`].
    next_update: Option<usize>,
}

impl<'a, G: Game> Moves<'a, G> {
    /// Creates the moves of a game whose steps update weights by a scheme.
    pub fn new(game: &'a G, scheme: UpdateScheme, restarts: Restarts) -> Self {
        Self {
            game,
            scheme,
            chance_rewards: game.has_chance_rewards(),
            waypoints: matches!(restarts, Restarts::Middle(_)),
            next_update: scheme.next_update(),
        }
    }

    /// Makes a move in a game that has legal actions. Meanwhile the weights of `previous`, the game that
    /// moved before and moves again after the others, are prefetched: among the sums of this game, because
    /// a burst of prefetches would fill the processor's list of outstanding reads and stall it.
    #[inline(always)]
    pub fn make<R: Rule>(
        &self,
        game: &mut TrainingGame,
        previous: Option<&TrainingGame>,
        context: &TrainingContext<'_, R>,
        entrances: &Entrances,
    ) {
        self.begin_move(game);
        if context.learns != ValueFunction::Afterstates {
            self.make_in_state(game, context, entrances);
            return;
        }
        let n = context.lookup.per_position();
        let mut to_prefetch = previous.into_iter().flat_map(|game| game.afterstate_indices(n));
        let (mut best, mut value, mut best_value) = (0, 0.0, f32::NEG_INFINITY);
        for (k, successor) in game.successors.iter().enumerate() {
            let estimate = context.value(&game.indices[k * n..][..n]);
            if let Some(indices) = to_prefetch.next() {
                context.prefetch(indices);
            }
            let total = successor.reward + estimate;
            (best, value, best_value) = select_unpredictable(
                total > best_value,
                (k, estimate, total),
                (best, value, best_value),
            );
        }
        to_prefetch.for_each(|indices| context.prefetch(indices));
        if best_value == f32::NEG_INFINITY {
            diverged();
        }
        let index = self.choose(game, context, best, value, None);
        if previous.is_none() {
            game.afterstate_indices(n).for_each(|indices| context.prefetch(indices));
        }
        self.note_stage(game, context, Some(entrances), index);
    }

    /// Makes a move in a game of whose weights the context has a part alone. `values` are those of the
    /// afterstates, and `last` is that of the last step.
    #[inline(always)]
    pub fn make_with<R: Rule>(
        &self,
        game: &mut TrainingGame,
        context: &TrainingContext<'_, R>,
        entrances: Option<&Entrances>,
        values: &[f32],
        last: f32,
    ) {
        self.begin_move(game);
        let (mut best, mut best_value) = (0, f32::NEG_INFINITY);
        for (k, (successor, value)) in game.successors.iter().zip(values).enumerate() {
            let total = successor.reward + value;
            (best, best_value) =
                select_unpredictable(total > best_value, (k, total), (best, best_value));
        }
        if best_value == f32::NEG_INFINITY {
            diverged();
        }
        let index = self.choose(game, context, best, values[best], Some(last));
        let n = context.lookup.per_position();
        game.afterstate_indices(n).for_each(|indices| context.prefetch(indices));
        self.note_stage(game, context, entrances, index);
    }

    /// Counts a move, and keeps the position before it if restarts need it.
    #[inline(always)]
    fn begin_move(&self, game: &mut TrainingGame) {
        if self.waypoints {
            let (state, score) = (game.state, game.score);
            game.waypoints.add(|| Start { state, score });
        }
        game.moves += 1;
    }

    /// Takes the action to an afterstate with this value, updates the weights of earlier steps and lists
    /// the next actions. Returns the index of one of the afterstate's weights.
    #[inline(always)]
    fn choose<R: Rule>(
        &self,
        game: &mut TrainingGame,
        context: &TrainingContext<'_, R>,
        number: usize,
        value: f32,
        last: Option<f32>,
    ) -> usize {
        let chosen = game.successors[number];
        let reward = game.reward + chosen.reward;
        let step = Step { position: chosen.afterstate, reward, action: Action(0) };
        let at = number * context.lookup.per_position();
        let index = self.add_step(game, context, step, at, value, last);
        self.apply_chance(game, context, chosen);
        index
    }

    /// Makes a move in a game of which states or actions are learned: a step's value is that of
    /// the state before the action, and the action's reward belongs to the next step.
    #[cold]
    fn make_in_state<R: Rule>(
        &self,
        game: &mut TrainingGame,
        context: &TrainingContext<'_, R>,
        entrances: &Entrances,
    ) {
        let mut values = [0.0; MAX_ACTIONS];
        let values = &mut values[..game.successors.len()];
        let TrainingContext { records, lookup, promotion, .. } = *context;
        let estimates = Estimates { records, lookup, promotion };
        let moves = (game.state, &game.successors);
        estimates.of_actions(context.learns, self.game, moves, values);
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
        let action = context.learns.table(chosen.action);
        let step = Step { position: position(game.state), reward: game.reward, action };
        let indices: &mut [WeightIndex] = &mut game.indices[..lookup.per_position()];
        context.find(&step, indices);
        let value = context.value(indices);
        let index = self.add_step(game, context, step, 0, value, None);
        self.apply_chance(game, context, chosen);
        game.reward += chosen.reward;
        self.note_stage(game, context, Some(entrances), index);
    }

    /// Adds a step with this value, whose weight indices are in the game's list from `at` on, and
    /// updates the weights of earlier steps. Returns the index of one of its weights.
    #[inline(always)]
    fn add_step<R: Rule>(
        &self,
        game: &mut TrainingGame,
        context: &TrainingContext<'_, R>,
        step: Step,
        at: usize,
        value: f32,
        last: Option<f32>,
    ) -> usize {
        if game.trajectory.length() > 0 {
            self.scheme.moved(context, &mut game.trajectory, step.reward, value, last);
        }
        let indices = &game.indices[at..][..context.lookup.per_position()];
        game.trajectory.push(indices);
        match self.next_update {
            Some(back) if CACHED_STEPS <= back && back < game.trajectory.kept() => {
                context.prefetch(game.trajectory.indices(back));
            }
            Some(_) => {}
            None => game.trajectory.path.push(step),
        }
        indices.first().map_or(0, |index| index.index())
    }

    /// Draws the chance outcome of an action, and lists the next legal actions.
    #[inline(always)]
    fn apply_chance<R: Rule>(
        &self,
        game: &mut TrainingGame,
        context: &TrainingContext<'_, R>,
        chosen: Successor,
    ) {
        game.score += f64::from(chosen.reward);
        game.state = self.game.spawn(chosen.afterstate, game.random.word());
        game.reward = 0.0;
        if self.chance_rewards {
            game.reward = self.game.chance_reward(Some(chosen.afterstate), game.state);
            game.score += f64::from(game.reward);
        }
        game.find_actions(self.game, context);
    }

    /// Notes the stage of a step, by the index of one of its weights, if the game has entered it.
    #[inline(always)]
    fn note_stage<R: Rule>(
        &self,
        game: &mut TrainingGame,
        context: &TrainingContext<'_, R>,
        entrances: Option<&Entrances>,
        index: usize,
    ) {
        if index >= game.next_stage {
            enter_stage(game, context, entrances, index / context.lookup.per_stage());
        }
    }

    /// Updates the weights for the end of a game. `last` is the value of its last step, if the context has
    /// not all weights of a position.
    pub fn end<R: Rule>(
        &self,
        game: &mut TrainingGame,
        context: &TrainingContext<'_, R>,
        last: Option<f32>,
    ) {
        if game.trajectory.length() > 0 {
            self.scheme.ended(context, &mut game.trajectory, game.reward, last);
        }
    }
}

#[cold]
fn enter_stage<R: Rule>(
    game: &mut TrainingGame,
    context: &TrainingContext<'_, R>,
    entrances: Option<&Entrances>,
    stage: usize,
) {
    game.enter(stage, context);
    // A game that has just ended is no start.
    if let Some(entrances) = entrances
        && !game.successors.is_empty()
    {
        entrances.add(stage, Start { state: game.state, score: game.score });
    }
}

/// Ends a training in which no action has a value above negative infinity: all are NaN.
#[cold]
fn diverged() -> ! {
    Fault::new(
        "the training has diverged: the values of all actions are not finite; use a smaller step \
         size",
    )
    .raise()
}
