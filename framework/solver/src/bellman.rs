//! The Bellman equation on canonical positions: a state's value is the maximum over its
//! actions, an afterstate's value the mean over its chance outcomes.
//!
//! Positions are processed in batches: canonicalising many positions at once is faster
//! than one at a time, and several table lookups are in flight at once.

use crate::error::Abort;
use crate::job::StateValue;
use crate::key::Key;
use runner_core::{Afterstate, Game, Outcomes, State, Successors};

pub const BATCH: usize = 32;

/// The rules of a game, on canonical positions.
pub struct Bellman<'g, G> {
    pub game: &'g G,
    has_chance_rewards: bool,
    has_symmetries: bool,
}

pub struct Scratch {
    successors: Successors,
    outcomes: Box<Outcomes>,
    states: Vec<State>,
    afterstates: Vec<Afterstate>,
    /// Reward of each action, or of each chance outcome.
    rewards: Vec<f64>,
    probabilities: Vec<f64>,
    /// For each position of the batch, the end of its range in the lists above.
    ends: Vec<usize>,
}

impl<'g, G: Game> Bellman<'g, G> {
    pub fn new(game: &'g G) -> Self {
        let geometry = &game.description().geometry;
        Self {
            game,
            has_chance_rewards: game.has_chance_rewards(),
            has_symmetries: geometry.as_ref().is_some_and(|board| board.symmetries.len() > 1),
        }
    }

    pub fn canonical(&self, mut state: State) -> State {
        if self.has_symmetries {
            self.game.canonical_states(std::slice::from_mut(&mut state));
        }
        state
    }

    pub fn scratch(&self) -> Scratch {
        Scratch {
            successors: Successors::new(),
            outcomes: Outcomes::with_capacity(self.game.description().max_outcomes),
            states: Vec::new(),
            afterstates: Vec::new(),
            rewards: Vec::new(),
            probabilities: Vec::new(),
            ends: Vec::new(),
        }
    }

    #[inline(always)]
    pub fn chance_reward(&self, from: Option<Afterstate>, to: State) -> f64 {
        if self.has_chance_rewards { self.game.chance_reward(from, to).into() } else { 0.0 }
    }

    /// Lists the actions of a batch of states: rewards and canonical afterstates.
    #[inline(always)]
    fn list_actions<K: Key>(&self, from: &[K], scratch: &mut Scratch) {
        let Scratch { successors, afterstates, rewards, ends, .. } = scratch;
        afterstates.clear();
        rewards.clear();
        ends.clear();
        for from in from {
            self.game.successors(State::from_bits(from.bits()), successors);
            afterstates.extend(successors.iter().map(|successor| successor.afterstate));
            rewards.extend(successors.iter().map(|successor| f64::from(successor.reward)));
            ends.push(afterstates.len());
        }
        if self.has_symmetries {
            self.game.canonical_afterstates(afterstates);
        }
    }

    /// Lists the chance outcomes of a batch of afterstates: probabilities and canonical states, and
    /// the rewards if there are any and they are wanted.
    #[inline(always)]
    fn list_outcomes<K: Key>(&self, from: &[K], scratch: &mut Scratch, with_rewards: bool) {
        let Scratch { outcomes, states, rewards, probabilities, ends, .. } = scratch;
        states.clear();
        rewards.clear();
        probabilities.clear();
        ends.clear();
        for from in from {
            let from = Afterstate::from_bits(from.bits());
            self.game.outcomes(from, outcomes);
            states.extend(outcomes.iter().map(|outcome| outcome.state));
            probabilities.extend(outcomes.iter().map(|outcome| outcome.probability));
            if with_rewards && self.has_chance_rewards {
                let reward = |to: State| f64::from(self.game.chance_reward(Some(from), to));
                rewards.extend(outcomes.iter().map(|outcome| reward(outcome.state)));
            }
            ends.push(states.len());
        }
        if self.has_symmetries {
            self.game.canonical_states(states);
        }
        rewards.resize(states.len(), 0.0);
    }

    /// Returns the canonical afterstates of all actions in a batch of states.
    #[inline(always)]
    pub fn afterstates<'s, K: Key>(
        &self,
        states: &[K],
        scratch: &'s mut Scratch,
    ) -> &'s [Afterstate] {
        self.list_actions(states, scratch);
        &scratch.afterstates
    }

    /// Returns the canonical states of all chance outcomes of a batch of afterstates, and
    /// for each afterstate the end of its range.
    #[inline(always)]
    pub fn states<'s, K: Key>(
        &self,
        afterstates: &[K],
        scratch: &'s mut Scratch,
    ) -> (&'s [State], &'s [usize]) {
        self.list_outcomes(afterstates, scratch, false);
        (&scratch.states, &scratch.ends)
    }

    /// Calls `each` with every afterstate of a batch and its value: the mean of chance
    /// reward plus `state_value` over its outcomes.
    #[inline(always)]
    pub fn afterstate_values<K: Key>(
        &self,
        afterstates: &[K],
        scratch: &mut Scratch,
        mut state_value: impl FnMut(State) -> Result<f64, Abort>,
        mut each: impl FnMut(K, f64) -> Result<(), Abort>,
    ) -> Result<(), Abort> {
        self.list_outcomes(afterstates, scratch, true);
        let Scratch { states, rewards, probabilities, ends, .. } = scratch;
        let mut next = 0;
        for (&from, &end) in afterstates.iter().zip(&*ends) {
            let mut value = 0.0;
            for i in next..end {
                value += probabilities[i] * (rewards[i] + state_value(states[i])?);
            }
            next = end;
            each(from, value)?;
        }
        Ok(())
    }

    /// Calls `each` with every state of a batch and its value: the maximum of reward plus
    /// `afterstate_value` over its actions, or 0 if it has none.
    #[inline(always)]
    pub fn state_values<K: Key>(
        &self,
        states: &[K],
        scratch: &mut Scratch,
        mut afterstate_value: impl FnMut(Afterstate) -> Result<f64, Abort>,
        mut each: impl FnMut(K, f64) -> Result<(), Abort>,
    ) -> Result<(), Abort> {
        self.list_actions(states, scratch);
        let Scratch { afterstates, rewards, ends, .. } = scratch;
        let mut next = 0;
        for (&from, &end) in states.iter().zip(&*ends) {
            let (mut best, mut is_finite) = (f64::NEG_INFINITY, true);
            for i in next..end {
                let value = rewards[i] + afterstate_value(afterstates[i])?;
                is_finite &= value.is_finite();
                best = best.max(value);
            }
            if !is_finite {
                return Err(self.not_finite(State::from_bits(from.bits())));
            }
            let value = if next == end { 0.0 } else { best };
            next = end;
            each(from, value)?;
        }
        Ok(())
    }

    /// Returns the value of a state and the first of its best actions, if it has any.
    pub fn state_value(
        &self,
        state: State,
        mut afterstate_value: impl FnMut(Afterstate) -> Result<f64, Abort>,
    ) -> Result<StateValue, Abort> {
        let mut successors = Successors::new();
        self.game.successors(state, &mut successors);
        let mut best = StateValue { value: 0.0, best_action: None };
        for successor in successors.iter() {
            let mut after = successor.afterstate;
            if self.has_symmetries {
                self.game.canonical_afterstates(std::slice::from_mut(&mut after));
            }
            let value = f64::from(successor.reward) + afterstate_value(after)?;
            if best.best_action.is_none() || value > best.value {
                best = StateValue { value, best_action: Some(successor.action) };
            }
        }
        Ok(best)
    }

    #[cold]
    fn not_finite(&self, state: State) -> Abort {
        let state = self.game.write(state);
        Abort::fault(format!("the value of an action in `{state}` is not a finite number"))
    }
}
