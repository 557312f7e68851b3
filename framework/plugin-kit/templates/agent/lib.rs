//! An agent that maximises its reward over two moves: the reward of an action and, with a
//! weight, the expected best reward of the move after it.

use runner_core::{
    Action, Agent, AgentPlugin, BuildContext, BuildError, Game, Outcomes, Plugin, Successor,
    Successors, Turn, best_action, parameters,
};

parameters! {
    /// The parameters of a spec.
    #[derive(Copy)]
    pub struct Config {
        /// Weight of the next reward
        pub patience: f64 = 0.5, range(0.0..=1.0);
    }
}

/// The agent. Each thread has its own clone.
#[derive(Clone, Copy, Debug)]
pub struct __Type__ {
    patience: f64,
}

impl __Type__ {
    /// Returns the value of an action: its reward, the expected chance reward, and, weighted
    /// by `patience`, the expected best reward of the next move.
    pub fn action_value<G: Game>(&self, game: &G, successor: &Successor) -> f64 {
        // The game fills these buffers.
        let mut outcomes = Outcomes::with_capacity(game.description().max_outcomes);
        let mut next = Successors::new();
        game.outcomes(successor.afterstate, &mut outcomes);
        let mut expected = 0.0;
        for outcome in outcomes.iter() {
            game.successors(outcome.state, &mut next);
            // After the end of the game there are no rewards.
            let best = next.iter().map(|s| f64::from(s.reward)).reduce(f64::max).unwrap_or(0.0);
            let chance_reward =
                f64::from(game.chance_reward(Some(successor.afterstate), outcome.state));
            expected += outcome.probability * (chance_reward + self.patience * best);
        }
        f64::from(successor.reward) + expected
    }
}

impl Agent for __Type__ {
    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        best_action(turn.successors.iter().map(|s| (s.action, self.action_value(game, s) as f32)))
    }
}

impl Plugin for __Type__ {
    const NAME: &'static str = "__name__";
    const ABOUT: &'static str = "maximises its reward over two moves";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;
}

impl AgentPlugin for __Type__ {
    fn new(config: Config, _: &BuildContext<'_>) -> Result<Self, BuildError> {
        Ok(Self { patience: config.patience })
    }
}

runner_plugin::export_plugin! { agents: [__Type__] }
