//! Saves games of a session as files of records.

use super::timeline::Timeline;
use runner_core::{Game, Seed, Successors, catch};
use runner_play::failure::Failure;
use runner_play::position::metadata;
use runner_play::registry::LoadedGame;
use runner_records::{Encoder, RecordWriter, Starts};
use std::path::{Path, PathBuf};

/// Saves a game as the only one of a file, which must not exist.
pub fn save(
    game: &LoadedGame,
    timeline: &Timeline,
    agent: &str,
    seed: Seed,
    number: u64,
    file: &Path,
) -> Result<(), Failure> {
    if file.exists() {
        return Err(Failure::failed(format!(
            "{} exists already and is kept; start with another file, or with none to save each game \
             in a new file",
            file.display()
        )));
    }
    let rules = &*game.rules;
    let last = timeline.states().last().expect("a game has a first position");
    let mut successors = Successors::new();
    catch(|| rules.successors(last, &mut successors))?;
    let (transcript, score) = (timeline.transcript(), timeline.last_score());
    let finished = successors.is_empty();
    let block = catch(|| Encoder::new(rules).encode(number, &transcript, score, finished))?
        .map_err(Failure::failed)?;
    let starts = match catch(|| rules.starts())? {
        Some(starts) if starts.iter().all(|start| start.state != timeline.start()) => {
            Starts::Edited
        }
        _ => Starts::OfRules,
    };
    let mut writer = RecordWriter::create(file, &metadata(game, agent, seed, starts))?;
    writer.write(&block)?;
    Ok(writer.finish()?)
}

/// Returns the first of `game-1.rec`, `game-2.rec` and so on that does not exist in the working
/// folder.
pub fn free_name() -> PathBuf {
    let names = (1..).map(|number: u64| PathBuf::from(format!("game-{number}.rec")));
    names.into_iter().find(|path| !path.exists()).expect("numbers do not end")
}
