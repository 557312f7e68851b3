//! Positions as text, files of them, and the games of a file of records.

use crate::brief;
use crate::failure::Failure;
use crate::registry::{LoadedGame, Registry};
use crate::watched::WatchedGame;
use runner_core::{Game, Seed, Spec, State, Successors, catch, read_position, write_hex};
use runner_records::{GameRecord, Metadata, RecordReader, Starts};
use runner_spec::quantity::counted;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

pub type GameReader = RecordReader<BufReader<File>>;

pub struct Position {
    pub game: LoadedGame,
    pub state: State,
    pub text: String,
}

/// Returns the game with this number. By default it is the one with the lowest number, which need
/// not be the first in the file: games are written in the order in which they end.
pub fn find<R: Read>(
    reader: RecordReader<R>,
    file: &Path,
    number: Option<u64>,
) -> Result<GameRecord, Failure> {
    let mut lowest: Option<GameRecord> = None;
    let mut numbers = Vec::new();
    for record in reader {
        let record = match record {
            // If the run did not finish, the end of the file is missing; its games are readable.
            Err(error) if error.lacks_end() && lowest.is_some() => break,
            record => record?,
        };
        // No number is lower than 0, so the search for the lowest ends there.
        if record.number == number.unwrap_or(0) {
            return Ok(record);
        }
        numbers.push(record.number);
        if number.is_none() && lowest.as_ref().is_none_or(|found| record.number < found.number) {
            lowest = Some(record);
        }
    }
    if let Some(record) = lowest {
        return Ok(record);
    }
    let (Some(number), Some(min), Some(max)) = (number, numbers.iter().min(), numbers.iter().max())
    else {
        return Err(Failure::in_file(file, "no games in this file"));
    };
    let games = counted(numbers.len() as u64, "game");
    Err(Failure::usage(format!(
        "{}: no game {number}, but {games} with numbers from {min} to {max}",
        file.display()
    )))
}

/// Returns what a file of records says about the run that writes it.
pub fn metadata(game: &LoadedGame, agent: impl ToString, seed: Seed, starts: Starts) -> Metadata {
    Metadata {
        game: game.spec.to_string(),
        game_version: game.version.clone(),
        agent: agent.to_string(),
        seed,
        program: format!("runner {}", env!("CARGO_PKG_VERSION")),
        actions: game.rules.description().actions.clone(),
        starts,
        definition: String::new(),
    }
}

/// Opens a file of recorded games and builds their game.
pub fn open(file: &Path, registry: &Registry) -> Result<(GameReader, LoadedGame), Failure> {
    let reader = RecordReader::open(file)?;
    let metadata = reader.metadata();
    let spec = metadata.game.parse::<Spec>().map_err(|error| Failure::in_file(file, error))?;
    let game = registry.game(&spec).map_err(|failure| Failure::in_file(file, failure))?;
    let checked = metadata.check_actions(game.rules.description());
    checked.map_err(|error| Failure::in_file(file, error))?;
    Ok((reader, game))
}

pub fn is_over(game: &LoadedGame, state: State) -> Result<bool, Failure> {
    let mut successors = Successors::new();
    catch(|| WatchedGame::of(game).successors(state, &mut successors))?;
    Ok(successors.is_empty())
}

/// The form in which a position is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// The text of the game.
    #[default]
    Text,
    /// A hex digit for each cell.
    Hex,
}

impl Form {
    pub fn write(self, game: &LoadedGame, state: State) -> Result<String, Failure> {
        if self == Self::Text {
            return Ok(catch(|| game.rules.write(state))?);
        }
        let hex = match &game.rules.description().geometry {
            Some(board) => write_hex(board, state).map_err(|error| error.message),
            None => Err("it has no board".into()),
        };
        hex.map_err(|why| Failure::usage(format!("there is no hex form of {}: {why}", game.name)))
    }
}

/// Reads a position from the text of its game or from the hex form.
pub fn parse(game: &LoadedGame, text: &str, registry: &Registry) -> Result<State, Failure> {
    catch(|| read_position(&WatchedGame::of(game), text))?.map_err(|error| {
        // The line of the error, with a caret below its character.
        let before = text.get(..error.at).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = text[line_start..].lines().next().unwrap_or_default();
        let columns = before[line_start..].chars().count();
        Failure::Usage {
            message: format!(
                "the position is not one of {}: {error}",
                brief::game(&game.spec, registry)
            ),
            place: Some(format!("{line}\n{}^", " ".repeat(columns))),
        }
    })
}

/// Returns the lines of a text with their numbers, without empty lines and those that begin with
/// `#`.
pub(crate) fn numbered_lines(text: &str) -> impl Iterator<Item = (u64, &str)> {
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    (1..).zip(lines).filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// Parses the text of a file of positions, one on each line. There must be at least one, and games
/// must be able to begin at each of them.
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

#[cfg(test)]
mod tests {
    use super::*;
    use runner_core::wrappers::Transcript;
    use runner_records::{Encoder, RecordWriter};

    #[test]
    fn hex_form_is_read_written_and_refused_by_name() {
        let game = game_2048::Game2048::new(game_2048::Config::default()).unwrap();
        let board = game.description().geometry.as_ref().unwrap();
        let text = "16384,8192,4096,2/2048,1024,512,2/256,128,64,2/2,2,2,2";
        let state = game.parse(text).unwrap();
        assert_eq!(write_hex(board, state).unwrap(), "EDC1BA9187611111");
        for form in ["EDC1BA9187611111", "edc1ba9187611111", text] {
            assert_eq!(read_position(&game, form), Ok(state), "{form}");
        }
        let refused = |text: &str| read_position(&game, text).unwrap_err().to_string();
        assert_eq!(
            refused("EDC1BA918761111"),
            "the hex form has 16 digits, one for each cell, and this has 15 (at character 16)"
        );
        assert_eq!(refused("12"), game.parse("12").unwrap_err().to_string());
    }

    #[test]
    fn digits_of_the_hex_form_count_tiles_and_no_stones() {
        let config = game_1024::Config { blocked: vec![1, 4], ..Default::default() };
        let game = game_1024::Game1024::new(config).unwrap();
        let state = game.parse("1,#,0,2/#,0,0,1024/0,0,0,0/0,0,0,16384").unwrap();
        let written = write_hex(game.description().geometry.as_ref().unwrap(), state).unwrap();
        assert_eq!(written, "1#02#00B0000000F");
        assert_eq!(read_position(&game, &written), Ok(state));
        // No stone is at the place of a tile.
        let refused = read_position(&game, "1002#00B00000001").unwrap_err().to_string();
        assert!(refused.contains("the stones of this game are at"), "{refused}");
    }

    #[test]
    fn the_game_with_the_lowest_number_is_the_default() {
        let game = game_2048::Game2048::new(game_2048::Config::default()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.rec");
        let metadata = Metadata {
            game: "2048".into(),
            game_version: "1".into(),
            agent: "random".into(),
            seed: Seed(1),
            program: "1".into(),
            actions: game.description().actions.clone(),
            starts: Starts::OfRules,
            definition: String::new(),
        };
        let found = |number| {
            let record = find(RecordReader::open(&path).unwrap(), &path, number);
            record.map(|record| record.number).map_err(|failure| failure.to_string())
        };
        for numbers in [[1, 0, 2], [7, 4, 5]] {
            let mut writer = RecordWriter::create(&path, &metadata).unwrap();
            for number in numbers {
                let transcript = Transcript { start: game.start(number), steps: Vec::new() };
                let block = Encoder::new(&game).encode(number, &transcript, 0.0, false).unwrap();
                writer.write(&block).unwrap();
            }
            writer.finish().unwrap();
            let (min, max) = (*numbers.iter().min().unwrap(), *numbers.iter().max().unwrap());
            assert_eq!((found(None), found(Some(numbers[2]))), (Ok(min), Ok(numbers[2])));
            let refused = format!("no game 9, but 3 games with numbers from {min} to {max}");
            assert!(found(Some(9)).unwrap_err().ends_with(&refused));
        }
        // Without its end, as a run leaves it that did not finish.
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 16]).unwrap();
        assert_eq!(found(None), Ok(4));
    }
}
