//! Groups of options that several commands have in common.

use super::missing::{agent_or_strongest, game_or_default, missing_agent};
use crate::linked::Linked;
use crate::notes::while_loading;
use clap::Args;
use runner_core::Seed;
use runner_play::failure::Failure;
use runner_play::models;
use runner_play::registry::Registry;
use runner_play::setting::{Resources, Setting};
use runner_spec::Spec;
use runner_spec::quantity::{Count, ThreadCount, Time, grouped};
use std::path::PathBuf;
use std::sync::Arc;

/// Options of every command. They are no part of a configuration file.
#[derive(Debug, Clone, Default, Args)]
pub struct CommonOptions {
    /// Plugin library or folder of libraries; may be repeated
    #[arg(long, value_name = "PATH", global = true)]
    pub plugin_path: Vec<PathBuf>,
    /// Print all details of libraries that cannot be used
    #[arg(long, short, global = true)]
    pub verbose: bool,
    /// RON file with options of the command, by the names of the flags; flags take precedence
    #[arg(long, value_name = "FILE.ron", global = true)]
    pub config: Option<PathBuf>,
}

/// The game and its player.
#[derive(Debug, Clone, Default, Args)]
pub struct PlayerOptions {
    /// Game, like threes or '2048(rows: 3, cols: 4)' [default: that of the player's model, or else
    /// 2048]
    #[arg(long, value_name = "SPEC")]
    pub game: Option<Spec>,
    /// Player: an agent, or a value, which is played greedily, or the file of a model
    #[arg(long, value_name = "SPEC", value_parser = models::player)]
    pub agent: Option<Spec>,
}

impl PlayerOptions {
    /// Returns the game of the options, or else that of the player's model, or else the default.
    pub fn game(&self, linked: &Linked) -> Result<Spec, Failure> {
        game_or_default(self.game.as_ref(), &self.agent, linked)
    }

    /// Returns the options with a game.
    pub fn with_game(&self, linked: &Linked) -> Result<Self, Failure> {
        Ok(Self { game: Some(self.game(linked)?), agent: self.agent.clone() })
    }

    /// Returns the options with a game and a player: the strongest one of the game if none is
    /// named.
    pub fn completed(&self, registry: &Registry, linked: &Linked) -> Result<Self, Failure> {
        let game = self.game(linked)?;
        let agent = agent_or_strongest(self.agent.as_ref(), &registry.game(&game)?, linked)?;
        Ok(Self { game: Some(game), agent: Some(agent) })
    }

    /// Builds the game, which the options have, and the player.
    pub fn setting(
        &self,
        resources: &ResourceOptions,
        registry: &Arc<Registry>,
    ) -> Result<Setting, Failure> {
        let (Some(game), Some(agent)) = (&self.game, &self.agent) else {
            return Err(missing_agent(registry));
        };
        while_loading(agent, || Setting::new(game, agent, resources.resources(), registry))
    }
}

/// The games of an evaluation.
#[derive(Debug, Clone, Default, Args)]
pub struct GameOptions {
    /// Number of games, like 500 or 1.5k [default: 1000]
    #[arg(long, value_name = "N")]
    pub games: Option<Count<1>>,
    /// End each game after this many moves
    #[arg(long, value_name = "N")]
    pub move_limit: Option<Count>,
    /// End each game after this time, like 500ms or 10s
    #[arg(long, value_name = "TIME")]
    pub game_time: Option<Time>,
    /// Record the games in this file, for `runner replay`
    #[arg(long, value_name = "FILE")]
    pub records: Option<PathBuf>,
    /// Overwrite the file of --records at the first game
    #[arg(long)]
    pub force: bool,
}

/// Threads and seed of a run.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct ResourceOptions {
    /// Number of threads, 1 to 1024 [default: one per core]
    #[arg(long, value_name = "N")]
    pub threads: Option<ThreadCount>,
    /// Seed of all random numbers [default: 1]
    #[arg(long, value_name = "N", value_parser = seed)]
    pub seed: Option<Count>,
}

fn seed(text: &str) -> Result<Count, String> {
    text.parse().map_err(|_| format!("a seed is a whole number from 0 to {}", grouped(u64::MAX)))
}

impl GameOptions {
    pub const DEFAULT_GAMES: u64 = 1000;
}

impl ResourceOptions {
    pub fn seed(&self) -> Seed {
        self.seed.map_or(Resources::default().seed, |seed| Seed(seed.get()))
    }

    pub fn threads(&self) -> Option<usize> {
        self.threads.map(|threads| threads.get() as usize)
    }

    pub fn resources(&self) -> Resources {
        Resources { threads: self.threads(), seed: self.seed() }
    }
}
