//! The folder of an experiment: its resolved configuration, its results and its models.
//!
//! A result is one line that is appended when a part is done, so an experiment continues after
//! a crash. The last line is dropped if it is incomplete.

use super::definition::Experiment;
use super::record::{EvaluationRecord, Record, TrainingRecord};
use ron::extensions::Extensions;
use ron::ser::PrettyConfig;
use runner_files::sealed::{self, Broken};
use runner_files::{FileError, TEMPORARY_SUFFIX};
use runner_play::definition_file;
use runner_play::document::read_file;
use runner_play::failure::Failure;
use runner_play::lock::FileLock;
use runner_play::names::file_name;
use serde_json::Value;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// File of the resolved configuration.
const EXPERIMENT: &str = "experiment.ron";
/// Its first line. Files of earlier versions, which have no checksum, begin with another one.
const HEADER: &str = "// What `runner experiment` resolved; written by every run, with a checksum.";
/// File of the results.
const RESULTS: &str = "results.jsonl";
/// Folder of the models.
const MODELS: &str = "models";

/// The results of an experiment so far.
#[derive(Debug, Default)]
pub struct Records(pub(super) Vec<Record>);

/// The folder of an experiment that runs, locked against other runs.
pub struct Folder {
    path: PathBuf,
    records: Records,
    results: File,
    _lock: FileLock,
}

impl Records {
    /// Reads the results of an experiment, without a change; none if there is no folder, or only what
    /// a first run left that was killed at its start.
    pub fn read(folder: &Path, experiment: &Experiment) -> Result<Self, Failure> {
        Ok(Self::read_with_length(folder, experiment)?.0)
    }

    /// Reads the results of an experiment as [`read`](Self::read) does, and returns them with the
    /// length of their complete lines in bytes.
    fn read_with_length(folder: &Path, experiment: &Experiment) -> Result<(Self, u64), Failure> {
        if !folder.join(EXPERIMENT).exists() {
            return match other_file(folder)? {
                None => Ok((Self::default(), 0)),
                Some(other) => Err(Failure::usage(format!(
                    "{} holds other files than those of an experiment, such as {}; name another \
                     folder with --out",
                    folder.display(),
                    other.to_string_lossy()
                ))),
            };
        }
        let before = read_definition(folder)?;
        let (records, length) = read_results(&folder.join(RESULTS), &before)?;
        let records = Self(records);
        let has_result = |name: &str, evaluation: Option<&str>| records.has(name, evaluation);
        if let Some(difference) = experiment.difference_from(&before, &has_result) {
            return Err(Failure::usage(format!(
                "{} holds another experiment: {}",
                folder.display(),
                difference.or("name another folder with --out")
            )));
        }
        Ok((records, length))
    }

    /// Reads the experiment that a folder holds, and its results; `None` if it holds none.
    pub fn of_folder(folder: &Path) -> Result<Option<(Experiment, Self)>, Failure> {
        if !Folder::exists(folder) {
            return Ok(None);
        }
        let experiment = read_definition(folder)?;
        let (records, _) = read_results(&folder.join(RESULTS), &experiment)?;
        Ok(Some((experiment, Self(records))))
    }

    /// Returns all records, in the order in which they were written.
    pub fn iter(&self) -> std::slice::Iter<'_, Record> {
        self.0.iter()
    }

    /// Returns true if a training of a configuration, or one of its evaluations, has a record.
    fn has(&self, configuration: &str, evaluation: Option<&str>) -> bool {
        self.iter().any(|record| match (record, evaluation) {
            _ if record.of().0 != configuration => false,
            (Record::Evaluation(played), Some(name)) => played.evaluation == name,
            (Record::Training(_), Some(_)) => false,
            (_, None) => true,
        })
    }

    /// Returns the last record of a training.
    pub fn training(&self, configuration: &str, seed: u64) -> Option<&TrainingRecord> {
        self.0.iter().rev().find_map(|record| match record {
            Record::Training(training) if record.of() == (configuration, seed) => Some(training),
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
            Record::Evaluation(evaluation)
                if record.of() == (configuration, seed) && evaluation.evaluation == name =>
            {
                Some(evaluation)
            }
            _ => None,
        })
    }
}

/// Returns the name of a file in a folder that no experiment has written, if there is one.
fn other_file(folder: &Path) -> Result<Option<OsString>, Failure> {
    let failed = |error| FileError::at("read", folder)(error);
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error).into()),
    };
    for entry in entries {
        let entry = entry.map_err(failed)?;
        if !is_left_over(&entry) {
            return Ok(Some(entry.file_name()));
        }
    }
    Ok(None)
}

/// Returns true for a file of a run that was killed before it wrote the experiment.
fn is_left_over(entry: &fs::DirEntry) -> bool {
    let name = entry.file_name();
    let name = name.to_string_lossy();
    if name == MODELS {
        return fs::read_dir(entry.path()).is_ok_and(|mut models| models.next().is_none());
    }
    match name.strip_prefix(RESULTS) {
        Some("" | ".lock") => entry.metadata().is_ok_and(|metadata| metadata.len() == 0),
        _ => name.starts_with(EXPERIMENT) && name.ends_with(TEMPORARY_SUFFIX),
    }
}

/// Reads the experiment that a folder holds, and refuses one that was edited: its results are those of
/// the one before. The files of earlier versions have no checksum.
fn read_definition(folder: &Path) -> Result<Experiment, Failure> {
    let path = folder.join(EXPERIMENT);
    definition_file::check(
        &path,
        "to change the experiment, name an edited copy of the file, and another folder with --out",
        |text| !text.starts_with(HEADER),
    )?;
    read_file(&path)
}

/// Reads the results, and returns them with the length of the complete lines in bytes.
fn read_results(path: &Path, experiment: &Experiment) -> Result<(Vec<Record>, u64), Failure> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok((Vec::new(), 0)),
        Err(error) => return Err(FileError::at("read", path)(error).into()),
    };
    let mut records = Vec::new();
    let mut length = 0;
    for (index, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        // An incomplete last line: the program was killed while it wrote it.
        let Some(text) = line.strip_suffix(b"\n") else { break };
        // The end of a line of Windows, if the file was edited there.
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        let damaged = |why: String| {
            Failure::failed(format!(
                "{}: line {} is damaged: {why}; remove the line to run its part again",
                path.display(),
                index + 1
            ))
        };
        check_seal(text).map_err(|broken| damaged(broken.to_string()))?;
        let record: Record =
            serde_json::from_slice(text).map_err(|error| damaged(error.to_string()))?;
        experiment.check_record(&record).map_err(damaged)?;
        records.push(record);
        length += line.len() as u64;
    }
    Ok((records, length))
}

/// Checks a line against its checksum, if it has one: lines of earlier versions have none, and a
/// training takes too long to be done again.
fn check_seal(line: &[u8]) -> Result<(), Broken> {
    let has_seal = |line: Value| line.get("check").is_some();
    match sealed::open_line(line) {
        Ok(()) => Ok(()),
        Err(Broken::Truncated) if !serde_json::from_slice(line).is_ok_and(has_seal) => Ok(()),
        Err(_) => Err(Broken::Changed),
    }
}

impl Folder {
    /// Returns true if a folder holds an experiment.
    pub fn exists(path: &Path) -> bool {
        path.join(EXPERIMENT).exists()
    }

    /// Opens the folder of an experiment, or creates it.
    pub fn open(path: &Path, experiment: &Experiment) -> Result<Self, Failure> {
        Records::read(path, experiment)?;
        let models = Self::models(path);
        runner_files::create_folder(&models)?;
        let results = path.join(RESULTS);
        let lock = FileLock::acquire(&results)?;
        // Read again under the lock: another run may have written to the folder in between.
        let (records, length) = Records::read_with_length(path, experiment)?;
        definition_file::write(&path.join(EXPERIMENT), &experiment.text()?)?;
        let at = |error| Failure::from(FileError::at("write", &results)(error));
        let mut options = OpenOptions::new();
        let file = options.create(true).read(true).write(true).truncate(false).open(&results);
        let file = file.map_err(at)?;
        file.set_len(length).map_err(at)?;
        drop(file);
        let file = OpenOptions::new().append(true).open(&results).map_err(at)?;
        Ok(Self { path: path.to_owned(), records, results: file, _lock: lock })
    }

    /// Returns the folder of the models in the folder of an experiment.
    pub fn models(path: &Path) -> PathBuf {
        path.join(MODELS)
    }

    /// Returns the file of the results in the folder of an experiment.
    pub fn results(path: &Path) -> PathBuf {
        path.join(RESULTS)
    }

    /// Returns the results so far.
    pub fn records(&self) -> &Records {
        &self.records
    }

    /// Appends a result with a single write.
    pub fn add(&mut self, record: Record) -> Result<(), Failure> {
        let mut line = serde_json::to_vec(&record)?;
        sealed::seal_line(&mut line, 0);
        line.push(b'\n');
        let path = self.path.join(RESULTS);
        let write = self.results.write_all(&line).and_then(|()| self.results.sync_data());
        write.map_err(FileError::at("write", &path))?;
        self.records.0.push(record);
        Ok(())
    }

    /// Returns the path of a model in the folder.
    pub fn path_of(&self, model: &str) -> PathBuf {
        self.path.join(model)
    }
}

/// Returns the name of a model in the folder of its experiment.
pub fn model_name(configuration: &str, seed: u64) -> String {
    format!("{MODELS}/{}-seed{seed}.model", file_name(configuration))
}

impl Experiment {
    /// Returns the experiment as the text of a file.
    pub fn text(&self) -> Result<String, Failure> {
        let options = ron::Options::default()
            .with_default_extension(Extensions::UNWRAP_NEWTYPES)
            .with_default_extension(Extensions::IMPLICIT_SOME);
        let text = options.to_string_pretty(self, PrettyConfig::default());
        let text =
            text.map_err(|error| Failure::failed(format!("cannot write {EXPERIMENT}: {error}")))?;
        Ok(format!("{HEADER}\n{text}\n"))
    }
}
