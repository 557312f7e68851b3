//! A loaded agent.

use super::lend_game::lend_game;
use crate::abi::This;
use crate::abi::agent::{AbiAnalysis, AbiFactValue, AgentObject};
use crate::abi::call::{In, Out};
use abi_stable::std_types::ROption;
use runner_core::{
    Action, Agent, Analysis, Episode, Fact, Fault, Game, Random, Seed, State, Turn, catch,
};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::AtomicBool;

/// An agent behind the plugin boundary. It plays the game that it is given: its own
/// without a detour, any other one through a borrowed object.
pub struct DynAgent {
    object: AgentObject,
    /// The game object that it was built for.
    bound: This,
}

// SAFETY: an agent is `Send` on its own side. It is not `Sync`, so that one thread at a
// time uses it, `clone` and `threads` included.
unsafe impl Send for DynAgent {}

impl DynAgent {
    /// Takes over an object that was built for this caller.
    ///
    /// # Safety
    ///
    /// The object must be alive, and the caller's to give.
    pub(crate) unsafe fn own(object: AgentObject) -> Self {
        // SAFETY: the caller's promise.
        let bound = unsafe { (object.table.game)(object.this) };
        Self { object, bound }
    }

    /// Gives the object away.
    pub(crate) fn into_object(self) -> AgentObject {
        std::mem::ManuallyDrop::new(self).object
    }

    /// Plays one whole game where that is fastest. If the agent holds the rules of this
    /// game as tables, its own library runs the loop and nothing crosses the boundary;
    /// otherwise the loop runs here. The result is the same.
    pub fn play<G: Game>(
        &mut self,
        game: &G,
        seed: Seed,
        stream: u64,
        stop: &AtomicBool,
    ) -> Result<Episode, Fault> {
        let AgentObject { this, table } = self.object;
        if !table.holds_rules || !lend_game(game, self.bound, |game| game.is_null()) {
            let mut random = Random::stream(seed, stream);
            return catch(|| runner_core::play(game, self, &mut random, stop));
        }
        let mut out = MaybeUninit::<Episode>::uninit();
        let (stop, out_pointer) = (In(ptr::from_ref(stop)), Out(out.as_mut_ptr()));
        // SAFETY: the object is alive and used by this thread alone; both pointers are
        // valid.
        unsafe { (table.play)(this, seed.0, stream, stop, out_pointer) }.into_result()?;
        // SAFETY: a call that succeeded has written its result.
        Ok(unsafe { out.assume_init() })
    }
}

impl Clone for DynAgent {
    /// Makes a copy for another thread. A fault is raised.
    fn clone(&self) -> Self {
        let AgentObject { this, table } = self.object;
        let mut copy = ptr::null();
        // SAFETY: the object is alive, and no other thread uses it.
        unsafe { (table.copy)(this, &mut copy) }.or_raise();
        Self { object: AgentObject { this: copy, table }, bound: self.bound }
    }
}

impl Drop for DynAgent {
    fn drop(&mut self) {
        // SAFETY: this proxy is the owner, and this is the last use.
        unsafe { (self.object.table.release)(self.object.this) };
    }
}

impl Agent for DynAgent {
    fn begin<G: Game>(&mut self, game: &G, start: State) {
        let AgentObject { this, table } = self.object;
        // SAFETY: the object is alive and used by this thread alone.
        lend_game(game, self.bound, |game| unsafe { (table.begin)(this, game, start.into()) })
            .or_raise();
    }

    #[inline]
    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        let AgentObject { this, table } = self.object;
        let (state, successors) = (turn.state.into(), In(ptr::from_ref(turn.successors)));
        let mut choice = ROption::RNone;
        // SAFETY: as above, and the successors outlive the call.
        lend_game(game, self.bound, |game| unsafe {
            (table.act)(this, game, state, successors, turn.random, &mut choice)
        })
        .or_raise();
        choice.into_option().map(Action)
    }

    fn analyse<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Analysis {
        let AgentObject { this, table } = self.object;
        let (state, successors) = (turn.state.into(), In(ptr::from_ref(turn.successors)));
        let mut out = MaybeUninit::<AbiAnalysis>::uninit();
        // SAFETY: as above.
        lend_game(game, self.bound, |game| unsafe {
            (table.analyse)(this, game, state, successors, turn.random, out.as_mut_ptr())
        })
        .or_raise();
        // SAFETY: a call that succeeded has written its result.
        from_abi_analysis(unsafe { out.assume_init() })
    }

    fn end<G: Game>(&mut self, game: &G, last: State) {
        let AgentObject { this, table } = self.object;
        // SAFETY: as above.
        lend_game(game, self.bound, |game| unsafe { (table.end)(this, game, last.into()) })
            .or_raise();
    }

    fn threads(&self) -> usize {
        let mut threads = 1;
        // SAFETY: as above.
        unsafe { (self.object.table.threads)(self.object.this, &mut threads) }.or_raise();
        threads
    }
}

fn from_abi_analysis(analysis: AbiAnalysis) -> Analysis {
    let AbiAnalysis { choice, action_values, facts } = analysis;
    let fact = |fact| match fact {
        AbiFactValue::Count(count) => Fact::Count(count),
        AbiFactValue::Number(number) => Fact::Number(number),
        AbiFactValue::Text(text) => Fact::Text(text.into()),
    };
    Analysis {
        choice: choice.into_option().map(Action),
        action_values: action_values.into_iter().map(|v| (Action(v.action), v.value)).collect(),
        facts: facts.into_iter().map(|f| (f.name.into(), fact(f.fact))).collect(),
    }
}
