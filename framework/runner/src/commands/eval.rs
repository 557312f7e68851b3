//! `runner eval`: many games and their statistics.

use crate::context::{Context, Execute};
use crate::evaluate::{Evaluation, evaluate};
use crate::options::{GameOptions, InputOutputOptions, Options, PlayerOptions, ResourceOptions};
use crate::positions::read_starts;
use clap::Args;
use runner_play::failure::Failure;
use runner_spec::quantity::Time;
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// Play many games and print the scores with their intervals
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EvalOptions {
    /// The game and its player.
    #[command(flatten)]
    #[serde(rename = "..players")]
    players: PlayerOptions,
    /// The games.
    #[command(flatten)]
    #[serde(rename = "..games")]
    games: GameOptions,
    /// Start no game after this time, like 60s or 5m
    #[arg(long, value_name = "TIME")]
    time: Option<Time>,
    /// File with a position on each line: each game begins at one of them, drawn at random, with a
    /// score of 0
    #[arg(long, value_name = "FILE", conflicts_with = "records")]
    starts: Option<PathBuf>,
    /// Add the score, moves and max tile of each game to the JSON document
    #[arg(long)]
    scores: bool,
    /// Threads and seed.
    #[command(flatten)]
    #[serde(rename = "..resources")]
    resources: ResourceOptions,
    /// Configuration file and output.
    #[command(flatten)]
    #[serde(rename = "..io")]
    io: InputOutputOptions,
}

impl Options for EvalOptions {
    fn config(&self) -> Option<&Path> {
        self.io.config.as_deref()
    }

    fn check(&self) -> Result<(), Failure> {
        if self.scores && !self.io.json {
            return Err(Failure::usage("--scores adds to the JSON document: it needs --json"));
        }
        if self.starts.is_some() && self.games.records.is_some() {
            return Err(Failure::usage(
                "--starts and --records exclude each other: the games of a record begin as the \
                 rules say",
            ));
        }
        Ok(())
    }
}

impl Execute for EvalOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        let options = context.resolve(self)?;
        let setting = options.players.setting(&options.resources, context.registry())?;
        setting.refuse_untrained()?;
        let starts = match &options.starts {
            Some(file) => read_starts(file, &setting.game, context.registry())?,
            None => Vec::new(),
        };
        evaluate(&Evaluation {
            setting: &setting,
            games: &options.games,
            starts: &starts,
            time: options.time.map(|Time(time)| time),
            json: options.io.json,
            scores: options.scores,
        })
    }
}
