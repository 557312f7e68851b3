//! Files of positions: the text of one on each line. Empty lines, and lines that begin with `#`, are
//! skipped.

use crate::failure::Failure;
use crate::position::{is_over, parse};
use crate::registry::{LoadedGame, Registry};
use runner_core::{Game, State, catch};
use std::path::Path;

/// A line of a file, with its position or the reason why it has none.
pub struct Line {
    /// Number of the line, counted from 1.
    pub number: usize,
    pub position: Result<State, Failure>,
}

/// Parses the text of a file of positions, which must hold at least one position.
pub fn parse_lines(
    text: &str,
    file: &Path,
    game: &LoadedGame,
    registry: &Registry,
) -> Result<Vec<Line>, Failure> {
    let lines = (1..).zip(text.lines().map(str::trim));
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let parsed = lines.map(|(number, line)| Line { number, position: parse(game, line, registry) });
    let parsed: Vec<_> = parsed.collect();
    if parsed.is_empty() {
        return Err(Failure::in_file(file, "no positions in this file"));
    }
    Ok(parsed)
}

/// Returns the positions of a file's lines. Games must be able to begin at each of them.
pub fn starts(lines: Vec<Line>, file: &Path, game: &LoadedGame) -> Result<Vec<State>, Failure> {
    let parsed = lines.into_iter().map(|Line { number, position }| {
        position.map_err(|failure| match failure {
            Failure::Usage { message, place } => {
                let message = format!("{}, line {number}: {message}", file.display());
                Failure::Usage { message, place }
            }
            other => other,
        })
    });
    let starts: Vec<_> = parsed.collect::<Result<_, _>>()?;
    for &start in &starts {
        if is_over(game, start)? {
            let text = catch(|| game.rules.write(start))?;
            return Err(Failure::in_file(file, format!("no legal action in {text}")));
        }
    }
    Ok(starts)
}
