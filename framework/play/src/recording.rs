//! What record files say about the run that wrote them.

use crate::registry::LoadedGame;
use runner_core::{Game, Seed};
use runner_records::{Metadata, Starts};

pub fn metadata(game: &LoadedGame, agent: impl ToString, seed: Seed, starts: Starts) -> Metadata {
    Metadata {
        game: game.spec.to_string(),
        game_version: game.version.clone(),
        agent: agent.to_string(),
        seed,
        program: format!("runner {}", env!("CARGO_PKG_VERSION")),
        actions: game.rules.description().actions.clone(),
        starts,
    }
}
