//! An exported agent, bound to the game that it was built for.

use super::{OwnedContext, build, identity};
use crate::abi::This;
use crate::abi::agent::{
    AbiActionValue, AbiAnalysis, AbiFact, AbiFactValue, AgentObject, AgentTable,
};
use crate::abi::build::BuildResult;
use crate::abi::call::{Call, In, Out, Position, StopFlag};
use crate::abi::extension::ExtensionHeader;
use crate::abi::game::GameObject;
use crate::abi::library::{AbiContext, AgentEntry};
use crate::guard::{Labelled, full_label, guard};
use crate::proxy::{DynGame, TableGame};
use abi_stable::std_types::{ROption, RStr, RString};
use runner_core::{
    Action, AgentPlugin, Analysis, Episode, Fact, Game, Random, Seed, Successors, Turn,
};
use std::marker::PhantomData;
use std::ptr;
use std::sync::Arc;

/// Returns the entry of an agent in its library's contents.
pub fn agent_entry<A: AgentPlugin>() -> AgentEntry {
    AgentEntry { identity: identity::<A>(), build: build_agent::<A> }
}

/// An agent with the game that it was built for.
struct BoundAgent<A, G> {
    agent: A,
    game: Arc<G>,
    /// The pointer of the game's object.
    object: This,
}

struct Label<A>(PhantomData<A>);

impl<A: AgentPlugin> Labelled for Label<A> {
    fn label() -> String {
        format!("agent `{}`", A::NAME)
    }
}

unsafe extern "C" fn build_agent<A: AgentPlugin>(
    spec: RStr<'_>,
    context: &AbiContext<'_>,
    out: *mut BuildResult<AgentObject>,
) -> Call {
    let new = |config| {
        // SAFETY: the context's objects live for the length of this call.
        let owned = unsafe { OwnedContext::new(context) }?;
        let agent = A::new(config, &owned.context())?;
        // The proxy is chosen once, here: the agent is instantiated for both.
        Ok(match TableGame::over(&owned.game) {
            Some(game) => object(agent, Arc::new(game), &owned.game),
            None => object(agent, owned.game.clone(), &owned.game),
        })
    };
    // SAFETY: the caller passes a place for the result.
    unsafe { build::<A, Label<A>, _>(spec, out, new) }
}

fn object<A: AgentPlugin, G: Proxy>(agent: A, game: Arc<G>, bound: &DynGame) -> AgentObject {
    let bound = BoundAgent { agent, game, object: bound.object().this };
    let this = Box::into_raw(Box::new(bound));
    AgentObject { this: this.cast_const().cast(), table: Table::<A, G>::TABLE }
}

/// The proxies that an agent plays on.
trait Proxy: Game + 'static {
    /// True if moves do not call the game.
    const HOLDS_RULES: bool;
}

impl Proxy for DynGame {
    const HOLDS_RULES: bool = false;
}

impl Proxy for TableGame {
    const HOLDS_RULES: bool = true;
}

/// Runs `$body` with `$game` as the bound game, or the one that the caller passed.
macro_rules! with_game {
    ($bound:expr, $borrowed:expr, |$game:ident| $body:expr) => {
        if $borrowed.is_null() {
            let $game = &*$bound;
            $body
        } else {
            // SAFETY: a pointer that is not null is a game that is valid during this call.
            let borrowed = unsafe { DynGame::borrowed(*$borrowed) };
            let $game = &borrowed;
            $body
        }
    };
}

struct Table<A, G>(PhantomData<(A, G)>);

// SAFETY, for every function below: the ABI demands that `this` is the pointer of an object
// with this very table, which `object` made from a `Box<BoundAgent<A, G>>`, and that one
// thread at a time calls it. The other pointers come from a proxy, which passes valid
// ones; the layouts behind them are compared when a library is loaded.
impl<A: AgentPlugin, G: Proxy> Table<A, G> {
    const TABLE: &'static AgentTable = &AgentTable {
        copy: Self::copy,
        release: Self::release,
        extension: Self::extension,
        label: Self::label,
        game: Self::game,
        begin: Self::begin,
        act: Self::act,
        end: Self::end,
        analyse: Self::analyse,
        threads: Self::threads,
        holds_rules: G::HOLDS_RULES,
        play: Self::play,
    };

    #[inline(always)]
    unsafe fn shared<'a>(this: This) -> &'a BoundAgent<A, G> {
        // SAFETY: see above; the caller does not change the agent meanwhile.
        unsafe { &*this.cast::<BoundAgent<A, G>>() }
    }

    #[inline(always)]
    unsafe fn exclusive<'a>(this: This) -> &'a mut BoundAgent<A, G> {
        // SAFETY: see above; the caller has exclusive access to the agent.
        unsafe { &mut *this.cast_mut().cast::<BoundAgent<A, G>>() }
    }

    unsafe extern "C" fn copy(this: This, out: *mut This) -> Call {
        // SAFETY: see above.
        let BoundAgent { agent, game, object } = unsafe { Self::shared(this) };
        guard::<Label<A>>(|| {
            let copy = BoundAgent { agent: agent.clone(), game: game.clone(), object: *object };
            let copy = Box::into_raw(Box::new(copy));
            // SAFETY: see above.
            unsafe { out.write(copy.cast_const().cast()) };
        })
    }

    unsafe extern "C" fn release(this: This) {
        // A panic while dropping cannot be reported.
        drop(guard::<Label<A>>(|| {
            // SAFETY: see above; the caller gives up the object.
            drop(unsafe { Box::from_raw(this.cast_mut().cast::<BoundAgent<A, G>>()) });
        }));
    }

    unsafe extern "C" fn extension(_: This, _: u64) -> *const ExtensionHeader {
        ptr::null()
    }

    unsafe extern "C" fn label(_: This, out: *mut RString) -> Call {
        // SAFETY: see above.
        guard::<Label<A>>(|| unsafe { out.write(full_label::<Label<A>>().into()) })
    }

    unsafe extern "C" fn game(this: This) -> This {
        // SAFETY: see above.
        unsafe { Self::shared(this) }.object
    }

    unsafe extern "C" fn begin(this: This, borrowed: *const GameObject, start: Position) -> Call {
        // SAFETY: see above.
        let BoundAgent { agent, game, .. } = unsafe { Self::exclusive(this) };
        guard::<Label<A>>(|| with_game!(*game, borrowed, |game| agent.begin(game, start.into())))
    }

    unsafe extern "C" fn act(
        this: This,
        borrowed: *const GameObject,
        state: Position,
        successors: In<Successors>,
        random: u64,
        out: *mut ROption<u8>,
    ) -> Call {
        // SAFETY: see above.
        let (bound, successors) = unsafe { (Self::exclusive(this), &*successors.0) };
        let BoundAgent { agent, game, .. } = bound;
        let turn = Turn { state: state.into(), successors, random };
        guard::<Label<A>>(|| {
            let choice = with_game!(*game, borrowed, |game| agent.act(game, &turn));
            // SAFETY: see above.
            unsafe { out.write(choice.map(|action| action.0).into()) };
        })
    }

    unsafe extern "C" fn end(this: This, borrowed: *const GameObject, last: Position) -> Call {
        // SAFETY: see above.
        let BoundAgent { agent, game, .. } = unsafe { Self::exclusive(this) };
        guard::<Label<A>>(|| with_game!(*game, borrowed, |game| agent.end(game, last.into())))
    }

    unsafe extern "C" fn analyse(
        this: This,
        borrowed: *const GameObject,
        state: Position,
        successors: In<Successors>,
        random: u64,
        out: *mut AbiAnalysis,
    ) -> Call {
        // SAFETY: see above.
        let (bound, successors) = unsafe { (Self::exclusive(this), &*successors.0) };
        let BoundAgent { agent, game, .. } = bound;
        let turn = Turn { state: state.into(), successors, random };
        guard::<Label<A>>(|| {
            let analysis = with_game!(*game, borrowed, |game| agent.analyse(game, &turn));
            // SAFETY: see above.
            unsafe { out.write(to_abi_analysis(analysis)) };
        })
    }

    unsafe extern "C" fn threads(this: This, out: *mut usize) -> Call {
        // SAFETY: see above.
        let agent = &unsafe { Self::shared(this) }.agent;
        // SAFETY: see above.
        guard::<Label<A>>(|| unsafe { out.write(agent.threads().max(1)) })
    }

    unsafe extern "C" fn play(
        this: This,
        seed: u64,
        stream: u64,
        stop: StopFlag,
        out: Out<Episode>,
    ) -> Call {
        // SAFETY: see above.
        let (bound, stop) = unsafe { (Self::exclusive(this), &*stop.0) };
        let BoundAgent { agent, game, .. } = bound;
        guard::<Label<A>>(|| {
            let mut random = Random::stream(Seed(seed), stream);
            let episode = runner_core::play(&**game, agent, &mut random, stop);
            // SAFETY: see above.
            unsafe { out.0.write(episode) };
        })
    }
}

fn to_abi_analysis(analysis: Analysis) -> AbiAnalysis {
    let Analysis { choice, action_values, facts } = analysis;
    let value = |(action, value): (Action, f32)| AbiActionValue { action: action.0, value };
    let fact = |(name, fact): (String, Fact)| {
        let fact = match fact {
            Fact::Count(count) => AbiFactValue::Count(count),
            Fact::Number(number) => AbiFactValue::Number(number),
            Fact::Text(text) => AbiFactValue::Text(text.into()),
        };
        AbiFact { name: name.into(), fact }
    };
    AbiAnalysis {
        choice: choice.map(|action| action.0).into(),
        action_values: action_values.into_iter().map(value).collect(),
        facts: facts.into_iter().map(fact).collect(),
    }
}
