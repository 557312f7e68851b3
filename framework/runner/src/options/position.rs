//! The option that gives a position.

use super::missing::missing_game;
use clap::Args;
use runner_core::{Game, Random, Seed, catch};
use runner_play::failure::Failure;
use runner_play::position::{Position, parse};
use runner_play::registry::Registry;
use runner_play::watched::WatchedGame;
use runner_spec::Spec;

#[derive(Debug, Clone, Default, Args)]
pub struct PositionOptions {
    /// Position as text [default: a start position]
    #[arg(long, value_name = "TEXT")]
    state: Option<String>,
}

impl PositionOptions {
    /// Returns true if the position is given.
    pub fn is_typed(&self) -> bool {
        self.state.is_some()
    }

    /// Returns the position; a start position is drawn with the seed.
    pub fn find(
        &self,
        game: Option<&Spec>,
        seed: Seed,
        registry: &Registry,
    ) -> Result<Position, Failure> {
        let game = registry.game(game.ok_or_else(|| missing_game(registry))?)?;
        let state = match &self.state {
            Some(text) => parse(&game, text, registry)?,
            None => catch(|| WatchedGame::of(&game).start(Random::stream(seed, 0).word()))?,
        };
        let text = catch(|| WatchedGame::of(&game).write(state))?;
        Ok(Position { game, state, text })
    }
}
