//! `runner shards merge`.

use super::{Built, built};
use crate::commands::tournament;
use crate::context::{Context, Execute};
use crate::options::ChangeOptions;
use clap::Args;
use runner_console::output::print_report;
use runner_experiment::ExperimentResults;
use runner_play::failure::Failure;
use runner_tournament::Folder;
use runner_tournament::report::TournamentReport;
use runner_tournament::shards::{GameShards, NewFolder, PartShards, ShardPlan};
use std::path::{Path, PathBuf};

/// Check that nothing is missing, and write the results that one machine would write
#[derive(Debug, Clone, Args)]
pub struct MergeOptions {
    /// File of the plan
    #[arg(value_name = "PLAN.json")]
    plan: PathBuf,
    /// Folder of the results of the shards [default: the plan, with the extension shards]
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,
    /// Folder of the merged results, which must be new
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    #[command(flatten)]
    changes: ChangeOptions,
    /// Print the report as one JSON document
    #[arg(long)]
    json: bool,
}

impl Execute for MergeOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        let (plan, built) = built(&self.plan, None, self.changes, context)?;
        let from = self.from.clone().unwrap_or_else(|| ShardPlan::results_beside(&self.plan));
        plan.check(&from)?;
        match built {
            Built::Games(games) => self.tournament(&plan, &games, &from),
            Built::Parts(parts) => self.experiment(&plan, &parts, &from),
        }
    }
}

impl MergeOptions {
    fn tournament(
        &self,
        plan: &ShardPlan,
        shards: &GameShards,
        from: &Path,
    ) -> Result<(), Failure> {
        let new = NewFolder::begin(&self.out)?;
        let games = shards.merge(plan, from)?;
        let (mut folder, _) = Folder::open(new.path(), &shards.0, None, &mut |_| {})?;
        folder.results.append(&shards.lines(&games))?;
        folder.results.sync()?;
        let report = TournamentReport::new(&shards.0, &games, true);
        report.write(&folder)?;
        drop(folder);
        new.finish()?;
        print_report(&tournament::table::report(&report), self.json)?;
        report.refuse_forfeits()
    }

    fn experiment(
        &self,
        plan: &ShardPlan,
        shards: &PartShards,
        from: &Path,
    ) -> Result<(), Failure> {
        let new = NewFolder::begin(&self.out)?;
        let folder = shards.merge(plan, from, new.path())?;
        let results = ExperimentResults::new(&shards.experiment, folder.records(), &[], false);
        drop(folder);
        new.finish()?;
        print_report(&results.report(), self.json)?;
        results.refuse_faults(&self.out)
    }
}
