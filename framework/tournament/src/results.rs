//! The results of a tournament, read from the lines of `results.jsonl`.

use super::finished::Finished;
use super::line::{Line, LineError};
use super::resolved::Built;
use runner_files::FileError;
use runner_play::failure::Failure;
use runner_play::threads::Threads;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

/// The games of each cell that are over, by number.
pub type Games = Vec<Vec<Finished>>;

/// The games in a part of a file: those that are over, and the forfeits of those that are played
/// again.
type Part = (Games, Games);

/// The results in a file.
pub struct ReadResults {
    /// The games of each cell, by number.
    pub games: Games,
    /// For each cell the forfeits of games that are played again, each game once, by number.
    pub replayed: Games,
    /// Length of the complete lines, in bytes.
    pub length: u64,
    /// Number of bytes after them: a line whose writer was killed.
    pub torn: u64,
}

/// A line that is refused.
struct Refused {
    /// Number of the line in its part of the file, from 0.
    line: usize,
    error: LineError,
}

/// The scores of each agent in each game, by their labels: the game, then the agent.
pub type LabelledScores = BTreeMap<(String, String), Vec<f64>>;

/// Reads the scores of a tournament that need not be built: nothing is known of its labels.
pub fn read_scores(path: &Path) -> Result<LabelledScores, Failure> {
    let bytes = runner_files::read(path)?;
    let mut players: BTreeMap<(String, String), Vec<_>> = BTreeMap::new();
    for (number, line) in complete(&bytes).split_inclusive(|&byte| byte == b'\n').enumerate() {
        let line = Line::read(without_end(line)).map_err(|error| refused(path, number, error))?;
        if line.replayed {
            continue;
        }
        let games = players.entry((line.game.into(), line.agent.into())).or_default();
        games.push((line.number, line.score));
    }
    let scores = players.into_iter().map(|((game, agent), mut games)| {
        games.sort_unstable_by_key(|&(number, _)| number);
        refuse_double(path, [&game, &agent], games.iter().map(|&(number, _)| number))?;
        Ok(((game, agent), games.into_iter().filter_map(|(_, score)| score).collect()))
    });
    scores.collect()
}

/// Returns the complete lines. The writer of an incomplete last one was killed.
fn complete(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1)]
}

/// Returns a line without its end, which is that of Windows if the file was edited there.
fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Returns the failure to read a line, numbered from 0.
fn refused(path: &Path, line: usize, error: LineError) -> Failure {
    let place = format!("{}: line {}", path.display(), line + 1);
    Failure::failed(match error {
        LineError::Damaged(why) => {
            format!("{place} is damaged: {why}; remove the line to play its game again")
        }
        LineError::Foreign(why) => format!(
            "{place} is not of this tournament: {why}; if config.ron was replaced, restore it; \
             otherwise remove the line"
        ),
    })
}

/// Refuses a game that is there twice. The numbers of the games of a player are in order.
fn refuse_double(
    path: &Path,
    [game, agent]: [&str; 2],
    numbers: impl Iterator<Item = u64>,
) -> Result<(), Failure> {
    let mut last = None;
    for number in numbers {
        if last == Some(number) {
            return Err(Failure::failed(format!(
                "{}: game {number} of `{agent}` in {game} is there twice; remove one of its lines",
                path.display()
            )));
        }
        last = Some(number);
    }
    Ok(())
}

/// Reads the results of a tournament; none if there is no file.
pub fn read(path: &Path, built: &Built) -> Result<ReadResults, Failure> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(FileError::at("read", path)(error).into()),
    };
    let lines = complete(&bytes);
    let parts = parts(lines, built.threads.count());
    let read = read_parts(lines, &parts, built);
    let mut games: Games = built.cells.iter().map(|_| Vec::new()).collect();
    let mut replayed = games.clone();
    let append = |all: &mut Games, more: Games| {
        all.iter_mut().zip(more).for_each(|(all, mut more)| all.append(&mut more));
    };
    for (part, read) in parts.iter().zip(read) {
        match read {
            Ok((more, again)) => {
                append(&mut games, more);
                append(&mut replayed, again);
            }
            Err(Refused { line, error }) => {
                return Err(refused(path, count_lines(&lines[..part.start]) + line, error));
            }
        }
    }
    for (cell, games) in games.iter_mut().enumerate() {
        games.sort_unstable_by_key(|game| game.number);
        refuse_double(path, built.labels(cell), games.iter().map(|game| game.number))?;
    }
    for games in &mut replayed {
        games.sort_by_key(|game| game.number);
        games.dedup_by_key(|game| game.number);
    }
    let torn = bytes.len() - lines.len();
    Ok(ReadResults { games, replayed, length: lines.len() as u64, torn: torn as u64 })
}

/// Returns the lines of a file except the results of forfeited games. An incomplete last line is left
/// out.
pub fn lines_without_forfeits(path: &Path) -> Result<Vec<u8>, Failure> {
    let bytes = runner_files::read(path)?;
    let mut kept = Vec::new();
    for (number, line) in complete(&bytes).split_inclusive(|&byte| byte == b'\n').enumerate() {
        let read = Line::read(without_end(line)).map_err(|error| refused(path, number, error))?;
        if read.score.is_some() || read.replayed {
            kept.extend_from_slice(line);
        }
    }
    Ok(kept)
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
fn read_parts(lines: &[u8], parts: &[Range<usize>], built: &Built) -> Vec<Result<Part, Refused>> {
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
) -> Result<Part, Refused> {
    let mut games: Games = built.cells.iter().map(|_| Vec::new()).collect();
    let mut replayed = games.clone();
    let rounds = built.tournament.rounds();
    for (number, line) in lines.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let refused = |error| Refused { line: number, error };
        let line = Line::read(without_end(line)).map_err(refused)?;
        let cell = cells.get(&*line.game).and_then(|agents| agents.get(&*line.agent));
        let Some(&cell) = cell else {
            let (game, agent) = (&line.game, &line.agent);
            let why = format!("`{agent}` does not play {game} in it");
            return Err(refused(LineError::Foreign(why)));
        };
        let kind = if line.replayed { &mut replayed } else { &mut games };
        kind[cell].push(line.check(built.cells[cell].seed.0, rounds).map_err(refused)?);
    }
    Ok((games, replayed))
}
