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
    records: Records,
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
        let before = KIND.held(folder, read_document)?;
        let Some(before) = before else { return Ok(Self::default()) };
        let lines = Lines::read_if_exists(&KIND.results(folder))?;
        Ok(Self::of(folder, &lines, [&before, experiment], replaced)?.0)
    }

    /// Returns the results in lines of the experiment `before`, unless that is another one, and the
    /// length of the lines in bytes.
    fn of(
        folder: &Path,
        lines: &Lines,
        [before, experiment]: [&Experiment; 2],
        replaced: ReplacedInput<'_>,
    ) -> Result<(Self, usize), Failure> {
        let (records, length) = parse(lines, before)?;
        let has_result = |name: &str, evaluation: Option<&str>| records.has(name, evaluation);
        match experiment.difference_from(before, replaced, &has_result) {
            None => Ok((records, length)),
            Some(difference) => Err(KIND.another(folder, &difference).into()),
        }
    }

    /// Reads the experiment that a folder holds, and its results; `None` if it holds none.
    pub fn of_folder(folder: &Path) -> Result<Option<(Experiment, Self)>, Failure> {
        if !ExperimentFolder::exists(folder) {
            return Ok(None);
        }
        let Some(experiment) = KIND.held(folder, read_document)? else { return Ok(None) };
        let (records, _) = parse(&Lines::read_if_exists(&KIND.results(folder))?, &experiment)?;
        Ok(Some((experiment, records)))
    }

    pub fn iter(&self) -> std::slice::Iter<'_, ExperimentRecord> {
        self.0.iter()
    }

    fn has(&self, configuration: &str, evaluation: Option<&str>) -> bool {
        self.iter().any(|record| match (record, evaluation) {
            _ if record.of().0 != configuration => false,
            (ExperimentRecord::Evaluation(played), Some(name)) => played.evaluation == name,
            (ExperimentRecord::Training(_), Some(_)) => false,
            (_, None) => true,
        })
    }

    /// Returns the last record of a training.
    pub fn training(&self, configuration: &str, seed: u64) -> Option<&TrainingRecord> {
        self.0.iter().rev().find_map(|record| match record {
            ExperimentRecord::Training(training) if record.of() == (configuration, seed) => {
                Some(training)
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
        self.0.iter().rev().find_map(|record| match record {
            ExperimentRecord::Evaluation(evaluation)
                if record.of() == (configuration, seed) && evaluation.evaluation == name =>
            {
                Some(evaluation)
            }
            _ => None,
        })
    }
}

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
    pub fn exists(path: &Path) -> bool {
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
        let (records, length) = match &ledger.held {
            None => (Records::default(), 0),
            Some(before) => {
                Records::of(path, &ledger.results.lines, [before, experiment], replaced)?
            }
        };
        let models = Self::models(path);
        runner_files::create_folder(&models)?;
        let results = ledger.begin(experiment, length)?;
        Ok(Self { path: path.to_owned(), records, results })
    }

    pub fn models(path: &Path) -> PathBuf {
        path.join(MODELS)
    }

    pub fn results(path: &Path) -> PathBuf {
        KIND.results(path)
    }

    pub fn records(&self) -> &Records {
        &self.records
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
