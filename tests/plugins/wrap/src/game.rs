//! A game without one of the actions of another game.

use runner_core::{
    Action, Afterstate, BuildError, Description, Game, GameContext, GamePlugin, Outcome, Outcomes,
    Parameter, Plugin, Spec, State, Successors, TextError,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The parameters.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WithoutConfig {
    /// The game.
    pub game: Option<Spec>,
    /// The index of the forbidden action.
    pub action: u8,
}

/// A game in which one action of another game is forbidden.
pub struct Without {
    game: Arc<dyn Game>,
    action: Action,
}

impl Without {
    /// Forbids an action of a game.
    pub fn new(game: Arc<dyn Game>, action: Action) -> Self {
        Self { game, action }
    }
}

impl Game for Without {
    fn description(&self) -> &Description {
        self.game.description()
    }

    fn start(&self, random: u64) -> State {
        self.game.start(random)
    }

    fn successors(&self, state: State, out: &mut Successors) {
        let mut all = Successors::new();
        self.game.successors(state, &mut all);
        out.clear();
        for s in all.iter().filter(|s| s.action != self.action) {
            out.push(s.action, s.afterstate, s.reward);
        }
    }

    fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        self.game.outcomes(afterstate, out);
    }

    fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        self.game.spawn(afterstate, random)
    }

    fn write(&self, state: State) -> String {
        self.game.write(state)
    }

    fn write_afterstate(&self, afterstate: Afterstate) -> String {
        self.game.write_afterstate(afterstate)
    }

    fn parse(&self, text: &str) -> Result<State, TextError> {
        self.game.parse(text)
    }

    fn chance_reward(&self, from: Option<Afterstate>, to: State) -> f32 {
        self.game.chance_reward(from, to)
    }

    fn has_chance_rewards(&self) -> bool {
        self.game.has_chance_rewards()
    }

    fn starts(&self) -> Option<Vec<Outcome>> {
        self.game.starts()
    }

    fn max_tile(&self, state: State) -> Option<u64> {
        self.game.max_tile(state)
    }
}

impl Plugin for Without {
    const NAME: &'static str = "without";
    const ABOUT: &'static str = "a game without one of its actions, for the tests";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = WithoutConfig;

    fn parameters() -> Vec<Parameter> {
        vec![
            Parameter::new("game", "a game", "None", "the game"),
            Parameter::new("action", "0 to 63", "0", "index of the forbidden action"),
        ]
    }
}

impl GamePlugin for Without {
    fn new(config: WithoutConfig, context: &GameContext<'_>) -> Result<Self, BuildError> {
        let spec = config.game.ok_or_else(|| BuildError::of("game", "a game is needed"))?;
        let game = context.game("game", &spec)?;
        if usize::from(config.action) >= game.description().actions.len() {
            return Err(BuildError::of("action", "the game has no such action"));
        }
        Ok(Self { game, action: Action(config.action) })
    }
}
