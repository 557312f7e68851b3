//! The option that gives a position.

use clap::Args;
use runner_core::{Game, Random, Seed, catch};
use runner_play::failure::Failure;
use runner_play::position::{Position, parse};
use runner_play::registry::Registry;
use runner_play::watched::WatchedGame;
use runner_spec::Spec;

#[derive(Debug, Clone, Default, Args)]
pub struct PositionOptions {
    /// Position as text, or in hex form like EDC1BA9187611111 [default: a start position]
    #[arg(long, value_name = "TEXT")]
    pub state: Option<String>,
}

impl PositionOptions {
    /// Returns the position; a start position is drawn with the seed.
    pub fn find(&self, game: &Spec, seed: Seed, registry: &Registry) -> Result<Position, Failure> {
        let game = registry.game(game)?;
        let state = match &self.state {
            Some(text) => parse(&game, text, registry)?,
            None => catch(|| WatchedGame::of(&game).start(Random::stream(seed, 0).word()))?,
        };
        let text = catch(|| WatchedGame::of(&game).write(state))?;
        Ok(Position { game, state, text })
    }
}
