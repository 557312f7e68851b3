//! Shards of an experiment: trainings with their evaluations, in the order of one machine.

use super::plan::{ShardPlan, Work, changed, refuse_incomplete};
use runner_experiment::{Experiment, Folder, Part, Record, Records, Run};
use runner_play::failure::Failure;
use runner_play::setting::Resources;
use runner_plugin::Registry;
use runner_spec::read_document;
use runner_training::Watch;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The parts of a plan.
pub struct PartShards {
    pub experiment: Experiment,
}

impl PartShards {
    /// Builds the experiment of a plan, and refuses one that is built differently here.
    pub fn built(text: &str, registry: &Arc<Registry>) -> Result<Self, Failure> {
        let planned: Experiment = read_document(text)
            .map_err(|error| Failure::failed(format!("the experiment of the plan: {error}")))?;
        let experiment = planned.clone().resolved(registry)?;
        match experiment.difference_from(&planned, &|_, _| true) {
            None => Ok(Self { experiment }),
            Some(difference) => Err(changed(difference)),
        }
    }

    /// Cuts the experiment into shards.
    pub fn plan(&self, count: u64) -> Result<ShardPlan, Failure> {
        let total = self.experiment.parts(&[]).len() as u64;
        if count > total {
            return Err(Failure::usage(format!(
                "{count} shards are too many: the experiment has {total} trainings"
            )));
        }
        ShardPlan::new(Work::Experiment(self.experiment.text()?), total, count)
    }

    fn parts(&self, plan: &ShardPlan, shard: u64) -> Result<Vec<Part<'_>>, Failure> {
        let units = plan.units(shard)?;
        let parts = self.experiment.parts(&[]).into_iter();
        Ok(parts.skip(units.start as usize).take((units.end - units.start) as usize).collect())
    }

    pub fn count(&self, plan: &ShardPlan, shard: u64) -> Result<u64, Failure> {
        Ok(self.parts(plan, shard)?.len() as u64)
    }

    /// Returns the run of a shard, its parts, and its folder.
    pub fn run<'a>(
        &'a self,
        (plan, shard): (&ShardPlan, u64),
        folder: &Path,
        resources: Resources,
        registry: &'a Arc<Registry>,
        (stop, watch): (&'a AtomicBool, Watch<'a>),
    ) -> Result<(Run<'a>, Vec<Part<'a>>, PathBuf), Failure> {
        let parts = self.parts(plan, shard)?;
        let path = folder_in(folder, shard);
        let folder = Folder::open(&path, &self.experiment)?;
        check_shard(&path, folder.records(), &parts)?;
        let run = Run {
            experiment: &self.experiment,
            folder,
            resources,
            deletes_models: false,
            registry,
            stop,
            watch,
        };
        Ok((run, parts, path))
    }

    /// Copies the results and models of all shards into a new folder, and refuses missing ones.
    pub fn merge(&self, plan: &ShardPlan, from: &Path, to: &Path) -> Result<Folder, Failure> {
        let mut merged: Vec<Record> = Vec::new();
        let mut incomplete = Vec::new();
        for shard in 1..=plan.count() {
            let path = folder_in(from, shard);
            let parts = self.parts(plan, shard)?;
            let records = Records::read(&path, &self.experiment)?;
            check_shard(&path, &records, &parts)?;
            let is_done = |part: &&Part<'_>| {
                !part.is_untrained(&records) && part.missing(&records).is_empty()
            };
            let (done, expected) = (parts.iter().filter(is_done).count(), parts.len());
            if done < expected {
                incomplete.push(format!("{shard} ({done} of {expected} trainings)"));
            }
            merged.extend(records.iter().cloned());
        }
        refuse_incomplete(&incomplete, "results")?;
        let mut folder = Folder::open(to, &self.experiment)?;
        for shard in 1..=plan.count() {
            copy_files(&Folder::models(&folder_in(from, shard)), &Folder::models(to))?;
        }
        merged.into_iter().try_for_each(|record| folder.add(record))?;
        Ok(folder)
    }
}

fn folder_in(folder: &Path, shard: u64) -> PathBuf {
    folder.join(format!("shard-{shard}"))
}

/// Refuses results that are not part of a shard.
fn check_shard(path: &Path, records: &Records, parts: &[Part<'_>]) -> Result<(), Failure> {
    let is_part = |record: &&Record| {
        let of = |part: &Part<'_>| (part.configuration.name.as_str(), part.seed) == record.of();
        parts.iter().any(of)
    };
    match records.iter().find(|record| !is_part(record)) {
        None => Ok(()),
        Some(other) => {
            let (name, seed) = other.of();
            let path = path.display();
            Err(Failure::failed(format!(
                "{path}: {name}, seed {seed} is not part of this shard; remove its lines"
            )))
        }
    }
}

/// Copies the files of a folder, except the locks of runs.
fn copy_files(from: &Path, to: &Path) -> Result<(), Failure> {
    for path in runner_files::paths_in(from)? {
        if path.extension().is_some_and(|extension| extension != "lock") {
            runner_files::copy(&path, &to.join(path.file_name().unwrap_or_default()))?;
        }
    }
    Ok(())
}
