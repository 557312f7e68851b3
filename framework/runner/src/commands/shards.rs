//! `runner shards`: a tournament, an evaluation or an experiment on several machines.

mod built;
mod merge;
mod plan;
mod submit;

use crate::context::{Context, Execute};
use crate::notes::note_forfeits;
use built::{Built, built};
use clap::{Args, Subcommand};
use runner_console::interrupt;
use runner_console::notes::note;
use runner_play::failure::Failure;
use runner_play::setting::Resources;
use runner_spec::quantity::{Count, ThreadCount, counted};
use runner_tournament::shards::{ShardPlan, count};
use runner_tournament::{Event, forfeited};
use runner_training::Watch;
use runner_watch::standings::Standings;
use runner_watch::training::TrainingDisplay;
use std::path::PathBuf;

/// Cut games or trainings into shards for several machines, and merge their results
#[derive(Debug, Clone, Subcommand)]
pub enum ShardsCommand {
    /// Write the plan of a tournament, an experiment or an evaluation in shards
    Plan(Box<plan::PlanOptions>),
    /// Do the work of one shard that is left
    Run(RunOptions),
    /// Check that nothing is missing, and write the results that one machine would write
    Merge(merge::MergeOptions),
    /// Write scripts that run all shards with HyperQueue or Slurm
    Submit(submit::SubmitOptions),
}

impl Execute for ShardsCommand {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        match self {
            Self::Plan(options) => options.execute(context),
            Self::Run(options) => options.execute(context),
            Self::Merge(options) => options.execute(context),
            Self::Submit(options) => options.execute(context),
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
    /// Play the forfeited games of the shard again
    #[arg(long)]
    replay_forfeits: bool,
}

impl Execute for RunOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        // Forfeited games are dropped before the first game is played.
        let again = context.typed.clone().without(&["replay-forfeits"]);
        let farewell = format!("continue with: {again}");
        let (plan, built) = built(&self.plan, self.threads, context)?;
        let folder = self.out.clone().unwrap_or_else(|| ShardPlan::results_beside(&self.plan));
        let shard = self.shard.get();
        plan.units(shard)?;
        if self.replay_forfeits && matches!(built, Built::Parts(_)) {
            return Err(Failure::usage(format!(
                "--replay-forfeits is for games, and {} is the plan of an experiment",
                self.plan.display()
            )));
        }
        plan.claim(&folder)?;
        let mut forfeits = 0;
        let (interrupted, done, path) = match built {
            Built::Games(games) => {
                let stop = interrupt::listen_between_games(Some(farewell.clone()));
                let mut standings = Standings::new(&games.built);
                let again = self.replay_forfeits;
                let watch = &mut |event: Event<'_>| standings.show(event);
                let (played, path) = games.run((&plan, shard), &folder, again, stop, watch)?;
                forfeits = forfeited(&played.games);
                (played.interrupted, counted(count(&played.games), "game"), path)
            }
            Built::Parts(parts) => {
                let mut display = TrainingDisplay::new(true);
                let watch: Watch<'_> = &mut |event| display.show(event);
                let resources = Resources {
                    threads: self.threads.map(|threads| threads.get() as usize),
                    ..Resources::default()
                };
                let (registry, stop) = (context.registry(), (interrupt::listen(), watch));
                let (mut run, own, path) =
                    parts.run((&plan, shard), &folder, resources, registry, stop)?;
                run.check_models(&own)?;
                let done = run.run(&own);
                let is_done =
                    done.map_err(|failure| failure.with_command("continue with", &context.typed))?;
                (!is_done, counted(parts.count(&plan, shard)?, "training"), path)
            }
        };
        let path = path.display();
        match interrupted {
            true => Err(Failure::Interrupted(format!("the results are in {path}; {farewell}"))),
            false => {
                note(format!("{path}: {done}"));
                note_forfeits(forfeits, Some("--replay-forfeits"));
                Ok(())
            }
        }
    }
}
