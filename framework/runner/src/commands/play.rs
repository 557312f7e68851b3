//! `runner play`: a person plays in the terminal, or a program plays by lines of JSON.

use super::watch::WatchOptions;
use crate::context::{Context, Execute};
use crate::options::{PlayerOptions, ResourceOptions};
use clap::Args;
use runner_play::failure::Failure;
use runner_protocol::{DriveError, drive};
use runner_session::session::Mover;
use std::io::{stdin, stdout};

/// Play yourself in the terminal, with hints, or let a program play
#[derive(Debug, Clone, Args)]
pub struct PlayOptions {
    #[command(flatten)]
    players: PlayerOptions,
    /// First position as text [default: a start position]
    #[arg(long, value_name = "TEXT")]
    state: Option<String>,
    /// Read requests from standard input and answer them on standard output: one JSON object a
    /// line; --seed is that of the games whose request names none
    #[arg(long, conflicts_with_all = ["agent", "state", "threads"])]
    stdio: bool,
    #[command(flatten)]
    resources: ResourceOptions,
}

impl Execute for PlayOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        if !self.stdio {
            let Self { players, state, resources, .. } = self;
            return WatchOptions::of_person(players, state, resources).show(Mover::Person, context);
        }
        let registry = context.registry();
        let game = registry.game(&self.players.game(&context.linked)?)?;
        let (spec, seed) = (game.spec.to_string(), self.resources.seed());
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
