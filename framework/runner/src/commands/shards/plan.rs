//! `runner shards plan`.

use super::built::Built;
use crate::context::{Context, Execute};
use crate::options::{GameOptions, PlayerOptions, missing_agent, missing_game};
use clap::Args;
use runner_console::notes::note;
use runner_experiment::Experiment;
use runner_play::document::read_file;
use runner_play::failure::Failure;
use runner_spec::quantity::{Count, PositiveTime, counted};
use runner_tournament::shards::{GameShards, PartShards};
use runner_tournament::{Contest, Labelled, Rounds, Tournament};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Write the plan of a tournament, an experiment or an evaluation in shards
///
/// A file names a tournament or an experiment, --games and --agents a tournament, and --game and
/// --agent an evaluation.
#[derive(Debug, Clone, Args)]
pub struct PlanOptions {
    /// RON file of the tournament or the experiment
    #[arg(value_name = "FILE.ron", conflicts_with_all = ["game", "agent", "agents"])]
    file: Option<PathBuf>,
    /// Number of shards
    #[arg(long, value_name = "N")]
    shards: Count<1, 100_000>,
    /// Of a tournament: number of games of each agent in each game [default: that of the file, or 100]
    #[arg(long, value_name = "N", conflicts_with_all = ["game", "agent"])]
    rounds: Option<Rounds>,
    /// Of a tournament: rules of a contest: bot-contest (100 games, win rates)
    #[arg(long, value_name = "NAME", conflicts_with_all = ["game", "agent"])]
    preset: Option<Contest>,
    /// The evaluation.
    #[command(flatten)]
    players: PlayerOptions,
    /// Number of games of an evaluation, like 500 or 1.5k [default: 1000]; with --agents the games
    /// of a tournament
    #[arg(long, value_name = "N|SPEC", num_args = 1.., conflicts_with = "file")]
    games: Vec<String>,
    /// Agents of a tournament; LABEL=SPEC names one in tables
    #[arg(long, value_name = "SPEC", num_args = 1.., conflicts_with_all = ["game", "agent"])]
    agents: Vec<Labelled>,
    /// End each game after this many moves
    #[arg(long, value_name = "N", conflicts_with = "file")]
    move_limit: Option<Count<1>>,
    /// End each game after this time, like 500ms or 10s
    #[arg(long, value_name = "TIME", conflicts_with = "file")]
    game_time: Option<PositiveTime>,
    /// Seed of all random numbers [default: 1]
    #[arg(long, value_name = "N", conflicts_with = "file")]
    seed: Option<Count>,
    /// Record the games, for `runner replay`; slower for fast agents
    #[arg(long)]
    records: bool,
    /// Do not record the games, whatever the file sets
    #[arg(long, conflicts_with = "records")]
    no_records: bool,
    /// File of the plan [default: FILE.json]
    #[arg(long, value_name = "PLAN.json")]
    out: Option<PathBuf>,
    /// Overwrite the file of the plan
    #[arg(long)]
    force: bool,
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
            None if self.agents.is_empty() => Built::Games(self.of_evaluation(context)?),
            None => Built::Games(self.of_tournament(context)?),
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
        if self.file.as_ref() == Some(&out) {
            return Err(Failure::usage(format!(
                "{} is the file that is planned; name another one with --out",
                out.display()
            )));
        }
        if out.exists() && !self.force {
            return Err(Failure::exists(&out));
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
            let flags = [
                ("--rounds", self.rounds.is_some()),
                ("--preset", self.preset.is_some()),
                ("--records", self.records),
                ("--no-records", self.no_records),
            ];
            if let Some((flag, _)) = flags.into_iter().find(|&(_, is_given)| is_given) {
                return Err(Failure::usage(format!(
                    "{flag} is for games, and {} is an experiment",
                    file.display()
                )));
            }
            let experiment: Experiment = read_file(file)?;
            let experiment = experiment.resolved(context.registry())?;
            return Ok(Built::Parts(PartShards { experiment }));
        }
        let named: Tournament = read_file(file)?;
        let Tournament { games, agents, .. } = named.clone();
        let tournament = Tournament { games, agents, ..self.flags().or(named) };
        Ok(Built::Games(GameShards::of_tournament(build(tournament, context)?)))
    }

    /// Builds the tournament of the flags.
    fn of_tournament(&self, context: &Context) -> Result<GameShards, Failure> {
        let games: Vec<Labelled> = self.parsed_games()?;
        let tournament = Tournament {
            games: games.into_iter().map(Into::into).collect(),
            agents: self.agents.iter().cloned().map(Into::into).collect(),
            ..self.flags()
        };
        Ok(GameShards::of_tournament(build(tournament, context)?))
    }

    /// Returns a tournament that holds only the settings of the flags.
    fn flags(&self) -> Tournament {
        Tournament {
            rounds: self.rounds,
            preset: self.preset,
            records: (self.records || self.no_records).then_some(self.records),
            seed: self.seed,
            move_limit: self.move_limit,
            game_time: self.game_time,
            ..Tournament::default()
        }
    }

    fn parsed_games<T: FromStr<Err: fmt::Display>>(&self) -> Result<Vec<T>, Failure> {
        let parse = |text: &String| {
            text.parse().map_err(|error| Failure::usage(format!("--games {text}: {error}")))
        };
        self.games.iter().map(parse).collect()
    }

    /// Builds the evaluation of the flags.
    fn of_evaluation(&self, context: &Context) -> Result<GameShards, Failure> {
        let registry = context.registry();
        let game = self.players.game.clone().ok_or_else(|| missing_game(registry))?;
        let agent = self.players.agent.clone().ok_or_else(|| missing_agent(registry))?;
        let games = match *self.parsed_games()? {
            [] => Count::new(GameOptions::DEFAULT),
            [games] => games,
            _ => {
                return Err(Failure::usage(
                    "--games is one number for an evaluation; a tournament needs --agents",
                ));
            }
        };
        let tournament = Tournament {
            games: vec![game.into()],
            agents: vec![agent.into()],
            rounds: Some(games),
            ..self.flags()
        };
        Ok(GameShards::of_evaluation(build(tournament, context)?))
    }
}

fn build(tournament: Tournament, context: &Context) -> Result<runner_tournament::Built, Failure> {
    runner_tournament::Built::new(tournament, None, context.registry())
}
