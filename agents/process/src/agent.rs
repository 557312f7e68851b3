//! The dialog as an agent, and its parameters as a plugin.

use crate::config::{self, Config};
use crate::dialog::{FailedStarts, Process, Setup, line};
use runner_core::{
    Action, Agent, AgentPlugin, Analysis, BuildContext, BuildError, Game, Plugin, State, Turn,
};
use runner_protocol::Hello;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;

impl Agent for Process {
    fn begin<G: Game>(&mut self, game: &G, start: State) {
        self.begin_game(game, start).unwrap_or_else(|fault| fault.raise());
    }

    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        self.analyse(game, turn).choice
    }

    fn analyse<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Analysis {
        self.ask_turn(game, turn).unwrap_or_else(|fault| fault.raise())
    }

    fn end<G: Game>(&mut self, game: &G, last: State) {
        self.end_game(game, last);
    }
}

impl Plugin for Process {
    const NAME: &'static str = config::NAME;
    const ABOUT: &'static str = config::ABOUT;
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;
}

impl AgentPlugin for Process {
    fn new(config: Config, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let Some(program) = config.command.first() else {
            let message =
                "a program is needed, as in `process(command: [\"python3\", \"my_agent.py\"])`";
            return Err(BuildError::of("command", message));
        };
        check_program(program)?;
        let time = config.time.get();
        let hello = Hello::new(context.game_spec, context.game);
        let setup = Setup {
            hello: line(&hello.with_move_seconds(time.as_secs_f64())),
            time,
            start: config.start.get(),
            command: config.command,
            failed_starts: FailedStarts::default(),
        };
        Ok(Self::with_setup(Arc::new(setup)))
    }
}

/// Refuses a program that does not exist, so that a run ends before its first game.
fn check_program(program: &str) -> Result<(), BuildError> {
    if program.contains('/') {
        let message = match fs::metadata(program) {
            Ok(file) if file.is_file() && file.permissions().mode() & 0o111 != 0 => return Ok(()),
            Ok(file) if file.is_file() => format!(
                "{program} is not executable: name its interpreter first, as in \
                 `[\"python3\", \"{program}\"]`, or make it executable with chmod"
            ),
            _ => format!("there is no file {program}"),
        };
        return Err(BuildError::of("command", message));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_in = |folder: PathBuf| folder.join(program).is_file();
    if program.is_empty() || !std::env::split_paths(&path).any(is_in) {
        let message =
            format!("there is no program `{program}` in the folders of the variable PATH");
        return Err(BuildError::of("command", message));
    }
    Ok(())
}
