//! Start positions from files, and the analysis of positions by a player, with a progress line.

use crate::context::Context;
use crate::notes::{note_models, while_loading};
use crate::options::{ResourceOptions, agent_or_strongest};
use runner_console::interrupt;
use runner_console::progress::ProgressLine;
use runner_core::{Analysis, Fault, Seed, Spec, State, locked};
use runner_play::analysis::analyse;
use runner_play::failure::{Failure, attributed};
use runner_play::player::NamedPlayer;
use runner_play::position::starts;
use runner_play::registry::{LoadedGame, Registry};
use runner_play::threads::Threads;
use std::path::Path;
use std::sync::Mutex;

/// Reads a file with a start position on each line. An interrupt ends the wait for a pipe.
pub fn read_starts(
    file: &Path,
    game: &LoadedGame,
    registry: &Registry,
) -> Result<Vec<State>, Failure> {
    let path = file.to_owned();
    match interrupt::unless_requested(move || runner_files::read_text(&path)) {
        Some(text) => starts(&text?, file, game, registry),
        None => Err(Failure::Interrupted(format!("{} was not read to its end", file.display()))),
    }
}

/// A game, and the player that analyses positions of it.
pub struct Analyst {
    pub game: LoadedGame,
    pub named: NamedPlayer,
    pub seed: Seed,
    threads: Threads,
}

impl Analyst {
    /// Builds the player `agent`, or else the strongest one of the game. Notes its models.
    pub fn new(
        game: LoadedGame,
        agent: Option<&Spec>,
        resources: &ResourceOptions,
        context: &Context,
    ) -> Result<Self, Failure> {
        let registry = context.registry();
        let agent = agent_or_strongest(agent, &game, &context.linked)?;
        let threads = Threads::new(resources.threads())?;
        let named =
            while_loading(&agent, || NamedPlayer::trained(registry, &agent, &game, &threads))?;
        note_models(&named.spec, registry);
        Ok(Self { game, named, seed: resources.seed(), threads })
    }

    pub fn failure(&self, fault: &Fault) -> Failure {
        Failure::failed(attributed(&fault.0, &[&self.game.label, &self.named.label]))
    }

    /// Analyses positions, with a progress line. `what` names them in the message of an interrupt.
    pub fn analyse(&self, positions: &[State], what: &str) -> Result<Vec<Analysis>, Failure> {
        let line = Mutex::new(ProgressLine::new(true));
        let analysed = |number| {
            let mut line = locked(&line);
            if line.is_due() {
                line.show(&format!("{number} of {} positions", positions.len()));
            }
        };
        let Self { game, named, seed, threads } = self;
        analyse(game, named, positions, *seed, threads, interrupt::listen(), &analysed)
            .map_err(|fault| self.failure(&fault))?
            .ok_or_else(|| Failure::Interrupted(format!("not all {what} were analysed")))
    }
}
