//! The value function that a network learns: of afterstates, states or actions.
//!
//! Afterstates are the usual choice, and only they have fast code. The other two exist for
//! comparison and are written for clarity: to choose an action, a state value function needs
//! the expectation over all chance outcomes, and an action value function has to learn the
//! effect of each action.

use crate::evaluation::evaluate;
use crate::index::WeightIndex;
use crate::lookup::Lookup;
use crate::memory::Entries;
use crate::promotion::Promotion;
use crate::weight::{Record, sum};
use runner_core::{Action, Afterstate, Game, Outcomes, State, Successors, words};

words! {
    /// The domain of the value function that a network learns.
    #[derive(Copy, Default)]
    pub enum ValueFunction {
        /// Positions after an action, before the chance outcome.
        #[default]
        Afterstates = "afterstates",
        /// Positions in which the player is to move.
        States = "states",
        /// Actions in such positions: Q-learning.
        Actions = "actions",
    }
}

/// Returns a state in the type that a lookup takes.
pub fn position(state: State) -> Afterstate {
    Afterstate::new(state.lo, state.hi)
}

/// The value functions that a network represents. Evaluation changes no weight.
#[derive(Debug)]
pub struct Estimates<'a, M> {
    pub records: Entries<'a, Record<M>>,
    pub lookup: &'a Lookup,
    /// The promotion, if stages inherit weights.
    pub promotion: Option<Promotion>,
}

impl<M> Estimates<'_, M> {
    /// Returns the value of a position from the indices of its weights.
    #[inline(always)]
    fn of_indices(&self, indices: &[WeightIndex]) -> f32 {
        match self.promotion {
            None => sum(self.records, indices),
            Some(promotion) => promotion.value(self.records, indices),
        }
    }

    /// Returns the value of a state, or of an action in it if each action has its own tables.
    fn value(&self, state: State, action: Action) -> f32 {
        let mut indices = vec![WeightIndex::default(); self.lookup.per_position()];
        self.lookup.indices_for(position(state), action, &mut indices);
        self.of_indices(&indices)
    }

    pub fn of_afterstates(self, afterstates: &[Afterstate], values: &mut [f32]) {
        let fetch = |indices: &mut [WeightIndex]| {
            indices.iter().for_each(|&index| self.records.prefetch(index));
        };
        evaluate(self.lookup, afterstates, values, fetch, |indices| self.of_indices(indices));
    }

    /// Writes the value of each action in a state, if states or actions are learned.
    pub fn of_actions<G: Game + ?Sized>(
        self,
        learns: ValueFunction,
        game: &G,
        (state, successors): (State, &Successors),
        values: &mut [f32],
    ) {
        if learns != ValueFunction::Actions {
            return self.of_outcomes(game, successors, values);
        }
        for (value, successor) in values.iter_mut().zip(successors.iter()) {
            *value = self.value(state, successor.action);
        }
    }

    /// Writes the value of each action, from a state value function: its reward plus the
    /// expectation over all chance outcomes of the outcome's reward and the next state's value.
    /// A terminal state has value 0.
    fn of_outcomes<G: Game + ?Sized>(&self, game: &G, successors: &Successors, values: &mut [f32]) {
        let mut outcomes = Outcomes::with_capacity(game.description().max_outcomes);
        let mut next = Successors::new();
        for (value, successor) in values.iter_mut().zip(successors.iter()) {
            game.outcomes(successor.afterstate, &mut outcomes);
            let mut expected = 0.0;
            for outcome in outcomes.iter() {
                game.successors(outcome.state, &mut next);
                let rest = if next.is_empty() { 0.0 } else { self.value(outcome.state, Action(0)) };
                let reward = game.chance_reward(Some(successor.afterstate), outcome.state);
                expected += outcome.probability * f64::from(reward + rest);
            }
            *value = successor.reward + expected as f32;
        }
    }
}
