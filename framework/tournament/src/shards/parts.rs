//! Shards of an experiment: trainings with their evaluations, in the order of one machine.

use super::plan::{Shard, ShardPlan, Work, changed, refuse_incomplete};
use runner_experiment::{Experiment, Folder, Part, Record, Records};
use runner_play::failure::Failure;
use runner_play::registry::Registry;
use runner_spec::read_document;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub struct PartShards {
    pub experiment: Experiment,
    /// How a changed input is accepted; `None` accepts it.
    accepting: Option<&'static str>,
}

impl PartShards {
    pub fn new(experiment: Experiment) -> Self {
        Self { experiment, accepting: None }
    }

    /// Builds the experiment of a plan, and refuses one that is built differently here.
    /// `accepting` says how a changed input is accepted; `None` accepts it.
    pub fn built(
        text: &str,
        accepting: Option<&'static str>,
        registry: &Arc<Registry>,
    ) -> Result<Self, Failure> {
        let planned: Experiment = read_document(text)
            .map_err(|error| Failure::failed(format!("the experiment of the plan: {error}")))?;
        let experiment = planned.clone().resolved(registry)?;
        match experiment.difference_from(&planned, accepting, &|_, _| true) {
            None => Ok(Self { experiment, accepting }),
            Some(difference) => Err(changed(difference)),
        }
    }

    pub fn plan(&self, count: u64) -> Result<ShardPlan, Failure> {
        let total = self.experiment.parts(&[]).len() as u64;
        if count > total {
            return Err(Failure::usage(format!(
                "{count} shards are too many: the experiment has {total} trainings"
            )));
        }
        Ok(ShardPlan::new(Work::Experiment(self.experiment.text()?), total, count))
    }

    pub fn parts(&self, shard: &Shard) -> Vec<Part<'_>> {
        let count = (shard.units.end - shard.units.start) as usize;
        self.experiment
            .parts(&[])
            .into_iter()
            .skip(shard.units.start as usize)
            .take(count)
            .collect()
    }

    pub fn open(&self, shard: &Shard, folder: &Path) -> Result<(Folder, PathBuf), Failure> {
        let path = folder_in(folder, shard);
        let folder = Folder::open(&path, &self.experiment, self.accepting)?;
        check_shard(&path, folder.records(), &self.parts(shard))?;
        Ok((folder, path))
    }

    /// Copies the results and models of all shards into a new folder, and refuses missing ones.
    pub fn merge(&self, plan: &ShardPlan, from: &Path, to: &Path) -> Result<Folder, Failure> {
        let mut merged: Vec<Record> = Vec::new();
        let mut incomplete = Vec::new();
        for shard in plan.shards() {
            let path = folder_in(from, &shard);
            let parts = self.parts(&shard);
            let records = Records::read(&path, &self.experiment, self.accepting)?;
            check_shard(&path, &records, &parts)?;
            let is_done = |part: &&Part<'_>| {
                !part.is_untrained(&records) && part.missing(&records).is_empty()
            };
            let (done, expected) = (parts.iter().filter(is_done).count(), parts.len());
            if done < expected {
                incomplete.push(format!("{} ({done} of {expected} trainings)", shard.number));
            }
            merged.extend(records.iter().cloned());
        }
        refuse_incomplete(&incomplete, "results")?;
        let mut folder = Folder::open(to, &self.experiment, self.accepting)?;
        for shard in plan.shards() {
            copy_files(&Folder::models(&folder_in(from, &shard)), &Folder::models(to))?;
        }
        merged.into_iter().try_for_each(|record| folder.add(record))?;
        Ok(folder)
    }
}

fn folder_in(folder: &Path, shard: &Shard) -> PathBuf {
    folder.join(format!("shard-{}", shard.number))
}

fn check_shard(path: &Path, records: &Records, parts: &[Part<'_>]) -> Result<(), Failure> {
    let own = parts.iter().map(|part| (part.configuration.name.as_str(), part.seed));
    let own: Vec<_> = own.collect();
    let Some((name, seed)) = records.iter().map(Record::of).find(|other| !own.contains(other))
    else {
        return Ok(());
    };
    let path = path.display();
    Err(Failure::failed(format!(
        "{path}: {name}, seed {seed} is not part of this shard; remove its lines"
    )))
}

/// Copies the files of a folder, except the locks of runs.
fn copy_files(from: &Path, to: &Path) -> Result<(), Failure> {
    for path in runner_files::paths_in(from)? {
        if path.extension().is_none_or(|extension| extension != "lock") {
            runner_files::copy(&path, &to.join(path.file_name().unwrap_or_default()))?;
        }
    }
    Ok(())
}
