//! Games: the table of functions, the functions that a library exports, and the loaded game.

use crate::boundary::{
    Call, Maybe, Object, Out, Plain, Shared, Target, This, answer, from_text, perform, to_text,
};
use crate::layouts::BOARDS;
use crate::tables::RowsRef;
use abi_stable::StableAbi;
use abi_stable::std_types::{RResult, RSlice, RSliceMut, RStr, RString, RVec};
use bytemuck::TransparentWrapper;
use runner_board::RowGame;
use runner_core::rows::RowTables;
use runner_core::{
    Action, Afterstate, Description, Fault, Game, GamePlugin, Outcome, Outcomes, Playout, State,
    Successor, Successors, TextError,
};
use std::any::Any;
use std::marker::PhantomData;
use std::sync::{Arc, OnceLock};

/// The functions of a game: the methods of [`Game`]. Each takes the pointer of the object first,
/// and writes its result through its last argument, unless it fails. References, slices and lists
/// are borrowed until it returns.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(tag = BOARDS)]
pub struct GameTable {
    /// Writes the description, as RON.
    pub description: extern "C" fn(This, Out<'_, RString>) -> Call,
    /// Writes a start position, drawn with 64 random bits.
    pub start: extern "C" fn(This, u64, Out<'_, Plain<State>>) -> Call,
    /// Fills the list with the legal actions of a state.
    pub successors: extern "C" fn(This, Plain<State>, &mut Plain<Successors>) -> Call,
    /// Fills the list with the chance outcomes of an afterstate.
    pub outcomes: extern "C" fn(This, Plain<Afterstate>, OutcomesRef<'_>) -> Call,
    /// Writes a chance outcome of an afterstate, drawn with 64 random bits.
    pub spawn: extern "C" fn(This, Plain<Afterstate>, u64, Out<'_, Plain<State>>) -> Call,
    /// Writes a state as text.
    pub write: extern "C" fn(This, Plain<State>, Out<'_, RString>) -> Call,
    /// Writes an afterstate as text.
    pub write_afterstate: extern "C" fn(This, Plain<Afterstate>, Out<'_, RString>) -> Call,
    /// Reads a state from text. An error is its byte and message, as RON.
    pub parse: extern "C" fn(This, RStr<'_>, Out<'_, RResult<Plain<State>, RString>>) -> Call,
    /// Writes the result of one action in a state, or none if it is not legal.
    pub successor:
        extern "C" fn(This, Plain<State>, Plain<Action>, Out<'_, Maybe<Plain<Successor>>>) -> Call,
    /// Writes the reward of a chance event that leads from an afterstate to a state, or of the
    /// start.
    pub chance_reward:
        extern "C" fn(This, Maybe<Plain<Afterstate>>, Plain<State>, Out<'_, f32>) -> Call,
    pub has_chance_rewards: extern "C" fn(This, Out<'_, bool>) -> Call,
    /// Writes every start position with its probability, if they can be listed.
    pub starts: extern "C" fn(This, Out<'_, Maybe<RVec<Plain<Outcome>>>>) -> Call,
    /// Writes the value of the max tile of a state.
    pub max_tile: extern "C" fn(This, Plain<State>, Out<'_, Maybe<u64>>) -> Call,
    /// Writes a number of a state that every chance event increases.
    pub layer: extern "C" fn(This, Plain<State>, Out<'_, Maybe<u64>>) -> Call,
    /// Writes the image of a state under a symmetry.
    pub transform: extern "C" fn(This, Plain<State>, usize, Out<'_, Plain<State>>) -> Call,
    /// Writes the image of an afterstate under a symmetry.
    pub transform_afterstate:
        extern "C" fn(This, Plain<Afterstate>, usize, Out<'_, Plain<Afterstate>>) -> Call,
    /// Replaces each state by its smallest image.
    pub canonical_states: extern "C" fn(This, RSliceMut<'_, Plain<State>>) -> Call,
    /// Replaces each afterstate by its smallest image.
    pub canonical_afterstates: extern "C" fn(This, RSliceMut<'_, Plain<Afterstate>>) -> Call,
    /// Writes the rules as tables.
    pub tables: extern "C" fn(This, Out<'_, Maybe<RowsRef>>) -> Call,
    /// Plays a game with random actions from each of the states, with 64 random bits.
    pub playouts:
        extern "C" fn(This, RSlice<'_, Plain<State>>, u64, RSliceMut<'_, Plain<Playout>>) -> Call,
}

impl Shared for GameTable {}

/// The list of a caller, which the game fills. The type [`Outcomes`] has no size known in advance,
/// so the game cannot replace the list by another.
#[repr(C)]
#[derive(StableAbi)]
pub struct OutcomesRef<'a> {
    /// The length, and the items behind it.
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
    fn open(self) -> &'a mut Outcomes {
        // SAFETY: `new` borrowed the list for `'a`.
        unsafe { Outcomes::from_raw(self.list, self.capacity) }
    }
}

// Exported by a library.

extern "C" fn description<G: Game>(this: This, out: Out<'_, RString>) -> Call {
    answer(this, out, |game: &G| to_text(game.description()))
}

extern "C" fn start<G: Game>(this: This, random: u64, out: Out<'_, Plain<State>>) -> Call {
    answer(this, out, |game: &G| Plain(game.start(random)))
}

extern "C" fn successors<G: Game>(
    this: This,
    Plain(state): Plain<State>,
    Plain(list): &mut Plain<Successors>,
) -> Call {
    perform(this, |game: &G| game.successors(state, list))
}

extern "C" fn outcomes<G: Game>(
    this: This,
    Plain(afterstate): Plain<Afterstate>,
    list: OutcomesRef<'_>,
) -> Call {
    perform(this, |game: &G| game.outcomes(afterstate, list.open()))
}

extern "C" fn spawn<G: Game>(
    this: This,
    Plain(afterstate): Plain<Afterstate>,
    random: u64,
    out: Out<'_, Plain<State>>,
) -> Call {
    answer(this, out, |game: &G| Plain(game.spawn(afterstate, random)))
}

extern "C" fn write<G: Game>(this: This, state: Plain<State>, out: Out<'_, RString>) -> Call {
    answer(this, out, |game: &G| game.write(state.0).into())
}

extern "C" fn write_afterstate<G: Game>(
    this: This,
    Plain(afterstate): Plain<Afterstate>,
    out: Out<'_, RString>,
) -> Call {
    answer(this, out, |game: &G| game.write_afterstate(afterstate).into())
}

extern "C" fn parse<G: Game>(
    this: This,
    text: RStr<'_>,
    out: Out<'_, RResult<Plain<State>, RString>>,
) -> Call {
    answer(this, out, |game: &G| match game.parse(text.as_str()) {
        Ok(state) => RResult::ROk(Plain(state)),
        Err(TextError { at, message }) => RResult::RErr(to_text(&(at, message))),
    })
}

extern "C" fn successor<G: Game>(
    this: This,
    Plain(state): Plain<State>,
    Plain(action): Plain<Action>,
    out: Out<'_, Maybe<Plain<Successor>>>,
) -> Call {
    answer(this, out, |game: &G| Maybe::of(game.successor(state, action).map(Plain)))
}

extern "C" fn chance_reward<G: Game>(
    this: This,
    from: Maybe<Plain<Afterstate>>,
    Plain(to): Plain<State>,
    out: Out<'_, f32>,
) -> Call {
    answer(this, out, |game: &G| game.chance_reward(from.open().map(|from| from.0), to))
}

extern "C" fn has_chance_rewards<G: Game>(this: This, out: Out<'_, bool>) -> Call {
    answer(this, out, |game: &G| game.has_chance_rewards())
}

extern "C" fn starts<G: Game>(this: This, out: Out<'_, Maybe<RVec<Plain<Outcome>>>>) -> Call {
    answer(this, out, |game: &G| {
        Maybe::of(game.starts().map(|starts| starts.into_iter().map(Plain).collect()))
    })
}

extern "C" fn max_tile<G: Game>(this: This, state: Plain<State>, out: Out<'_, Maybe<u64>>) -> Call {
    answer(this, out, |game: &G| Maybe::of(game.max_tile(state.0)))
}

extern "C" fn layer<G: Game>(this: This, state: Plain<State>, out: Out<'_, Maybe<u64>>) -> Call {
    answer(this, out, |game: &G| Maybe::of(game.layer(state.0)))
}

extern "C" fn transform<G: Game>(
    this: This,
    Plain(state): Plain<State>,
    symmetry: usize,
    out: Out<'_, Plain<State>>,
) -> Call {
    answer(this, out, |game: &G| Plain(game.transform(state, symmetry)))
}

extern "C" fn transform_afterstate<G: Game>(
    this: This,
    Plain(afterstate): Plain<Afterstate>,
    symmetry: usize,
    out: Out<'_, Plain<Afterstate>>,
) -> Call {
    answer(this, out, |game: &G| Plain(game.transform_afterstate(afterstate, symmetry)))
}

extern "C" fn canonical_states<G: Game>(this: This, states: RSliceMut<'_, Plain<State>>) -> Call {
    perform(this, |game: &G| game.canonical_states(Plain::peel_slice_mut(states.into_mut_slice())))
}

extern "C" fn canonical_afterstates<G: Game>(
    this: This,
    afterstates: RSliceMut<'_, Plain<Afterstate>>,
) -> Call {
    perform(this, |game: &G| {
        game.canonical_afterstates(Plain::peel_slice_mut(afterstates.into_mut_slice()))
    })
}

extern "C" fn tables<G: Game>(this: This, out: Out<'_, Maybe<RowsRef>>) -> Call {
    // SAFETY: the tables belong to the game, and its holder copies them at once.
    answer(this, out, |game: &G| {
        Maybe::of(game.tables().map(|tables| unsafe { RowsRef::of(tables) }))
    })
}

extern "C" fn playouts<G: Game>(
    this: This,
    starts: RSlice<'_, Plain<State>>,
    random: u64,
    results: RSliceMut<'_, Plain<Playout>>,
) -> Call {
    perform(this, |game: &G| {
        let starts = Plain::peel_slice(starts.as_slice());
        game.playouts(starts, random, Plain::peel_slice_mut(results.into_mut_slice()));
    })
}

impl<G: Game> Target<G> {
    const GAME: &'static GameTable = &GameTable {
        description: description::<G>,
        start: start::<G>,
        successors: successors::<G>,
        outcomes: outcomes::<G>,
        spawn: spawn::<G>,
        write: write::<G>,
        write_afterstate: write_afterstate::<G>,
        parse: parse::<G>,
        successor: successor::<G>,
        chance_reward: chance_reward::<G>,
        has_chance_rewards: has_chance_rewards::<G>,
        starts: starts::<G>,
        max_tile: max_tile::<G>,
        layer: layer::<G>,
        transform: transform::<G>,
        transform_afterstate: transform_afterstate::<G>,
        canonical_states: canonical_states::<G>,
        canonical_afterstates: canonical_afterstates::<G>,
        tables: tables::<G>,
        playouts: playouts::<G>,
    };
}

impl<G: GamePlugin> Target<G> {
    pub fn into_game(self) -> Object<GameTable> {
        // SAFETY: the table is one for a `G`.
        unsafe { Object::shared(self, Self::GAME, This::NONE) }
    }
}

/// The game that a value or an agent plays, as it crosses: none if it is the game that the object
/// was built for, otherwise a game that is borrowed until the call returns.
pub type GameRef<'a> = Option<&'a Object<GameTable>>;

/// Calls `task` with a game as it crosses to an object that was built for the game `own`.
#[inline(always)]
pub fn pass_game<G: Game, R>(game: &G, own: This, task: impl FnOnce(GameRef<'_>) -> R) -> R {
    match game.as_loaded().and_then(|loaded| loaded.downcast_ref::<DynGame>()) {
        Some(loaded) if loaded.object.this == own => task(None),
        Some(loaded) => task(Some(&loaded.object)),
        None => pass_linked(&game, task),
    }
}

/// Passes a game of this side. Not inlined: it is rare.
#[cold]
#[inline(never)]
fn pass_linked<R>(game: &dyn Game, task: impl FnOnce(GameRef<'_>) -> R) -> R {
    let target = Target { label: || "the game of the caller".into(), value: game };
    // SAFETY: the table is one for a `&dyn Game`, and the target is dropped after the object.
    let object = unsafe { Object::borrowed(&target, Target::<&dyn Game>::GAME) };
    task(Some(&object))
}

/// Calls `task` with a game of the other side.
pub fn with_game<R>(object: &Object<GameTable>, task: impl FnOnce(&DynGame) -> R) -> R {
    // SAFETY: the object is borrowed longer than the task runs.
    task(&DynGame::new(unsafe { object.borrow() }))
}

/// A loaded game that plays by a copy of its row tables, if it has them.
pub type TableGame = RowGame<Arc<DynGame>>;

/// Returns a game that plays by a copy of its row tables, if it has them.
pub fn table_game(game: DynGame) -> TableGame {
    TableGame::new(game.copy_row_tables(), Arc::new(game))
}

/// A value or an agent on its own side, with the game that it was built for.
#[derive(Clone)]
pub struct ForGame<P> {
    pub plugin: P,
    pub game: TableGame,
}

/// How far the probabilities of a loaded game may sum from 1.
const PROBABILITY_SLACK: f64 = 1e-6;

/// A game behind the plugin boundary. Every call checks what a wrong game could return: numbers
/// that are not finite, the reserved position, probabilities that do not sum to 1.
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

    /// The description, which is read at the first use, or the fault of a wrong one.
    pub(crate) fn described(&self) -> Result<&Description, Fault> {
        if self.description.get().is_none() {
            let text = self.object.ask(|game, this, out| (game.description)(this, out));
            let _ = self.description.set(self.parse_description(&text)?);
        }
        Ok(self.description.get().expect("it was read above"))
    }

    fn parse_description(&self, text: &str) -> Result<Description, Fault> {
        let read = ron::from_str::<Description>(text)
            .map_err(|error| format!("the description cannot be read: {error}"))
            .and_then(|description| description.check().map(|()| description));
        read.map_err(|wrong| Fault::new(format!("{}: {wrong}", self.object.label())))
    }

    /// Returns the game with a copy of its row tables, if it has them.
    pub fn with_tables(self: &Arc<Self>) -> Option<TableGame> {
        Some(TableGame::new(Some(self.copy_row_tables()?), self.clone()))
    }

    fn copy_row_tables(&self) -> Option<RowTables> {
        let board = self.description().geometry.as_ref()?;
        let tables = self.object.ask(|game, this, out| (game.tables)(this, out)).open()?;
        tables.copy(board.rows, board.cols)
    }

    #[inline(always)]
    fn check(&self, is_right: bool, function: &str, wrong: impl FnOnce() -> String) {
        if !is_right {
            self.wrong(function, wrong);
        }
    }

    #[cold]
    #[inline(never)]
    fn wrong(&self, function: &str, wrong: impl FnOnce() -> String) {
        let label = self.object.label();
        Fault::new(format!("{label}: `{function}` returned {}", wrong())).raise()
    }

    #[inline(always)]
    fn check_position(&self, function: &str, position: State) {
        let wrong = || "the reserved position, all bits set".to_owned();
        self.check(position != State::RESERVED, function, wrong);
    }

    #[inline(always)]
    fn check_successors(&self, function: &str, successors: &[Successor]) {
        let actions = self.description().actions.len();
        let is_wrong = |successor: &&Successor| {
            !successor.reward.is_finite() || successor.action.index() >= actions
        };
        if let Some(wrong) = successors.iter().find(is_wrong) {
            self.wrong(function, || {
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
        let off = (out.total() - 1.0).abs();
        self.check(off <= PROBABILITY_SLACK, "outcomes", || {
            let what = match out.len() {
                0 => "no outcomes at all".to_owned(),
                n => {
                    let sum = out.total();
                    format!("{n} outcomes whose probabilities sum to {sum} instead of 1")
                }
            };
            format!("{what}, after {}", self.write_afterstate(afterstate))
        });
    }
}

#[warn(clippy::missing_trait_methods)]
impl Game for DynGame {
    fn description(&self) -> &Description {
        self.described().unwrap_or_else(|fault| fault.raise())
    }

    #[inline]
    fn start(&self, random: u64) -> State {
        let Plain(state) = self.object.ask(|game, this, out| (game.start)(this, random, out));
        self.check_position("start", state);
        state
    }

    #[inline]
    fn successors(&self, state: State, out: &mut Successors) {
        self.object.call(|game, this| (game.successors)(this, Plain(state), Plain::wrap_mut(out)));
        self.check_successors("successors", out);
    }

    #[inline]
    fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        let list = OutcomesRef::new(out);
        self.object.call(|game, this| (game.outcomes)(this, Plain(afterstate), list));
        self.check_distribution(afterstate, out);
    }

    #[inline]
    fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        let Plain(state) =
            self.object.ask(|game, this, out| (game.spawn)(this, Plain(afterstate), random, out));
        self.check_position("spawn", state);
        state
    }

    fn write(&self, state: State) -> String {
        self.object.ask(|game, this, out| (game.write)(this, Plain(state), out)).into()
    }

    fn write_afterstate(&self, afterstate: Afterstate) -> String {
        self.object
            .ask(|game, this, out| (game.write_afterstate)(this, Plain(afterstate), out))
            .into()
    }

    fn parse(&self, text: &str) -> Result<State, TextError> {
        let parsed =
            self.object.ask(|game, this, out| (game.parse)(this, text.into(), out)).into_result();
        parsed.map(|state| state.0).map_err(|error| {
            let (at, message): (usize, String) = from_text(&error);
            TextError::new(at, message)
        })
    }

    #[inline]
    fn successor(&self, state: State, action: Action) -> Option<Successor> {
        let found = self
            .object
            .ask(|game, this, out| (game.successor)(this, Plain(state), Plain(action), out))
            .open();
        let successor = found.map(|found| found.0);
        self.check_successors("successor", successor.as_slice());
        successor
    }

    #[inline]
    fn chance_reward(&self, from: Option<Afterstate>, to: State) -> f32 {
        let from = Maybe::of(from.map(Plain));
        let reward =
            self.object.ask(|game, this, out| (game.chance_reward)(this, from, Plain(to), out));
        self.check(reward.is_finite(), "chance_reward", || reward.to_string());
        reward
    }

    fn has_chance_rewards(&self) -> bool {
        self.object.ask(|game, this, out| (game.has_chance_rewards)(this, out))
    }

    fn starts(&self) -> Option<Vec<Outcome>> {
        let starts = self.object.ask(|game, this, out| (game.starts)(this, out)).open();
        starts.map(|starts| starts.into_iter().map(|start| start.0).collect())
    }

    #[inline]
    fn max_tile(&self, state: State) -> Option<u64> {
        self.object.ask(|game, this, out| (game.max_tile)(this, Plain(state), out)).open()
    }

    #[inline]
    fn layer(&self, state: State) -> Option<u64> {
        self.object.ask(|game, this, out| (game.layer)(this, Plain(state), out)).open()
    }

    #[inline]
    fn transform(&self, state: State, symmetry: usize) -> State {
        self.object.ask(|game, this, out| (game.transform)(this, Plain(state), symmetry, out)).0
    }

    #[inline]
    fn transform_afterstate(&self, after: Afterstate, symmetry: usize) -> Afterstate {
        self.object
            .ask(|game, this, out| (game.transform_afterstate)(this, Plain(after), symmetry, out))
            .0
    }

    #[inline]
    fn canonical_states(&self, states: &mut [State]) {
        let list = Plain::wrap_slice_mut(states).into();
        self.object.call(|game, this| (game.canonical_states)(this, list));
    }

    #[inline]
    fn canonical_afterstates(&self, afterstates: &mut [Afterstate]) {
        let list = Plain::wrap_slice_mut(afterstates).into();
        self.object.call(|game, this| (game.canonical_afterstates)(this, list));
    }

    /// None: they would be copied at each call. A [`TableGame`] has a copy.
    fn tables(&self) -> Option<&RowTables> {
        None
    }

    fn playouts(&self, starts: &[State], random: u64, results: &mut [Playout]) {
        let starts = Plain::wrap_slice(starts).into();
        let places = Plain::wrap_slice_mut(results).into();
        self.object.call(|game, this| (game.playouts)(this, starts, random, places));
        if let Some(wrong) = results.iter().find(|result| !result.score.is_finite()) {
            self.wrong("playouts", || format!("the score {}", wrong.score));
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
