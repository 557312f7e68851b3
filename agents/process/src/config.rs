//! The parameters of the agent `process`.

use runner_core::Parameter;
use runner_spec::quantity;
use serde::{Deserialize, Serialize};

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

/// Name of the agent.
pub const NAME: &str = "process";
/// Description in lists of plugins.
pub const ABOUT: &str = "a program in any language, asked through its standard input";

/// Returns the descriptions of the parameters.
pub fn parameters() -> Vec<Parameter> {
    vec![
        Parameter::new(
            "command",
            "a list, as in `[\"python3\", \"my_agent.py\"]`",
            "[]",
            "Program and its arguments; must be set",
        ),
        Parameter::new(
            "time",
            quantity::TIME_LIMITS,
            "\"10s\"",
            "Time limit for an action; a program that exceeds it is killed",
        ),
        Parameter::new(
            "start",
            quantity::TIME_LIMITS,
            "\"30s\"",
            "Time limit for the answers to `hello` and `begin`",
        ),
    ]
}
