//! `runner shards`: a tournament on several machines.

use crate::context::{Context, Execute};
use crate::failure::Failure;
use crate::interrupt;
use crate::notes::note;
use crate::options::{Count, ThreadCount, read_file};
use crate::output;
use crate::shell::{program, quoted, typed_with};
use crate::tournament::{
    Built, Folder, Games, Report, ResultsFile, ShardPlan, Tournament, check_shard, merge, play,
    results_of, write_merged,
};
use clap::{Args, Subcommand};
use runner_files::{FileError, replace};
use runner_spec::quantity::counted;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Cut a tournament into shards for several machines, and merge their results
#[derive(Debug, Clone, Subcommand)]
pub enum ShardsCommand {
    /// Write the plan of a tournament's shards
    Plan(PlanOptions),
    /// Play the games of one shard that are left
    Run(RunShardOptions),
    /// Check that no game is missing, and write the tournament's folder
    Merge(MergeOptions),
    /// Write scripts that run all shards with HyperQueue or Slurm
    Submit(SubmitOptions),
}

/// Write the plan of a tournament's shards
#[derive(Debug, Clone, Args)]
pub struct PlanOptions {
    /// RON file of the tournament
    #[arg(value_name = "FILE.ron")]
    file: PathBuf,
    /// Number of shards
    #[arg(long, value_name = "N")]
    shards: Count<1, 100_000>,
    /// Number of games of each agent in each game [default: that of the file, or 100]
    #[arg(long, value_name = "N")]
    rounds: Option<Count<1>>,
    /// File of the plan [default: that of the tournament, with the extension json]
    #[arg(long, value_name = "PLAN.json")]
    out: Option<PathBuf>,
}

/// Play the games of one shard that are left
#[derive(Debug, Clone, Args)]
pub struct RunShardOptions {
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
}

/// Check that no game is missing, and write the tournament's folder
#[derive(Debug, Clone, Args)]
pub struct MergeOptions {
    /// File of the plan
    #[arg(value_name = "PLAN.json")]
    plan: PathBuf,
    /// Folder of the results of the shards [default: the plan, with the extension shards]
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,
    /// Folder of the tournament, which must not exist
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Print the report as one JSON document
    #[arg(long)]
    json: bool,
}

/// Write scripts that run all shards with HyperQueue or Slurm
#[derive(Debug, Clone, Args)]
pub struct SubmitOptions {
    /// File of the plan
    #[arg(value_name = "PLAN.json")]
    plan: PathBuf,
    /// Number of threads of each shard
    #[arg(long, value_name = "N", default_value = "1")]
    threads: ThreadCount,
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

/// Reads a plan, and builds its tournament.
fn built(
    plan: &Path,
    threads: Option<ThreadCount>,
    context: &Context,
) -> Result<(ShardPlan, Built), Failure> {
    let plan = ShardPlan::read(plan)?;
    let threads = threads.map(|threads| threads.get() as usize);
    let built = Built::new(plan.tournament()?, threads, context.registry())?;
    plan.check(&built)?;
    Ok((plan, built))
}

impl Execute for PlanOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        let mut tournament: Tournament = read_file(&self.file)?;
        tournament.rounds = self.rounds.or(tournament.rounds);
        let built = Built::new(tournament.labelled()?, None, context.registry())?;
        let plan = ShardPlan::new(&built, self.shards.get())?;
        let out = self.out.unwrap_or_else(|| self.file.with_extension("json"));
        if out.exists() {
            return Err(Failure::usage(format!(
                "{} exists already; name another file with --out",
                out.display()
            )));
        }
        plan.write(&out)?;
        note(format!("{}: {}", out.display(), counted(plan.count() as u64, "shard")));
        Ok(())
    }
}

impl Execute for RunShardOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        let farewell = format!("continue with: {}", typed_with(&[]));
        interrupt::listen_between_games(Some(farewell.clone()));
        let (plan, built) = built(&self.plan, self.threads, context)?;
        let numbers = plan.numbers(&built, self.shard.get())?;
        let path = results_of(&self.plan, self.out.as_deref(), self.shard.get());
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(FileError::at("create", folder))?;
        }
        let (mut file, before) = ResultsFile::open(&path, &built)?;
        check_shard(&path, &numbers, &before)?;
        let played = play(&built, &numbers, before, Some(&mut file))?;
        let count = |games: &Games| games.iter().map(Vec::len).sum::<usize>() as u64;
        let over = counted(count(&played.games), "game");
        if played.interrupted {
            return Err(Failure::Interrupted(format!("{over} of the shard are over; {farewell}")));
        }
        note(format!("{}: {over}", path.display()));
        Ok(())
    }
}

impl Execute for MergeOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        let (plan, built) = built(&self.plan, None, context)?;
        if Folder::held(&self.out)?.is_some() {
            return Err(Failure::usage(format!(
                "{} holds a tournament already; name another folder with --out",
                self.out.display()
            )));
        }
        let files: Vec<_> = (1..=plan.count() as u64)
            .map(|shard| results_of(&self.plan, self.from.as_deref(), shard))
            .collect();
        let games = merge(&plan, &files, &built)?;
        let (mut folder, _) = Folder::open(&self.out, &built)?;
        write_merged(&mut folder.results, &built, &games)?;
        let report = Report::new(&built, &games, true);
        report.write(&folder)?;
        output::print(&report, self.json)
    }
}

impl Execute for SubmitOptions {
    fn execute(self, _: &Context) -> Result<(), Failure> {
        let plan = ShardPlan::read(&self.plan)?;
        let (count, threads) = (plan.count(), self.threads.get());
        let run = |shard: &str| {
            let plan = quoted(&self.plan.to_string_lossy());
            format!("{} shards run {plan} --threads {threads} --shard \"{shard}\"", program())
        };
        let hq = format!(
            "#!/usr/bin/env bash\n# Submits the shards to a running HyperQueue server.\n\
             set -euo pipefail\n\
             hq submit --array 1-{count} --cpus {threads} --crash-limit 10 -- \\\n  \
             bash -c {}\n",
            quoted(&run("$HQ_TASK_ID"))
        );
        let slurm = format!(
            "#!/usr/bin/env bash\n# Submit with: sbatch FILE\n#SBATCH --job-name=runner\n\
             #SBATCH --array=1-{count}\n#SBATCH --cpus-per-task={threads}\n#SBATCH --requeue\n\
             exec {}\n",
            run("$SLURM_ARRAY_TASK_ID")
        );
        for (extension, text) in [("hq.sh", hq), ("sbatch", slurm)] {
            let path = self.plan.with_extension(extension);
            replace(&path, |file| file.write_all(text.as_bytes()))?;
            note(format!("{}: {}", path.display(), counted(count as u64, "shard")));
        }
        Ok(())
    }
}
