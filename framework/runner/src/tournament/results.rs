//! The lines of `results.jsonl`: one for each game that is over.

use super::resolved::Built;
use crate::arena::Outcome;
use crate::failure::Failure;
use crate::threads::Threads;
use runner_files::FileError;
use runner_stats::MoveTimes;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fs;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

/// Maximum length of the message of a fault, in characters.
const LONGEST_FAULT: usize = 500;

/// Number of moves that no game reaches: sums of them fit into 64 bits.
const LONGEST_GAME: u64 = 1 << 40;

/// A line: a game that is over.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    #[serde(borrow)]
    game: Cow<'a, str>,
    #[serde(borrow)]
    agent: Cow<'a, str>,
    number: u64,
    seed: u64,
    score: Option<f64>,
    max_tile: Option<u64>,
    moves: u64,
    seconds: f64,
    #[serde(borrow)]
    fault: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    move_times: Option<Cow<'a, MoveTimes>>,
}

/// A game that is over.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// Number of the game among those of its agent.
    pub number: u64,
    /// Score; `None` if the game was forfeited.
    pub score: Option<f64>,
    /// Max tile of the last position, if the game has tiles.
    pub max_tile: Option<u64>,
    /// Number of moves; 0 if the game was forfeited.
    pub moves: u64,
    /// Time that it took on its thread, in seconds.
    pub seconds: f64,
    /// Why the game was forfeited.
    pub fault: Option<Box<str>>,
    /// The times of its moves, if they were measured.
    pub move_times: Option<Box<MoveTimes>>,
}

impl From<Outcome> for Finished {
    fn from(Outcome { number, time, result, times }: Outcome) -> Self {
        let seconds = to_nanoseconds(time.as_secs_f64());
        match result {
            Ok(game) => Self {
                number,
                score: Some(game.score),
                max_tile: game.max_tile,
                moves: game.moves,
                seconds,
                fault: None,
                move_times: times.map(Box::new),
            },
            Err(fault) => Self {
                number,
                score: None,
                max_tile: None,
                moves: 0,
                seconds,
                fault: Some(fault.0.chars().take(LONGEST_FAULT).collect()),
                move_times: None,
            },
        }
    }
}

/// Rounds seconds to nanoseconds: no clock is more precise.
fn to_nanoseconds(seconds: f64) -> f64 {
    (seconds * 1e9).round() / 1e9
}

impl Finished {
    /// Appends the line of this game, which is one of a cell.
    pub fn write(&self, built: &Built, cell: usize, lines: &mut Vec<u8>) {
        let [game, agent] = built.labels(cell);
        let line = Line {
            game: game.into(),
            agent: agent.into(),
            number: self.number,
            seed: built.cells[cell].seed.0,
            score: self.score,
            max_tile: self.max_tile,
            moves: self.moves,
            seconds: self.seconds,
            fault: self.fault.as_deref().map(Into::into),
            move_times: self.move_times.as_deref().map(Cow::Borrowed),
        };
        // Writing to memory fails only for maps whose keys are no strings.
        let written = serde_json::to_writer(&mut *lines, &line);
        debug_assert!(written.is_ok());
        lines.push(b'\n');
    }
}

/// The games of each cell that are over, by number.
pub type Games = Vec<Vec<Finished>>;

/// The results in a file.
pub struct ReadResults {
    /// The games of each cell, by number.
    pub games: Games,
    /// Length of the complete lines, in bytes.
    pub length: u64,
    /// Number of bytes after them: a line whose writer was killed.
    pub torn: u64,
}

/// A line that is not that of a game of the tournament.
struct Damaged {
    /// Number of the line in its part of the file, from 0.
    line: usize,
    why: String,
}

/// Reads the results of a tournament; none if there is no file.
pub fn read(path: &Path, built: &Built) -> Result<ReadResults, Failure> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(FileError::at("read", path)(error).into()),
    };
    let length = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    let (lines, torn) = bytes.split_at(length);
    let refuse = |line: usize, why: String| {
        Failure::failed(format!(
            "{}: line {} is damaged: {why}; remove the line to play its game again",
            path.display(),
            line + 1
        ))
    };
    let parts = parts(lines, built.threads.count());
    let read = read_parts(lines, &parts, built);
    let mut games: Games = built.cells.iter().map(|_| Vec::new()).collect();
    for (part, read) in parts.iter().zip(read) {
        match read {
            Ok(read) => {
                for (all, mut more) in games.iter_mut().zip(read) {
                    all.append(&mut more);
                }
            }
            Err(Damaged { line, why }) => {
                return Err(refuse(count_lines(&lines[..part.start]) + line, why));
            }
        }
    }
    for (cell, games) in games.iter_mut().enumerate() {
        games.sort_unstable_by_key(|game| game.number);
        if let Some(pair) = games.windows(2).find(|pair| pair[0].number == pair[1].number) {
            let [game, agent] = built.labels(cell);
            return Err(Failure::failed(format!(
                "{}: game {} of `{agent}` in {game} is there twice; remove one of its lines",
                path.display(),
                pair[0].number
            )));
        }
    }
    Ok(ReadResults { games, length: length as u64, torn: torn.len() as u64 })
}

fn count_lines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte == b'\n').count()
}

/// Cuts lines into parts of about equal length.
fn parts(lines: &[u8], count: usize) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut start = 0;
    for part in 1..=count {
        let least = (lines.len() * part / count).max(start);
        let end = match lines[least..].iter().position(|&byte| byte == b'\n') {
            Some(end) if part < count => least + end + 1,
            _ => lines.len(),
        };
        parts.push(start..end);
        start = end;
    }
    parts
}

/// Reads parts of the lines, one on each thread.
fn read_parts(lines: &[u8], parts: &[Range<usize>], built: &Built) -> Vec<Result<Games, Damaged>> {
    let mut cells: HashMap<&str, HashMap<&str, usize>> = HashMap::new();
    for cell in 0..built.cells.len() {
        let [game, agent] = built.labels(cell);
        cells.entry(game).or_default().insert(agent, cell);
    }
    let read: Vec<_> = parts.iter().map(|_| OnceLock::new()).collect();
    let threads: &Threads = &built.threads;
    threads.for_each(parts.len(), &|part| {
        // Each part is read once.
        let _ = read[part].set(read_part(&lines[parts[part].clone()], &cells, built));
    });
    read.into_iter().filter_map(OnceLock::into_inner).collect()
}

fn read_part(
    lines: &[u8],
    cells: &HashMap<&str, HashMap<&str, usize>>,
    built: &Built,
) -> Result<Games, Damaged> {
    let mut games: Games = built.cells.iter().map(|_| Vec::new()).collect();
    let rounds = built.tournament.rounds();
    for (number, line) in lines.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let damaged = |why: String| Damaged { line: number, why };
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line: Line<'_> =
            serde_json::from_slice(line).map_err(|error| damaged(error.to_string()))?;
        let cell = cells.get(&*line.game).and_then(|agents| agents.get(&*line.agent));
        let Some(&cell) = cell else {
            let (game, agent) = (&line.game, &line.agent);
            return Err(damaged(format!("`{agent}` does not play {game} in this tournament")));
        };
        games[cell].push(check(line, built.cells[cell].seed.0, rounds).map_err(damaged)?);
    }
    Ok(games)
}

/// Returns the game of a line, if it can be one of the tournament.
fn check(line: Line<'_>, seed: u64, rounds: u64) -> Result<Finished, String> {
    if line.seed != seed {
        return Err(format!("its seed is {}, not {seed}", line.seed));
    }
    if line.number >= rounds {
        return Err(format!("its number is {}, and there are {rounds} rounds", line.number));
    }
    if line.score.is_some() == line.fault.is_some() {
        return Err("it needs either a score or a fault".into());
    }
    if line.moves > LONGEST_GAME {
        return Err(format!("no game has {} moves", line.moves));
    }
    if line.seconds < 0.0 {
        return Err("its time is negative".into());
    }
    if line.move_times.as_ref().is_some_and(|times| times.moves() != line.moves) {
        return Err(format!("its `move_times` are not those of {} moves", line.moves));
    }
    Ok(Finished {
        number: line.number,
        score: line.score,
        max_tile: line.max_tile,
        moves: line.moves,
        seconds: line.seconds,
        fault: line.fault.as_deref().map(Into::into),
        move_times: line.move_times.map(|times| Box::new(times.into_owned())),
    })
}
