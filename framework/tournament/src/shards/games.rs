//! Shards of a tournament or of an evaluation, by global game number.
//!
//! Global game `g` of a tournament with `c` cells is game `g / c` of cell `g % c`, so every shard
//! has about as many games of each agent, and shards never overlap.

use super::plan::{Shard, ShardPlan, Work, changed, refuse_incomplete};
use crate::line::Line;
use crate::{
    Built, Finished, Games, Played, RecordFiles, Tournament, Watch, play, read, resolved, resume,
};
use runner_files::LockedLines;
use runner_play::failure::Failure;
use runner_plugin::Registry;
use runner_spec::quantity::counted;
use runner_spec::read_document;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What to do about a damaged record.
const AGAIN: &str =
    "remove it and the results of its shard, and play the shard again with `runner shards run`";

/// The games of a plan.
pub struct GameShards {
    pub built: Built,
    /// True if it is an evaluation.
    pub is_evaluation: bool,
}

impl GameShards {
    pub fn of_tournament(built: Built) -> Self {
        Self { built, is_evaluation: false }
    }

    /// Returns the games of an evaluation: those of the only player in the only game of a
    /// tournament, drawn from its seed.
    pub fn of_evaluation(built: Built) -> Self {
        Self { built: built.with_plain_seed(), is_evaluation: true }
    }

    /// Builds the games of a plan, and refuses those that are built differently here.
    pub fn built(
        text: &str,
        is_evaluation: bool,
        threads: Option<usize>,
        registry: &Arc<Registry>,
    ) -> Result<Self, Failure> {
        let planned: Tournament = read_document(text)
            .map_err(|error| Failure::failed(format!("the games of the plan: {error}")))?;
        let built = Built::new(planned.clone(), threads, registry)?;
        let shards =
            if is_evaluation { Self::of_evaluation(built) } else { Self::of_tournament(built) };
        match shards.built.tournament.difference_from(&planned) {
            None => Ok(shards),
            Some(difference) => Err(changed(difference)),
        }
    }

    /// Cuts the games into shards.
    pub fn plan(&self, count: u64) -> Result<ShardPlan, Failure> {
        let total = self.built.tournament.rounds() * self.built.cells.len() as u64;
        if count > total {
            return Err(Failure::usage(format!(
                "{count} shards are too many: there are {total} games"
            )));
        }
        let text = resolved(&self.built.tournament)?;
        let work = if self.is_evaluation { Work::Evaluation(text) } else { Work::Tournament(text) };
        Ok(ShardPlan::new(work, total, count))
    }

    /// Returns the numbers of the games of each cell in a shard.
    fn numbers(&self, shard: &Shard) -> Vec<Range<u64>> {
        let cells = self.built.cells.len() as u64;
        // The first game of a cell whose global number is not below a bound.
        let first = |bound: u64, cell: u64| bound.saturating_sub(cell).div_ceil(cells);
        let Range { start, end } = shard.units;
        (0..cells).map(|cell| first(start, cell)..first(end, cell)).collect()
    }

    /// Plays the games of a shard that are left. Returns all games of the shard, and their file.
    pub fn run(
        &self,
        shard: &Shard,
        folder: &Path,
        stop: &AtomicBool,
        watch: Watch<'_>,
    ) -> Result<(Played, PathBuf), Failure> {
        let numbers = self.numbers(shard);
        let path = results_in(folder, shard);
        let results = LockedLines::lock(&path)?;
        let before = resume(&results, &self.built, watch)?;
        check_shard(&path, &numbers, &before)?;
        let mut file = results.begin()?;
        let folder = records_in(folder, shard);
        let records = self.built.tournament.records();
        let records = records.then(|| RecordFiles::resume(&folder, &self.built, &before, watch));
        let records = records.transpose()?;
        let file = Some(&mut file);
        Ok((play(&self.built, &numbers, before, file, records, stop, watch)?, path))
    }

    /// Reads the games of all shards, and refuses missing ones.
    pub fn merge(&self, plan: &ShardPlan, folder: &Path) -> Result<Games, Failure> {
        let mut merged: Games = self.built.cells.iter().map(|_| Vec::new()).collect();
        let mut incomplete = Vec::new();
        for shard in plan.shards() {
            let file = results_in(folder, &shard);
            let games = read(&file, &self.built)?;
            check_shard(&file, &self.numbers(&shard), &games)?;
            let (expected, found) = (shard.units.end - shard.units.start, count(&games));
            if found < expected {
                incomplete.push(format!("{} ({found} of {expected} games)", shard.number));
            }
            // Shards are in the order of their games, so the games stay sorted.
            merged.iter_mut().zip(games).for_each(|(all, mut more)| all.append(&mut more));
        }
        refuse_incomplete(&incomplete, "games")?;
        Ok(merged)
    }

    /// Returns all games as the lines of a file, in the order of their global numbers.
    pub fn lines(&self, games: &Games) -> Vec<u8> {
        let mut lines = Vec::new();
        for round in 0..self.built.tournament.rounds() as usize {
            for (cell, games) in games.iter().enumerate() {
                if let Some(game) = games.get(round) {
                    Line::append(&mut lines, &self.built, cell, game);
                }
            }
        }
        lines
    }

    /// Copies the records of all shards to a folder, if the games were recorded.
    pub fn merge_records(
        &self,
        plan: &ShardPlan,
        from: &Path,
        to: &Path,
        games: &Games,
    ) -> Result<(), Failure> {
        if !self.built.tournament.records() {
            return Ok(());
        }
        let sources: Vec<_> = plan.shards().map(|shard| records_in(from, &shard)).collect();
        let (records, missing) = RecordFiles::open(to, &sources, &self.built, games, AGAIN)?;
        let mut incomplete = Vec::new();
        for shard in plan.shards() {
            let numbers = self.numbers(&shard);
            let of_cell = |(missing, numbers): (&Vec<u64>, Range<u64>)| {
                missing.iter().filter(|number| numbers.contains(number)).count() as u64
            };
            let count: u64 = missing.iter().zip(numbers).map(of_cell).sum();
            if count > 0 {
                let file = results_in(from, &shard);
                incomplete.push(format!("{} ({})", file.display(), counted(count, "game")));
            }
        }
        if incomplete.is_empty() {
            return records.finish();
        }
        Err(Failure::failed(format!(
            "games have a result and no record: {}; remove these files and play their shards \
             again with `runner shards run`",
            incomplete.join(", ")
        )))
    }
}

pub fn count(games: &Games) -> u64 {
    games.iter().map(Vec::len).sum::<usize>() as u64
}

fn results_in(folder: &Path, shard: &Shard) -> PathBuf {
    folder.join(format!("shard-{}.jsonl", shard.number))
}

fn records_in(folder: &Path, shard: &Shard) -> PathBuf {
    folder.join(format!("shard-{}.records", shard.number))
}

/// Refuses games that are not part of a shard.
fn check_shard(path: &Path, numbers: &[Range<u64>], games: &Games) -> Result<(), Failure> {
    let mut all = games.iter().zip(numbers);
    match all.find_map(|(games, numbers)| games.iter().find(|g| !numbers.contains(&g.number))) {
        None => Ok(()),
        Some(Finished { number, .. }) => Err(Failure::failed(format!(
            "{}: game {number} is not part of this shard; remove its line",
            path.display()
        ))),
    }
}
