//! Groups of options that several commands have in common.

use clap::Args;
use runner_core::Seed;
use runner_play::setting::Resources;
use runner_spec::quantity::{Count, ThreadCount, Time, grouped};
use std::path::PathBuf;

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

impl ResourceOptions {
    pub fn seed(&self) -> Seed {
        self.seed.map_or(Resources::default().seed, |seed| Seed(seed.get()))
    }

    pub fn threads(&self) -> Option<usize> {
        self.threads.map(|threads| threads.get() as usize)
    }
}
