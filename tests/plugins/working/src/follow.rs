//! An agent that plays the greedy policy of a value.

use runner_core::{
    Action, Agent, AgentPlugin, BuildContext, BuildError, Game, GreedyPolicy, Plugin, Spec, Turn,
    Value, parameters,
};
use std::sync::Arc;

parameters! {
    pub struct Config {
        /// Value
        pub value: Option<Spec> = None, value();
    }
}

/// Takes the action with the largest value.
#[derive(Clone)]
pub struct Follow(GreedyPolicy<Arc<dyn Value>>);

impl Agent for Follow {
    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        self.0.act(game, turn)
    }
}

impl Plugin for Follow {
    const NAME: &'static str = "follow";
    const ABOUT: &'static str = "plays the greedy policy of a value, for the tests";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;
}

impl AgentPlugin for Follow {
    fn new(config: Config, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let spec = config.value.ok_or_else(|| BuildError::of("value", "a value is needed"))?;
        Ok(Self(GreedyPolicy(context.host.value(&spec)?)))
    }
}
