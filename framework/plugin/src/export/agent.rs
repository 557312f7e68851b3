//! An agent as an object, bound to the game that it plays.

use super::{OwnedSite, build, identity};
use crate::abi::{
    AbiAnalysis, AbiFact, ActionWorth, AgentEntry, AgentFact, AgentObject, AgentTable,
    BuildRefused, BuildSite, Built, Position, Status, This, answer,
};
use crate::guard::{Who, guard, take_fault};
use crate::proxy::{DynGame, TableGame};
use abi_stable::std_types::{ROption, RResult, RStr};
use runner_core::{
    Action, AgentPlugin, Analysis, Episode, Fact, Game, Random, Seed, Successors, Turn,
};
use std::marker::PhantomData;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The entry of an agent in its library's contents.
pub fn agent_entry<A: AgentPlugin>() -> AgentEntry {
    AgentEntry { identity: identity::<A>(), build: build_agent::<A> }
}

/// An agent with its game.
struct Seat<A, G> {
    agent: A,
    game: Arc<G>,
}

struct TheAgent<A>(PhantomData<A>);

impl<A: AgentPlugin> Who for TheAgent<A> {
    fn who() -> String {
        format!("agent `{}`", A::NAME)
    }
}

unsafe extern "C" fn build_agent<A: AgentPlugin>(
    spec: RStr<'_>,
    site: &BuildSite<'_>,
) -> RResult<Built<AgentObject>, BuildRefused> {
    build::<A, TheAgent<A>, _>(spec, |config| {
        // SAFETY: the site's objects live for the length of this call.
        let site = unsafe { OwnedSite::new(site) }?;
        let agent = A::new(config, &site.site())?;
        // The proxy is chosen here, once: an agent is instantiated for both.
        Ok(match TableGame::over(&site.game) {
            Some(game) => seat(agent, Arc::new(game)),
            None => seat(agent, site.game),
        })
    })
    .map(|(object, spec)| Built { object, spec })
}

fn seat<A: AgentPlugin, G: Proxy>(agent: A, game: Arc<G>) -> AgentObject {
    let this = Box::into_raw(Box::new(Seat { agent, game }));
    AgentObject { this: this.cast_const().cast(), table: Table::<A, G>::TABLE }
}

/// How a proxy gets at the rules.
trait Proxy: Game + 'static {
    /// Whether moving calls nobody.
    const HOLDS_RULES: bool;
}

impl Proxy for DynGame {
    const HOLDS_RULES: bool = false;
}

impl Proxy for TableGame {
    const HOLDS_RULES: bool = true;
}

struct Table<A, G>(PhantomData<(A, G)>);

// SAFETY, for every function below: the ABI demands that `this` is the pointer of
// an object with this very table, which `seat` made from a `Box<Seat<A, G>>`, and
// that one thread at a time calls it. The successors come from a proxy, which
// passes a valid reference; their layout was checked at load.
impl<A: AgentPlugin, G: Proxy> Table<A, G> {
    const TABLE: &'static AgentTable = &AgentTable {
        copy: Self::copy,
        release: Self::release,
        take_fault,
        extension: Self::extension,
        begin: Self::begin,
        act: Self::act,
        end: Self::end,
        analyse: Self::analyse,
        threads: Self::threads,
        holds_rules: G::HOLDS_RULES,
        play: Self::play,
    };

    #[inline(always)]
    unsafe fn seat<'a>(this: This) -> &'a mut Seat<A, G> {
        // SAFETY: see above.
        unsafe { &mut *this.cast_mut().cast::<Seat<A, G>>() }
    }

    unsafe extern "C" fn copy(this: This) -> This {
        // SAFETY: see above.
        let seat = unsafe { Self::seat(this) };
        let copy = guard::<TheAgent<A>, _>(|| {
            Box::into_raw(Box::new(Seat { agent: seat.agent.clone(), game: seat.game.clone() }))
        });
        copy.map_or(ptr::null(), |copy| copy.cast_const().cast())
    }

    unsafe extern "C" fn release(this: This) {
        // An agent whose drop panics has nothing left to report to.
        let _ = guard::<TheAgent<A>, _>(|| {
            // SAFETY: see above; the caller gives up the object.
            drop(unsafe { Box::from_raw(this.cast_mut().cast::<Seat<A, G>>()) });
        });
    }

    unsafe extern "C" fn extension(_: This, _: u64) -> *const u8 {
        ptr::null()
    }

    unsafe extern "C" fn begin(this: This, start: Position) -> Status {
        // SAFETY: see above.
        let Seat { agent, game } = unsafe { Self::seat(this) };
        match guard::<TheAgent<A>, _>(|| agent.begin(&**game, start.into())) {
            Ok(()) => Status::Done,
            Err(_) => Status::Fault,
        }
    }

    unsafe extern "C" fn act(
        this: This,
        state: Position,
        successors: *const u8,
        random: u64,
    ) -> i32 {
        // SAFETY: see above.
        let (seat, successors) = unsafe { (Self::seat(this), &*successors.cast::<Successors>()) };
        let Seat { agent, game } = seat;
        let turn = Turn { state: state.into(), successors, random };
        match guard::<TheAgent<A>, _>(|| agent.act(&**game, &turn)) {
            Ok(Some(action)) => i32::from(action.0),
            Ok(None) => answer::STOP,
            Err(_) => answer::FAULT,
        }
    }

    unsafe extern "C" fn end(this: This, last: Position) -> Status {
        // SAFETY: see above.
        let Seat { agent, game } = unsafe { Self::seat(this) };
        match guard::<TheAgent<A>, _>(|| agent.end(&**game, last.into())) {
            Ok(()) => Status::Done,
            Err(_) => Status::Fault,
        }
    }

    unsafe extern "C" fn analyse(
        this: This,
        state: Position,
        successors: *const u8,
        random: u64,
    ) -> ROption<AbiAnalysis> {
        // SAFETY: see above.
        let (seat, successors) = unsafe { (Self::seat(this), &*successors.cast::<Successors>()) };
        let Seat { agent, game } = seat;
        let turn = Turn { state: state.into(), successors, random };
        let thoughts = guard::<TheAgent<A>, _>(|| agent.analyse(&**game, &turn));
        thoughts.ok().map(to_abi_thoughts).into()
    }

    unsafe extern "C" fn threads(this: This) -> usize {
        // SAFETY: see above.
        let seat = unsafe { Self::seat(this) };
        guard::<TheAgent<A>, _>(|| seat.agent.threads().max(1)).unwrap_or(0)
    }

    unsafe extern "C" fn play(
        this: This,
        seed: u64,
        stream: u64,
        stop: *const u8,
        out: *mut u8,
    ) -> Status {
        // SAFETY: see above; the flag and the place for the result are valid.
        let (seat, stop) = unsafe { (Self::seat(this), &*stop.cast::<AtomicBool>()) };
        let Seat { agent, game } = seat;
        let played = guard::<TheAgent<A>, _>(|| {
            let mut random = Random::stream(Seed(seed), stream);
            let episode = runner_core::play(&**game, agent, &mut random, stop);
            // SAFETY: as above.
            unsafe { out.cast::<Episode>().write(episode) };
        });
        if played.is_ok() { Status::Done } else { Status::Fault }
    }
}

fn to_abi_thoughts(thoughts: Analysis) -> AbiAnalysis {
    let Analysis { choice, action_values: worths, facts } = thoughts;
    let worth = |(action, worth): (Action, f32)| ActionWorth { action: action.0, worth };
    let fact = |(name, fact): (String, Fact)| {
        let fact = match fact {
            Fact::Count(count) => AbiFact::Count(count),
            Fact::Number(number) => AbiFact::Number(number),
            Fact::Text(text) => AbiFact::Text(text.into()),
        };
        AgentFact { name: name.into(), fact }
    };
    AbiAnalysis {
        choice: choice.map_or(answer::STOP, |action| i32::from(action.0)),
        worths: worths.into_iter().map(worth).collect(),
        facts: facts.into_iter().map(fact).collect(),
    }
}
