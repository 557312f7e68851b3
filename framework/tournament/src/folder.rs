//! The folder of a tournament: its resolved configuration, its results and its report.

use super::definition::Tournament;
use super::resolved::Built;
use super::results::Games;
use super::results_file::{Forfeits, ResultsFile};
use ron::extensions::Extensions;
use ron::ser::PrettyConfig;
use runner_files::{FileError, replace};
use runner_play::definition_file;
use runner_play::document::read_file;
use runner_play::failure::Failure;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// File of the resolved tournament.
const CONFIG: &str = "config.ron";
/// File of the results.
const RESULTS: &str = "results.jsonl";

/// How a tournament is changed.
const HOW_TO_CHANGE: &str =
    "to change the tournament, use flags, or name an edited copy of the file";

/// The folder of a tournament that runs, locked against other runs.
pub struct Folder {
    path: PathBuf,
    pub results: ResultsFile,
}

impl Folder {
    /// Returns the tournament that a folder holds; `None` if there is no folder, or an empty one.
    pub fn held(path: &Path) -> Result<Option<Tournament>, Failure> {
        let config = path.join(CONFIG);
        if config.exists() {
            definition_file::check(&config, HOW_TO_CHANGE, |_| false)?;
            return read_file(&config).map(Some);
        }
        let is_empty = match fs::read_dir(path) {
            Ok(mut entries) => entries.all(|entry| entry.is_ok_and(|entry| is_left_over(&entry))),
            Err(error) if error.kind() == ErrorKind::NotFound => true,
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                return Err(Failure::usage(format!(
                    "{} is not a folder; name one with --out",
                    path.display()
                )));
            }
            Err(error) => return Err(FileError::at("read", path)(error).into()),
        };
        match is_empty {
            true => Ok(None),
            false => Err(Failure::usage(format!(
                "{} holds other files than those of a tournament; name another folder with --out",
                path.display()
            ))),
        }
    }

    /// Opens the folder of a tournament, or creates it, and returns the games that were played,
    /// without the forfeited ones if these are to be played again.
    pub fn open(path: &Path, built: &Built, forfeits: Forfeits) -> Result<(Self, Games), Failure> {
        check(path, built)?;
        runner_files::create_folder(path)?;
        let (results, games) = ResultsFile::open(&path.join(RESULTS), built, forfeits)?;
        // Again under the lock: another run may have begun in between.
        if path.join(CONFIG).exists() {
            check(path, built)?;
        }
        definition_file::write(&path.join(CONFIG), &resolved(&built.tournament)?)?;
        Ok((Self { path: path.to_owned(), results }, games))
    }

    /// Returns the folder of the recorded games in the folder of a tournament.
    pub fn records(path: &Path) -> PathBuf {
        path.join("records")
    }

    /// Writes a file of the report.
    pub fn write(&self, name: &str, text: &str) -> Result<(), Failure> {
        Ok(replace(&self.path.join(name), |file| file.write_all(text.as_bytes()))?)
    }
}

/// Returns true for a file of a run that was killed before it wrote its configuration.
fn is_left_over(entry: &fs::DirEntry) -> bool {
    let name = entry.file_name();
    let name = name.to_string_lossy();
    let is_empty = || entry.metadata().is_ok_and(|metadata| metadata.len() == 0);
    match name.strip_prefix(RESULTS) {
        Some("" | ".lock") => is_empty(),
        _ => name.starts_with(CONFIG) && name.ends_with(runner_files::TEMPORARY_SUFFIX),
    }
}

/// Refuses a folder of another tournament.
fn check(path: &Path, built: &Built) -> Result<(), Failure> {
    let Some(held) = Folder::held(path)? else { return Ok(()) };
    match built.tournament.difference_from(&held) {
        None => Ok(()),
        Some(difference) => {
            let other = match difference.has_remedy() {
                true => "name another folder with --out",
                false => "name another folder with --out, or everything that this one has",
            };
            let (path, difference) = (path.display(), difference.or(other));
            Err(Failure::usage(format!("{path} holds another tournament: {difference}")))
        }
    }
}

/// Returns a tournament as the text of a file.
pub fn resolved(tournament: &Tournament) -> Result<String, Failure> {
    let options = ron::Options::default()
        .with_default_extension(Extensions::UNWRAP_NEWTYPES)
        .with_default_extension(Extensions::IMPLICIT_SOME);
    let text = options.to_string_pretty(tournament, PrettyConfig::default());
    let text = text.map_err(|error| Failure::failed(format!("cannot write {CONFIG}: {error}")))?;
    Ok(format!("// What `runner tournament` resolved; written by every run.\n{text}\n"))
}
