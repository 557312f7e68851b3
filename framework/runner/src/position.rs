//! A position, named by its text, by its place in a recorded game, or not at all.

use crate::brief::brief;
use crate::failure::Failure;
use crate::options::Count;
use clap::Args;
use runner_core::{Game, Random, Seed, State, Successors, catch};
use runner_plugin::{LoadedGame, Registry};
use runner_records::{GameRecord, RecordReader, replay};
use runner_spec::Spec;
use runner_spec::quantity::{counted, grouped};
use serde::Deserialize;
use std::fmt;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

/// A reader of recorded games.
pub type Reader = RecordReader<BufReader<File>>;

/// The options that name a position. Without any of them, it is a start position.
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(default)]
pub struct PositionOptions {
    /// Position as text [default: a start position]
    #[arg(long, value_name = "TEXT", conflicts_with = "record")]
    state: Option<String>,
    /// File of recorded games from which the position and the game are taken
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Number of the recorded game, counted from 0 [default: the first in the file]
    #[arg(long, value_name = "N", requires = "record")]
    game_number: Option<Count>,
    /// Number of moves that are played before the position [default: 0]
    #[arg(long = "move", value_name = "M", requires = "record")]
    #[serde(rename = "move")]
    move_number: Option<Count>,
}

/// A position of a game.
pub struct Position {
    /// The game.
    pub game: LoadedGame,
    /// The position.
    pub state: State,
    /// The position as text.
    pub text: String,
}

impl PositionOptions {
    /// Refuses combinations that no single option shows to be wrong.
    pub fn check(&self) -> Result<(), Failure> {
        match (&self.state, &self.record) {
            (Some(_), Some(_)) => Err(Failure::usage("--state and --record exclude each other")),
            (_, None) if self.game_number.is_some() || self.move_number.is_some() => {
                Err(Failure::usage("--game-number and --move need --record FILE"))
            }
            _ => Ok(()),
        }
    }

    /// Returns true if one of the options is given.
    pub fn is_given(&self) -> bool {
        self.state.is_some() || self.record.is_some()
    }

    /// Returns true if the position is given as text.
    pub fn is_typed(&self) -> bool {
        self.state.is_some()
    }

    /// Returns the position. A start position is drawn with the seed; the game of a
    /// recorded position need not be named.
    pub fn find(
        &self,
        game: Option<&Spec>,
        seed: Seed,
        registry: &Registry,
    ) -> Result<Position, Failure> {
        let given = game.map(|spec| registry.game(spec)).transpose()?;
        let (game, state) = match (&self.record, given) {
            (Some(file), given) => self.recorded(file, given, registry)?,
            (None, None) => return Err(crate::setting::missing_game(registry)),
            (None, Some(game)) => {
                let state = match &self.state {
                    Some(text) => parse(&game, text, registry)?,
                    None => catch(|| game.rules.start(Random::stream(seed, 0).word()))?,
                };
                (game, state)
            }
        };
        let text = catch(|| game.rules.write(state))?;
        Ok(Position { game, state, text })
    }

    fn recorded(
        &self,
        file: &Path,
        given: Option<LoadedGame>,
        registry: &Registry,
    ) -> Result<(LoadedGame, State), Failure> {
        let (reader, game) = open(file, registry)?;
        if let Some(given) = given
            && given.spec != game.spec
        {
            return Err(Failure::usage(format!(
                "{} is of the game {}; leave out --game",
                file.display(),
                game.spec
            )));
        }
        let number = self.game_number.map(Count::get);
        let record = match find(reader, number)? {
            Some(record) => record,
            None => return Err(not_found(file, number)),
        };
        let state = self.state_in(&record, &game, file)?;
        Ok((game, state))
    }

    /// Returns the position after the wanted number of moves.
    fn state_in(
        &self,
        record: &GameRecord,
        game: &LoadedGame,
        file: &Path,
    ) -> Result<State, Failure> {
        let wanted = self.move_number.map_or(0, Count::get);
        let Some(last) = wanted.checked_sub(1) else { return Ok(record.start) };
        let index = usize::try_from(last).unwrap_or(usize::MAX);
        match catch(|| replay(&*game.rules, record).nth(index))? {
            Some(Ok(ply)) => Ok(ply.next),
            Some(Err(error)) => Err(Failure::failed(format!("{}: {error}", file.display()))),
            None => Err(Failure::usage(format!(
                "game {} of {} has {}, so there is no position after {}",
                record.number,
                file.display(),
                counted(record.moves(), "move"),
                grouped(wanted)
            ))),
        }
    }
}

/// Returns the game with this number, or the first.
pub fn find<R: Read>(
    reader: RecordReader<R>,
    number: Option<u64>,
) -> Result<Option<GameRecord>, Failure> {
    for record in reader {
        let record = record?;
        if number.is_none_or(|number| number == record.number) {
            return Ok(Some(record));
        }
    }
    Ok(None)
}

/// Returns the error of a file without the wanted game.
pub fn not_found(file: &Path, number: Option<u64>) -> Failure {
    let what = number.map_or("no games".into(), |number| format!("no game {number}"));
    Failure::failed(format!("{}: {what} in this file", file.display()))
}

/// Opens a file of recorded games and builds their game.
pub fn open(file: &Path, registry: &Registry) -> Result<(Reader, LoadedGame), Failure> {
    let reader = RecordReader::open(file)?;
    let in_file =
        |error: &dyn fmt::Display| Failure::failed(format!("{}: {error}", file.display()));
    let spec = reader.metadata().game.parse().map_err(|error| in_file(&error))?;
    let game = registry.game(&spec).map_err(|error| in_file(&error))?;
    reader.metadata().check_actions(game.rules.description()).map_err(|e| in_file(&e))?;
    Ok((reader, game))
}

/// Returns true if no action is legal.
pub fn is_over(game: &LoadedGame, state: State) -> Result<bool, Failure> {
    let mut successors = Successors::new();
    catch(|| game.rules.successors(state, &mut successors))?;
    Ok(successors.is_empty())
}

/// Parses a position.
pub fn parse(game: &LoadedGame, text: &str, registry: &Registry) -> Result<State, Failure> {
    catch(|| game.rules.parse(text))?.map_err(|error| {
        let before = text.get(..error.at).map_or(0, |text| text.chars().count());
        Failure::Usage {
            message: format!("the position is not one of {}: {error}", brief(&game.spec, registry)),
            place: Some(format!("{text}\n{}^", " ".repeat(before))),
        }
    })
}
