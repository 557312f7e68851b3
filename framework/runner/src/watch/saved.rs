//! Games of the screen as record files.

use super::timeline::Timeline;
use crate::failure::Failure;
use crate::recording::metadata;
use runner_core::{Game, Seed, Successors, catch};
use runner_plugin::LoadedGame;
use runner_records::{Encoder, RecordWriter};
use std::path::{Path, PathBuf};

/// Saves a game as the only one of a file, and returns its path: `file` if it is given, else the
/// first free name of the working folder.
pub fn save(
    game: &LoadedGame,
    timeline: &Timeline,
    agent: &str,
    seed: Seed,
    number: u64,
    file: Option<&Path>,
) -> Result<PathBuf, Failure> {
    let path = match file {
        Some(file) if file.exists() => return Err(Failure::exists(file)),
        Some(file) => file.to_owned(),
        None => free_name(),
    };
    let rules = &*game.rules;
    let block = catch(|| {
        let last = timeline.states().last().expect("a game has a first position");
        let mut successors = Successors::new();
        rules.successors(last, &mut successors);
        let (score, finished) = (timeline.last_score(), successors.is_empty());
        Encoder::new(rules).encode(number, &timeline.transcript(), score, finished)
    })?;
    let block = block.map_err(Failure::failed)?;
    let mut writer = RecordWriter::create(&path, &metadata(game, agent, seed))?;
    writer.write(&block)?;
    writer.finish()?;
    Ok(path)
}

/// Returns the first of `game-1.rec`, `game-2.rec` and so on that does not exist.
fn free_name() -> PathBuf {
    let names = (1..).map(|number: u64| PathBuf::from(format!("game-{number}.rec")));
    names.into_iter().find(|path| !path.exists()).expect("numbers do not end")
}
