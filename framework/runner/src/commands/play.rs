//! `runner play --stdio`: a program in any language drives a game by lines of JSON.

use crate::context::{Context, Execute};
use crate::options::{ResourceOptions, missing_game};
use clap::Args;
use runner_play::failure::Failure;
use runner_protocol::{DriveError, drive};
use runner_spec::Spec;
use runner_spec::quantity::Count;
use std::io::{stdin, stdout};

/// Let a program play a game through standard input and output
#[derive(Debug, Clone, Args)]
pub struct PlayOptions {
    /// Game, like threes or '2048(rows: 3, cols: 4)'
    #[arg(long, value_name = "SPEC")]
    game: Option<Spec>,
    /// Read requests from standard input and answer them on standard output: one JSON object a line
    #[arg(long, required = true)]
    stdio: bool,
    /// Seed of the games whose request names none [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<Count>,
}

impl Execute for PlayOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        let registry = context.registry();
        let game = self.game.as_ref().ok_or_else(|| missing_game(registry))?;
        let game = registry.game(game)?;
        let resources = ResourceOptions { seed: self.seed, ..ResourceOptions::default() };
        let (spec, seed) = (game.spec.to_string(), resources.seed());
        drive(&*game.rules, &spec, seed, stdin().lock(), stdout().lock()).map_err(|error| {
            match error {
                DriveError::Read(error) => {
                    Failure::failed(format!("cannot read standard input: {error}"))
                }
                DriveError::Write(error) => error.into(),
            }
        })
    }
}
