//! Positions from files, and their analysis, with progress on the terminal.

use runner_console::interrupt;
use runner_console::progress::ProgressLine;
use runner_core::{Analysis, Fault, Seed, State, locked};
use runner_play::analysis::analyse;
use runner_play::failure::Failure;
use runner_play::player::NamedPlayer;
use runner_play::positions::{Line, parse_lines, starts};
use runner_play::threads::Threads;
use runner_plugin::{LoadedGame, Registry};
use std::path::Path;
use std::sync::Mutex;

/// Reads a file of positions.
pub fn read_lines(
    file: &Path,
    game: &LoadedGame,
    registry: &Registry,
) -> Result<Vec<Line>, Failure> {
    let path = file.to_owned();
    // A pipe may have no writer, or one that takes its time.
    let text =
        interrupt::unless_requested(move || runner_files::read_text(&path)).ok_or_else(|| {
            Failure::Interrupted(format!("{} was not read to its end", file.display()))
        })?;
    parse_lines(&text?, file, game, registry)
}

/// Reads a file of first positions.
pub fn read_starts(
    file: &Path,
    game: &LoadedGame,
    registry: &Registry,
) -> Result<Vec<State>, Failure> {
    starts(read_lines(file, game, registry)?, file, game)
}

/// Analyses positions, with a progress line, until an interrupt; then it returns `None`.
pub fn analyse_all(
    game: &LoadedGame,
    player: &NamedPlayer,
    positions: &[State],
    seed: Seed,
    threads: &Threads,
) -> Result<Option<Vec<Analysis>>, Fault> {
    let line = Mutex::new(ProgressLine::new(true));
    let begun = |number| {
        let mut line = locked(&line);
        if line.is_due() {
            line.show(&format!("{number} of {} positions", positions.len()));
        }
    };
    analyse(game, player, positions, seed, threads, interrupt::listen(), &begun)
}
