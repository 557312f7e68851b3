//! The results of a tournament, read from the lines of `results.jsonl`.

use super::finished::{Finished, Games};
use super::line::{Line, LineError};
use super::queue::{Event, Watch};
use super::resolved::Built;
use runner_files::{Lines, LockedLines};
use runner_play::failure::Failure;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::Path;

/// The scores of each agent in each game, by their labels: the game, then the agent.
pub type LabelledScores = BTreeMap<(String, String), Vec<f64>>;

/// Reads the scores without building the tournament, so labels are not checked.
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

/// Reads the results of a tournament that continues.
pub fn resume(results: &LockedLines, built: &Built, watch: Watch<'_>) -> Result<Games, Failure> {
    let games = parse(results.path(), &results.lines, built, built.tournament.numbers())?;
    if !results.lines.torn().is_empty() {
        watch(Event::Note(format!(
            "note: the last line of {} is incomplete and was removed; its game is played again",
            results.path().display()
        )));
    }
    Ok(games)
}

/// Reads the games of a tournament in lines; their numbers are among these.
pub fn parse(
    path: &Path,
    lines: &Lines,
    built: &Built,
    numbers: Range<u64>,
) -> Result<Games, Failure> {
    let cells = 0..built.cells.len();
    let by_labels: HashMap<_, _> = cells.map(|cell| (built.labels(cell), cell)).collect();
    let mut games = vec![Vec::new(); built.cells.len()];
    for (number, line) in lines.iter() {
        let game =
            Line::read(line).and_then(|line| game_of(line, &by_labels, built, numbers.clone()));
        let (cell, game) = game.map_err(|error| refused(path, number, error))?;
        games[cell].push(game);
    }
    for (cell, games) in games.iter_mut().enumerate() {
        games.sort_unstable_by_key(|game| game.number);
        refuse_double(path, built.labels(cell), games.iter().map(|game| game.number))?;
    }
    Ok(games)
}

/// Returns the game of a line, with its cell.
fn game_of(
    line: Line<'_>,
    cells: &HashMap<[&str; 2], usize>,
    built: &Built,
    numbers: Range<u64>,
) -> Result<(usize, Finished), LineError> {
    let Some(&cell) = cells.get(&[&*line.game, &*line.agent]) else {
        let why = format!("`{}` does not play {} in it", line.agent, line.game);
        return Err(LineError::Foreign(why));
    };
    let game = line.check(built.cells[cell].seed.0, numbers)?;
    Ok((cell, game))
}
