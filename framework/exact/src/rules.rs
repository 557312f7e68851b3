//! The recursion that a value is: the best of all actions, the mean of all that
//! chance can do, on states and afterstates of which one stands for all its images.

use crate::Stop;
use runner_core::{Action, Afterstate, Game, Outcomes, State, Successors};

/// A game as its solver asks it.
pub struct Rules<'g, G> {
    /// The game.
    pub game: &'g G,
    chance_rewards: bool,
}

/// The lists that a task fills again and again.
pub struct Lists {
    successors: Successors,
    outcomes: Outcomes,
}

impl<'g, G: Game> Rules<'g, G> {
    /// The rules of a game.
    pub fn new(game: &'g G) -> Self {
        Self { game, chance_rewards: game.has_chance_rewards() }
    }

    /// Lists for a task.
    pub fn lists(&self) -> Lists {
        Lists {
            successors: Successors::new(),
            outcomes: Outcomes::with_capacity(self.game.description().max_outcomes),
        }
    }

    /// What chance gives on the way to a state.
    #[inline(always)]
    pub fn chance_reward(&self, from: Option<Afterstate>, to: State) -> f64 {
        if self.chance_rewards { self.game.chance_reward(from, to).into() } else { 0.0 }
    }

    /// Calls with every afterstate that an action leads to.
    #[inline(always)]
    pub fn afterstates(
        &self,
        state: State,
        lists: &mut Lists,
        mut each: impl FnMut(Afterstate) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        self.game.successors(state, &mut lists.successors);
        for successor in lists.successors.iter() {
            each(self.game.canonical_afterstate(successor.afterstate))?;
        }
        Ok(())
    }

    /// Calls with every state that chance leads to.
    #[inline(always)]
    pub fn states(
        &self,
        afterstate: Afterstate,
        lists: &mut Lists,
        mut each: impl FnMut(State) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        self.game.outcomes(afterstate, &mut lists.outcomes);
        for outcome in lists.outcomes.iter() {
            each(self.game.canonical(outcome.state))?;
        }
        Ok(())
    }

    /// The mean of what chance gives and what is then to be earned.
    #[inline(always)]
    pub fn worth(
        &self,
        afterstate: Afterstate,
        lists: &mut Lists,
        mut value: impl FnMut(State) -> Result<f64, Stop>,
    ) -> Result<f64, Stop> {
        self.game.outcomes(afterstate, &mut lists.outcomes);
        let mut sum = 0.0;
        for outcome in lists.outcomes.iter() {
            let given = self.chance_reward(Some(afterstate), outcome.state);
            sum += outcome.probability * (given + value(self.game.canonical(outcome.state))?);
        }
        Ok(sum)
    }

    /// The best action and what it earns, now and later; 0 where there is none.
    #[inline(always)]
    pub fn best(
        &self,
        state: State,
        lists: &mut Lists,
        mut worth: impl FnMut(Afterstate) -> Result<f64, Stop>,
    ) -> Result<(f64, Option<Action>), Stop> {
        self.game.successors(state, &mut lists.successors);
        let mut best: (f64, Option<Action>) = (0.0, None);
        for successor in lists.successors.iter() {
            let afterstate = self.game.canonical_afterstate(successor.afterstate);
            let earned = f64::from(successor.reward) + worth(afterstate)?;
            if !earned.is_finite() {
                return Err(self.not_finite(state, earned));
            }
            if best.1.is_none() || earned > best.0 {
                best = (earned, Some(successor.action));
            }
        }
        Ok(best)
    }

    #[cold]
    fn not_finite(&self, state: State, earned: f64) -> Stop {
        let state = self.game.write(state);
        Stop::fault(format!("an action in `{state}` earns {earned}, which is no finite number"))
    }
}
