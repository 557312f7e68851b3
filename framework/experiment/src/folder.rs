//! The folder of an experiment: its resolved configuration, its results and its models.

use super::definition::Experiment;
use super::record::{EvaluationRecord, ExperimentRecord, TrainingRecord};
use runner_files::{LedgerKind, LineFile, Lines};
use runner_play::failure::Failure;
use runner_play::inputs::ReplacedInput;
use runner_play::names::file_name;
use runner_spec::read_document;
use std::path::{Path, PathBuf};

const MODELS: &str = "models";

static KIND: LedgerKind = LedgerKind {
    what: "an experiment",
    definition: "experiment.ron",
    header: "// What `runner experiment` resolved; written by every run.",
    folders: &[MODELS],
};

/// The results of an experiment so far.
#[derive(Debug, Default)]
pub struct Records(pub Vec<ExperimentRecord>);

/// The folder of an experiment that runs, locked against other runs.
pub struct ExperimentFolder {
    path: PathBuf,
    pub records: Records,
    results: LineFile,
}

impl Records {
    /// Reads the results of an experiment, without a change; none if there is no folder, or only
    /// what a first run left that was killed at its start.
    pub fn read(
        folder: &Path,
        experiment: &Experiment,
        replaced: ReplacedInput<'_>,
    ) -> Result<Self, Failure> {
        let Some((before, records)) = held(folder)? else { return Ok(Self::default()) };
        records.check(folder, &before, experiment, replaced)?;
        Ok(records)
    }

    /// Refuses the results of the experiment `before` if `experiment` is another one.
    fn check(
        &self,
        folder: &Path,
        before: &Experiment,
        experiment: &Experiment,
        replaced: ReplacedInput<'_>,
    ) -> Result<(), Failure> {
        match experiment.difference_from(before, replaced, self) {
            None => Ok(()),
            Some(difference) => Err(KIND.another(folder, &difference).into()),
        }
    }

    /// Reads the experiment that a folder holds, and its results; `None` if it holds none.
    pub fn of_folder(folder: &Path) -> Result<Option<(Experiment, Self)>, Failure> {
        if ExperimentFolder::exists(folder) { held(folder) } else { Ok(None) }
    }

    fn evaluations(&self) -> impl DoubleEndedIterator<Item = &EvaluationRecord> {
        self.0.iter().filter_map(|record| match record {
            ExperimentRecord::Training(_) => None,
            ExperimentRecord::Evaluation(evaluation) => Some(evaluation),
        })
    }

    /// Returns true if a training or an evaluation of a configuration has a result.
    pub fn has_any(&self, configuration: &str) -> bool {
        self.0.iter().any(|record| record.configuration() == configuration)
    }

    /// Returns true if an evaluation has a result, with any seed.
    pub fn has_evaluation(&self, configuration: &str, name: &str) -> bool {
        self.evaluations().any(|e| e.configuration == configuration && e.evaluation == name)
    }

    /// Returns the last record of a training.
    pub fn training(&self, configuration: &str, seed: u64) -> Option<&TrainingRecord> {
        self.0.iter().rev().find_map(|record| match record {
            ExperimentRecord::Training(t) if t.configuration == configuration && t.seed == seed => {
                Some(t)
            }
            _ => None,
        })
    }

    /// Returns the last record of an evaluation of a training.
    pub fn evaluation(
        &self,
        configuration: &str,
        seed: u64,
        name: &str,
    ) -> Option<&EvaluationRecord> {
        self.evaluations()
            .rev()
            .find(|e| e.configuration == configuration && e.seed == seed && e.evaluation == name)
    }
}

/// Reads the experiment that a folder holds, and its results.
fn held(folder: &Path) -> Result<Option<(Experiment, Records)>, Failure> {
    let Some(experiment) = KIND.held(folder, read_document)? else { return Ok(None) };
    let (records, _) = parse(&Lines::read_if_exists(&KIND.results(folder))?, &experiment)?;
    Ok(Some((experiment, records)))
}

/// Returns the results in complete lines, and the length of these in bytes.
fn parse(lines: &Lines, experiment: &Experiment) -> Result<(Records, usize), Failure> {
    let mut records = Vec::new();
    let mut objects = lines.objects();
    for line in &mut objects {
        let (number, record) = line?;
        experiment.check_record(&record).map_err(|why| lines.refuse(number, why))?;
        records.push(record);
    }
    Ok((Records(records), objects.range().end))
}

impl ExperimentFolder {
    fn exists(path: &Path) -> bool {
        KIND.definition(path).exists()
    }

    /// Refuses to resume a folder without an experiment. `option` is the name of `resume` in
    /// messages.
    pub fn check(path: &Path, resume: bool, option: &str) -> Result<(), Failure> {
        if resume && !Self::exists(path) {
            let folder = path.display();
            return Err(Failure::usage(format!(
                "{folder} holds no experiment; leave out {option} to begin one"
            )));
        }
        Ok(())
    }

    /// Opens the folder of an experiment, or creates it.
    pub fn open(
        path: &Path,
        experiment: &Experiment,
        replaced: ReplacedInput<'_>,
    ) -> Result<Self, Failure> {
        let ledger = KIND.lock(path, read_document)?;
        let (mut records, mut length) = (Records::default(), 0);
        if let Some(before) = &ledger.held {
            (records, length) = parse(&ledger.results.lines, before)?;
            records.check(path, before, experiment, replaced)?;
        }
        runner_files::create_folder(&path.join(MODELS))?;
        let results = ledger.begin(experiment, length)?;
        Ok(Self { path: path.to_owned(), records, results })
    }

    pub fn results(path: &Path) -> PathBuf {
        KIND.results(path)
    }

    /// Appends a result, and waits until it is on the disk.
    pub fn add(&mut self, record: ExperimentRecord) -> Result<(), Failure> {
        self.results.add(&record);
        self.results.sync()?;
        self.records.0.push(record);
        Ok(())
    }

    pub fn path_of(&self, model: &str) -> PathBuf {
        self.path.join(model)
    }
}

pub fn model_name(configuration: &str, seed: u64) -> String {
    format!("{MODELS}/{}-seed{seed}.model", file_name(configuration))
}
