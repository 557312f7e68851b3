//! Files of positions, with the text of one position on each line. Empty lines and lines that
//! begin with `#` are skipped.

use crate::failure::Failure;
use crate::position::{is_over, parse};
use crate::registry::{LoadedGame, Registry};
use runner_core::{Game, State, catch};
use std::path::Path;

/// Returns the lines that are not skipped, with their numbers.
pub(crate) fn numbered_lines(text: &str) -> impl Iterator<Item = (u64, &str)> {
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    (1..).zip(lines).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// Parses the text of a file of positions, which must hold at least one. Games must be able to
/// begin at each of them.
pub fn starts(
    text: &str,
    file: &Path,
    game: &LoadedGame,
    registry: &Registry,
) -> Result<Vec<State>, Failure> {
    let with_file = |failure: Failure| failure.of(&file.display().to_string());
    let mut starts = Vec::new();
    for (number, line) in numbered_lines(text) {
        starts.push(parse(game, line, registry).map_err(|failure| match failure {
            Failure::Usage { message, place } => {
                let message = format!("{}, line {number}: {message}", file.display());
                Failure::Usage { message, place }
            }
            other => other,
        })?);
    }
    if starts.is_empty() {
        return Err(with_file(Failure::usage("no positions in this file")));
    }
    check_starts(&starts, game).map_err(with_file)?;
    Ok(starts)
}

/// Refuses positions at which no game can begin.
pub fn check_starts(starts: &[State], game: &LoadedGame) -> Result<(), Failure> {
    for &start in starts {
        if is_over(game, start)? {
            let text = catch(|| game.rules.write(start))?;
            return Err(Failure::usage(format!("no legal action in {text}")));
        }
    }
    Ok(())
}
