//! `runner shards plan`.

use super::Built;
use crate::context::{Context, Execute};
use crate::options::{TournamentFlags, with_agents, with_game};
use clap::Args;
use runner_console::notes::note;
use runner_experiment::Experiment;
use runner_files::Outputs;
use runner_play::document::{parse_file, read_file};
use runner_play::failure::Failure;
use runner_spec::quantity::{Count, counted};
use runner_spec::read_fields;
use runner_tournament::Tournament;
use runner_tournament::shards::{GameShards, PartShards};
use std::path::{Path, PathBuf};

/// Write the plan of a tournament or an experiment in shards
#[derive(Debug, Clone, Args)]
pub struct PlanOptions {
    /// RON file of the tournament or the experiment
    #[arg(value_name = "FILE.ron", conflicts_with_all = ["game", "agent"])]
    file: Option<PathBuf>,
    /// Number of shards
    #[arg(long, value_name = "N")]
    shards: Count<1, 100_000>,
    #[command(flatten)]
    flags: TournamentFlags,
    /// File of the plan [default: FILE.json]
    #[arg(long, value_name = "PLAN.json")]
    out: Option<PathBuf>,
    /// Overwrite the file of the plan
    #[arg(long)]
    force: bool,
}

/// The field that every experiment has, and no tournament.
const CONFIGURATIONS: &str = "configurations";

impl Execute for PlanOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        let built = match &self.file {
            Some(file) => self.of_file(file, context)?,
            None => of_games(with_agents(self.flags.tournament())?, context)?,
        };
        let shards = self.shards.get();
        let registry = context.registry();
        let (plan, inputs) = match built {
            Built::Games(games) => (games.plan(shards)?, games.0.tournament.input_files(registry)),
            Built::Parts(parts) => (parts.plan(shards)?, parts.experiment.input_files(registry)),
        };
        let beside = || self.file.as_ref().map(|file| file.with_extension("json"));
        let out = self.out.clone().or_else(beside).ok_or_else(|| {
            Failure::usage("--out is missing: name the file of the plan, like plan.json")
        })?;
        let outputs = Outputs::default().reads(&self.file).reads(inputs.paths());
        context.check_outputs(outputs.writes("the plan", &out), self.force)?;
        plan.write(&out)?;
        note(format!("{}: {}", out.display(), counted(plan.count(), "shard")));
        Ok(())
    }
}

impl PlanOptions {
    fn of_file(&self, file: &Path, context: &Context) -> Result<Built, Failure> {
        let fields = parse_file(file, read_fields)?;
        if fields.iter().any(|field| field.name == CONFIGURATIONS) {
            if self.flags.tournament() != Tournament::default() {
                return Err(Failure::usage(format!(
                    "{} is an experiment: of the flags it takes --shards, --out and --force",
                    file.display()
                )));
            }
            let experiment: Experiment = read_file(file)?;
            let experiment = experiment.resolved(context.registry())?;
            return Ok(Built::Parts(PartShards::new(experiment)));
        }
        let named: Tournament = read_file(file)?;
        let Tournament { games, agents, .. } = named.clone();
        let tournament = Tournament { games, agents, ..self.flags.tournament().or(named) };
        of_games(tournament, context)
    }
}

fn of_games(tournament: Tournament, context: &Context) -> Result<Built, Failure> {
    let tournament = with_game(tournament, &context.linked)?;
    let built = runner_tournament::Built::new(tournament, None, context.registry())?;
    Ok(Built::Games(GameShards(built)))
}
