//! What is learned: what afterstates are worth, states, or actions.
//!
//! Afterstates are what the field learns, and what all the speed is for. The others
//! are there to be held against them, and are written for clarity. The estimate of a
//! state needs all that chance can do for a choice; that of an action has to learn
//! what the action does.

use crate::memory::Cells;
use crate::network::{Lookup, Place};
use crate::rule::{Weight, sum};
use runner_core::{Action, Afterstate, Game, Outcomes, State, Successors};

/// What estimates are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learns {
    /// Positions after an action.
    Afterstates,
    /// Positions in which the player is to move.
    States,
    /// Actions in such positions: Q-learning.
    Actions,
}

impl Learns {
    const ALL: [(Self, &str); 3] =
        [(Self::Afterstates, "afterstates"), (Self::States, "states"), (Self::Actions, "actions")];

    /// What has this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, known)| *known == name).map(|(learns, _)| learns)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::ALL.into_iter().find(|(learns, _)| *learns == self).expect("one of all").1
    }

    /// What tells the estimate apart that is learned from when this action is taken.
    pub fn table(self, action: Action) -> Action {
        match self {
            Self::Actions => action,
            Self::Afterstates | Self::States => Action(0),
        }
    }
}

/// A state as what is looked up: a lookup reads a board, and where that comes from is
/// the same to it.
pub fn position(state: State) -> Afterstate {
    Afterstate::new(state.lo, state.hi)
}

/// The estimates that a network's weights make of states and actions.
#[derive(Clone, Copy, Debug)]
pub struct Estimates<'a> {
    /// The weights.
    pub weights: Cells<'a, Weight>,
    /// Where they lie.
    pub lookup: &'a Lookup,
}

impl Estimates<'_> {
    /// The estimate of a state; of an action in it, where actions have tables.
    fn of(self, state: State, action: Action) -> f32 {
        let mut places = vec![Place::default(); self.lookup.per_position()];
        self.lookup.places_for(position(state), action, &mut places, |_| ());
        sum(self.weights, &places)
    }

    /// What each action is worth by the estimates of actions.
    pub fn of_actions(self, state: State, successors: &Successors, worths: &mut [f32]) {
        for (worth, successor) in worths.iter_mut().zip(successors.iter()) {
            *worth = self.of(state, successor.action);
        }
    }

    /// What each action is worth by the estimates of states: its reward, and the mean
    /// over all that chance can do of what that brings and of the estimate there. A
    /// game that is over is worth nothing.
    pub fn of_outcomes<G: Game + ?Sized>(
        self,
        game: &G,
        successors: &Successors,
        worths: &mut [f32],
    ) {
        let mut outcomes = Outcomes::with_capacity(game.description().max_outcomes);
        let mut next = Successors::new();
        for (worth, successor) in worths.iter_mut().zip(successors.iter()) {
            game.outcomes(successor.afterstate, &mut outcomes);
            let mut expected = 0.0;
            for outcome in outcomes.iter() {
                game.successors(outcome.state, &mut next);
                let rest = if next.is_empty() { 0.0 } else { self.of(outcome.state, Action(0)) };
                let given = game.chance_reward(Some(successor.afterstate), outcome.state);
                expected += outcome.probability * f64::from(given + rest);
            }
            *worth = successor.reward + expected as f32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_of_what_they_name() {
        for (learns, name) in Learns::ALL {
            assert_eq!((Learns::named(name), learns.name()), (Some(learns), name));
        }
        assert_eq!(Learns::named("state"), None);
    }
}
