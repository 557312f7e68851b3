//! The recorded games of a tournament: a file for each agent in each game.
//!
//! A file grows as `FILE.partial` and is renamed at the end. The next run begins its files with
//! the games of the runs before it that are over, so after a crash every finished game still has
//! its record.

use super::finished::{Finished, Games};
use super::queue::{Event, Watch};
use super::resolved::Built;
use runner_core::{locked, unpoisoned};
use runner_play::arena::Records;
use runner_play::failure::Failure;
use runner_play::names::file_name;
use runner_play::recording::metadata;
use runner_records::{Block, ReadErrorKind, RecordReader, RecordWriter, WriteError};
use runner_spec::quantity::counted;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Maximum length of the part of a file's name that a label gives, in characters.
const LONGEST_PART: usize = 40;

/// The files of a tournament that runs.
pub struct RecordFiles {
    writers: Vec<Mutex<RecordWriter>>,
    error: Mutex<Option<WriteError>>,
}

impl RecordFiles {
    /// Opens the files in a folder. They begin with those records in `sources`, the folders of
    /// earlier runs, whose games are over. Returns the files, and for each cell the numbers of the
    /// games that have a score and no record. The message about a damaged record ends with the
    /// remedy.
    pub fn open(
        folder: &Path,
        sources: &[PathBuf],
        built: &Built,
        games: &Games,
        remedy: &str,
    ) -> Result<(Self, Vec<Vec<u64>>), Failure> {
        runner_files::create_folder(folder)?;
        let mut writers = Vec::new();
        let fill = |(index, games): (usize, &Vec<Finished>)| {
            let (name, cell) = (name(built, index), &built.cells[index]);
            let files: Result<Vec<_>, _> =
                sources.iter().map(|source| files(source, &name)).collect();
            let metadata = metadata(&cell.game, &built.tournament.players[index].spec, cell.seed);
            let mut writer = RecordWriter::create(&folder.join(&name), &metadata)?;
            let missing = take_over(&files?.concat(), games, &mut writer, remedy);
            writers.push(writer);
            missing
        };
        let missing: Result<Vec<_>, Failure> = games.iter().enumerate().map(fill).collect();
        if missing.is_err() {
            // The files that were there hold all games.
            for writer in &writers {
                let _ = runner_files::remove(writer.partial_path());
            }
        }
        let writers = writers.into_iter().map(Mutex::new).collect();
        Ok((Self { writers, error: Mutex::default() }, missing?))
    }

    /// Opens the files of a run that continues in its folder, and reports games that are over and
    /// have no record.
    pub fn resume(
        folder: &Path,
        built: &Built,
        games: &Games,
        watch: Watch<'_>,
    ) -> Result<Self, Failure> {
        let remedy = "remove it to continue without the records in it";
        let (records, missing) = Self::open(folder, &[folder.to_owned()], built, games, remedy)?;
        let missing: usize = missing.iter().map(Vec::len).sum();
        if missing > 0 {
            watch(Event::Note(format!(
                "note: {} that were played before have no record in {}",
                counted(missing as u64, "game"),
                folder.display()
            )));
        }
        Ok(records)
    }

    /// Writes the games that are buffered.
    pub fn flush(&self) -> Result<(), Failure> {
        if let Some(error) = locked(&self.error).take() {
            return Err(error.into());
        }
        Ok(self.writers.iter().try_for_each(|writer| locked(writer).flush())?)
    }

    pub fn finish(self) -> Result<(), Failure> {
        let mut writers = self.writers.into_iter();
        Ok(writers.try_for_each(|writer| unpoisoned(writer.into_inner()).finish())?)
    }
}

impl Records for RecordFiles {
    fn write(&self, cell: usize, block: &Block) {
        if let Err(error) = locked(&self.writers[cell]).write(block) {
            locked(&self.error).get_or_insert(error);
        }
    }
}

/// Returns the name of the file of a cell. Its seed, which depends on the labels, keeps labels
/// apart that are alike but for punctuation.
fn name(built: &Built, cell: usize) -> String {
    let part = |label: &str| file_name(label).chars().take(LONGEST_PART).collect::<String>();
    let [game, agent] = built.labels(cell).map(part);
    format!("{game}-{agent}-{:014x}.rec", built.cells[cell].seed.0)
}

/// Returns the file of this name in a folder, and those of runs that were killed.
fn files(folder: &Path, name: &str) -> Result<Vec<PathBuf>, Failure> {
    let is_of_cell = |path: &PathBuf| {
        let found = path.file_name().unwrap_or_default().to_string_lossy();
        // The writer of an empty file was killed before it wrote the header.
        let is_begun = || path.metadata().is_ok_and(|metadata| metadata.len() > 0);
        found == name || (found.starts_with(name) && is_partial(path) && is_begun())
    };
    Ok(runner_files::paths_in(folder)?.into_iter().filter(is_of_cell).collect())
}

fn is_partial(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "partial")
}

/// Copies the records of games that are over, each once. Returns the numbers of the games that have
/// a score and no record.
fn take_over(
    files: &[PathBuf],
    games: &[Finished],
    writer: &mut RecordWriter,
    remedy: &str,
) -> Result<Vec<u64>, Failure> {
    let mut is_missing: Vec<_> = games.iter().map(|game| game.score.is_some()).collect();
    for file in files {
        let refuse = |why: String| Failure::failed(format!("{why}; {remedy}"));
        let reader = match RecordReader::open(file) {
            Err(error) if is_partial(file) && is_torn(&error.problem) => continue,
            opened => opened.map_err(|error| refuse(error.to_string()))?,
        };
        for record in reader {
            let record = match record {
                Err(error) if is_partial(file) && is_torn(&error.problem) => break,
                record => record.map_err(|error| refuse(error.to_string()))?,
            };
            let Ok(place) = games.binary_search_by_key(&record.number, |game| game.number) else {
                continue;
            };
            let Finished { score, moves, .. } = games[place];
            if (score, moves) != (Some(record.score), record.moves()) {
                // A run was killed after it wrote this record and before it wrote the result. Then
                // the game was played again, and ended in another way.
                if is_partial(file) {
                    continue;
                }
                let (file, number) = (file.display(), record.number);
                return Err(refuse(format!(
                    "{file}: game {number} has another score or length than its result"
                )));
            }
            if std::mem::take(&mut is_missing[place])
                && let Some(block) = record.to_block()
            {
                writer.write(&block)?;
            }
        }
    }
    let missing = games.iter().zip(is_missing).filter(|&(_, is_missing)| is_missing);
    Ok(missing.map(|(game, _)| game.number).collect())
}

/// Returns true for the end of a file whose writer was killed.
fn is_torn(problem: &ReadErrorKind) -> bool {
    matches!(problem, ReadErrorKind::Unfinished | ReadErrorKind::Truncated)
}
