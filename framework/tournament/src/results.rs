//! The results of a tournament, read from the lines of `results.jsonl`.

use super::finished::{Finished, Games};
use super::line::GameLine;
use super::resolved::BuiltTournament;
use runner_files::Lines;
use runner_play::failure::Failure;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::Path;

/// Reads the scores of each agent in each game, by the label of the game, then of the agent. The
/// tournament is not built, so labels are not checked.
pub fn read_scores(path: &Path) -> Result<BTreeMap<(String, String), Vec<f64>>, Failure> {
    let lines = Lines::read(path)?;
    let mut players: BTreeMap<(String, String), Vec<_>> = BTreeMap::new();
    for line in lines.objects::<GameLine<'_>>() {
        let (_, line) = line?;
        let games = players.entry((line.game.into(), line.agent.into())).or_default();
        games.push((line.number, line.score));
    }
    let mut scores = BTreeMap::new();
    for ((game, agent), mut games) in players {
        games.sort_unstable_by_key(|&(number, _)| number);
        let (numbers, of_player): (Vec<_>, Vec<_>) = games.into_iter().unzip();
        refuse_double(path, [&game, &agent], &numbers)?;
        scores.insert((game, agent), of_player.into_iter().flatten().collect());
    }
    Ok(scores)
}

/// Refuses a number that is there twice. `numbers` are those of the games of a player, ascending.
fn refuse_double(path: &Path, [game, agent]: [&str; 2], numbers: &[u64]) -> Result<(), Failure> {
    for pair in numbers.windows(2) {
        if pair[0] == pair[1] {
            return Err(Failure::failed(format!(
                "{}: game {} of `{agent}` in {game} is there twice; remove one of its lines",
                path.display(),
                pair[0]
            )));
        }
    }
    Ok(())
}

/// Reads the games of a tournament, whose numbers must be in `numbers`. Returns the length of the
/// complete lines in bytes too: an incomplete last line is not read.
pub fn parse(
    path: &Path,
    lines: &Lines,
    built: &BuiltTournament,
    numbers: Range<u64>,
) -> Result<(Games, usize), Failure> {
    let cells = built.cells.len();
    let by_labels: HashMap<_, _> = (0..cells).map(|cell| (built.labels(cell), cell)).collect();
    let mut games = vec![Vec::new(); cells];
    let mut objects = lines.objects::<GameLine<'_>>();
    for line in &mut objects {
        let (number, line) = line?;
        let Some(&cell) = by_labels.get(&[&*line.game, &*line.agent]) else {
            let why = format!("`{}` does not play {} in this tournament", line.agent, line.game);
            return Err(lines.refuse(number, why).into());
        };
        let game = line.check(built.cells[cell].seed.0, numbers.clone());
        games[cell].push(game.map_err(|why| lines.refuse(number, why))?);
    }
    for (cell, games) in games.iter_mut().enumerate() {
        games.sort_unstable_by_key(|game: &Finished| game.number);
        let numbers: Vec<_> = games.iter().map(|game| game.number).collect();
        refuse_double(path, built.labels(cell), &numbers)?;
    }
    Ok((games, objects.range().end))
}
