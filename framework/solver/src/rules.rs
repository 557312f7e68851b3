//! The recursion that a value is: the best of all actions, the mean of all that
//! chance can do, on states and afterstates of which one stands for all its images.
//!
//! Positions are gone through in batches: the images of many are found faster than
//! those of one, and many a value is on its way from memory at once.

use crate::Stop;
use crate::key::Key;
use runner_core::{Action, Afterstate, Game, Outcomes, State, Successors};

/// So many positions are gone through together.
pub const BATCH: usize = 32;

/// A game as its solver asks it.
pub struct Rules<'g, G> {
    /// The game.
    pub game: &'g G,
    chance_rewards: bool,
    /// Whether there are symmetries at all.
    has_images: bool,
}

/// What a task fills again and again.
pub struct Lists {
    successors: Successors,
    outcomes: Outcomes,
    states: Vec<State>,
    afterstates: Vec<Afterstate>,
    /// Of each afterstate what the action earns, or of each state what chance gives.
    rewards: Vec<f64>,
    /// Of each state.
    probabilities: Vec<f64>,
    /// Of each position of the batch, where what follows it ends.
    ends: Vec<usize>,
}

impl<'g, G: Game> Rules<'g, G> {
    /// The rules of a game.
    pub fn new(game: &'g G) -> Self {
        let geometry = &game.description().geometry;
        Self {
            game,
            chance_rewards: game.has_chance_rewards(),
            has_images: geometry.as_ref().is_some_and(|board| board.symmetries.len() > 1),
        }
    }

    /// The state that stands for all images of this one.
    pub fn canonical(&self, state: State) -> State {
        if self.has_images { self.game.canonical(state) } else { state }
    }

    #[inline(always)]
    fn canonical_states(&self, states: &mut [State]) {
        if self.has_images {
            self.game.canonical_states(states);
        }
    }

    #[inline(always)]
    fn canonical_afterstates(&self, afterstates: &mut [Afterstate]) {
        if self.has_images {
            self.game.canonical_afterstates(afterstates);
        }
    }

    /// Lists for a task.
    pub fn lists(&self) -> Lists {
        Lists {
            successors: Successors::new(),
            outcomes: Outcomes::with_capacity(self.game.description().max_outcomes),
            states: Vec::new(),
            afterstates: Vec::new(),
            rewards: Vec::new(),
            probabilities: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// What chance gives on the way to a state.
    #[inline(always)]
    pub fn chance_reward(&self, from: Option<Afterstate>, to: State) -> f64 {
        if self.chance_rewards { self.game.chance_reward(from, to).into() } else { 0.0 }
    }

    /// All afterstates that actions lead to from a batch of states.
    #[inline(always)]
    pub fn afterstates<'l, K: Key>(&self, states: &[K], lists: &'l mut Lists) -> &'l [Afterstate] {
        lists.afterstates.clear();
        for from in states {
            self.game.successors(State::from_bits(from.bits()), &mut lists.successors);
            lists.afterstates.extend(lists.successors.iter().map(|s| s.afterstate));
        }
        self.canonical_afterstates(&mut lists.afterstates);
        &lists.afterstates
    }

    /// All states that chance leads to from a batch of afterstates, and where those
    /// of each end.
    #[inline(always)]
    pub fn states<'l, K: Key>(
        &self,
        afterstates: &[K],
        lists: &'l mut Lists,
    ) -> (&'l [State], &'l [usize]) {
        lists.states.clear();
        lists.ends.clear();
        for from in afterstates {
            self.game.outcomes(Afterstate::from_bits(from.bits()), &mut lists.outcomes);
            lists.states.extend(lists.outcomes.iter().map(|outcome| outcome.state));
            lists.ends.push(lists.states.len());
        }
        self.canonical_states(&mut lists.states);
        (&lists.states, &lists.ends)
    }

    /// Of each afterstate of a batch the mean of what chance gives and what is then
    /// to be earned.
    #[inline(always)]
    pub fn worths<K: Key>(
        &self,
        afterstates: &[K],
        lists: &mut Lists,
        mut value: impl FnMut(State) -> Result<f64, Stop>,
        mut each: impl FnMut(K, f64) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let Lists { outcomes, states, rewards, probabilities, ends, .. } = lists;
        states.clear();
        rewards.clear();
        probabilities.clear();
        ends.clear();
        for from in afterstates {
            let from = Afterstate::from_bits(from.bits());
            self.game.outcomes(from, outcomes);
            states.extend(outcomes.iter().map(|outcome| outcome.state));
            probabilities.extend(outcomes.iter().map(|outcome| outcome.probability));
            if self.chance_rewards {
                let given = |to: State| f64::from(self.game.chance_reward(Some(from), to));
                rewards.extend(outcomes.iter().map(|outcome| given(outcome.state)));
            }
            ends.push(states.len());
        }
        self.canonical_states(states);
        rewards.resize(states.len(), 0.0);
        let mut next = 0;
        for (&from, &end) in afterstates.iter().zip(&*ends) {
            let mut worth = 0.0;
            for i in next..end {
                worth += probabilities[i] * (rewards[i] + value(states[i])?);
            }
            next = end;
            each(from, worth)?;
        }
        Ok(())
    }

    /// Of each state of a batch what the best action earns, now and later; 0 where
    /// there is none.
    #[inline(always)]
    pub fn values<K: Key>(
        &self,
        states: &[K],
        lists: &mut Lists,
        mut worth: impl FnMut(Afterstate) -> Result<f64, Stop>,
        mut each: impl FnMut(K, f64) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let Lists { successors, afterstates, rewards, ends, .. } = lists;
        afterstates.clear();
        rewards.clear();
        ends.clear();
        for from in states {
            self.game.successors(State::from_bits(from.bits()), successors);
            afterstates.extend(successors.iter().map(|successor| successor.afterstate));
            rewards.extend(successors.iter().map(|successor| f64::from(successor.reward)));
            ends.push(afterstates.len());
        }
        self.canonical_afterstates(afterstates);
        let mut next = 0;
        for (&from, &end) in states.iter().zip(&*ends) {
            let (mut best, mut is_finite) = (f64::NEG_INFINITY, true);
            for i in next..end {
                let earned = rewards[i] + worth(afterstates[i])?;
                is_finite &= earned.is_finite();
                best = best.max(earned);
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

    /// The first of the best actions, and what it earns, now and later; 0 where
    /// there is none.
    pub fn best(
        &self,
        state: State,
        mut worth: impl FnMut(Afterstate) -> Result<f64, Stop>,
    ) -> Result<(f64, Option<Action>), Stop> {
        let mut successors = Successors::new();
        self.game.successors(state, &mut successors);
        let mut best: Option<(f64, Action)> = None;
        for successor in successors.iter() {
            let mut afterstate = [successor.afterstate];
            self.canonical_afterstates(&mut afterstate);
            let earned = f64::from(successor.reward) + worth(afterstate[0])?;
            if best.is_none_or(|(most, _)| earned > most) {
                best = Some((earned, successor.action));
            }
        }
        Ok(best.map_or((0.0, None), |(earned, action)| (earned, Some(action))))
    }

    #[cold]
    fn not_finite(&self, state: State) -> Stop {
        let state = self.game.write(state);
        Stop::fault(format!("an action in `{state}` earns what is no finite number"))
    }
}
