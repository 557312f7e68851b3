//! A game without one of the actions of another game.

use runner_core::{
    Action, BuildError, Game, GameContext, GamePlugin, Plugin, Spec, State, Successors,
    forward_game, parameters,
};
use std::sync::Arc;

parameters! {
    pub struct WithoutConfig {
        /// Game
        pub game: Option<Spec> = None, game();
        /// Index of the forbidden action
        pub action: u8 = 0, range(0..=63);
    }
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
    forward_game!(|this| this.game;
        description, start, outcomes, spawn, write, write_afterstate, parse, chance_reward,
        has_chance_rewards, starts, max_tile
    );

    fn successors(&self, state: State, out: &mut Successors) {
        let mut all = Successors::new();
        self.game.successors(state, &mut all);
        out.clear();
        for s in all.iter().filter(|s| s.action != self.action) {
            out.push(s.action, s.afterstate, s.reward);
        }
    }
}

impl Plugin for Without {
    const NAME: &'static str = "without";
    const ABOUT: &'static str = "a game without one of its actions, for the tests";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = WithoutConfig;
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
