//! A loaded agent.

use super::lend_game::lend_game;
use crate::abi::agent::AgentTable;
use crate::abi::interface::*;
use crate::abi::object::{BuiltFor, Handle};
use runner_core::{
    Action, Agent, Analysis, Episode, Fault, Game, Pulse, Random, Seed, State, Turn, catch,
};
use std::ptr;

/// An agent behind the plugin boundary. It plays the game that it is given: its own
/// without a detour, any other one through a borrowed object.
///
/// It is not `Sync`, so that one thread at a time uses it, `clone` and `threads` included.
pub struct DynAgent {
    handle: Handle<AgentTable>,
    /// The address of the game object that it was built for.
    bound: usize,
}

impl DynAgent {
    /// Takes over an object that was built for this caller.
    ///
    /// # Safety
    ///
    /// The object is alive, and the caller's to give.
    pub(crate) unsafe fn own(BuiltFor { object, bound }: BuiltFor<AgentTable>) -> Self {
        // SAFETY: the caller's promise.
        Self { handle: unsafe { Handle::own(object) }, bound }
    }

    pub(crate) fn into_object(self) -> BuiltFor<AgentTable> {
        BuiltFor { object: self.handle.into_object(), bound: self.bound }
    }

    #[inline(always)]
    fn table(&self) -> Result<Object<AgentTable>, Fault> {
        Ok(self.handle.object())
    }

    /// Plays one whole game where that is fastest. If the agent holds the rules of this
    /// game as tables, its own library runs the loop and nothing crosses the boundary;
    /// otherwise the loop runs here. The result is the same.
    pub fn play<G: Game>(
        &mut self,
        game: &G,
        seed: Seed,
        stream: u64,
        stop: &Pulse,
    ) -> Result<Episode, Fault> {
        let Object { this, table } = self.handle.object();
        if !table.holds_rules || !lend_game(game, self.bound, |game| game.is_null()) {
            let mut random = Random::stream(seed, stream);
            return catch(|| runner_core::play(game, self, &mut random, stop));
        }
        let mut out = MaybeUninit::<Episode>::uninit();
        // SAFETY: the object is alive and used by this thread alone; both pointers are
        // valid during the call.
        unsafe { (table.play)(this, seed.0, stream, stop, out.as_mut_ptr()) }.into_result()?;
        // SAFETY: a call that succeeded has written its result.
        Ok(unsafe { out.assume_init() })
    }
}

impl Clone for DynAgent {
    /// Makes a copy for another thread. A fault is raised.
    fn clone(&self) -> Self {
        let Object { this, table } = self.handle.object();
        let mut copy = ptr::null();
        // SAFETY: the object is alive, and no other thread uses it.
        let call = unsafe { (table.copy)(this, &mut copy) };
        call.into_result().unwrap_or_else(|fault| fault.raise());
        // SAFETY: the copy was made for this caller.
        let handle = unsafe { Handle::own(Object { this: copy, table }) };
        Self { handle, bound: self.bound }
    }
}

agent_interface! { interface_proxy [[Agent for] DynAgent, table, unchecked;] }
