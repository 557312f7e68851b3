//! A tournament cut into shards by global game number, for several machines.
//!
//! Global game `g` of a tournament with `c` cells is game `g / c` of cell `g % c`, so every shard
//! has about as many games of each agent, and shards never overlap.

use super::definition::Tournament;
use super::folder::resolved;
use super::resolved::Built;
use super::results::{Finished, Games, read};
use super::results_file::ResultsFile;
use crate::failure::Failure;
use runner_files::{FileError, replace};
use runner_spec::read_document;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A plan: a tournament, and the global games of each of its shards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardPlan {
    /// The resolved tournament, as the text of a RON file.
    tournament: String,
    /// The first global game of each shard and the one after its last.
    shards: Vec<[u64; 2]>,
    /// CRC-32 of the fields before, as text.
    checksum: String,
}

impl ShardPlan {
    /// Cuts a tournament into this many shards of about equal size.
    pub fn new(built: &Built, count: u64) -> Result<Self, Failure> {
        if built.tournament.precision.is_some() {
            return Err(Failure::usage(
                "a tournament with `precision` cannot be cut into shards: how many games it \
                 plays depends on their results; give a number of rounds",
            ));
        }
        let total = built.tournament.rounds() * built.cells.len() as u64;
        if count > total {
            return Err(Failure::usage(format!(
                "--shards is {count}, and the tournament has {total} games"
            )));
        }
        // 128 bits: the product may exceed 64.
        let end = |shard: u64| (u128::from(total) * u128::from(shard) / u128::from(count)) as u64;
        let shards = (0..count).map(|shard| [end(shard), end(shard + 1)]).collect();
        let mut plan =
            Self { tournament: resolved(&built.tournament)?, shards, checksum: String::new() };
        plan.checksum = plan.sum();
        Ok(plan)
    }

    fn sum(&self) -> String {
        let text = format!("{}\n{:?}", self.tournament, self.shards);
        format!("{:08x}", crc32fast::hash(text.as_bytes()))
    }

    /// Reads a plan, and refuses one that was changed.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let bytes = fs::read(path).map_err(FileError::at("read", path))?;
        let refuse = |why: String| {
            let path = path.display();
            Failure::failed(format!(
                "{path}: {why}; write the plan again with `runner shards plan`"
            ))
        };
        let plan: Self =
            serde_json::from_slice(&bytes).map_err(|error| refuse(format!("no plan: {error}")))?;
        match plan.checksum == plan.sum() {
            true => Ok(plan),
            false => Err(refuse("checksum mismatch: it is damaged, or was edited".into())),
        }
    }

    /// Writes the plan.
    pub fn write(&self, path: &Path) -> Result<(), Failure> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        Ok(replace(path, |file| file.write_all(text.as_bytes()))?)
    }

    /// Returns the number of shards.
    pub fn count(&self) -> usize {
        self.shards.len()
    }

    /// Returns the tournament.
    pub fn tournament(&self) -> Result<Tournament, Failure> {
        read_document(&self.tournament)
            .map_err(|error| Failure::failed(format!("the tournament of the plan: {error}")))
    }

    /// Refuses a tournament that is built differently here from where it was planned.
    pub fn check(&self, built: &Built) -> Result<(), Failure> {
        match built.tournament.difference_from(&self.tournament()?) {
            None => Ok(()),
            Some(difference) => Err(Failure::failed(format!(
                "the plan was made by another version of the program or its plugins: {difference}"
            ))),
        }
    }

    /// Returns the numbers of the games of each cell in a shard, counted from 1.
    pub fn numbers(&self, built: &Built, shard: u64) -> Result<Vec<Range<u64>>, Failure> {
        let index = usize::try_from(shard).ok().and_then(|shard| shard.checked_sub(1));
        let Some(&[from, to]) = index.and_then(|index| self.shards.get(index)) else {
            return Err(Failure::usage(format!("--shard must be 1 to {}", self.count())));
        };
        let cells = built.cells.len() as u64;
        // The first game of a cell whose global number is not below a bound.
        let first = |bound: u64, cell: u64| bound.saturating_sub(cell).div_ceil(cells);
        Ok((0..cells).map(|cell| first(from, cell)..first(to, cell)).collect())
    }
}

/// Returns the file of the results of a shard, beside its plan unless a folder is given.
pub fn results_of(plan: &Path, folder: Option<&Path>, shard: u64) -> PathBuf {
    let beside = plan.with_extension("shards");
    folder.unwrap_or(&beside).join(format!("shard-{shard}.jsonl"))
}

/// Refuses games that are not part of a shard.
pub fn check_shard(path: &Path, numbers: &[Range<u64>], games: &Games) -> Result<(), Failure> {
    let mut all = games.iter().zip(numbers);
    match all.find_map(|(games, numbers)| games.iter().find(|g| !numbers.contains(&g.number))) {
        None => Ok(()),
        Some(Finished { number, .. }) => Err(Failure::failed(format!(
            "{}: game {number} is not part of this shard",
            path.display()
        ))),
    }
}

/// Reads the results of all shards of a plan, and refuses missing games.
pub fn merge(plan: &ShardPlan, files: &[PathBuf], built: &Built) -> Result<Games, Failure> {
    let mut merged: Games = built.cells.iter().map(|_| Vec::new()).collect();
    let mut incomplete = Vec::new();
    for (file, shard) in files.iter().zip(1..) {
        let numbers = plan.numbers(built, shard)?;
        let games = read(file, built)?.games;
        check_shard(file, &numbers, &games)?;
        let expected: u64 = numbers.iter().map(|numbers| numbers.end - numbers.start).sum();
        let found = games.iter().map(Vec::len).sum::<usize>() as u64;
        if found < expected {
            incomplete.push(format!("{shard} ({found} of {expected} games)"));
        }
        // Shards are in the order of their games, so the games stay sorted.
        merged.iter_mut().zip(games).for_each(|(all, mut more)| all.append(&mut more));
    }
    match incomplete.is_empty() {
        true => Ok(merged),
        false => Err(Failure::failed(format!(
            "games are missing in shard {}; run it again with `runner shards run`",
            incomplete.join(", ")
        ))),
    }
}

/// Appends all games to a file, in the order of their global numbers.
pub fn write_merged(file: &mut ResultsFile, built: &Built, games: &Games) -> Result<(), Failure> {
    let mut lines = Vec::new();
    for round in 0..built.tournament.rounds() as usize {
        for (cell, games) in games.iter().enumerate() {
            if let Some(game) = games.get(round) {
                game.write(built, cell, &mut lines);
            }
        }
    }
    file.append(&lines)?;
    file.sync()
}
