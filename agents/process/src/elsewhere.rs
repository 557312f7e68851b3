//! The agent `process` on systems without process groups: it has the same parameters, and is
//! refused with the reason.

use crate::config::{self, Config};
use runner_core::{Action, Agent, AgentPlugin, BuildContext, BuildError, Game, Plugin, Turn};

/// The agent `process`, of which there is none.
#[derive(Clone)]
pub enum Process {}

impl Agent for Process {
    fn act<G: Game>(&mut self, _: &G, _: &Turn<'_>) -> Option<Action> {
        match *self {}
    }
}

impl Plugin for Process {
    const NAME: &'static str = config::NAME;
    const ABOUT: &'static str = config::ABOUT;
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;
}

impl AgentPlugin for Process {
    fn new(_: Config, _: &BuildContext<'_>) -> Result<Self, BuildError> {
        Err(refusal())
    }
}

fn refusal() -> BuildError {
    BuildError::new(
        "it needs a Unix system, such as Linux or macOS, whose process groups end a program with \
         all its children; on other systems a program can drive a game: `runner play --stdio`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusal_names_the_systems_and_what_works_elsewhere() {
        let message = refusal().message;
        assert!(message.contains("Unix") && message.contains("play --stdio"), "{message}");
        assert_eq!(Process::NAME, "process");
    }
}
