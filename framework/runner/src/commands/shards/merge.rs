//! `runner shards merge`.

use super::built::{Built, built};
use crate::brief::brief;
use crate::commands::eval::report::{EvalReport, EvalRun, refuse_faults};
use crate::context::{Context, Execute};
use crate::experiment;
use crate::failure::Failure;
use crate::output;
use crate::shards::{GameShards, NewFolder, PartShards, ShardPlan};
use crate::tournament::{Finished, Folder, Report};
use clap::Args;
use runner_core::Game;
use runner_files::replace;
use runner_stats::{GameResult, Results};
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
        let (mut folder, _) = Folder::open(new.path(), &shards.built)?;
        shards.merge_records(plan, from, &Folder::records(new.path()), &games)?;
        folder.results.append(&shards.lines(&games))?;
        folder.results.sync()?;
        let report = Report::new(&shards.built, &games, true);
        report.write(&folder)?;
        drop(folder);
        new.finish()?;
        output::print(&report, self.json)
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
        let [game, agent] =
            [&shards.built.cells[0].game.spec, &shards.built.tournament.players[0].spec];
        let registry = context.registry();
        let faults: Vec<_> = games[0].iter().filter_map(|game| game.fault.as_deref()).collect();
        let mut messages: Vec<_> = faults.iter().map(|&fault| fault.to_owned()).collect();
        messages.sort();
        messages.dedup();
        let run = EvalRun {
            game: game.to_string(),
            agent: agent.to_string(),
            title: format!("{} by {}", brief(game, registry), brief(agent, registry)),
            seed: shards.built.cells[0].seed,
            // The games of all machines, as if one thread had played them.
            threads: 1,
            elapsed: Duration::try_from_secs_f64(games[0].iter().map(|game| game.seconds).sum())
                .unwrap_or(Duration::MAX),
            faults: faults.len() as u64,
            fault_messages: messages.clone(),
            interrupted: false,
        };
        let result = |game: &Finished| {
            let Finished { number, moves, max_tile, .. } = *game;
            game.score.map(|score| GameResult { number, score, moves, max_tile })
        };
        let results: Results = games[0].iter().filter_map(result).collect();
        let description = shards.built.cells[0].game.rules.description();
        let report = EvalReport::new(run, description, &results);
        let write = |name: &str, bytes: &[u8]| {
            replace(&new.path().join(name), |file| file.write_all(bytes))
        };
        write("results.jsonl", &shards.lines(&games))?;
        let mut json = serde_json::to_vec(&report)?;
        json.push(b'\n');
        write("report.json", &json)?;
        new.finish()?;
        output::print(&report, self.json)?;
        refuse_faults(faults.len() as u64, games[0].len() as u64, messages.first())
    }

    fn experiment(
        &self,
        plan: &ShardPlan,
        shards: &PartShards,
        from: &Path,
    ) -> Result<(), Failure> {
        let new = NewFolder::begin(&self.out)?;
        let folder = shards.merge(plan, from, new.path())?;
        let report = experiment::Report::new(&shards.experiment, folder.records(), &[], false);
        drop(folder);
        new.finish()?;
        output::print(&report, self.json)?;
        report.refuse_faults()
    }
}
