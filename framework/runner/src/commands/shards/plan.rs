//! `runner shards plan`.

use super::built::Built;
use crate::commands::eval::GAMES;
use crate::context::{Context, Execute};
use crate::experiment::Experiment;
use crate::failure::Failure;
use crate::notes::note;
use crate::options::{Count, PlayerOptions, PositiveTime, read_file};
use crate::setting::{missing_agent, missing_game};
use crate::shards::{GameShards, PartShards};
use crate::tournament::{self, Tournament};
use clap::Args;
use runner_spec::quantity::counted;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::path::{Path, PathBuf};

/// Write the plan of a tournament, an experiment or an evaluation in shards
///
/// A file names a tournament or an experiment; --game and --agent an evaluation.
#[derive(Debug, Clone, Args)]
pub struct PlanOptions {
    /// RON file of the tournament or the experiment
    #[arg(value_name = "FILE.ron", conflicts_with_all = ["game", "agent"])]
    file: Option<PathBuf>,
    /// Number of shards
    #[arg(long, value_name = "N")]
    shards: Count<1, 100_000>,
    /// Of a tournament: number of games of each agent in each game [default: that of the file, or 100]
    #[arg(long, value_name = "N")]
    rounds: Option<Count<1>>,
    /// The evaluation.
    #[command(flatten)]
    players: PlayerOptions,
    /// Of an evaluation: number of games, like 500 or 1.5k [default: 1000]
    #[arg(long, value_name = "N", conflicts_with = "file")]
    games: Option<Count<1>>,
    /// Of an evaluation: end each game after this many moves
    #[arg(long, value_name = "N", conflicts_with = "file")]
    move_limit: Option<Count<1>>,
    /// Of an evaluation: end each game after this time, like 500ms or 10s
    #[arg(long, value_name = "TIME", conflicts_with = "file")]
    game_time: Option<PositiveTime>,
    /// Of an evaluation: seed of all random numbers [default: 1]
    #[arg(long, value_name = "N", conflicts_with = "file")]
    seed: Option<Count>,
    /// File of the plan [default: FILE.json]
    #[arg(long, value_name = "PLAN.json")]
    out: Option<PathBuf>,
}

/// The field that every experiment has, and no tournament.
#[derive(Deserialize)]
struct Probe {
    #[serde(default)]
    configurations: Option<IgnoredAny>,
}

impl Execute for PlanOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        let built = match &self.file {
            Some(file) => self.of_file(file, context)?,
            None => Built::Games(self.of_evaluation(context)?),
        };
        let shards = self.shards.get();
        let plan = match built {
            Built::Games(games) => games.plan(shards)?,
            Built::Parts(parts) => parts.plan(shards)?,
        };
        let beside = || self.file.as_ref().map(|file| file.with_extension("json"));
        let out = self.out.clone().or_else(beside).ok_or_else(|| {
            Failure::usage("--out is missing: name the file of the plan, like eval.json")
        })?;
        if out.exists() {
            return Err(Failure::usage(format!(
                "{} exists already; name another file with --out",
                out.display()
            )));
        }
        plan.write(&out)?;
        note(format!("{}: {}", out.display(), counted(plan.count(), "shard")));
        Ok(())
    }
}

impl PlanOptions {
    /// Builds the tournament or the experiment of a file.
    fn of_file(&self, file: &Path, context: &Context) -> Result<Built, Failure> {
        let probe: Probe = read_file(file)?;
        if probe.configurations.is_some() {
            if self.rounds.is_some() {
                return Err(Failure::usage(format!(
                    "--rounds is for tournaments, and {} is an experiment",
                    file.display()
                )));
            }
            let experiment: Experiment = read_file(file)?;
            let experiment = experiment.resolved(context.registry())?;
            return Ok(Built::Parts(PartShards { experiment }));
        }
        let mut tournament: Tournament = read_file(file)?;
        tournament.rounds = self.rounds.or(tournament.rounds);
        Ok(Built::Games(GameShards::of_tournament(build(tournament, context)?)?))
    }

    /// Builds the evaluation of the flags.
    fn of_evaluation(&self, context: &Context) -> Result<GameShards, Failure> {
        let registry = context.registry();
        if self.rounds.is_some() {
            return Err(Failure::usage("--rounds is for tournaments; use --games"));
        }
        let game = self.players.game.clone().ok_or_else(|| missing_game(registry))?;
        let agent = self.players.agent.clone().ok_or_else(|| missing_agent(registry))?;
        let tournament = Tournament {
            games: vec![game.into()],
            agents: vec![agent.into()],
            rounds: Some(self.games.unwrap_or(Count::new(GAMES))),
            seed: self.seed,
            move_limit: self.move_limit,
            game_time: self.game_time,
            ..Tournament::default()
        };
        Ok(GameShards::of_evaluation(build(tournament, context)?))
    }
}

fn build(tournament: Tournament, context: &Context) -> Result<tournament::Built, Failure> {
    tournament::Built::new(tournament.labelled()?, None, context.registry())
}
