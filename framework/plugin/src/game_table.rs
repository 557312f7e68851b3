//! The functions of a game object, for games that a library owns and for games that are
//! borrowed for one call.

use crate::abi::This;
use crate::abi::call::In;
use crate::abi::call::{Call, Out, Position};
use crate::abi::extension::ExtensionHeader;
use crate::abi::game::{GameObject, GameTable, RowTablesView, TextRefused, WeightedPosition};
use crate::guard::{Labelled, full_label, guard};
use abi_stable::std_types::{ROption, RResult, RStr, RString, RVec};
use runner_board::BoardGame;
use runner_core::{
    Action, Fault, Game, GamePlugin, Outcome, Outcomes, Playout, State, Successor, Successors,
};
use std::marker::PhantomData;
use std::sync::Arc;
use std::{ptr, slice};

/// How the functions of a table get from the pointer of an object to its game.
///
/// # Safety
///
/// `game` returns the game of an object whose table is [`Table::TABLE`] of this type.
pub unsafe trait Access: Labelled + 'static {
    /// The type of the game.
    type Game: Game + ?Sized;

    /// Returns the game.
    ///
    /// # Safety
    ///
    /// `this` is the pointer of an object with the table of this type, which is alive.
    unsafe fn game<'a>(this: This) -> &'a Self::Game;

    /// Adds an owner.
    ///
    /// # Safety
    ///
    /// As for `game`.
    unsafe fn share(this: This);

    /// Removes an owner.
    ///
    /// # Safety
    ///
    /// As for `game`; the caller is one of the owners and does not use the object again.
    unsafe fn release(this: This);
}

/// A game that its owners share. The pointer is that of an `Arc<G>`.
pub struct Owned<G>(PhantomData<G>);

impl<G: GamePlugin> Labelled for Owned<G> {
    fn label() -> String {
        format!("game `{}`", G::NAME)
    }
}

impl<G: GamePlugin> Owned<G> {
    /// Turns a game into an object that the caller owns.
    pub fn object(game: G) -> GameObject {
        let this = Arc::into_raw(Arc::new(game)).cast();
        GameObject { this, table: Table::<Self>::TABLE }
    }
}

// SAFETY: `object` makes the pointer from an `Arc<G>`.
unsafe impl<G: GamePlugin> Access for Owned<G> {
    type Game = G;

    #[inline(always)]
    unsafe fn game<'a>(this: This) -> &'a G {
        // SAFETY: the caller's promise.
        unsafe { &*this.cast::<G>() }
    }

    unsafe fn share(this: This) {
        // SAFETY: the caller's promise.
        unsafe { Arc::increment_strong_count(this.cast::<G>()) };
    }

    unsafe fn release(this: This) {
        // SAFETY: the caller's promise.
        unsafe { Arc::decrement_strong_count(this.cast::<G>()) };
    }
}

/// A game that is borrowed for one call. The pointer is that of a `&dyn Game`.
struct Borrowed;

impl Labelled for Borrowed {
    fn label() -> String {
        "the game of the caller".into()
    }
}

// SAFETY: `lend` makes the pointer from a `&dyn Game`.
unsafe impl Access for Borrowed {
    type Game = dyn Game;

    #[inline(always)]
    unsafe fn game<'a>(this: This) -> &'a (dyn Game + 'static) {
        // SAFETY: `lend` passes a reference that outlives every use of the object. Nothing
        // here depends on the lifetime in the type of the trait object.
        unsafe { *this.cast::<&'a (dyn Game + 'static)>() }
    }

    // The borrower does not keep the object, so it is not counted.
    unsafe fn share(_: This) {}

    unsafe fn release(_: This) {}
}

/// Lends a game as an object for the length of `task`, which must not keep it.
pub fn lend<T>(game: &dyn Game, task: impl FnOnce(&GameObject) -> T) -> T {
    let this: This = ptr::from_ref(&game).cast();
    task(&GameObject { this, table: Table::<Borrowed>::TABLE })
}

/// The functions for one kind of access.
struct Table<A>(PhantomData<A>);

// SAFETY, for every function below: the ABI demands that `this` is the pointer of an object
// with this very table, which is alive. Pointers to results come from a proxy, which
// passes valid, exclusive ones; the layouts behind them are compared when a library is
// loaded (`CORE_LAYOUT`).
impl<A: Access> Table<A> {
    const TABLE: &'static GameTable = &GameTable {
        share: Self::share,
        release: Self::release,
        extension: Self::extension,
        label: Self::label,
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
    };

    /// Runs a method of the game and writes its result.
    ///
    /// # Safety
    ///
    /// See above; `out` is valid for one write.
    #[inline(always)]
    unsafe fn answer<T>(this: This, out: *mut T, method: impl FnOnce(&A::Game) -> T) -> Call {
        // SAFETY: the caller's promise.
        let game = unsafe { A::game(this) };
        guard::<A>(|| {
            let answer = method(game);
            // SAFETY: the caller's promise.
            unsafe { out.write(answer) };
        })
    }

    unsafe extern "C" fn share(this: This) {
        // SAFETY: see above.
        unsafe { A::share(this) };
    }

    unsafe extern "C" fn release(this: This) {
        // A panic while dropping cannot be reported.
        // SAFETY: see above; the caller gives up its share.
        drop(guard::<A>(|| unsafe { A::release(this) }));
    }

    unsafe extern "C" fn extension(_: This, _: u64) -> *const ExtensionHeader {
        ptr::null()
    }

    unsafe extern "C" fn label(this: This, out: *mut RString) -> Call {
        // SAFETY: see above.
        unsafe { Self::answer(this, out, |_| full_label::<A>().into()) }
    }

    unsafe extern "C" fn describe(this: This, out: *mut RString) -> Call {
        let describe = |game: &A::Game| match ron::to_string(game.description()) {
            Ok(text) => text.into(),
            Err(error) => Fault::new(format!(
                "{}: the description cannot be written: {error}",
                full_label::<A>()
            ))
            .raise(),
        };
        // SAFETY: see above.
        unsafe { Self::answer(this, out, describe) }
    }

    unsafe extern "C" fn start(this: This, random: u64, out: *mut Position) -> Call {
        // SAFETY: see above.
        unsafe { Self::answer(this, out, |game| game.start(random).into()) }
    }

    unsafe extern "C" fn successors(this: This, state: Position, out: Out<Successors>) -> Call {
        // SAFETY: see above.
        let (game, out) = unsafe { (A::game(this), &mut *out.0) };
        guard::<A>(|| game.successors(state.into(), out))
    }

    unsafe extern "C" fn successor(
        this: This,
        state: Position,
        action: u8,
        out: Out<Successor>,
        legal: *mut bool,
    ) -> Call {
        // SAFETY: see above.
        let game = unsafe { A::game(this) };
        guard::<A>(|| {
            let successor = game.successor(state.into(), Action(action));
            // SAFETY: see above.
            unsafe {
                legal.write(successor.is_some());
                if let Some(successor) = successor {
                    out.0.write(successor);
                }
            }
        })
    }

    unsafe extern "C" fn outcomes(this: This, afterstate: Position, out: Out<Outcomes>) -> Call {
        // SAFETY: see above.
        let (game, out) = unsafe { (A::game(this), &mut *out.0) };
        guard::<A>(|| game.outcomes(afterstate.into(), out))
    }

    unsafe extern "C" fn spawn(
        this: This,
        afterstate: Position,
        random: u64,
        out: *mut Position,
    ) -> Call {
        // SAFETY: see above.
        unsafe { Self::answer(this, out, |game| game.spawn(afterstate.into(), random).into()) }
    }

    unsafe extern "C" fn chance_reward(
        this: This,
        from: ROption<Position>,
        to: Position,
        out: *mut f32,
    ) -> Call {
        let from = from.map(Into::into).into_option();
        // SAFETY: see above.
        unsafe { Self::answer(this, out, |game| game.chance_reward(from, to.into())) }
    }

    unsafe extern "C" fn has_chance_rewards(this: This, out: *mut bool) -> Call {
        // SAFETY: see above.
        unsafe { Self::answer(this, out, |game| game.has_chance_rewards()) }
    }

    unsafe extern "C" fn starts(this: This, out: *mut ROption<RVec<WeightedPosition>>) -> Call {
        let weighted =
            |o: Outcome| WeightedPosition { position: o.state.into(), probability: o.probability };
        let starts = |game: &A::Game| {
            let list = game.starts();
            list.map(|list| list.into_iter().map(weighted).collect::<RVec<_>>()).into()
        };
        // SAFETY: see above.
        unsafe { Self::answer(this, out, starts) }
    }

    unsafe extern "C" fn write(this: This, state: Position, out: *mut RString) -> Call {
        // SAFETY: see above.
        unsafe { Self::answer(this, out, |game| game.write(state.into()).into()) }
    }

    unsafe extern "C" fn write_afterstate(
        this: This,
        afterstate: Position,
        out: *mut RString,
    ) -> Call {
        // SAFETY: see above.
        unsafe { Self::answer(this, out, |game| game.write_afterstate(afterstate.into()).into()) }
    }

    unsafe extern "C" fn parse(
        this: This,
        text: RStr<'_>,
        out: *mut RResult<Position, TextRefused>,
    ) -> Call {
        let parse = |game: &A::Game| {
            let parsed = game.parse(text.as_str()).map(Position::from);
            parsed.map_err(|e| TextRefused { at: e.at, message: e.message.into() }).into()
        };
        // SAFETY: see above.
        unsafe { Self::answer(this, out, parse) }
    }

    unsafe extern "C" fn max_tile(this: This, state: Position, out: *mut ROption<u64>) -> Call {
        // SAFETY: see above.
        unsafe { Self::answer(this, out, |game| game.max_tile(state.into()).into()) }
    }

    unsafe extern "C" fn layer(this: This, state: Position, out: *mut ROption<u64>) -> Call {
        // SAFETY: see above.
        unsafe { Self::answer(this, out, |game| game.layer(state.into()).into()) }
    }

    unsafe extern "C" fn transform(
        this: This,
        state: Position,
        symmetry: usize,
        out: *mut Position,
    ) -> Call {
        // SAFETY: see above.
        unsafe { Self::answer(this, out, |game| game.transform(state.into(), symmetry).into()) }
    }

    unsafe extern "C" fn transform_afterstate(
        this: This,
        afterstate: Position,
        symmetry: usize,
        out: *mut Position,
    ) -> Call {
        let transform =
            |game: &A::Game| game.transform_afterstate(afterstate.into(), symmetry).into();
        // SAFETY: see above.
        unsafe { Self::answer(this, out, transform) }
    }

    unsafe extern "C" fn canonical(this: This, state: Position, out: *mut Position) -> Call {
        // SAFETY: see above.
        unsafe { Self::answer(this, out, |game| game.canonical(state.into()).into()) }
    }

    unsafe extern "C" fn canonical_afterstate(
        this: This,
        afterstate: Position,
        out: *mut Position,
    ) -> Call {
        let canonical = |game: &A::Game| game.canonical_afterstate(afterstate.into()).into();
        // SAFETY: see above.
        unsafe { Self::answer(this, out, canonical) }
    }

    unsafe extern "C" fn row_tables(this: This, out: *mut ROption<RowTablesView>) -> Call {
        // The tables are borrowed from the game, so they live as long.
        let view = |game: &A::Game| {
            let tables = game.row_tables().map(|tables| RowTablesView {
                across: In(ptr::from_ref(&**tables.tables().0)),
                down: In(ptr::from_ref(&**tables.tables().1)),
                entries: In(tables.entries().as_ptr()),
                entry_count: tables.entries().len(),
                layer_is_sum: tables.layer_is_sum(),
                carried_bits: tables.carried_bits(),
            });
            tables.into()
        };
        // SAFETY: see above.
        unsafe { Self::answer(this, out, view) }
    }

    unsafe extern "C" fn playouts(
        this: This,
        starts: In<State>,
        games: usize,
        random: u64,
        out: Out<Playout>,
    ) -> Call {
        // SAFETY: see above.
        let game = unsafe { A::game(this) };
        // SAFETY: the caller passes two lists of this length, and results that are
        // initialized.
        let (starts, results) = unsafe {
            (slice::from_raw_parts(starts.0, games), slice::from_raw_parts_mut(out.0, games))
        };
        guard::<A>(|| game.playouts(starts, random, results))
    }
}
