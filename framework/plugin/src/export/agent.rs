//! An exported agent, bound to the game that it was built for.

use super::{Bound, Proxy, build_bound, entry};
use crate::abi::agent::AgentTable;
use crate::abi::data::{Either, List, Slice};
use crate::abi::game::GameTable;
use crate::abi::interface::*;
use crate::abi::library::{Builder, Built, Context, Entry};
use crate::abi::object::{Export, Owners};
use crate::guard::{Labelled, guard};
use crate::proxy::DynGame;
use runner_core::{Action, AgentPlugin, Analysis, Episode, Pulse, Random, Seed, State, Turn};
use std::marker::PhantomData;
use std::sync::Arc;

/// Returns the entry of an agent in its library's contents.
pub fn agent_entry<A: AgentPlugin>() -> Entry {
    entry::<A>(Builder::Agent(build_agent::<A>))
}

unsafe extern "C" fn build_agent<A: AgentPlugin>(
    spec: Slice<u8>,
    context: *const Context,
    out: *mut Either<Built<AgentTable>, List<u8>>,
) -> Call {
    let (on_game, on_tables) = (Exported::object, Exported::object);
    // SAFETY: the program lends spec and context for this call, and passes a place for the result.
    unsafe {
        build_bound::<A, Exported<A, DynGame>, _>(spec, context, out, A::new, on_game, on_tables)
    }
}

/// An agent that plays on one kind of proxy. The pointer is that of a `Box<Bound<A, G>>`.
struct Exported<A, G>(PhantomData<(A, G)>);

impl<A: AgentPlugin, G: Proxy> Labelled for Exported<A, G> {
    fn label() -> String {
        format!("agent `{}`", A::NAME)
    }
}

// SAFETY: `pointer` makes the pointers of all objects from a box.
unsafe impl<A: AgentPlugin, G: Proxy> Export for Exported<A, G> {
    const OWNERS: Owners = Owners::boxed::<Bound<A, G>>();
}

impl<A: AgentPlugin, G: Proxy> Exported<A, G> {
    fn object(bound: Bound<A, G>) -> Object<AgentTable> {
        Object { this: Self::pointer(bound), table: Self::TABLE }
    }

    fn pointer(bound: Bound<A, G>) -> This {
        Box::into_raw(Box::new(bound)).cast_const().cast()
    }

    #[inline(always)]
    unsafe fn parts<'a>(this: This) -> (&'a A, &'a Arc<G>) {
        // SAFETY: `pointer` made it from a box, which is alive; one thread at a time uses it.
        let Bound { plugin, game } = unsafe { &*this.cast::<Bound<A, G>>() };
        (plugin, game)
    }

    #[inline(always)]
    unsafe fn parts_mut<'a>(this: This) -> (&'a mut A, &'a Arc<G>) {
        // SAFETY: `pointer` made it from a box, which is alive; one thread at a time uses it.
        let Bound { plugin, game } = unsafe { &mut *this.cast_mut().cast::<Bound<A, G>>() };
        (plugin, game)
    }

    unsafe extern "C" fn copy(this: This, out: *mut This) -> Call {
        // SAFETY: the program passes the pointer of an object with this table.
        let (plugin, game) = unsafe { Self::parts(this) };
        guard::<Self>(|| {
            let copy = Self::pointer(Bound { plugin: plugin.clone(), game: game.clone() });
            // SAFETY: the program passes a place for the copy.
            unsafe { out.write(copy) };
        })
    }

    unsafe extern "C" fn play(
        this: This,
        seed: u64,
        stream: u64,
        stop: *const Pulse,
        out: *mut Episode,
    ) -> Call {
        // SAFETY: the program passes the pointer of an object with this table, and lends the
        // flag for this call.
        let ((agent, game), stop) = unsafe { (Self::parts_mut(this), &*stop) };
        guard::<Self>(|| {
            let mut random = Random::stream(Seed(seed), stream);
            let episode = runner_core::play(&**game, agent, &mut random, stop);
            // SAFETY: the program passes a place for the result.
            unsafe { out.write(episode) };
        })
    }
}

agent_interface! { interface_export [[A: AgentPlugin, G: Proxy] Exported<A, G>, TABLE; AgentTable {
    copy: Self::copy,
    holds_rules: G::HOLDS_RULES,
    play: Self::play,
}] }
