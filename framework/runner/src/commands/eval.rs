//! `runner eval`: many games and their statistics.

use crate::context::{Context, Execute};
use crate::evaluate::{EvaluationJob, evaluate, kept_job};
use crate::options::{GameOptions, KeepOptions, PlayerOptions, ResourceOptions};
use crate::positions::read_starts;
use clap::Args;
use runner_core::Spec;
use runner_play::failure::Failure;
use runner_play::kept::Kept;
use runner_play::luck::Luck;
use runner_play::models;
use runner_play::setting::Setting;
use runner_spec::quantity::Time;
use std::path::PathBuf;

/// Play many games and print the scores with their intervals
#[derive(Debug, Clone, Default, Args)]
pub struct EvalOptions {
    #[command(flatten)]
    players: PlayerOptions,
    #[command(flatten)]
    games: GameOptions,
    /// Start no game after this time, like 60s or 5m, and end all games a quarter of it later
    #[arg(long = "for", value_name = "TIME")]
    time: Option<Time>,
    /// File with a position on each line: each game begins at one of them, drawn at random, with a
    /// score of 0
    #[arg(long, value_name = "FILE", conflicts_with = "records")]
    starts: Option<PathBuf>,
    /// Take the luck of each game off its score, as this value of the game measures it: beside the
    /// mean stands one with a narrower interval
    #[arg(long, value_name = "SPEC", value_parser = models::player)]
    luck: Option<Spec>,
    #[command(flatten)]
    keep: KeepOptions,
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
        let threads = &setting.threads;
        let measure = |spec| {
            Luck::new(registry, spec, &setting.game, &starts, &[&setting.player], threads)
                .map_err(|failure| failure.of("--luck"))
        };
        let luck = self.luck.as_ref().map(measure).transpose()?;
        let kept = self.kept(&setting, luck.as_deref(), context)?;
        evaluate(&EvaluationJob {
            context,
            setting: &setting,
            games: &self.games,
            starts: &starts,
            time,
            luck,
            kept: kept.as_ref(),
            keep: Some(&self.keep),
            json: self.json,
            scores: self.scores,
        })
    }
}

impl EvalOptions {
    /// Opens the file that keeps the games.
    fn kept(
        &self,
        setting: &Setting,
        luck: Option<&Luck>,
        context: &Context,
    ) -> Result<Option<Kept>, Failure> {
        if self.keep.out.is_some() && self.games.records.is_some() {
            return Err(Failure::usage(
                "--out keeps the results of games, and --records the games themselves: give one of them",
            ));
        }
        let file = self.keep.out.as_ref().or(self.games.records.as_ref());
        if self.keep.resume && file.is_none() {
            return Err(Failure::usage(
                "--resume needs the file that it continues: --out or --records",
            ));
        }
        if self.keep.resume && self.games.records.is_some() && luck.is_some() {
            return Err(Failure::usage(
                "a record has no luck, so that --luck cannot continue it: keep the results with --out",
            ));
        }
        let job = kept_job(setting, &self.games, luck, self.starts.as_ref());
        self.keep.open(self.games.force, &job, context)
    }
}
