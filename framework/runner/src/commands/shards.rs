//! `runner shards`: a tournament or an experiment on several machines.

mod merge;
mod plan;

use crate::context::{Context, Execute};
use crate::notes::{TournamentLine, note_forfeits};
use crate::options::ChangeOptions;
use clap::{Args, Subcommand};
use runner_console::interrupt;
use runner_console::notes::note;
use runner_experiment::Run;
use runner_play::failure::Failure;
use runner_play::setting::Resources;
use runner_spec::quantity::{Count, ThreadCount, counted};
use runner_tournament::shards::{GameShards, PartShards, ShardPlan, Work};
use runner_tournament::{count, forfeited};
use runner_watch::training::TrainingDisplay;
use std::path::{Path, PathBuf};

/// Cut games or trainings into shards for several machines, and merge their results
#[derive(Debug, Clone, Subcommand)]
pub enum ShardsCommand {
    /// Write the plan of a tournament or an experiment in shards
    Plan(Box<plan::PlanOptions>),
    /// Do the work of one shard that is left
    Run(RunOptions),
    /// Check that nothing is missing, and write the results that one machine would write
    Merge(merge::MergeOptions),
}

impl Execute for ShardsCommand {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        match self {
            Self::Plan(options) => options.execute(context),
            Self::Run(options) => options.execute(context),
            Self::Merge(options) => options.execute(context),
        }
    }
}

/// Do the work of one shard that is left
#[derive(Debug, Clone, Args)]
pub struct RunOptions {
    /// File of the plan
    #[arg(value_name = "PLAN.json")]
    plan: PathBuf,
    /// Number of the shard, from 1
    #[arg(long, value_name = "K")]
    shard: Count<1>,
    /// Folder of the results [default: the plan, with the extension shards]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Number of threads, 1 to 1024 [default: one per core]
    #[arg(long, value_name = "N")]
    threads: Option<ThreadCount>,
    #[command(flatten)]
    changes: ChangeOptions,
}

impl Execute for RunOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        let farewell = format!("continue with: {}", context.typed);
        let (plan, built) = built(&self.plan, self.threads, self.changes, context)?;
        let folder = self.out.clone().unwrap_or_else(|| ShardPlan::results_beside(&self.plan));
        let shard = plan.shard(self.shard.get())?;
        plan.claim(&folder)?;
        let mut forfeits = 0;
        let (interrupted, done, path) = match built {
            Built::Games(games) => {
                let stop = interrupt::listen_between("games", Some(farewell.clone()));
                let mut line = TournamentLine::new();
                let (played, path) =
                    games.run(&shard, &folder, stop, &mut |event| line.show(event))?;
                forfeits = forfeited(&played.games);
                (played.interrupted, counted(count(&played.games), "game"), path)
            }
            Built::Parts(parts) => {
                let mut display = TrainingDisplay::new(true);
                let threads = self.threads.map(|threads| threads.get() as usize);
                let (folder, path) = parts.open(&shard, &folder)?;
                let own = parts.parts(&shard);
                let mut run = Run {
                    experiment: &parts.experiment,
                    folder,
                    resources: Resources { threads, ..Resources::default() },
                    deletes_models: false,
                    registry: context.registry(),
                    stop: interrupt::listen(),
                    watch: &mut |event| display.show(event),
                };
                run.check_models(&own)?;
                let done = run.run(&own);
                let is_done =
                    done.map_err(|failure| failure.with_command("continue with", &context.typed))?;
                (!is_done, counted(own.len() as u64, "training"), path)
            }
        };
        let path = path.display();
        if interrupted {
            return Err(Failure::Interrupted(format!("the results are in {path}; {farewell}")));
        }
        note(format!("{path}: {done}"));
        note_forfeits(forfeits);
        Ok(())
    }
}

/// The work of a plan, with its games and players built.
enum Built {
    /// The games of a tournament.
    Games(GameShards),
    /// The trainings of an experiment.
    Parts(PartShards),
}

/// Reads a plan, and builds its work.
fn built(
    plan: &Path,
    threads: Option<ThreadCount>,
    changes: ChangeOptions,
    context: &Context,
) -> Result<(ShardPlan, Built), Failure> {
    let plan = ShardPlan::read(plan)?;
    let threads = threads.map(|threads| threads.get() as usize);
    let registry = context.registry();
    let built = match &plan.work {
        Work::Tournament(text) => {
            Built::Games(GameShards::built(text, threads, changes.accepting(), registry)?)
        }
        Work::Experiment(text) => {
            Built::Parts(PartShards::built(text, changes.accepting(), registry)?)
        }
    };
    Ok((plan, built))
}
