//! `runner replay import`: games of other programs as recorded games.

use crate::options::{missing_game, refuse_existing};
use clap::Args;
use runner_console::notes::note;
use runner_core::{Game, Seed, catch};
use runner_files::FileError;
use runner_play::failure::Failure;
use runner_play::recording::metadata;
use runner_plugin::Registry;
use runner_records::{EpisodeText, RecordWriter};
use runner_spec::Spec;
use runner_spec::quantity::{counted, grouped};
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// The longest line, in bytes: a game of millions of moves.
const MAX_LINE: u64 = 1 << 26;

/// The options of `replay import`.
#[derive(Debug, Clone, Args)]
pub struct ImportOptions {
    /// File with one game a line
    file: PathBuf,
    /// Game that was played, like 2048
    #[arg(long, value_name = "SPEC")]
    game: Option<Spec>,
    /// File of recorded games to write
    #[arg(long, value_name = "FILE", alias = "records")]
    out: PathBuf,
    /// Overwrite the file of --out
    #[arg(long)]
    force: bool,
}

pub(super) fn import(options: &ImportOptions, registry: &Registry) -> Result<(), Failure> {
    let ImportOptions { file, game, out: records, force } = options;
    let game = game.as_ref().ok_or_else(|| missing_game(registry))?;
    let game = registry.game(game)?;
    let rules = &*game.rules;
    let text = EpisodeText::new(rules).map_err(Failure::usage)?;
    Failure::refuse_same(file, records)?;
    refuse_existing(records, *force)?;
    let mut lines = Lines::open(file)?;
    let Some(first) = lines.next()? else {
        return Err(Failure::failed(format!("{}: no games in it", file.display())));
    };
    let mut writer = RecordWriter::create(records, &metadata(&game, player(&first), Seed(0)))?;
    let (games, moves) = match copy(first, &mut lines, &text, &mut writer) {
        Ok(counts) => counts,
        Err(failure) => {
            // The games before the wrong line can be read again.
            let _ = std::fs::remove_file(writer.partial_path());
            return Err(failure);
        }
    };
    writer.finish()?;
    let (games, moves) = (counted(games, "game"), counted(moves, "move"));
    writeln!(std::io::stdout(), "{}: {games}, {moves}, all legal", records.display())?;
    note("note: the times of moves are not kept");
    Ok(())
}

/// Writes the game of the first line and those of the others. Returns the number of games and of
/// moves.
fn copy<G: Game>(
    first: String,
    lines: &mut Lines<'_>,
    text: &EpisodeText<'_, G>,
    writer: &mut RecordWriter,
) -> Result<(u64, u64), Failure> {
    let (mut games, mut moves) = (0, 0);
    let mut next = Some(first);
    while let Some(line) = next {
        let record = catch(|| text.read(&line, games))?.map_err(|error| lines.wrong(error))?;
        let block = record.to_block().ok_or_else(|| lines.wrong("the game is too long"))?;
        writer.write(&block)?;
        games += 1;
        moves += record.moves();
        next = lines.next()?;
    }
    Ok((games, moves))
}

/// Returns the player of an episode: its first name, without that of its opponent.
fn player(line: &str) -> &str {
    let name = line.split(['@', '|']).next().unwrap_or_default();
    name.split(':').next().unwrap_or_default()
}

/// The lines of a file that are not empty.
struct Lines<'a> {
    path: &'a Path,
    input: BufReader<File>,
    /// Number of the last line, from 1.
    number: u64,
}

impl<'a> Lines<'a> {
    fn open(path: &'a Path) -> Result<Self, Failure> {
        let file = runner_files::open(path)?;
        Ok(Self { path, input: BufReader::new(file), number: 0 })
    }

    fn next(&mut self) -> Result<Option<String>, Failure> {
        loop {
            let mut line = Vec::new();
            let mut limited = self.input.by_ref().take(MAX_LINE);
            let read = limited.read_until(b'\n', &mut line);
            if read.map_err(FileError::at("read", self.path))? == 0 {
                return Ok(None);
            }
            self.number += 1;
            if line.len() as u64 == MAX_LINE {
                return Err(self.wrong(format!("longer than {} bytes", grouped(MAX_LINE))));
            }
            let line = String::from_utf8(line).map_err(|_| self.wrong("not valid UTF-8"))?;
            let line = line.trim_end_matches(['\n', '\r']);
            if !line.is_empty() {
                return Ok(Some(line.to_owned()));
            }
        }
    }

    /// Returns the error of the last line.
    fn wrong(&self, error: impl std::fmt::Display) -> Failure {
        Failure::failed(format!("{}, line {}: {error}", self.path.display(), self.number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn player_is_the_first_name() {
        assert_eq!(player("a:b@0|01|b@0"), "a");
        assert_eq!(player("a@0|01|b@0"), "a");
        assert_eq!(player(""), "");
    }
}
