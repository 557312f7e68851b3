//! The plan: a JSON file with the work, and the range of it that each shard does.

use runner_files::replace;
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
    /// An evaluation, written as a tournament of one player in one game.
    Evaluation(String),
    Experiment(String),
}

/// A plan. The units of its work are numbered: games, or trainings with their evaluations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardPlan {
    pub work: Work,
    /// The first unit of each shard and the one after its last.
    shards: Vec<[u64; 2]>,
    /// CRC-32 of the fields before: of the JSON list `[work, shards]` without blanks.
    checksum: String,
}

impl ShardPlan {
    /// Cuts work of this many units into shards of about equal size.
    pub fn new(work: Work, units: u64, count: u64) -> Result<Self, Failure> {
        // 128 bits: the product may exceed 64.
        let end = |shard: u64| (u128::from(units) * u128::from(shard) / u128::from(count)) as u64;
        let shards = (0..count).map(|shard| [end(shard), end(shard + 1)]).collect();
        let plan = Self { work, shards, checksum: String::new() };
        Ok(Self { checksum: plan.sum()?, ..plan })
    }

    fn sum(&self) -> Result<String, Failure> {
        let text = serde_json::to_vec(&(&self.work, &self.shards))?;
        Ok(format!("{:08x}", crc32fast::hash(&text)))
    }

    /// Reads a plan, and refuses one that was changed.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        Self::read_or(path, "write the plan again with `runner shards plan`")
    }

    /// Reads the copy of a plan in a folder of results.
    fn read_copy(path: &Path) -> Result<Self, Failure> {
        Self::read_or(
            path,
            "if the results beside it are those of your plan, remove this copy: `runner shards run` \
             writes it again",
        )
    }

    /// Reads a plan. The message that refuses it ends with the remedy.
    fn read_or(path: &Path, remedy: &str) -> Result<Self, Failure> {
        let bytes = runner_files::read(path)?;
        let refuse = |why: String| Failure::failed(format!("{}: {why}; {remedy}", path.display()));
        let plan: Self =
            serde_json::from_slice(&bytes).map_err(|error| refuse(format!("no plan: {error}")))?;
        match plan.checksum == plan.sum()? {
            true => Ok(plan),
            false => Err(refuse("checksum mismatch: it is damaged, or was edited".into())),
        }
    }

    pub fn write(&self, path: &Path) -> Result<(), Failure> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        Ok(replace(path, |file| file.write_all(text.as_bytes()))?)
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
        if !copy.exists() || Self::read_copy(&copy)? == *self {
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

    /// Returns the units of a shard, counted from 1.
    pub fn units(&self, shard: u64) -> Result<Range<u64>, Failure> {
        let index = usize::try_from(shard).ok().and_then(|shard| shard.checked_sub(1));
        match index.and_then(|index| self.shards.get(index)) {
            Some(&[from, to]) => Ok(from..to),
            None => Err(Failure::usage(format!("the plan has the shards 1 to {}", self.count()))),
        }
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
    match incomplete.is_empty() {
        true => Ok(()),
        false => Err(Failure::failed(format!(
            "{units} are missing in shard {}; run it again with `runner shards run`",
            incomplete.join(", ")
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_is_that_of_the_json_of_the_other_fields() {
        let plan = ShardPlan::new(Work::Tournament("(games: [])".into()), 7, 2).unwrap();
        let fields = br#"[{"tournament":"(games: [])"},[[0,3],[3,7]]]"#;
        assert_eq!(plan.checksum, format!("{:08x}", crc32fast::hash(fields)));
    }

    #[test]
    fn folder_of_results_belongs_to_one_plan() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.shards");
        let plan = |units| ShardPlan::new(Work::Evaluation(String::new()), units, 2).unwrap();
        plan(7).check(&path).unwrap();
        plan(7).claim(&path).unwrap();
        plan(7).claim(&path).unwrap();
        for refused in [plan(8).claim(&path), plan(8).check(&path)] {
            let Err(Failure::Usage { message, .. }) = refused else { panic!("another plan") };
            assert!(message.contains("t.shards holds the results of another plan"), "{message}");
        }
    }
}
