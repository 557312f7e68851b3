//! `runner eval`: many games and their statistics.

use crate::context::{Context, Execute};
use crate::evaluate::{Evaluation, evaluate};
use crate::options::{GameOptions, PlayerOptions, ResourceOptions};
use crate::positions::read_starts;
use clap::Args;
use runner_play::failure::Failure;
use runner_spec::quantity::Time;
use std::path::PathBuf;

/// Play many games and print the scores with their intervals
#[derive(Debug, Clone, Default, Args)]
pub struct EvalOptions {
    #[command(flatten)]
    players: PlayerOptions,
    #[command(flatten)]
    games: GameOptions,
    /// Start no game after this time, like 60s or 5m
    #[arg(long = "for", value_name = "TIME")]
    time: Option<Time>,
    /// File with a position on each line: each game begins at one of them, drawn at random, with a
    /// score of 0
    #[arg(long, value_name = "FILE", conflicts_with = "records")]
    starts: Option<PathBuf>,
    /// Add the score, moves and max tile of each game to the JSON document
    #[arg(long, requires = "json")]
    scores: bool,
    #[command(flatten)]
    resources: ResourceOptions,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl Execute for EvalOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        let (registry, time) = (context.registry(), self.time.map(|Time(time)| time));
        context.end_after(time);
        let players = self.players.completed(registry, &context.linked)?;
        let setting = players.setting(&self.resources, registry)?;
        setting.refuse_untrained()?;
        let starts = match &self.starts {
            Some(file) => read_starts(file, &setting.game, registry)?,
            None => Vec::new(),
        };
        evaluate(&Evaluation {
            setting: &setting,
            games: &self.games,
            starts: &starts,
            time,
            json: self.json,
            scores: self.scores,
        })
    }
}
