//! `runner shards merge`.

use super::{Built, built};
use crate::commands::tournament;
use crate::context::{Context, Execute};
use crate::evaluate::{EvalRun, eval_report, refuse_faults};
use clap::Args;
use runner_console::output::print_report;
use runner_core::Game;
use runner_experiment::ExperimentResults;
use runner_files::replace;
use runner_play::evaluation::Played;
use runner_play::failure::Failure;
use runner_tournament::report::TournamentReport;
use runner_tournament::shards::{GameShards, NewFolder, PartShards, ShardPlan};
use runner_tournament::{Finished, Folder, faults};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

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
    /// Print the report as one JSON document
    #[arg(long)]
    json: bool,
}

impl Execute for MergeOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        let (plan, built) = built(&self.plan, None, context)?;
        let from = self.from.clone().unwrap_or_else(|| ShardPlan::results_beside(&self.plan));
        plan.check(&from)?;
        match built {
            Built::Games(games) if games.is_evaluation => {
                self.evaluation(&plan, &games, &from, context)
            }
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
        let (mut folder, _) = Folder::open(new.path(), &shards.built, &mut |_| {})?;
        shards.merge_records(plan, from, &Folder::records(new.path()), &games)?;
        folder.results.append(&shards.lines(&games))?;
        folder.results.sync()?;
        let report = TournamentReport::new(&shards.built, &games, true);
        report.write(&folder)?;
        drop(folder);
        new.finish()?;
        Ok(print_report(&tournament::table::report(&report), self.json)?)
    }

    /// Writes the results, and the document of `runner eval --json`.
    fn evaluation(
        &self,
        plan: &ShardPlan,
        shards: &GameShards,
        from: &Path,
        context: &Context,
    ) -> Result<(), Failure> {
        let new = NewFolder::begin(&self.out)?;
        let games = shards.merge(plan, from)?;
        let cell = &shards.built.cells[0];
        let agent = &shards.built.tournament.players[0].spec;
        // As if one thread had played the games of all machines.
        let run = EvalRun::new(&cell.game, agent, cell.seed, 1, context.registry());
        let played = played(&games[0]);
        let report = eval_report(&run, cell.game.rules.description(), &played, false);
        let write = |name: &str, bytes: &[u8]| {
            replace(&new.path().join(name), |file| file.write_all(bytes))
        };
        shards.merge_records(plan, from, &Folder::records(new.path()), &games)?;
        write("results.jsonl", &shards.lines(&games))?;
        write("report.json", format!("{}\n", report.json()).as_bytes())?;
        new.finish()?;
        print_report(&report, self.json)?;
        refuse_faults(&played, &[&cell.game.label, &cell.label])
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

/// Returns the result of an evaluation with these games. Its time is the sum of the times of the
/// games, as if one thread had played them all.
fn played(games: &[Finished]) -> Played {
    let seconds = games.iter().map(|game| game.seconds).sum();
    Played {
        results: games.iter().filter_map(Finished::result).collect(),
        faults: faults(games),
        elapsed: Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX),
        interrupted: false,
        given_up: 0,
    }
}
