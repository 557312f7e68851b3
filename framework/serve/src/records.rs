//! Recorded games: those of the folder that the command line names, and files that a browser sends.

use super::refusal::Refusal;
use runner_files::paths_in;
use runner_play::failure::Failure;
use runner_play::position::{Reader, find};
use runner_records::{GameRecord, Metadata, RecordReader};
use serde::Serialize;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Largest number of files that are listed.
const FILES: usize = 1000;
/// Largest number of games of a file that are listed.
const GAMES: usize = 500;

pub struct Records {
    /// The folder of recorded games, without links.
    folder: Option<PathBuf>,
}

/// A recorded game, as lists show it.
#[derive(Serialize)]
pub struct ListedGame {
    number: u64,
    moves: u64,
    score: f64,
}

/// A file of recorded games, as lists show it.
#[derive(Serialize)]
pub struct ListedFile {
    game: String,
    agent: String,
    games: Vec<ListedGame>,
    /// True if the file has more games than are listed.
    more: bool,
    /// The damage after these games, if there is one.
    damage: Option<String>,
}

impl Records {
    /// Returns the records of a folder, which must exist.
    pub fn new(folder: Option<&Path>) -> Result<Self, Failure> {
        let open = |folder: &Path| match folder.canonicalize() {
            Ok(real) if real.is_dir() => Ok(real),
            Ok(_) => Err(Failure::failed(format!("{} is no folder", folder.display()))),
            Err(error) => {
                Err(Failure::failed(format!("cannot open {}: {error}", folder.display())))
            }
        };
        Ok(Self { folder: folder.map(open).transpose()? })
    }

    pub fn names(&self) -> Vec<String> {
        let paths = self.folder.as_ref().and_then(|folder| paths_in(folder).ok());
        let files = paths.into_iter().flatten().filter(|path| path.is_file());
        let name = |path: PathBuf| path.file_name()?.to_owned().into_string().ok();
        files.filter_map(name).take(FILES).collect()
    }

    /// Returns the path of a file of the folder. Names with folders, and links that lead out of
    /// the folder, are refused.
    fn path(&self, name: &str) -> Result<PathBuf, Refusal> {
        let missing = || Refusal::missing(format!("there is no file {name:?} among the records"));
        let folder = self.folder.as_ref().ok_or_else(missing)?;
        if !self.names().iter().any(|known| known == name) {
            return Err(missing());
        }
        let path = folder.join(name).canonicalize().map_err(|_| missing())?;
        if path.parent() == Some(folder) { Ok(path) } else { Err(missing()) }
    }

    pub fn open(&self, name: &str) -> Result<Reader, Refusal> {
        let path = self.path(name)?;
        // Errors name the file as the page does.
        let file = runner_files::open(&path).map_err(|error| {
            Refusal::from(Failure::failed(format!("cannot read {name}: {}", error.source)))
        })?;
        let reader = RecordReader::new(std::io::BufReader::new(file), name);
        Ok(reader.map_err(Failure::from)?)
    }
}

/// Name of a file that a browser sends, in messages.
pub const SENT: &str = "the file";

pub fn sent(bytes: &[u8]) -> Result<RecordReader<&[u8]>, Refusal> {
    Ok(RecordReader::new(bytes, SENT).map_err(Failure::from)?)
}

pub fn listed<R: Read>(mut reader: RecordReader<R>) -> Result<ListedFile, Refusal> {
    let mut games = Vec::new();
    let (mut more, mut damage) = (false, None);
    for record in reader.by_ref().take(GAMES + 1) {
        match record {
            Err(error) if games.is_empty() => return Err(Failure::from(error).into()),
            Err(error) => damage = Some(error.to_string()),
            Ok(_) if games.len() == GAMES => more = true,
            Ok(record) => {
                let (number, moves, score) = (record.number, record.moves(), record.score);
                games.push(ListedGame { number, moves, score });
            }
        }
    }
    let Metadata { game, agent, .. } = reader.metadata().clone();
    Ok(ListedFile { game, agent, games, more, damage })
}

/// Returns the game of a file with this number, or the first.
pub fn game_of<R: Read>(
    reader: RecordReader<R>,
    name: &str,
    number: Option<u64>,
) -> Result<(Metadata, GameRecord), Refusal> {
    let metadata = reader.metadata().clone();
    let record = find(reader, Path::new(name), number)?;
    Ok((metadata, record))
}
