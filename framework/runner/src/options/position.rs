//! The option that gives a position.

use clap::Args;
use runner_core::{Game, Random, Seed, State, catch};
use runner_play::failure::Failure;
use runner_play::position::{Form, Position, parse};
use runner_play::registry::{LoadedGame, Registry};
use runner_play::watched::WatchedGame;
use runner_spec::Spec;

/// The form of printed positions.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct FormOptions {
    /// Form of printed positions: text of the game, or a hex digit for each cell [default: text]
    #[arg(long, value_name = "FORM", value_parser = form)]
    form: Option<Form>,
}

impl FormOptions {
    pub fn write(self, game: &LoadedGame, state: State) -> Result<String, Failure> {
        self.form.unwrap_or_default().write(game, state)
    }
}

fn form(text: &str) -> Result<Form, &'static str> {
    match text {
        "text" => Ok(Form::Text),
        "hex" => Ok(Form::Hex),
        _ => Err("allowed: text, hex"),
    }
}

#[derive(Debug, Clone, Default, Args)]
pub struct PositionOptions {
    /// Position as text, or in hex form like EDC1BA9187611111 [default: a start position]
    #[arg(long, value_name = "TEXT")]
    state: Option<String>,
}

impl PositionOptions {
    /// Returns true if the position is given.
    pub fn is_typed(&self) -> bool {
        self.state.is_some()
    }

    /// Returns the position; a start position is drawn with the seed.
    pub fn find(&self, game: &Spec, seed: Seed, registry: &Registry) -> Result<Position, Failure> {
        let game = registry.game(game)?;
        let state = match &self.state {
            Some(text) => parse(&game, text, registry)?,
            None => catch(|| WatchedGame::of(&game).start(Random::stream(seed, 0).word()))?,
        };
        let text = catch(|| WatchedGame::of(&game).write(state))?;
        Ok(Position { game, state, text })
    }
}
