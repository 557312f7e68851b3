//! The options that name a position: by its text, by its place in a recorded game, or not at all.

use super::missing::missing_game;
use clap::Args;
use runner_core::{Game, Random, Seed, State, catch};
use runner_play::calls::WatchedGame;
use runner_play::failure::Failure;
use runner_play::position::{Position, find, open, parse, position_after};
use runner_plugin::{LoadedGame, Registry};
use runner_spec::Spec;
use runner_spec::quantity::Count;
use std::path::{Path, PathBuf};

/// The options that name a position. Without any of them, it is a start position.
#[derive(Debug, Clone, Default, Args)]
pub struct PositionOptions {
    /// Position as text [default: a start position]
    #[arg(long, value_name = "TEXT", conflicts_with = "record")]
    state: Option<String>,
    /// File of recorded games from which the position and the game are taken
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Number of the recorded game, counted from 0 [default: the lowest]
    #[arg(long, value_name = "N", requires = "record")]
    game_number: Option<Count>,
    /// Number of moves that are played before the position [default: 0]
    #[arg(long = "move", value_name = "M", requires = "record")]
    move_number: Option<Count>,
}

impl PositionOptions {
    /// Returns true if the position is given as text.
    pub fn is_typed(&self) -> bool {
        self.state.is_some()
    }

    /// Returns true if the position is one of a recorded game.
    pub fn is_recorded(&self) -> bool {
        self.record.is_some()
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
            (None, None) => return Err(missing_game(registry)),
            (None, Some(game)) => {
                let state = match &self.state {
                    Some(text) => parse(&game, text, registry)?,
                    None => catch(|| WatchedGame::of(&game).start(Random::stream(seed, 0).word()))?,
                };
                (game, state)
            }
        };
        let text = catch(|| WatchedGame::of(&game).write(state))?;
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
        let record = find(reader, file, number)?;
        let moves = self.move_number.map_or(0, Count::get);
        let state = position_after(moves, &record, &game, file)?;
        Ok((game, state))
    }
}
