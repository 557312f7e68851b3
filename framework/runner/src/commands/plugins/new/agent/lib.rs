//! A player that takes the largest reward, and looks past one chance event:
//! it also counts the best reward that it can expect on the next move.

use runner_core::{
    Action, Agent, AgentPlugin, BuildError, Game, Outcomes, Parameter, Plugin, BuildContext, Successor,
    Successors, Turn, best_action,
};
use serde::{Deserialize, Serialize};

/// The parameters: what may stand in parentheses after the name.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    pub patience: f64,
}

impl Default for Config {
    fn default() -> Self {
        Self { patience: 0.5 }
    }
}

/// The player. It is cloned once for every thread.
#[derive(Clone, Copy, Debug)]
pub struct __Type__ {
    patience: f64,
}

impl __Type__ {
    /// What an action is worth: its reward, what chance is expected to give or
    /// take, and with patience the best reward that can be had after that.
    pub fn worth<G: Game>(&self, game: &G, successor: &Successor) -> f64 {
        // The lists are buffers that the game fills.
        let mut outcomes = Outcomes::with_capacity(game.description().max_outcomes);
        let mut next = Successors::new();
        game.outcomes(successor.afterstate, &mut outcomes);
        let mut expected = 0.0;
        for outcome in outcomes.iter() {
            game.successors(outcome.state, &mut next);
            // When the game is over there is nothing more to be had.
            let most = next.iter().map(|s| f64::from(s.reward)).reduce(f64::max).unwrap_or(0.0);
            let given = f64::from(game.chance_reward(Some(successor.afterstate), outcome.state));
            expected += outcome.probability * (given + self.patience * most);
        }
        f64::from(successor.reward) + expected
    }
}

impl Agent for __Type__ {
    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        best_action(turn.successors.iter().map(|s| (s.action, self.worth(game, s) as f32)))
    }
}

impl Plugin for __Type__ {
    const NAME: &'static str = "__name__";
    const ABOUT: &'static str = "takes the largest reward, the next one counted in";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;

    fn parameters() -> Vec<Parameter> {
        vec![Parameter::new("patience", "0 to 1", "0.5", "how much the next reward counts")]
    }
}

impl AgentPlugin for __Type__ {
    fn new(config: Config, _: &BuildContext<'_>) -> Result<Self, BuildError> {
        let Config { patience } = config;
        if !(0.0..=1.0).contains(&patience) {
            let message = format!("a patience of {patience} is not possible; 0 to 1 is");
            return Err(BuildError::of("patience", message));
        }
        Ok(Self { patience })
    }
}

runner_plugin::export_plugin! { agents: [__Type__] }
