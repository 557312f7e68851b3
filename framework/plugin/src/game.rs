//! Games: the table of functions, the functions that a library exports, and the loaded game.

use crate::boundary::{
    Erased, List, ListMut, Maybe, Object, Plain, Pointer, Reply, Shared, Table, Target, This,
    from_text, to_text,
};
use crate::layouts::BOARDS;
use crate::tables::RowsRef;
use abi_stable::StableAbi;
use abi_stable::std_types::{RResult, RStr, RString, RVec};
use bytemuck::TransparentWrapper;
use runner_board::RowGame;
use runner_core::rows::RowTables;
use runner_core::{
    Action, Afterstate, Description, Fault, Game, Outcome, Outcomes, Playout, State, Successor,
    Successors, TextError,
};
use std::any::Any;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

/// The functions of a game: the methods of [`Game`]. References, slices and lists are borrowed
/// until a function returns. `random` is 64 random bits.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(unsafe_unconstrained(E), tag = BOARDS)]
pub struct GameTable<E = Erased> {
    /// Returns the description, as RON.
    description: extern "C" fn(This<'_, E>) -> Reply<RString>,
    start: extern "C" fn(This<'_, E>, random: u64) -> Reply<Plain<State>>,
    successors: extern "C" fn(This<'_, E>, Plain<State>, &mut Plain<Successors>) -> Reply<()>,
    outcomes: extern "C" fn(This<'_, E>, Plain<Afterstate>, OutcomesRef<'_>) -> Reply<()>,
    spawn: extern "C" fn(This<'_, E>, Plain<Afterstate>, random: u64) -> Reply<Plain<State>>,
    write: extern "C" fn(This<'_, E>, Plain<State>) -> Reply<RString>,
    write_afterstate: extern "C" fn(This<'_, E>, Plain<Afterstate>) -> Reply<RString>,
    /// Reads a state. The error is a RON tuple of the fields of [`TextError`]: byte and message.
    parse: extern "C" fn(This<'_, E>, RStr<'_>) -> Reply<RResult<Plain<State>, RString>>,
    successor:
        extern "C" fn(This<'_, E>, Plain<State>, Plain<Action>) -> Reply<Maybe<Plain<Successor>>>,
    chance_reward: extern "C" fn(This<'_, E>, Maybe<Plain<Afterstate>>, Plain<State>) -> Reply<f32>,
    has_chance_rewards: extern "C" fn(This<'_, E>) -> Reply<bool>,
    starts: extern "C" fn(This<'_, E>) -> Reply<Maybe<RVec<Plain<Outcome>>>>,
    max_tile: extern "C" fn(This<'_, E>, Plain<State>) -> Reply<Maybe<u64>>,
    layer: extern "C" fn(This<'_, E>, Plain<State>) -> Reply<Maybe<u64>>,
    transform: extern "C" fn(This<'_, E>, Plain<State>, symmetry: usize) -> Reply<Plain<State>>,
    transform_afterstate:
        extern "C" fn(This<'_, E>, Plain<Afterstate>, symmetry: usize) -> Reply<Plain<Afterstate>>,
    canonical_states: extern "C" fn(This<'_, E>, ListMut<'_, State>) -> Reply<()>,
    canonical_afterstates: extern "C" fn(This<'_, E>, ListMut<'_, Afterstate>) -> Reply<()>,
    tables: for<'a> extern "C" fn(This<'a, E>) -> Reply<Maybe<RowsRef<'a>>>,
    playouts: extern "C" fn(
        This<'_, E>,
        starts: List<'_, State>,
        random: u64,
        results: ListMut<'_, Playout>,
    ) -> Reply<()>,
}

// SAFETY: `For<E>` is the same struct.
unsafe impl Table for GameTable {
    type For<E> = GameTable<E>;
}

impl Shared for GameTable {}

/// The caller's list of outcomes, which the game fills. [`Outcomes`] is unsized, so safe code of
/// the game cannot replace the list by another.
#[repr(C)]
#[derive(StableAbi)]
pub struct OutcomesRef<'a> {
    /// Points to the length of the list. The items follow it.
    list: *mut usize,
    capacity: usize,
    borrowed: PhantomData<&'a mut Plain<Outcome>>,
}

impl<'a> OutcomesRef<'a> {
    #[inline(always)]
    fn new(list: &'a mut Outcomes) -> Self {
        let (list, capacity) = list.as_raw();
        Self { list, capacity, borrowed: PhantomData }
    }

    #[inline(always)]
    fn into_list(self) -> &'a mut Outcomes {
        // SAFETY: `new` borrowed the list for `'a`, and `self` is the only copy of the pointer.
        unsafe { Outcomes::from_raw(self.list, self.capacity) }
    }
}

// Exported by a library.

impl<G: Game> GameTable<G> {
    pub const EXPORTS: Self = Self {
        description,
        start,
        successors,
        outcomes,
        spawn,
        write,
        write_afterstate,
        parse,
        successor,
        chance_reward,
        has_chance_rewards,
        starts,
        max_tile,
        layer,
        transform,
        transform_afterstate,
        canonical_states,
        canonical_afterstates,
        tables,
        playouts,
    };
}

extern "C" fn description<G: Game>(game: This<'_, G>) -> Reply<RString> {
    game.answer(|game| to_text(game.description()))
}

extern "C" fn start<G: Game>(game: This<'_, G>, random: u64) -> Reply<Plain<State>> {
    game.answer(|game| Plain(game.start(random)))
}

extern "C" fn successors<G: Game>(
    game: This<'_, G>,
    state: Plain<State>,
    list: &mut Plain<Successors>,
) -> Reply<()> {
    game.answer(|game| game.successors(state.0, &mut list.0))
}

extern "C" fn outcomes<G: Game>(
    game: This<'_, G>,
    afterstate: Plain<Afterstate>,
    list: OutcomesRef<'_>,
) -> Reply<()> {
    game.answer(|game| game.outcomes(afterstate.0, list.into_list()))
}

extern "C" fn spawn<G: Game>(
    game: This<'_, G>,
    afterstate: Plain<Afterstate>,
    random: u64,
) -> Reply<Plain<State>> {
    game.answer(|game| Plain(game.spawn(afterstate.0, random)))
}

extern "C" fn write<G: Game>(game: This<'_, G>, state: Plain<State>) -> Reply<RString> {
    game.answer(|game| game.write(state.0).into())
}

extern "C" fn write_afterstate<G: Game>(
    game: This<'_, G>,
    afterstate: Plain<Afterstate>,
) -> Reply<RString> {
    game.answer(|game| game.write_afterstate(afterstate.0).into())
}

extern "C" fn parse<G: Game>(
    game: This<'_, G>,
    text: RStr<'_>,
) -> Reply<RResult<Plain<State>, RString>> {
    game.answer(|game| match game.parse(text.as_str()) {
        Ok(state) => RResult::ROk(Plain(state)),
        Err(TextError { at, message }) => RResult::RErr(to_text(&(at, message))),
    })
}

extern "C" fn successor<G: Game>(
    game: This<'_, G>,
    state: Plain<State>,
    action: Plain<Action>,
) -> Reply<Maybe<Plain<Successor>>> {
    game.answer(|game| Maybe::from_option(game.successor(state.0, action.0).map(Plain)))
}

extern "C" fn chance_reward<G: Game>(
    game: This<'_, G>,
    from: Maybe<Plain<Afterstate>>,
    to: Plain<State>,
) -> Reply<f32> {
    game.answer(|game| game.chance_reward(from.into_option().map(|from| from.0), to.0))
}

extern "C" fn has_chance_rewards<G: Game>(game: This<'_, G>) -> Reply<bool> {
    game.answer(|game| game.has_chance_rewards())
}

extern "C" fn starts<G: Game>(game: This<'_, G>) -> Reply<Maybe<RVec<Plain<Outcome>>>> {
    game.answer(|game| {
        Maybe::from_option(game.starts().map(|s| s.into_iter().map(Plain).collect()))
    })
}

extern "C" fn max_tile<G: Game>(game: This<'_, G>, state: Plain<State>) -> Reply<Maybe<u64>> {
    game.answer(|game| Maybe::from_option(game.max_tile(state.0)))
}

extern "C" fn layer<G: Game>(game: This<'_, G>, state: Plain<State>) -> Reply<Maybe<u64>> {
    game.answer(|game| Maybe::from_option(game.layer(state.0)))
}

extern "C" fn transform<G: Game>(
    game: This<'_, G>,
    state: Plain<State>,
    symmetry: usize,
) -> Reply<Plain<State>> {
    game.answer(|game| Plain(game.transform(state.0, symmetry)))
}

extern "C" fn transform_afterstate<G: Game>(
    game: This<'_, G>,
    afterstate: Plain<Afterstate>,
    symmetry: usize,
) -> Reply<Plain<Afterstate>> {
    game.answer(|game| Plain(game.transform_afterstate(afterstate.0, symmetry)))
}

extern "C" fn canonical_states<G: Game>(
    game: This<'_, G>,
    states: ListMut<'_, State>,
) -> Reply<()> {
    game.answer(|game| game.canonical_states(Plain::peel_slice_mut(states.into_mut_slice())))
}

extern "C" fn canonical_afterstates<G: Game>(
    game: This<'_, G>,
    states: ListMut<'_, Afterstate>,
) -> Reply<()> {
    game.answer(|game| game.canonical_afterstates(Plain::peel_slice_mut(states.into_mut_slice())))
}

extern "C" fn tables<'a, G: Game>(game: This<'a, G>) -> Reply<Maybe<RowsRef<'a>>> {
    game.answer(|game: &'a G| Maybe::from_option(game.tables().map(RowsRef::of)))
}

extern "C" fn playouts<G: Game>(
    game: This<'_, G>,
    starts: List<'_, State>,
    random: u64,
    results: ListMut<'_, Playout>,
) -> Reply<()> {
    let starts = Plain::peel_slice(starts.as_slice());
    game.answer(|game| {
        game.playouts(starts, random, Plain::peel_slice_mut(results.into_mut_slice()));
    })
}

// Games that other plugins play.

/// The game that a value or an agent plays in a call. `None` means the game that it was built for.
/// Another game is borrowed until the call returns.
pub type GameRef<'a> = Option<&'a Object<GameTable>>;

/// Calls `task` with the game to pass to a value or an agent that was built for the game `own`.
#[inline(always)]
pub fn pass_game<G: Game, R>(game: &G, own: Pointer, task: impl FnOnce(GameRef<'_>) -> R) -> R {
    match game.as_loaded().and_then(|loaded| loaded.downcast_ref::<DynGame>()) {
        Some(loaded) if loaded.object.target() == own => task(None),
        Some(loaded) => task(Some(&loaded.object)),
        None => pass_local(&game, task),
    }
}

/// Passes a game whose code is on this side, such as a wrapper. Not inlined: it is rare.
#[cold]
#[inline(never)]
fn pass_local<R>(game: &dyn Game, task: impl FnOnce(GameRef<'_>) -> R) -> R {
    let target = Target { label: || "the game of the caller".into(), implementation: game };
    Object::lend(&target, &GameTable::<&dyn Game>::EXPORTS, |object| task(Some(object)))
}

/// The target of a value or an agent: the plugin, and the game that it was built for.
#[derive(Clone)]
pub struct ForGame<P> {
    pub plugin: P,
    pub game: Arc<RowGame<DynGame>>,
}

impl<P> ForGame<P> {
    pub fn new(plugin: P, game: DynGame) -> Self {
        Self { plugin, game: Arc::new(game.into_row_game()) }
    }
}

/// Calls `task` with the game that was passed, or with `own`, the game that the plugin was built
/// for, if none was.
#[inline(always)]
pub fn with_game<R>(
    own: &RowGame<DynGame>,
    passed: GameRef<'_>,
    task: impl FnOnce(&RowGame<DynGame>) -> R,
) -> R {
    // Both cases share one call of `task`, so that it is compiled once.
    let borrowed;
    let played = match passed {
        None => own,
        Some(object) => {
            // SAFETY: `object` is borrowed until this function returns, which drops `borrowed`.
            borrowed = RowGame::new(None, DynGame::new(unsafe { object.borrow() }));
            &borrowed
        }
    };
    task(played)
}

/// A loaded game that plays by a copy of its row tables, if it has them.
pub type TableGame = RowGame<Arc<DynGame>>;

/// The greatest difference from 1 that the sum of the probabilities of a loaded game may have.
const PROBABILITY_SLACK: f64 = 1e-6;

/// A game behind the plugin boundary. Calls check their results: numbers must be finite, positions
/// must not be the reserved one, and the probabilities of outcomes must sum to 1.
///
/// It cannot be cloned, because it may be borrowed for the length of a call. Owners share it as an
/// `Arc`.
///
/// ```compile_fail,E0599
/// fn keep(borrowed: &runner_plugin::DynGame) -> runner_plugin::DynGame {
///     borrowed.clone()
/// }
/// ```
pub struct DynGame {
    pub(crate) object: Object<GameTable>,
    description: OnceLock<Description>,
}

impl DynGame {
    pub(crate) fn new(object: Object<GameTable>) -> Self {
        Self { object, description: OnceLock::new() }
    }

    /// Returns the description, which crosses and is checked at the first call.
    pub(crate) fn try_description(&self) -> Result<&Description, Fault> {
        if let Some(known) = self.description.get() {
            return Ok(known);
        }
        let text = self.object.ask(|vtable, this| (vtable.description)(this));
        let description = ron::from_str::<Description>(&text)
            .map_err(|error| format!("the description cannot be read: {error}"))
            .and_then(|description| description.check().map(|()| description))
            .map_err(|wrong| Fault::new(format!("{}: {wrong}", self.object.label())))?;
        Ok(self.description.get_or_init(|| description))
    }

    /// Returns a shared game that plays by a copy of its row tables; `None` if it has none.
    pub fn with_tables(self: &Arc<Self>) -> Option<TableGame> {
        Some(TableGame::new(Some(self.copy_row_tables()?), self.clone()))
    }

    /// Returns a game that plays by a copy of its row tables if it has them, else by calls.
    pub(crate) fn into_row_game(self) -> RowGame<Self> {
        RowGame::new(self.copy_row_tables(), self)
    }

    fn copy_row_tables(&self) -> Option<RowTables> {
        let board = self.description().geometry.as_ref()?;
        let tables = self.object.ask(|vtable, this| (vtable.tables)(this)).into_option()?;
        tables.copy(board.rows, board.cols)
    }

    /// Raises the fault of a wrong result of a function, which `describe` puts in words.
    #[cold]
    #[inline(never)]
    fn raise_wrong_result(&self, function: &str, describe: impl FnOnce() -> String) -> ! {
        let label = self.object.label();
        Fault::new(format!("{label}: `{function}` returned {}", describe())).raise()
    }

    #[inline(always)]
    fn check_position(&self, function: &str, position: State) {
        if position == State::RESERVED {
            self.raise_wrong_result(function, || "the reserved position, all bits set".to_owned());
        }
    }

    #[inline(always)]
    fn check_successors(&self, function: &str, successors: &[Successor]) {
        let actions = self.description().actions.len();
        let is_wrong = |successor: &&Successor| {
            !successor.reward.is_finite() || successor.action.index() >= actions
        };
        if let Some(wrong) = successors.iter().find(is_wrong) {
            self.raise_wrong_result(function, || {
                let action = self.description().action_name(wrong.action);
                if wrong.reward.is_finite() {
                    format!("{action}; the description lists {actions} actions")
                } else {
                    format!("the reward {} for `{action}`", wrong.reward)
                }
            });
        }
    }

    #[inline(always)]
    fn check_distribution(&self, afterstate: Afterstate, out: &Outcomes) {
        let is_right = (out.total() - 1.0).abs() <= PROBABILITY_SLACK;
        if !is_right {
            self.raise_wrong_result("outcomes", || {
                let (n, sum) = (out.len(), out.total());
                let what = match n {
                    0 => "no outcomes at all".to_owned(),
                    _ => format!("{n} outcomes whose probabilities sum to {sum} instead of 1"),
                };
                format!("{what}, after {}", self.write_afterstate(afterstate))
            });
        }
    }
}

#[warn(clippy::missing_trait_methods)]
impl Game for DynGame {
    fn description(&self) -> &Description {
        self.try_description().unwrap_or_else(|fault| fault.raise())
    }

    #[inline]
    fn start(&self, random: u64) -> State {
        let Plain(state) = self.object.ask(|vtable, this| (vtable.start)(this, random));
        self.check_position("start", state);
        state
    }

    #[inline]
    fn successors(&self, state: State, out: &mut Successors) {
        let list = Plain::wrap_mut(out);
        self.object.ask(|vtable, this| (vtable.successors)(this, Plain(state), list));
        self.check_successors("successors", out);
    }

    #[inline]
    fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        let list = OutcomesRef::new(out);
        self.object.ask(|vtable, this| (vtable.outcomes)(this, Plain(afterstate), list));
        self.check_distribution(afterstate, out);
    }

    #[inline]
    fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        let Plain(state) =
            self.object.ask(|vtable, this| (vtable.spawn)(this, Plain(afterstate), random));
        self.check_position("spawn", state);
        state
    }

    fn write(&self, state: State) -> String {
        self.object.ask(|vtable, this| (vtable.write)(this, Plain(state))).into()
    }

    fn write_afterstate(&self, afterstate: Afterstate) -> String {
        self.object.ask(|vtable, this| (vtable.write_afterstate)(this, Plain(afterstate))).into()
    }

    fn parse(&self, text: &str) -> Result<State, TextError> {
        let parsed = self.object.ask(|vtable, this| (vtable.parse)(this, text.into()));
        parsed.into_result().map(|state| state.0).map_err(|error| {
            let (at, message): (usize, String) = from_text(&error);
            TextError::new(at, message)
        })
    }

    #[inline]
    fn successor(&self, state: State, action: Action) -> Option<Successor> {
        let found =
            self.object.ask(|vtable, this| (vtable.successor)(this, Plain(state), Plain(action)));
        let successor = found.into_option().map(|found| found.0);
        self.check_successors("successor", successor.as_slice());
        successor
    }

    #[inline]
    fn chance_reward(&self, from: Option<Afterstate>, to: State) -> f32 {
        let from = Maybe::from_option(from.map(Plain));
        let reward = self.object.ask(|vtable, this| (vtable.chance_reward)(this, from, Plain(to)));
        if !reward.is_finite() {
            self.raise_wrong_result("chance_reward", || reward.to_string());
        }
        reward
    }

    fn has_chance_rewards(&self) -> bool {
        self.object.ask(|vtable, this| (vtable.has_chance_rewards)(this))
    }

    fn starts(&self) -> Option<Vec<Outcome>> {
        let starts = self.object.ask(|vtable, this| (vtable.starts)(this)).into_option();
        starts.map(|starts| starts.into_iter().map(|start| start.0).collect())
    }

    #[inline]
    fn max_tile(&self, state: State) -> Option<u64> {
        self.object.ask(|vtable, this| (vtable.max_tile)(this, Plain(state))).into_option()
    }

    #[inline]
    fn layer(&self, state: State) -> Option<u64> {
        self.object.ask(|vtable, this| (vtable.layer)(this, Plain(state))).into_option()
    }

    #[inline]
    fn transform(&self, state: State, symmetry: usize) -> State {
        self.object.ask(|vtable, this| (vtable.transform)(this, Plain(state), symmetry)).0
    }

    #[inline]
    fn transform_afterstate(&self, after: Afterstate, symmetry: usize) -> Afterstate {
        self.object
            .ask(|vtable, this| (vtable.transform_afterstate)(this, Plain(after), symmetry))
            .0
    }

    #[inline]
    fn canonical_states(&self, states: &mut [State]) {
        let list = Plain::wrap_slice_mut(states).into();
        self.object.ask(|vtable, this| (vtable.canonical_states)(this, list));
    }

    #[inline]
    fn canonical_afterstates(&self, afterstates: &mut [Afterstate]) {
        let list = Plain::wrap_slice_mut(afterstates).into();
        self.object.ask(|vtable, this| (vtable.canonical_afterstates)(this, list));
    }

    /// Returns none, because each call would have to copy them. A [`TableGame`] holds a copy.
    fn tables(&self) -> Option<&RowTables> {
        None
    }

    fn playouts(&self, starts: &[State], random: u64, results: &mut [Playout]) {
        let starts = Plain::wrap_slice(starts).into();
        let list = Plain::wrap_slice_mut(results).into();
        self.object.ask(|vtable, this| (vtable.playouts)(this, starts, random, list));
        if let Some(wrong) = results.iter().find(|result| !result.score.is_finite()) {
            self.raise_wrong_result("playouts", || format!("the score {}", wrong.score));
        }
    }

    #[inline]
    fn as_loaded(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl std::fmt::Debug for DynGame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DynGame").field("description", self.description()).finish_non_exhaustive()
    }
}
