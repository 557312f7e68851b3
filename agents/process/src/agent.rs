//! The agent `process`.

use crate::dialog::{Dialog, Setup};
use runner_core::{
    Action, Agent, AgentPlugin, BuildContext, BuildError, Fault, Game, Parameter, Plugin, State,
    Turn,
};
use runner_spec::quantity;
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Time limit for an action.
    pub time: String,
    /// Time limit for the start of the program and of each game.
    pub start: String,
}

impl Default for Config {
    fn default() -> Self {
        Self { command: Vec::new(), time: "10s".into(), start: "30s".into() }
    }
}

/// The agent `process`. Each clone starts another program.
pub struct Process {
    setup: Arc<Setup>,
    dialog: Dialog,
}

impl Clone for Process {
    fn clone(&self) -> Self {
        Self { setup: self.setup.clone(), dialog: Dialog::new(self.setup.clone()) }
    }
}

impl Agent for Process {
    fn begin<G: Game>(&mut self, game: &G, start: State) {
        self.dialog.begin(game, start).unwrap_or_else(|fault| fault.raise());
    }

    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        self.dialog.act(game, turn).unwrap_or_else(|fault: Fault| fault.raise())
    }

    fn end<G: Game>(&mut self, game: &G, last: State) {
        self.dialog.end(game, last);
    }
}

impl Plugin for Process {
    const NAME: &'static str = "process";
    const ABOUT: &'static str = "a program in any language, asked through its standard input";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;

    fn parameters() -> Vec<Parameter> {
        vec![
            Parameter::new(
                "command",
                "a list, as in `[\"python3\", \"my_agent.py\"]`",
                "[]",
                "Program and its arguments; must be set",
            ),
            Parameter::new(
                "time",
                "\"1ms\" to \"1d\"",
                "\"10s\"",
                "Time limit for an action; a program that exceeds it is killed",
            ),
            Parameter::new(
                "start",
                "\"1ms\" to \"1d\"",
                "\"30s\"",
                "Time limit for the answers to `hello` and `begin`",
            ),
        ]
    }
}

impl AgentPlugin for Process {
    fn new(config: Config, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let Some(program) = config.command.first() else {
            let message =
                "a program is needed, as in `process(command: [\"python3\", \"my_agent.py\"])`";
            return Err(BuildError::of("command", message));
        };
        check_program(program)?;
        let time = limit("time", &config.time)?;
        let setup = Setup {
            hello: Setup::hello(context.game_spec, context.game, time),
            time,
            start: limit("start", &config.start)?,
            command: config.command,
        };
        let setup = Arc::new(setup);
        Ok(Self { dialog: Dialog::new(setup.clone()), setup })
    }
}

/// Reads a time limit.
fn limit(parameter: &str, text: &str) -> Result<Duration, BuildError> {
    const LEAST: Duration = Duration::from_millis(1);
    const MOST: Duration = Duration::from_hours(24);
    let time = quantity::duration(text).map_err(|error| BuildError::of(parameter, error))?;
    match (LEAST..=MOST).contains(&time) {
        true => Ok(time),
        false => Err(BuildError::of(parameter, format!("{text} is not from 1ms to 1d"))),
    }
}

/// Refuses a program that does not exist, so that a run ends before its first game.
fn check_program(program: &str) -> Result<(), BuildError> {
    if program.contains('/') {
        return match Path::new(program).is_file() {
            true => Ok(()),
            false => Err(BuildError::of("command", format!("there is no file {program}"))),
        };
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_in = |folder: PathBuf| folder.join(OsStr::new(program)).is_file();
    match !program.is_empty() && std::env::split_paths(&path).any(is_in) {
        true => Ok(()),
        false => Err(BuildError::of(
            "command",
            format!("there is no program `{program}` in the folders of the variable PATH"),
        )),
    }
}
