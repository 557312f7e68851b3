//! A loaded agent.

use super::lent::lend_game;
use crate::abi::agent::AgentTable;
use crate::abi::cross::answer;
use crate::abi::interface::*;
use crate::abi::object::Handle;
use runner_core::{
    Action, Agent, Analysis, Episode, Fault, Game, Pulse, Random, Seed, State, Turn, catch,
};

/// An agent behind the plugin boundary. It plays the game that it is given: its own
/// without a detour, any other one through a borrowed object.
///
/// It is not `Sync`, so that one thread at a time uses it, `clone` and `threads` included.
#[derive(Clone)]
pub struct DynAgent(Handle<AgentTable>);

impl DynAgent {
    /// Plays one whole game where that is fastest. If the game has tables, as the agent then has on
    /// its side, the agent's library runs the loop and nothing crosses the boundary; otherwise the
    /// loop runs here. The result is the same.
    pub fn play<G: Game>(
        &mut self,
        game: &G,
        seed: Seed,
        stream: u64,
        stop: &Pulse,
    ) -> Result<Episode, Fault> {
        let Object { this, table, bound } = self.0.object();
        if game.tables().is_none() || !lend_game(game, bound, |game| game.is_null()) {
            let mut random = Random::stream(seed, stream);
            return catch(|| runner_core::play(game, self, &mut random, stop));
        }
        // SAFETY: the object is alive and used by this thread alone, the flag is borrowed for the call,
        // and the function writes its result unless it fails.
        unsafe { ask(|out| (table.play)(this, seed.0, stream, stop, out)) }
    }
}

answer!([] DynAgent as Object<AgentTable>:
    |agent| agent.0.send(), |form| Self(Handle::receive(form)));

agent_interface! { interface_proxy [[Agent for] DynAgent, |agent| agent.0.object(), unchecked;] }
