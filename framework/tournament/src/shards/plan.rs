//! The plan: a JSON file with the work, and the range of it that each shard does.

use runner_files::{replace, sealed};
use runner_play::failure::Failure;
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Name of the copy of a plan in the folder of its results.
const COPY: &str = "plan.json";

/// The work that is cut into shards: its resolved definition as the text of a RON file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Work {
    Tournament(String),
    Experiment(String),
}

pub struct Shard {
    /// Its number, from 1.
    pub number: u64,
    pub units: Range<u64>,
}

/// A plan. The units of its work are numbered: games, or trainings with their evaluations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardPlan {
    pub work: Work,
    /// The first unit of each shard and the one after its last.
    shards: Vec<[u64; 2]>,
    #[serde(rename = "check", skip_serializing)]
    _check: String,
}

impl ShardPlan {
    /// Cuts work of this many units into shards of about equal size.
    pub fn new(work: Work, units: u64, count: u64) -> Self {
        // 128 bits: the product may exceed 64.
        let end = |shard: u64| (u128::from(units) * u128::from(shard) / u128::from(count)) as u64;
        let shards = (0..count).map(|shard| [end(shard), end(shard + 1)]).collect();
        Self { work, shards, _check: String::new() }
    }

    /// Reads a plan, and refuses one that was changed.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        Self::read_or(path, "write the plan again with `runner shards plan`")
    }

    /// Reads a plan. The message that refuses it ends with the remedy.
    fn read_or(path: &Path, remedy: &str) -> Result<Self, Failure> {
        let bytes = runner_files::read(path)?;
        let line = bytes.trim_ascii_end();
        let refuse = |why: String| Failure::failed(format!("{}: {why}; {remedy}", path.display()));
        sealed::open_line(line).map_err(|broken| refuse(broken.to_string()))?;
        let plan: Self =
            serde_json::from_slice(line).map_err(|error| refuse(format!("no plan: {error}")))?;
        Ok(Self { _check: String::new(), ..plan })
    }

    pub fn write(&self, path: &Path) -> Result<(), Failure> {
        let mut line = serde_json::to_vec(self)?;
        sealed::seal_line(&mut line, 0);
        line.push(b'\n');
        Ok(replace(path, |file| file.write_all(&line))?)
    }

    /// Marks a folder of results as that of this plan, and refuses that of another.
    pub fn claim(&self, folder: &Path) -> Result<(), Failure> {
        self.check(folder)?;
        runner_files::create_folder(folder)?;
        let copy = folder.join(COPY);
        if copy.exists() { Ok(()) } else { self.write(&copy) }
    }

    /// Refuses a folder with the results of another plan.
    pub fn check(&self, folder: &Path) -> Result<(), Failure> {
        let copy = folder.join(COPY);
        let remedy = "if the results beside it are those of your plan, remove this copy: \
                      `runner shards run` writes it again";
        if !copy.exists() || Self::read_or(&copy, remedy)? == *self {
            return Ok(());
        }
        Err(Failure::usage(format!(
            "{} holds the results of another plan; name another folder, or remove it",
            folder.display()
        )))
    }

    pub fn count(&self) -> u64 {
        self.shards.len() as u64
    }

    pub fn shards(&self) -> impl Iterator<Item = Shard> {
        let shards = self.shards.iter().zip(1..);
        shards.map(|(&[from, to], number)| Shard { number, units: from..to })
    }

    pub fn shard(&self, number: u64) -> Result<Shard, Failure> {
        let found = self.shards().find(|shard| shard.number == number);
        found.ok_or_else(|| {
            Failure::usage(format!("the plan has the shards 1 to {}", self.shards.len()))
        })
    }

    /// Returns the folder of the results of all shards, beside the plan.
    pub fn results_beside(path: &Path) -> PathBuf {
        path.with_extension("shards")
    }
}

/// Returns the error of work that is built differently here from where it was planned.
pub fn changed(difference: impl Display) -> Failure {
    Failure::failed(format!(
        "the plan was made with another version of the program or its plugins, or with other \
         files: {difference}"
    ))
}

/// Returns the error of shards that are not complete, if there are any.
pub fn refuse_incomplete(incomplete: &[String], units: &str) -> Result<(), Failure> {
    if incomplete.is_empty() {
        return Ok(());
    }
    Err(Failure::failed(format!(
        "{units} are missing in shard {}; run it again with `runner shards run`",
        incomplete.join(", ")
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_of_results_belongs_to_one_plan() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.shards");
        let plan = |units| ShardPlan::new(Work::Tournament(String::new()), units, 2);
        plan(7).check(&path).unwrap();
        plan(7).claim(&path).unwrap();
        plan(7).claim(&path).unwrap();
        for refused in [plan(8).claim(&path), plan(8).check(&path)] {
            let Err(Failure::Usage { message, .. }) = refused else { panic!("another plan") };
            assert!(message.contains("t.shards holds the results of another plan"), "{message}");
        }
    }
}
