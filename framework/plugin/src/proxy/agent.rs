//! A loaded agent. It was built for its game, so the game that the trait's
//! methods are given is not handed on.

use super::{DynGame, raise};
use crate::abi::{AbiAnalysis, AbiFact, AgentObject, Status, answer};
use runner_core::{Action, Agent, Analysis, Episode, Fact, Fault, Game, Seed, State, Turn, catch};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::atomic::AtomicBool;

/// An agent behind the plugin boundary, lent for the length of a call.
pub struct RemoteAgent(AgentObject);

impl RemoteAgent {
    /// Uses an agent that the caller lends.
    ///
    /// # Safety
    ///
    /// The object must be alive for as long as this value, and nobody else may
    /// use it meanwhile.
    pub(crate) unsafe fn lent(object: AgentObject) -> Self {
        Self(object)
    }

    #[cold]
    fn fault(&self) -> ! {
        raise(self.0.table.take_fault)
    }

    #[inline(always)]
    fn begin(&mut self, start: State) {
        // SAFETY: `lent` and `own` promise that the object is alive and unshared.
        if unsafe { (self.0.table.begin)(self.0.this, start.into()) } != Status::Done {
            self.fault();
        }
    }

    #[inline(always)]
    fn act(&mut self, turn: &Turn<'_>) -> Option<Action> {
        let successors = ptr::from_ref(turn.successors).cast();
        // SAFETY: as above, and the successors outlive the call.
        let answer =
            unsafe { (self.0.table.act)(self.0.this, turn.state.into(), successors, turn.random) };
        match answer {
            answer::STOP => None,
            answer::FAULT => self.fault(),
            action => Some(Action(action as u8)),
        }
    }

    fn analyse(&mut self, turn: &Turn<'_>) -> Analysis {
        let successors = ptr::from_ref(turn.successors).cast();
        // SAFETY: as above.
        let thoughts = unsafe {
            (self.0.table.analyse)(self.0.this, turn.state.into(), successors, turn.random)
        };
        let Some(AbiAnalysis { choice, worths, facts }) = thoughts.into_option() else {
            self.fault()
        };
        Analysis {
            choice: u8::try_from(choice).ok().map(Action),
            action_values: worths.into_iter().map(|w| (Action(w.action), w.worth)).collect(),
            facts: facts.into_iter().map(|f| (f.name.into(), from_abi_fact(f.fact))).collect(),
        }
    }

    fn end(&mut self, last: State) {
        // SAFETY: as above.
        if unsafe { (self.0.table.end)(self.0.this, last.into()) } != Status::Done {
            self.fault();
        }
    }

    fn threads(&self) -> usize {
        // SAFETY: as above.
        match unsafe { (self.0.table.threads)(self.0.this) } {
            0 => self.fault(),
            threads => threads,
        }
    }
}

/// An agent behind the plugin boundary.
pub struct DynAgent(RemoteAgent);

// SAFETY: an agent is `Send` on its own side, and `&mut self` keeps it to one
// thread at a time.
unsafe impl Send for DynAgent {}

impl DynAgent {
    /// Takes over an object that was built for this caller.
    ///
    /// # Safety
    ///
    /// The object must be alive, and the caller's to give.
    pub(crate) unsafe fn own(object: AgentObject) -> Self {
        Self(RemoteAgent(object))
    }

    pub(crate) fn object(&mut self) -> AgentObject {
        self.0.0
    }

    /// Plays one whole game where that crosses the boundary least: on the agent's
    /// side if it holds the rules as tables, else on the game's, where only the
    /// agent's decisions cross. `game` is the one that the agent was built for.
    pub fn play(
        &mut self,
        game: &DynGame,
        seed: Seed,
        stream: u64,
        stop: &AtomicBool,
    ) -> Result<Episode, Fault> {
        let AgentObject { this, table } = self.0.0;
        if !table.holds_rules {
            return game.play_there(self, seed, stream, stop);
        }
        let mut out = MaybeUninit::<Episode>::uninit();
        let stop = ptr::from_ref(stop).cast();
        // SAFETY: the object is alive and unshared, and both pointers are valid.
        let status = unsafe { (table.play)(this, seed.0, stream, stop, out.as_mut_ptr().cast()) };
        match status {
            // SAFETY: it was written, the status says so.
            Status::Done => Ok(unsafe { out.assume_init() }),
            _ => Err(catch(|| self.0.fault()).unwrap_err()),
        }
    }
}

impl Clone for DynAgent {
    /// A copy for another thread. A fault while copying is raised.
    fn clone(&self) -> Self {
        let AgentObject { this, table } = self.0.0;
        // SAFETY: the object is alive.
        let copy = unsafe { (table.copy)(this) };
        if copy.is_null() {
            self.0.fault();
        }
        Self(RemoteAgent(AgentObject { this: copy, table }))
    }
}

impl Drop for DynAgent {
    fn drop(&mut self) {
        let AgentObject { this, table } = self.0.0;
        // SAFETY: this proxy is the owner, and this the last use.
        unsafe { (table.release)(this) };
    }
}

impl Agent for DynAgent {
    fn begin<G: Game>(&mut self, _: &G, start: State) {
        self.0.begin(start);
    }

    #[inline]
    fn act<G: Game>(&mut self, _: &G, turn: &Turn<'_>) -> Option<Action> {
        self.0.act(turn)
    }

    fn analyse<G: Game>(&mut self, _: &G, turn: &Turn<'_>) -> Analysis {
        self.0.analyse(turn)
    }

    fn end<G: Game>(&mut self, _: &G, last: State) {
        self.0.end(last);
    }

    fn threads(&self) -> usize {
        self.0.threads()
    }
}

// SAFETY: as for `DynAgent`.
unsafe impl Send for RemoteAgent {}

impl Agent for RemoteAgent {
    fn begin<G: Game>(&mut self, _: &G, start: State) {
        self.begin(start);
    }

    #[inline]
    fn act<G: Game>(&mut self, _: &G, turn: &Turn<'_>) -> Option<Action> {
        self.act(turn)
    }

    fn analyse<G: Game>(&mut self, _: &G, turn: &Turn<'_>) -> Analysis {
        self.analyse(turn)
    }

    fn end<G: Game>(&mut self, _: &G, last: State) {
        self.end(last);
    }

    fn threads(&self) -> usize {
        self.threads()
    }
}

fn from_abi_fact(fact: AbiFact) -> Fact {
    match fact {
        AbiFact::Count(count) => Fact::Count(count),
        AbiFact::Number(number) => Fact::Number(number),
        AbiFact::Text(text) => Fact::Text(text.into()),
    }
}
