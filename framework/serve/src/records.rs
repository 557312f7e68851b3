//! Record files, which are files of recorded games, that a browser sends.

use super::refusal::Refusal;
use runner_play::failure::Failure;
use runner_play::position::find;
use runner_records::{GameRecord, Metadata, ReadErrorKind, RecordReader};
use serde::Serialize;
use std::path::Path;

/// Largest number of games of a file that are listed.
const MAX_LISTED: usize = 500;
/// Name of the file in messages.
const FILE: &str = "the file";

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
    /// Why the file cannot be read after these games.
    damage: Option<String>,
}

/// Returns the file as text if it is UTF-8 and no record file, damaged or not.
pub fn text_of(bytes: &[u8]) -> Option<&str> {
    match RecordReader::new(bytes, FILE) {
        Err(error) if matches!(error.problem, ReadErrorKind::Foreign) => str::from_utf8(bytes).ok(),
        _ => None,
    }
}

/// Lists the games of a record file. A file whose first game is damaged is refused.
pub fn listed(bytes: &[u8]) -> Result<ListedFile, Refusal> {
    let mut reader = RecordReader::new(bytes, FILE).map_err(Failure::from)?;
    let mut games = Vec::new();
    let mut more = false;
    let mut damage = None;
    for record in reader.by_ref().take(MAX_LISTED + 1) {
        match record {
            Err(error) if games.is_empty() => return Err(Failure::from(error).into()),
            Err(error) => damage = Some(error.to_string()),
            Ok(_) if games.len() == MAX_LISTED => more = true,
            Ok(record) => games.push(ListedGame {
                number: record.number,
                moves: record.moves(),
                score: record.score,
            }),
        }
    }
    let Metadata { game, agent, .. } = reader.metadata().clone();
    Ok(ListedFile { game, agent, games, more, damage })
}

/// Returns the game with this number, or the first game, with the metadata of the file.
pub fn record_of(bytes: &[u8], number: Option<u64>) -> Result<(Metadata, GameRecord), Refusal> {
    let reader = RecordReader::new(bytes, FILE).map_err(Failure::from)?;
    let metadata = reader.metadata().clone();
    let record = find(reader, Path::new(FILE), number)?;
    Ok((metadata, record))
}
