//! The parameters of the agent `process`.

use runner_core::{TimeLimit, parameters};

parameters! {
    /// The parameters.
    pub struct Config {
        /// Program and its arguments; must be set
        pub command: Vec<String> = Vec::new(), command();
        /// Time limit for an action; a program that exceeds it is killed
        pub time: TimeLimit = TimeLimit::seconds(10);
        /// Time limit for the answers to `hello` and `begin`
        pub start: TimeLimit = TimeLimit::seconds(30);
    }
}

pub const NAME: &str = "process";
/// Description in lists of plugins.
pub const ABOUT: &str = "a program in any language, asked through its standard input";
