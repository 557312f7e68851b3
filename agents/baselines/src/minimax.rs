//! `minimax`: alpha-beta search against chance as a minimizing opponent.
//!
//! ```text
//! minimax(depth: 3, value: beta)
//! minimax(depth: 4, outcomes: 4, value: smooth)
//! ```
//!
//! Depth is counted as in `expectimax`: one ply is the best action by reward and value of its
//! afterstate. The pruning is that of Knuth and Moore (*An Analysis of Alpha-Beta Pruning*, 1975);
//! playing 2048 with it was proposed by ovolve (Matt Overlan, *2048-AI*, 2014).

mod search;

use runner_core::{
    Action, Agent, AgentPlugin, Analysis, BuildContext, BuildError, Game, MAX_ACTIONS, Plugin,
    Spec, Turn, Value, parameters, value_facts,
};
use search::{AlphaBeta, Level};
use std::sync::Arc;

/// The greatest search depth in plies.
const MAX_PLIES: u8 = 32;

parameters! {
    /// The parameters of [`Minimax`].
    pub struct MinimaxConfig {
        /// Static evaluation at the leaves
        pub value: Option<Spec> = None, value().like("beta").unset("`rows` on a board");
        /// Search depth
        pub depth: u8 = 3, range(1..=MAX_PLIES).unit("plies");
        /// Number of chance outcomes searched per afterstate: those with the lowest static values
        pub outcomes: Option<usize> = None, range(1u64..).unset("all");
    }
}

pub struct Minimax<V = Arc<dyn Value>> {
    value: V,
    plies: u8,
    max_replies: usize,
    levels: Vec<Level>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct MinimaxResult {
    /// The action to take; `None` if there is no legal one.
    pub best: Option<Action>,
    /// The legal actions with their values: exact for the best one, upper bounds for the
    /// others, which may equal its value.
    pub action_values: Vec<(Action, f32)>,
}

impl<V: Value> Minimax<V> {
    /// An agent that searches to this depth in plies, with at most `max_replies` outcomes
    /// below each afterstate: those with the lowest static values.
    pub fn with_depth(value: V, plies: u8, max_replies: usize) -> Self {
        Self { value, plies, max_replies, levels: Vec::new() }
    }

    pub fn search<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> MinimaxResult {
        let successors = turn.successors;
        let max_outcomes = game.description().max_outcomes;
        while self.levels.len() < usize::from(self.plies) {
            self.levels.push(Level::new(max_outcomes));
        }
        let search = AlphaBeta::new(game, &self.value, self.max_replies);
        let values = &mut [0.0; MAX_ACTIONS][..successors.len()];
        let best = search.search_root(&mut self.levels, successors, self.plies, values);
        let best = best.map(|best| successors[best].action);
        let action_values = successors.iter().zip(values).map(|(s, value)| (s.action, *value));
        MinimaxResult { best, action_values: action_values.collect() }
    }
}

impl<V: Value + Clone> Clone for Minimax<V> {
    fn clone(&self) -> Self {
        Self::with_depth(self.value.clone(), self.plies, self.max_replies)
    }
}

impl<V: Value + Clone> Agent for Minimax<V> {
    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        match &**turn.successors {
            [only] => Some(only.action),
            _ => self.search(game, turn).best,
        }
    }

    fn analyse<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Analysis {
        let MinimaxResult { best, action_values } = self.search(game, turn);
        let note = "exact for the chosen action, upper bounds for the others";
        let mut facts = vec![
            ("plies".to_owned(), u64::from(self.plies).into()),
            ("values".to_owned(), note.into()),
        ];
        facts.extend(value_facts(&self.value, turn, best));
        let first = best.and_then(|best| turn.successors.of(best));
        if let Some(first) = first.filter(|_| self.plies > 1) {
            let search = AlphaBeta::new(game, &self.value, self.max_replies);
            let line = search.line(&mut self.levels, *first, self.plies);
            facts.push(("line".to_owned(), line.as_str().into()));
        }
        Analysis { choice: best, action_values, facts }
    }
}

impl Plugin for Minimax {
    const NAME: &'static str = "minimax";
    const ABOUT: &'static str = "alpha-beta search against the worst chance outcomes";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = MinimaxConfig;
}

impl AgentPlugin for Minimax {
    fn new(config: MinimaxConfig, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let value = context.value_or_default("rows", "mcts", "value", config.value.as_ref())?;
        Ok(Self::with_depth(value, config.depth, config.outcomes.unwrap_or(usize::MAX)))
    }
}

#[cfg(test)]
mod tests;
