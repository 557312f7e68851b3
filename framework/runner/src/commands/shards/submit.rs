//! `runner shards submit`.

use crate::context::{Context, Execute};
use crate::failure::Failure;
use crate::notes::note;
use crate::options::ThreadCount;
use crate::shards::ShardPlan;
use crate::shell::{program, quoted};
use clap::Args;
use runner_files::replace;
use runner_spec::quantity::counted;
use std::fs;
use std::io::Write;
use std::path::PathBuf;

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
        // With `exec` the scheduler's own process is the runner: it ends with the worker.
        let run = |shard: &str| {
            let plan = quoted(&self.plan.to_string_lossy());
            format!("exec {} shards run {plan} --threads {threads} --shard \"{shard}\"", program())
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
             #SBATCH --array=1-{count}\n#SBATCH --cpus-per-task={threads}\n#SBATCH --requeue\n{}\n",
            run("$SLURM_ARRAY_TASK_ID")
        );
        let scripts = [("hq.sh", hq), ("sbatch", slurm)]
            .map(|(extension, text)| (self.plan.with_extension(extension), text));
        for (path, text) in &scripts {
            let is_other = path.exists() && fs::read(path).ok().as_deref() != Some(text.as_bytes());
            if is_other && !self.force {
                return Err(Failure::exists(path));
            }
        }
        for (path, text) in scripts {
            replace(&path, |file| file.write_all(text.as_bytes()))?;
            note(format!("{}: {}", path.display(), counted(count, "shard")));
        }
        Ok(())
    }
}
