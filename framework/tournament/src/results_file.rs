//! The file of the results of a tournament that runs, or of one of its shards.
//!
//! A result is one line that is appended when a game is over, so a tournament continues after
//! a crash. The last line is dropped if it is incomplete.

use super::finished::forfeited;
use super::line::LineFormat;
use super::resolved::Built;
use super::results::{Games, ReadResults, lines_without_forfeits, read};
use runner_console::notes::note;
use runner_files::{FileError, replace};
use runner_play::failure::Failure;
use runner_play::lock::FileLock;
use runner_spec::quantity::counted;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Whether a resumed run plays the forfeited games of earlier runs again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Forfeits {
    /// They stay forfeited.
    Kept,
    /// They are played again.
    Replayed,
}

impl Forfeits {
    /// Returns `Replayed` for true.
    pub fn replayed_if(is_replayed: bool) -> Self {
        if is_replayed { Self::Replayed } else { Self::Kept }
    }
}

/// The file, locked against other runs.
pub struct ResultsFile {
    path: PathBuf,
    file: File,
    /// For each cell the forfeits of games that were played again.
    pub replayed: Games,
    _lock: FileLock,
}

impl ResultsFile {
    /// Opens the file, or creates it, and returns the games that were played, without the forfeited
    /// ones if these are to be played again.
    pub fn open(path: &Path, built: &Built, forfeits: Forfeits) -> Result<(Self, Games), Failure> {
        let lock = FileLock::acquire(path)?;
        let mut read_results = read(path, built)?;
        if forfeits == Forfeits::Replayed {
            read_results = without_forfeits(path, built, read_results)?;
        }
        let ReadResults { games, replayed, length, torn } = read_results;
        if torn > 0 {
            note(format!(
                "note: the last line of {} is incomplete and was removed; its game is played again",
                path.display()
            ));
        }
        let at = |error| Failure::from(FileError::at("write", path)(error));
        let options = || {
            let mut options = OpenOptions::new();
            options.create(true).truncate(false);
            options
        };
        options().write(true).open(path).and_then(|file| file.set_len(length)).map_err(at)?;
        let file = options().append(true).open(path).map_err(at)?;
        Ok((Self { path: path.to_owned(), file, replayed, _lock: lock }, games))
    }

    pub fn append(&mut self, lines: &[u8]) -> Result<(), Failure> {
        Ok(self.file.write_all(lines).map_err(FileError::at("write", &self.path))?)
    }

    /// Waits until all lines are on the disk.
    pub fn sync(&self) -> Result<(), Failure> {
        Ok(self.file.sync_data().map_err(FileError::at("write", &self.path))?)
    }
}

/// Marks the lines of forfeited games as those of games that are played again. Returns what the file
/// holds then.
fn without_forfeits(
    path: &Path,
    built: &Built,
    before: ReadResults,
) -> Result<ReadResults, Failure> {
    let forfeited = forfeited(&before.games);
    if forfeited == 0 {
        return Ok(before);
    }
    let mut lines = lines_without_forfeits(path)?;
    for (format, games) in LineFormat::of_cells(built).iter().zip(&before.games) {
        let forfeited = games.iter().filter(|game| game.score.is_none());
        forfeited.for_each(|game| format.write_replayed(game, &mut lines));
    }
    replace(path, |file| file.write_all(&lines))?;
    note(format!("{} that were forfeited are played again", counted(forfeited, "game")));
    Ok(ReadResults { torn: before.torn, ..read(path, built)? })
}
