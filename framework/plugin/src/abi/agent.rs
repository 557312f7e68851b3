//! Agents.

use super::game::GameTable;
use super::interface::*;
use runner_core::{Action, Analysis, Episode, Pulse, State, Turn};

/// The methods of [`Agent`](runner_core::Agent). One thread at a time uses an agent.
macro_rules! agent_interface {
    ($make:ident $arguments:tt) => {
        $make! { $arguments
            fn act(&mut self, game: &impl Game, turn: &Turn<'_>) -> Option<Action>;
            fn analyse(&mut self, game: &impl Game, turn: &Turn<'_>) -> Analysis;
            fn begin(&mut self, game: &impl Game, start: State);
            fn end(&mut self, game: &impl Game, last: State);
            fn threads(&self) -> usize;
        }
    };
}

agent_interface! { interface_table [
    /// The functions of an agent.
    AgentTable {
        /// Plays one whole game: (agent, seed, stream, stop flag, result).
        play: unsafe extern "C" fn(This, u64, u64, *const Pulse, *mut Episode) -> Call,
    }
] }
