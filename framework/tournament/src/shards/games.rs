//! Shards of a tournament, by global game number.
//!
//! Global game `g` of a tournament with `c` cells is game `g / c` of cell `g % c`, so every shard
//! has about as many games of each agent, and shards never overlap.

use super::plan::{Shard, ShardPlan, Work, changed, refuse_incomplete};
use crate::line::Line;
use crate::{
    Built, Finished, Games, Played, Tournament, Watch, count, play, read, resolved, resume,
};
use runner_files::LockedLines;
use runner_play::failure::Failure;
use runner_play::registry::Registry;
use runner_spec::read_document;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub struct GameShards(pub Built);

impl GameShards {
    /// Builds the games of a plan, and refuses those that are built differently here.
    /// `accepting` says how a changed input is accepted; `None` accepts it.
    pub fn built(
        text: &str,
        threads: Option<usize>,
        accepting: Option<&str>,
        registry: &Arc<Registry>,
    ) -> Result<Self, Failure> {
        let planned: Tournament = read_document(text)
            .map_err(|error| Failure::failed(format!("the games of the plan: {error}")))?;
        let built = Built::new(planned.clone(), threads, registry)?;
        match built.tournament.difference_from(&planned, accepting) {
            None => Ok(Self(built)),
            Some(difference) => Err(changed(difference)),
        }
    }

    pub fn plan(&self, count: u64) -> Result<ShardPlan, Failure> {
        let total = self.0.tournament.rounds() * self.0.cells.len() as u64;
        if count > total {
            return Err(Failure::usage(format!(
                "{count} shards are too many: there are {total} games"
            )));
        }
        Ok(ShardPlan::new(Work::Tournament(resolved(&self.0.tournament)?), total, count))
    }

    /// Returns the numbers of the games of each cell in a shard.
    fn numbers(&self, shard: &Shard) -> Vec<Range<u64>> {
        let cells = self.0.cells.len() as u64;
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
        let before = resume(&results, &self.0, watch)?;
        check_shard(&path, &numbers, &before)?;
        let mut file = results.begin()?;
        Ok((play(&self.0, &numbers, before, Some(&mut file), stop, watch)?, path))
    }

    /// Reads the games of all shards, and refuses missing ones.
    pub fn merge(&self, plan: &ShardPlan, folder: &Path) -> Result<Games, Failure> {
        let mut merged: Games = self.0.cells.iter().map(|_| Vec::new()).collect();
        let mut incomplete = Vec::new();
        for shard in plan.shards() {
            let file = results_in(folder, &shard);
            let games = read(&file, &self.0)?;
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
        for round in 0..self.0.tournament.rounds() as usize {
            for (cell, games) in games.iter().enumerate() {
                if let Some(game) = games.get(round) {
                    Line::append(&mut lines, &self.0, cell, game);
                }
            }
        }
        lines
    }
}

fn results_in(folder: &Path, shard: &Shard) -> PathBuf {
    folder.join(format!("shard-{}.jsonl", shard.number))
}

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
