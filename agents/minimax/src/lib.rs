//! `minimax`: looks ahead as if chance were an opponent that does its worst.
//!
//! ```text
//! minimax(depth: 3, value: beta)
//! minimax(depth: 4, outcomes: 4, value: smooth)
//! ```
//!
//! Depth counts as that of `expectimax`: one ply is the best of the actions by the
//! value of their afterstates.
#![forbid(unsafe_code)]

mod search;

use runner_core::{
    Action, Agent, AgentPlugin, Analysis, BuildContext, BuildError, Game, MAX_ACTIONS, Parameter,
    Plugin, Spec, Turn, Value, best_action, order_by_value,
};
use search::{Level, Search};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A search looks at most so many plies ahead.
const MAX_PLIES: u8 = 32;

/// The parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// What positions are worth where the search ends.
    pub value: Option<Spec>,
    /// How many plies to look ahead.
    pub depth: u8,
    /// How many of the things that chance can do are looked into.
    pub outcomes: Option<usize>,
}

impl Default for Config {
    fn default() -> Self {
        Self { value: None, depth: 3, outcomes: None }
    }
}

/// The player.
pub struct Minimax<V = Arc<dyn Value>> {
    value: V,
    plies: u8,
    outcomes: usize,
    levels: Vec<Level>,
}

impl<V: Value> Minimax<V> {
    /// A player that looks so many plies ahead, at the worst so many outcomes each time.
    pub fn over(value: V, plies: u8, outcomes: usize) -> Self {
        Self { value, plies, outcomes, levels: Vec::new() }
    }

    /// What each of the legal actions is worth at least as far as it can matter: the
    /// best has its worth, and no other is worth more than is said of it.
    pub fn worths<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Vec<(Action, f32)> {
        let (successors, count) = (turn.successors, turn.successors.len());
        let most = game.description().max_outcomes;
        while self.levels.len() < usize::from(self.plies) {
            self.levels.push(Level::new(most));
        }
        let search = Search::new(game, &self.value, self.outcomes);
        let mut afterstates = [Default::default(); MAX_ACTIONS];
        let mut worths = [0.0; MAX_ACTIONS];
        for (afterstate, successor) in afterstates.iter_mut().zip(successors.iter()) {
            *afterstate = successor.afterstate;
        }
        self.value.evaluate(&afterstates[..count], &mut worths[..count]);
        for (worth, successor) in worths.iter_mut().zip(successors.iter()) {
            *worth += search.earned(successor);
        }
        if self.plies > 1 {
            // What looks best first: then the others need not be looked at so closely.
            let mut alpha = f32::NEG_INFINITY;
            for k in order_by_value(count, &|k| worths[k]) {
                let earned = search.earned(&successors[k]);
                let (low, high) = (alpha - earned, f32::INFINITY);
                let from = successors[k].afterstate;
                let worst = search.worst(&mut self.levels, from, self.plies - 1, low, high);
                worths[k] = earned + worst;
                alpha = alpha.max(worths[k]);
            }
        }
        successors.iter().zip(worths).map(|(s, worth)| (s.action, worth)).collect()
    }
}

impl<V: Value + Clone> Clone for Minimax<V> {
    fn clone(&self) -> Self {
        Self::over(self.value.clone(), self.plies, self.outcomes)
    }
}

impl<V: Value + Clone> Agent for Minimax<V> {
    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        match &**turn.successors {
            [only] => Some(only.action),
            _ => best_action(self.worths(game, turn).into_iter()),
        }
    }

    fn analyse<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Analysis {
        let worths = self.worths(game, turn);
        let choice = best_action(worths.iter().copied());
        let fact = ("worths", "none but the best is worth more than this, and may be worth less");
        let facts = vec![(fact.0.to_owned(), fact.1.into())];
        Analysis { choice, action_values: worths, facts }
    }
}

impl Plugin for Minimax {
    const NAME: &'static str = "minimax";
    const ABOUT: &'static str = "looks ahead as if chance did its worst";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;

    fn parameters() -> Vec<Parameter> {
        vec![
            Parameter::new(
                "value",
                "a value, as in `beta`",
                "`rows` on a board",
                "what positions are worth where the search ends",
            ),
            Parameter::new("depth", "1 to 32", "3", "how many plies to look ahead"),
            Parameter::new(
                "outcomes",
                "1 and more",
                "all",
                "look into so many of the things that chance can do, those that seem worst",
            ),
        ]
    }
}

impl AgentPlugin for Minimax {
    fn new(config: Config, site: &BuildContext<'_>) -> Result<Self, BuildError> {
        if !(1..=MAX_PLIES).contains(&config.depth) {
            let message = format!("{} plies: 1 to {MAX_PLIES} are allowed", config.depth);
            return Err(BuildError::of("depth", message));
        }
        if config.outcomes == Some(0) {
            return Err(BuildError::of("outcomes", "1 at least is needed"));
        }
        let value = site.value_or_default("rows", "value", config.value.as_ref())?;
        Ok(Self::over(value, config.depth, config.outcomes.unwrap_or(usize::MAX)))
    }
}

#[cfg(test)]
mod tests;
