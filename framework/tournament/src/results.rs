//! The results of a tournament, read from the lines of `results.jsonl`.

use super::event::{Event, Watch};
use super::finished::{Games, forfeited};
use super::line::{Line, LineError};
use super::resolved::Built;
use runner_files::lines::lines as lines_of;
use runner_files::{Lines, LockedLines};
use runner_play::failure::Failure;
use runner_play::threads::Threads;
use runner_spec::quantity::counted;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

/// A line that is refused.
struct Refused {
    /// Number of the line in its part of the file, from 1.
    line: usize,
    error: LineError,
}

/// The scores of each agent in each game, by their labels: the game, then the agent.
pub type LabelledScores = BTreeMap<(String, String), Vec<f64>>;

/// Reads the scores of a tournament that need not be built: nothing is known of its labels.
pub fn read_scores(path: &Path) -> Result<LabelledScores, Failure> {
    let lines = Lines::read(path)?;
    let mut players: BTreeMap<(String, String), Vec<_>> = BTreeMap::new();
    for (number, line) in lines.iter() {
        let line = Line::read(line).map_err(|error| refused(path, number, error))?;
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

/// Returns the failure to read a line, numbered from 1.
fn refused(path: &Path, line: usize, error: LineError) -> Failure {
    let place = format!("{}: line {line}", path.display());
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
pub fn read(path: &Path, built: &Built) -> Result<Games, Failure> {
    parse(path, &Lines::read_if_exists(path)?, built)
}

/// Reads the results of a tournament that continues, and removes those of forfeited games from the file
/// if `replays_forfeits`.
pub fn resume(
    results: &mut LockedLines,
    built: &Built,
    replays_forfeits: bool,
    watch: Watch<'_>,
) -> Result<Games, Failure> {
    let mut games = parse(results.path(), &results.lines, built)?;
    if !results.lines.torn().is_empty() {
        watch(Event::Note(format!(
            "note: the last line of {} is incomplete and was removed; its game is played again",
            results.path().display()
        )));
    }
    let forfeited = forfeited(&games);
    if replays_forfeits && forfeited > 0 {
        let kept = without_forfeits(results.path(), &results.lines)?;
        results.replace(kept)?;
        games.iter_mut().for_each(|games| games.retain(|game| game.score.is_some()));
        let games = counted(forfeited, "game");
        watch(Event::Note(format!("{games} that were forfeited are played again")));
    }
    Ok(games)
}

fn parse(path: &Path, lines: &Lines, built: &Built) -> Result<Games, Failure> {
    let lines = lines.complete();
    let parts = parts(lines, built.threads.count());
    let read = read_parts(lines, &parts, built);
    let mut games: Games = built.cells.iter().map(|_| Vec::new()).collect();
    for (part, read) in parts.iter().zip(read) {
        let more = read.map_err(|Refused { line, error }| {
            refused(path, lines_of(&lines[..part.start]).count() + line, error)
        })?;
        games.iter_mut().zip(more).for_each(|(all, mut more)| all.append(&mut more));
    }
    for (cell, games) in games.iter_mut().enumerate() {
        games.sort_unstable_by_key(|game| game.number);
        refuse_double(path, built.labels(cell), games.iter().map(|game| game.number))?;
    }
    Ok(games)
}

/// Returns the complete lines without those of forfeited games.
fn without_forfeits(path: &Path, lines: &Lines) -> Result<Vec<u8>, Failure> {
    let mut kept = Vec::new();
    for (number, line) in lines.iter() {
        let read = Line::read(line).map_err(|error| refused(path, number, error))?;
        if read.score.is_some() {
            kept.extend_from_slice(line);
            kept.push(b'\n');
        }
    }
    Ok(kept)
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
fn read_parts(lines: &[u8], parts: &[Range<usize>], built: &Built) -> Vec<Result<Games, Refused>> {
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
) -> Result<Games, Refused> {
    let mut games: Games = built.cells.iter().map(|_| Vec::new()).collect();
    let rounds = built.tournament.rounds();
    for (number, line) in lines_of(lines) {
        let refused = |error| Refused { line: number, error };
        let line = Line::read(line).map_err(refused)?;
        let cell = cells.get(&*line.game).and_then(|agents| agents.get(&*line.agent));
        let Some(&cell) = cell else {
            let (game, agent) = (&line.game, &line.agent);
            let why = format!("`{agent}` does not play {game} in it");
            return Err(refused(LineError::Foreign(why)));
        };
        games[cell].push(line.check(built.cells[cell].seed.0, rounds).map_err(refused)?);
    }
    Ok(games)
}
