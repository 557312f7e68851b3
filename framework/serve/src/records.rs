//! Files of recorded games that a browser sends.

use super::refusal::Refusal;
use runner_play::failure::Failure;
use runner_play::position::find;
use runner_records::{GameRecord, Metadata, ReadErrorKind, RecordReader};
use serde::Serialize;
use std::path::Path;

/// Largest number of games of a file that are listed.
const GAMES: usize = 500;

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

/// Name of the file, in messages.
const FILE: &str = "the file";

fn read(bytes: &[u8]) -> Result<RecordReader<&[u8]>, Failure> {
    Ok(RecordReader::new(bytes, FILE)?)
}

/// Returns the text of a file that is no file of records.
pub fn text_of(bytes: &[u8]) -> Option<&str> {
    let is_foreign = RecordReader::new(bytes, FILE)
        .is_err_and(|error| matches!(error.problem, ReadErrorKind::Foreign));
    str::from_utf8(bytes).ok().filter(|_| is_foreign)
}

pub fn listed(bytes: &[u8]) -> Result<ListedFile, Refusal> {
    let mut reader = read(bytes)?;
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

/// Returns the game with this number, or the first, and the facts about all games of the file.
pub fn game_of(bytes: &[u8], number: Option<u64>) -> Result<(Metadata, GameRecord), Refusal> {
    let reader = read(bytes)?;
    let metadata = reader.metadata().clone();
    let record = find(reader, Path::new(FILE), number)?;
    Ok((metadata, record))
}
