//! The folder of a tournament: its resolved configuration, its results and its report.

use super::definition::Tournament;
use super::finished::Games;
use super::queue::Watch;
use super::resolved::Built;
use super::results::resume;
use runner_files::{LedgerKind, LineFile, replace};
use runner_play::failure::Failure;
use runner_spec::read_document;
use std::io::Write;
use std::path::{Path, PathBuf};

static KIND: LedgerKind = LedgerKind {
    what: "a tournament",
    definition: "config.ron",
    header: "// What `runner tournament` resolved; written by every run.",
    folders: &[],
    how_to_change: "to change the tournament, use flags, or name an edited copy of the file",
};

/// The folder of a tournament that runs, locked against other runs.
pub struct Folder {
    path: PathBuf,
    pub results: LineFile,
}

impl Folder {
    /// Returns the tournament that a folder holds; `None` if there is no folder, or an empty one.
    pub fn held(path: &Path) -> Result<Option<Tournament>, Failure> {
        Ok(KIND.held(path, read_document)?)
    }

    /// Opens the folder of a tournament, or creates it, and returns the games that were played.
    /// `accepting` says how a changed input is accepted; `None` accepts it.
    pub fn open(
        path: &Path,
        built: &Built,
        accepting: Option<&str>,
        watch: Watch<'_>,
    ) -> Result<(Self, Games), Failure> {
        let ledger = KIND.lock(path, read_document::<Tournament>)?;
        if let Some(held) = &ledger.held
            && let Some(difference) = built.tournament.difference_from(held, accepting)
        {
            return Err(KIND.another(path, &difference).into());
        }
        let games = resume(&ledger.results, built, watch)?;
        let results = ledger.begin(&resolved(&built.tournament)?)?;
        Ok((Self { path: path.to_owned(), results }, games))
    }

    pub fn write(&self, name: &str, text: &str) -> Result<(), Failure> {
        Ok(replace(&self.path.join(name), |file| file.write_all(text.as_bytes()))?)
    }
}

/// Returns a tournament as the text of a file.
pub fn resolved(tournament: &Tournament) -> Result<String, Failure> {
    Ok(KIND.text(tournament)?)
}
