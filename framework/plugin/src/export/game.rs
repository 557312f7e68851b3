//! A game as an object.

use super::{build, identity};
use crate::abi::{
    AgentObject, BuildRefused, Built, GameEntry, GameObject, GameTable, Number, Position, Status,
    Tables, TextRefused, This, WeightedPosition,
};
use crate::guard::{Faulted, Who, guard, take_fault};
use crate::proxy::RemoteAgent;
use abi_stable::std_types::{ROption, RResult, RStr, RString, RVec};
use runner_core::{
    Action, Episode, GamePlugin, Outcomes, Playouts, Random, Seed, Successor, Successors,
};
use std::marker::PhantomData;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The entry of a game in its library's contents.
pub fn game_entry<G: GamePlugin>() -> GameEntry {
    GameEntry { identity: identity::<G>(), build: build_game::<G> }
}

struct TheGame<G>(PhantomData<G>);

impl<G: GamePlugin> Who for TheGame<G> {
    fn who() -> String {
        format!("game `{}`", G::NAME)
    }
}

unsafe extern "C" fn build_game<G: GamePlugin>(
    spec: RStr<'_>,
) -> RResult<Built<GameObject>, BuildRefused> {
    build::<G, TheGame<G>, _>(spec, |config| G::alone(config)).map(|(game, spec)| Built {
        object: GameObject { this: Arc::into_raw(Arc::new(game)).cast(), table: Table::<G>::TABLE },
        spec,
    })
}

struct Table<G>(PhantomData<G>);

// SAFETY, for every function below: the ABI demands that `this` is the pointer of
// an object with this very table, which `build_game` made from an `Arc<G>` and
// which lives until its last owner has released it. Pointers to successors,
// outcomes and results come from a proxy, which passes valid, exclusive ones;
// their layout is checked when a library is loaded (`CORE_LAYOUT`).
impl<G: GamePlugin> Table<G> {
    const TABLE: &'static GameTable = &GameTable {
        share: Self::share,
        release: Self::release,
        take_fault,
        extension: Self::extension,
        describe: Self::describe,
        start: Self::start,
        successors: Self::successors,
        successor: Self::successor,
        outcomes: Self::outcomes,
        spawn: Self::spawn,
        chance_reward: Self::chance_reward,
        has_chance_rewards: Self::has_chance_rewards,
        starts: Self::starts,
        write: Self::write,
        write_afterstate: Self::write_afterstate,
        parse: Self::parse,
        max_tile: Self::max_tile,
        layer: Self::layer,
        transform: Self::transform,
        transform_afterstate: Self::transform_afterstate,
        canonical: Self::canonical,
        canonical_afterstate: Self::canonical_afterstate,
        row_tables: Self::row_tables,
        playouts: Self::playouts,
        play: Self::play,
    };

    #[inline(always)]
    unsafe fn game<'a>(this: This) -> &'a G {
        // SAFETY: see above.
        unsafe { &*this.cast::<G>() }
    }

    unsafe extern "C" fn share(this: This) {
        // SAFETY: see above.
        unsafe { Arc::increment_strong_count(this.cast::<G>()) };
    }

    unsafe extern "C" fn release(this: This) {
        // A game whose drop panics has nothing left to report to.
        // SAFETY: see above.
        let _ = guard::<TheGame<G>, _>(|| unsafe { Arc::decrement_strong_count(this.cast::<G>()) });
    }

    unsafe extern "C" fn extension(_: This, _: u64) -> *const u8 {
        ptr::null()
    }

    unsafe extern "C" fn describe(this: This) -> RResult<RString, RString> {
        let text = guard::<TheGame<G>, _>(|| {
            // SAFETY: see above.
            ron::to_string(unsafe { Self::game(this) }.description())
        });
        match text {
            Ok(Ok(text)) => RResult::ROk(text.into()),
            Ok(Err(error)) => RResult::RErr(error.to_string().into()),
            Err(fault) => RResult::RErr(fault.into()),
        }
    }

    unsafe extern "C" fn start(this: This, random: u64) -> Position {
        // SAFETY: see above.
        position(guard::<TheGame<G>, _>(|| unsafe { Self::game(this) }.start(random).into()))
    }

    unsafe extern "C" fn successors(this: This, state: Position, out: *mut u8) -> Status {
        // SAFETY: see above.
        let (game, out) = unsafe { (Self::game(this), &mut *out.cast::<Successors>()) };
        status(guard::<TheGame<G>, _>(|| game.successors(state.into(), out)))
    }

    unsafe extern "C" fn successor(
        this: This,
        state: Position,
        action: u8,
        out: *mut u8,
    ) -> Status {
        // SAFETY: see above.
        let game = unsafe { Self::game(this) };
        match guard::<TheGame<G>, _>(|| game.successor(state.into(), Action(action))) {
            Ok(Some(successor)) => {
                // SAFETY: see above.
                unsafe { out.cast::<Successor>().write(successor) };
                Status::Done
            }
            Ok(None) => Status::None,
            Err(_) => Status::Fault,
        }
    }

    unsafe extern "C" fn outcomes(this: This, afterstate: Position, out: *mut u8) -> Status {
        // SAFETY: see above.
        let (game, out) = unsafe { (Self::game(this), &mut *out.cast::<Outcomes>()) };
        status(guard::<TheGame<G>, _>(|| game.outcomes(afterstate.into(), out)))
    }

    unsafe extern "C" fn spawn(this: This, afterstate: Position, random: u64) -> Position {
        // SAFETY: see above.
        let game = unsafe { Self::game(this) };
        position(guard::<TheGame<G>, _>(|| game.spawn(afterstate.into(), random).into()))
    }

    unsafe extern "C" fn chance_reward(this: This, from: ROption<Position>, to: Position) -> f32 {
        // SAFETY: see above.
        let game = unsafe { Self::game(this) };
        let from = from.map(Into::into).into_option();
        guard::<TheGame<G>, _>(|| game.chance_reward(from, to.into())).unwrap_or(f32::NAN)
    }

    unsafe extern "C" fn has_chance_rewards(this: This) -> Status {
        // SAFETY: see above.
        match guard::<TheGame<G>, _>(|| unsafe { Self::game(this) }.has_chance_rewards()) {
            Ok(true) => Status::Done,
            Ok(false) => Status::None,
            Err(_) => Status::Fault,
        }
    }

    unsafe extern "C" fn starts(this: This) -> RResult<ROption<RVec<WeightedPosition>>, RString> {
        // SAFETY: see above.
        text_of(guard::<TheGame<G>, _>(|| unsafe { Self::game(this) }.starts())).map(|starts| {
            let weigh = |o: runner_core::Outcome| WeightedPosition {
                position: o.state.into(),
                probability: o.probability,
            };
            starts.map(|list| list.into_iter().map(weigh).collect::<RVec<_>>()).into()
        })
    }

    unsafe extern "C" fn write(this: This, state: Position) -> RResult<RString, RString> {
        // SAFETY: see above.
        let game = unsafe { Self::game(this) };
        text_of(guard::<TheGame<G>, _>(|| game.write(state.into()).into()))
    }

    unsafe extern "C" fn write_afterstate(
        this: This,
        afterstate: Position,
    ) -> RResult<RString, RString> {
        // SAFETY: see above.
        let game = unsafe { Self::game(this) };
        text_of(guard::<TheGame<G>, _>(|| game.write_afterstate(afterstate.into()).into()))
    }

    unsafe extern "C" fn parse(
        this: This,
        text: RStr<'_>,
    ) -> RResult<RResult<Position, TextRefused>, RString> {
        // SAFETY: see above.
        let game = unsafe { Self::game(this) };
        text_of(guard::<TheGame<G>, _>(|| game.parse(text.as_str()))).map(|parsed| {
            parsed
                .map(Position::from)
                .map_err(|e| TextRefused { at: e.at, message: e.message.into() })
                .into()
        })
    }

    unsafe extern "C" fn max_tile(this: This, state: Position) -> Number {
        // SAFETY: see above.
        let game = unsafe { Self::game(this) };
        number(guard::<TheGame<G>, _>(|| game.max_tile(state.into())))
    }

    unsafe extern "C" fn layer(this: This, state: Position) -> Number {
        // SAFETY: see above.
        let game = unsafe { Self::game(this) };
        number(guard::<TheGame<G>, _>(|| game.layer(state.into())))
    }

    unsafe extern "C" fn transform(this: This, state: Position, symmetry: usize) -> Position {
        // SAFETY: see above.
        let game = unsafe { Self::game(this) };
        position(guard::<TheGame<G>, _>(|| game.transform(state.into(), symmetry).into()))
    }

    unsafe extern "C" fn transform_afterstate(
        this: This,
        afterstate: Position,
        symmetry: usize,
    ) -> Position {
        // SAFETY: see above.
        let game = unsafe { Self::game(this) };
        position(guard::<TheGame<G>, _>(|| {
            game.transform_afterstate(afterstate.into(), symmetry).into()
        }))
    }

    unsafe extern "C" fn canonical(this: This, state: Position) -> Position {
        // SAFETY: see above.
        let game = unsafe { Self::game(this) };
        position(guard::<TheGame<G>, _>(|| game.canonical(state.into()).into()))
    }

    unsafe extern "C" fn canonical_afterstate(this: This, afterstate: Position) -> Position {
        // SAFETY: see above.
        let game = unsafe { Self::game(this) };
        position(guard::<TheGame<G>, _>(|| game.canonical_afterstate(afterstate.into()).into()))
    }

    unsafe extern "C" fn row_tables(this: This) -> ROption<Tables> {
        // SAFETY: see above.
        let tables = guard::<TheGame<G>, _>(|| unsafe { Self::game(this) }.row_tables());
        // The tables are borrowed from the game, so they live as long.
        tables
            .ok()
            .flatten()
            .map(|tables| Tables {
                across: ptr::from_ref(&**tables.tables().0).cast(),
                down: ptr::from_ref(&**tables.tables().1).cast(),
                entries: tables.entries().as_ptr().cast(),
                entry_count: tables.entries().len(),
                layer_is_sum: tables.layer_is_sum(),
            })
            .into()
    }

    unsafe extern "C" fn playouts(
        this: This,
        state: Position,
        games: u64,
        random: u64,
        out: *mut u8,
    ) -> Status {
        // SAFETY: see above.
        let game = unsafe { Self::game(this) };
        status(guard::<TheGame<G>, _>(|| {
            let result = game.playouts(state.into(), games, random);
            // SAFETY: see above.
            unsafe { out.cast::<Playouts>().write(result) };
        }))
    }

    unsafe extern "C" fn play(
        this: This,
        agent: AgentObject,
        seed: u64,
        stream: u64,
        stop: *const u8,
        out: *mut u8,
    ) -> Status {
        // SAFETY: see above; the caller lends the agent for the length of this call.
        let (game, mut agent, stop) =
            unsafe { (Self::game(this), RemoteAgent::lent(agent), &*stop.cast::<AtomicBool>()) };
        status(guard::<TheGame<G>, _>(|| {
            let mut random = Random::stream(Seed(seed), stream);
            let episode = runner_core::play(game, &mut agent, &mut random, stop);
            // SAFETY: see above.
            unsafe { out.cast::<Episode>().write(episode) };
        }))
    }
}

#[inline(always)]
fn status(result: Result<(), Faulted>) -> Status {
    if result.is_ok() { Status::Done } else { Status::Fault }
}

#[inline(always)]
fn position(result: Result<Position, Faulted>) -> Position {
    result.unwrap_or(Position::RESERVED)
}

fn number(result: Result<Option<u64>, Faulted>) -> Number {
    match result {
        Ok(Some(number)) => Number { status: Status::Done, number },
        Ok(None) => Number { status: Status::None, number: 0 },
        Err(_) => Number { status: Status::Fault, number: 0 },
    }
}

fn text_of<T>(result: Result<T, Faulted>) -> RResult<T, RString> {
    result.map_err(RString::from).into()
}
