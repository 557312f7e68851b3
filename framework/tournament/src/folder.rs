//! The folder of a tournament: its resolved definition, its results and its report.

use super::definition::Tournament;
use super::finished::{Games, count};
use super::queue::{TournamentEvent, TournamentWatch};
use super::resolved::BuiltTournament;
use super::results::parse;
use runner_files::{LedgerKind, LineFile, Lines, replace};
use runner_play::failure::Failure;
use runner_play::inputs::ReplacedInput;
use runner_spec::quantity::counted;
use runner_spec::read_document;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

static KIND: LedgerKind = LedgerKind {
    what: "a tournament",
    definition: "config.ron",
    header: "// What `runner tournament` resolved; written by every run.",
    folders: &[],
};

/// The folder of a tournament that runs, locked against other runs.
pub struct TournamentFolder {
    path: PathBuf,
    pub results: LineFile,
}

impl TournamentFolder {
    /// Returns the tournament that a folder holds; `None` if there is no folder, or an empty one.
    pub fn held(path: &Path) -> Result<Option<Tournament>, Failure> {
        Ok(KIND.held(path, read_document)?)
    }

    /// Returns the tournament to be played in a folder. If `resume` is true, the folder must hold
    /// a tournament, which sets what `given` does not; otherwise it must hold none. `option` is
    /// the name of `resume` in messages.
    pub fn to_continue(
        path: &Path,
        resume: bool,
        option: &str,
        mut given: Tournament,
    ) -> Result<Tournament, Failure> {
        let folder = path.display();
        let Some(held) = Self::held(path)? else {
            if !resume {
                return Ok(given);
            }
            return Err(Failure::usage(format!(
                "{folder} holds no tournament; leave out {option} to begin one"
            )));
        };
        if !resume {
            return Err(Failure::usage(format!(
                "{folder} holds a tournament already; {option} continues it"
            )));
        }
        given.fill_labels();
        for (what, named, all) in [
            ("games", given.game_labels(), held.game_labels()),
            ("agents", given.agent_labels(), held.agent_labels()),
        ] {
            if !named.is_empty() && !all.iter().all(|label| named.contains(label)) {
                return Err(Failure::usage(format!(
                    "{folder} holds a tournament with the {what} {}: name all of them to \
                     continue it, and others to add them, or none",
                    all.join("; ")
                )));
            }
        }
        Ok(given.or(held))
    }

    /// Opens or creates the folder of a tournament. Returns the games that were played before too.
    pub fn open(
        path: &Path,
        built: &BuiltTournament,
        replaced: ReplacedInput<'_>,
        watch: TournamentWatch<'_>,
    ) -> Result<(Self, Games), Failure> {
        let ledger = KIND.lock(path, read_document::<Tournament>)?;
        if let Some(held) = &ledger.held
            && let Some(difference) = built.tournament.difference_from(held, replaced)
        {
            return Err(Self::another(path, &difference));
        }
        let (results, lines) = (KIND.results(path), &ledger.results.lines);
        let (games, length) = parse(&results, lines, built, built.tournament.numbers())?;
        if length < lines.length() {
            watch(TournamentEvent::Note(format!(
                "note: the last line of {} is incomplete and was removed; its game is played again",
                results.display()
            )));
        }
        if ledger.held.is_some() {
            let before = counted(count(&games), "game");
            watch(TournamentEvent::Note(format!("{before} were played before")));
        }
        let results = ledger.begin(&built.tournament, length)?;
        Ok((Self { path: path.to_owned(), results }, games))
    }

    /// Reads the games of a folder, which is not changed. Their numbers must be in `numbers`.
    pub fn games(
        path: &Path,
        built: &BuiltTournament,
        numbers: Range<u64>,
    ) -> Result<Games, Failure> {
        let results = KIND.results(path);
        Ok(parse(&results, &Lines::read_if_exists(&results)?, built, numbers)?.0)
    }

    pub fn another(path: &Path, difference: &str) -> Failure {
        KIND.another(path, difference).into()
    }

    pub fn write(&self, name: &str, text: &str) -> Result<(), Failure> {
        Ok(replace(&self.path.join(name), |file| file.write_all(text.as_bytes()))?)
    }
}
