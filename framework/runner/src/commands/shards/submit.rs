//! `runner shards submit`.

use crate::context::{Context, Execute};
use crate::options::check_outputs;
use clap::Args;
use runner_console::notes::note;
use runner_console::shell::{program, quoted};
use runner_files::{Outputs, replace};
use runner_play::failure::Failure;
use runner_spec::quantity::{ThreadCount, counted};
use runner_tournament::shards::ShardPlan;
use std::fs;
use std::io::Write;
use std::path::PathBuf;

/// Maximum number of tasks of an array, unless a cluster sets another `MaxArraySize` than 1001.
const SLURM_TASKS: u64 = 1000;

/// Write scripts that run all shards with HyperQueue or Slurm
#[derive(Debug, Clone, Args)]
pub struct SubmitOptions {
    /// File of the plan
    #[arg(value_name = "PLAN.json")]
    plan: PathBuf,
    /// Number of threads of each shard
    #[arg(long, value_name = "N", default_value = "1")]
    threads: ThreadCount,
    /// Overwrite scripts that were edited
    #[arg(long)]
    force: bool,
}

impl Execute for SubmitOptions {
    fn execute(self, _: &Context) -> Result<(), Failure> {
        let plan = ShardPlan::read(&self.plan)?;
        let (count, threads) = (plan.count(), self.threads.get());
        let run = |shard: &str| {
            let plan = quoted(&self.plan.to_string_lossy());
            format!("{} shards run {plan} --threads {threads} --shard \"{shard}\"", program())
        };
        // With `exec` the scheduler's own process is the runner: it ends with the worker.
        let hq = format!(
            "#!/usr/bin/env bash\n# Submits the shards to a running HyperQueue server.\n\
             set -euo pipefail\n\
             hq submit --array 1-{count} --cpus {threads} --crash-limit 10 -- \\\n  \
             bash -c {}\n",
            quoted(&format!("exec {}", run("$HQ_TASK_ID")))
        );
        let tasks = count.min(SLURM_TASKS);
        let slurm = format!(
            "#!/usr/bin/env bash\n# Submit with: sbatch FILE\n#SBATCH --job-name=runner\n\
             #SBATCH --array=1-{tasks}\n#SBATCH --cpus-per-task={threads}\n#SBATCH --requeue\n\
             # Task K plays the shards K, K + {tasks} and so on: by default an array of Slurm has at\n\
             # most {SLURM_TASKS} tasks (MaxArraySize).\n\
             set -euo pipefail\n\
             status=0\n\
             for ((shard = SLURM_ARRAY_TASK_ID; shard <= {count}; shard += {tasks})); do\n  \
             # A shard that fails does not keep the task from the next ones; an interrupt (130) does.\n  \
             {} || status=$?\n  \
             if ((status == 130)); then break; fi\n\
             done\n\
             exit \"$status\"\n",
            run("$shard")
        );
        let scripts = [("hq.sh", hq), ("sbatch", slurm)]
            .map(|(extension, text)| (self.plan.with_extension(extension), text));
        if let Some((path, _)) = scripts.iter().find(|(path, _)| *path == self.plan) {
            return Err(Failure::usage(format!(
                "{} is the plan, and a script would have the same name; give the plan another \
                 extension, like json",
                path.display()
            )));
        }
        for (path, text) in &scripts {
            let is_other = path.exists() && fs::read(path).ok().as_deref() != Some(text.as_bytes());
            let output = Outputs::default().writes("the script", path);
            check_outputs(&output, self.force || !is_other)?;
        }
        for ((path, text), tasks) in scripts.into_iter().zip([count, tasks]) {
            replace(&path, |file| file.write_all(text.as_bytes()))?;
            let (shards, tasks) = (counted(count, "shard"), counted(tasks, "task"));
            note(format!("{}: {shards} in {tasks}", path.display()));
        }
        Ok(())
    }
}
