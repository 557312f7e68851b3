//! Games: the table of functions, the functions that a library exports, and the loaded game.

use crate::call::{Call, Out, ask};
use crate::forms::{BOARDS, LentOutcomes, Maybe, Plain, from_text, to_text};
use crate::object::{Handle, Object, Shared, Target, This, answer, perform};
use abi_stable::StableAbi;
use abi_stable::std_types::{RResult, RSlice, RSliceMut, RStr, RString, RVec};
use runner_board::RowGame;
use runner_board::lines::LineValues;
use runner_board::rows::{Entry, ROWS, Row, RowTables};
use runner_core::{
    Action, Afterstate, Description, Fault, Game, GamePlugin, Outcome, Outcomes, Playout, State,
    Successor, Successors, TextError,
};
use std::any::Any;
use std::ptr;
use std::sync::{Arc, OnceLock};

/// The functions of a game: the methods of [`Game`]. Each takes the pointer of the object first,
/// and writes its result through its last argument, unless it fails. References, slices and lists
/// are lent until it returns.
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
    pub outcomes: extern "C" fn(This, Plain<Afterstate>, LentOutcomes<'_>) -> Call,
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
    pub tables: extern "C" fn(This, Out<'_, LentTables>) -> Call,
    /// Plays a game with random actions from each of the states, with 64 random bits.
    pub playouts:
        extern "C" fn(This, RSlice<'_, Plain<State>>, u64, RSliceMut<'_, Plain<Playout>>) -> Call,
}

impl Shared for GameTable {}

/// Tables of a game or a value, which are lent as long as it is alive. Tables of other types do
/// not cross.
#[repr(C, u64)]
#[derive(StableAbi)]
pub enum LentTables {
    None,
    Rows(LentRows),
    Lines(LentLines),
}

/// The [`RowTables`] of a game.
#[repr(C)]
#[derive(StableAbi)]
pub struct LentRows {
    across: RSlice<'static, Plain<Row>>,
    down: RSlice<'static, Plain<Row>>,
    entries: RSlice<'static, Plain<Entry>>,
    /// True if the layer is the sum of the displayed values.
    layer_is_sum: bool,
    /// Bits of the second word that moves and chance leave unchanged.
    carried_bits: u64,
}

/// The [`LineValues`] of a value.
#[repr(C)]
#[derive(StableAbi)]
pub struct LentLines {
    across: RSlice<'static, f32>,
    down: RSlice<'static, f32>,
    /// The sum of the lines that the board lacks.
    absent: f32,
    /// The lower bound of all values.
    least: f32,
}

impl LentTables {
    /// # Safety
    ///
    /// The result is not used longer than the tables are alive.
    pub unsafe fn of(tables: Option<&dyn Any>) -> Self {
        let Some(tables) = tables else { return Self::None };
        // SAFETY: the caller's promise.
        let tables: &'static dyn Any = unsafe { &*ptr::from_ref(tables) };
        if let Some(rules) = tables.downcast_ref::<RowTables>() {
            let (across, down) = rules.tables();
            Self::Rows(LentRows {
                across: Plain::lend(&across[..]),
                down: Plain::lend(&down[..]),
                entries: Plain::lend(rules.entries()),
                layer_is_sum: rules.layer_is_sum(),
                carried_bits: rules.carried_bits(),
            })
        } else if let Some(lines) = tables.downcast_ref::<LineValues>() {
            let (across, down) = lines.tables();
            Self::Lines(LentLines {
                across: across[..].into(),
                down: down[..].into(),
                absent: lines.absent(),
                least: lines.least(),
            })
        } else {
            Self::None
        }
    }
}

impl LentLines {
    pub fn copy(&self) -> Option<LineValues> {
        let (across, down) = copy(self.across.as_slice(), self.down.as_slice())?;
        Some(LineValues::from_tables(across, down, self.absent, self.least))
    }
}

/// A table of rows across, and one of columns down.
type Pair<T> = (Arc<[T; ROWS]>, Arc<[T; ROWS]>);

/// Copies two tables, which may be the same. Returns `None` if they are not complete.
fn copy<T: Copy>(across: &[T], down: &[T]) -> Option<Pair<T>> {
    let copy = |table: &[T]| Arc::<[T]>::from(table).try_into().ok();
    let copied: Arc<[T; ROWS]> = copy(across)?;
    let other = if ptr::eq(across, down) { copied.clone() } else { copy(down)? };
    Some((copied, other))
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
    list: LentOutcomes<'_>,
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
    perform(this, |game: &G| game.canonical_states(Plain::open_mut(states)))
}

extern "C" fn canonical_afterstates<G: Game>(
    this: This,
    afterstates: RSliceMut<'_, Plain<Afterstate>>,
) -> Call {
    perform(this, |game: &G| game.canonical_afterstates(Plain::open_mut(afterstates)))
}

extern "C" fn tables<G: Game>(this: This, out: Out<'_, LentTables>) -> Call {
    // SAFETY: the tables belong to the game, whose holder uses them.
    answer(this, out, |game: &G| unsafe { LentTables::of(game.tables()) })
}

extern "C" fn playouts<G: Game>(
    this: This,
    starts: RSlice<'_, Plain<State>>,
    random: u64,
    results: RSliceMut<'_, Plain<Playout>>,
) -> Call {
    perform(this, |game: &G| {
        game.playouts(Plain::open(starts), random, Plain::open_mut(results));
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

/// A game as it crosses to an object: none for the game that the object was built for, otherwise a
/// game that is lent for the length of a call.
pub type LentGame<'a> = Option<&'a Object<GameTable>>;

/// Calls `task` with the game as it crosses to an object that was built for the game `own`.
#[inline(always)]
pub fn lend_game<G: Game, R>(game: &G, own: This, task: impl FnOnce(LentGame<'_>) -> R) -> R {
    let loaded = game.as_loaded().and_then(|loaded| loaded.downcast_ref::<DynGame>());
    match loaded.map(|loaded| loaded.handle.lent()) {
        Some(object) if object.this == own => task(None),
        Some(object) => task(Some(object)),
        None => lend_other(&game, task),
    }
}

/// Lends a game of this side. Not inlined: it is rare.
#[cold]
#[inline(never)]
fn lend_other<R>(game: &dyn Game, task: impl FnOnce(LentGame<'_>) -> R) -> R {
    let target = Target { label: || "the game of the caller".into(), value: game };
    // SAFETY: the table is one for a `&dyn Game`.
    unsafe { Object::lend(&target, Target::<&dyn Game>::GAME, |object| task(Some(object))) }
}

/// Calls `task` with a game that the other side lends.
pub fn with_lent_game<R>(object: &Object<GameTable>, task: impl FnOnce(&DynGame) -> R) -> R {
    // SAFETY: the object is lent longer than the task runs.
    task(&DynGame::new(unsafe { Handle::borrow(object) }))
}

/// Takes a share of a game that the other side lends.
pub fn share_game(object: &Object<GameTable>) -> DynGame {
    with_lent_game(object, |game| DynGame::new(game.handle.clone()))
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
/// It cannot be copied, because it may be lent for the length of a call. Owners share it as an
/// `Arc`.
///
/// ```compile_fail,E0599
/// fn keep(lent: &runner_plugin::DynGame) -> runner_plugin::DynGame {
///     lent.clone()
/// }
/// ```
pub struct DynGame {
    handle: Handle<GameTable>,
    description: OnceLock<Description>,
}

impl DynGame {
    pub(crate) fn new(handle: Handle<GameTable>) -> Self {
        Self { handle, description: OnceLock::new() }
    }

    pub(crate) fn lent(&self) -> &Object<GameTable> {
        self.handle.lent()
    }

    pub(crate) fn into_object(self) -> Object<GameTable> {
        self.handle.into_object()
    }

    #[inline(always)]
    fn object(&self) -> Object<GameTable> {
        self.handle.object()
    }

    /// The description, which is read at the first use, or the fault of a wrong one.
    pub(crate) fn described(&self) -> Result<&Description, Fault> {
        if self.description.get().is_none() {
            let Object { this, table, .. } = self.object();
            let text = ask(|out| (table.description)(this, out));
            let _ = self.description.set(self.parse_description(&text)?);
        }
        Ok(self.description.get().expect("it was read above"))
    }

    fn parse_description(&self, text: &str) -> Result<Description, Fault> {
        let read = ron::from_str::<Description>(text)
            .map_err(|error| format!("the description cannot be read: {error}"))
            .and_then(|description| description.check().map(|()| description));
        read.map_err(|wrong| Fault::new(format!("{}: {wrong}", self.handle.label())))
    }

    /// Returns the game with a copy of its row tables, if it has them.
    pub fn with_tables(self: &Arc<Self>) -> Option<TableGame> {
        Some(TableGame::new(Some(self.copy_row_tables()?), self.clone()))
    }

    /// Returns a copy of the game's row tables, if it has them and they are usable.
    fn copy_row_tables(&self) -> Option<RowTables> {
        let board = self.description().geometry.as_ref()?;
        let Object { this, table, .. } = self.object();
        let LentTables::Rows(rules) = ask(|out| (table.tables)(this, out)) else { return None };
        let (entries, across, down) = (rules.entries, rules.across, rules.down);
        let (across, down) = copy(Plain::open(across), Plain::open(down))?;
        let entries = Plain::open(entries);
        // The game's own functions say which reward is wrong.
        let is_finite = |row: &Row| row.first_reward.is_finite() && row.last_reward.is_finite();
        let is_usable = board.rows <= 4
            && board.cols <= 4
            && !entries.is_empty()
            && across.iter().chain(&*down).all(is_finite);
        is_usable.then(|| {
            RowTables::new(board.rows, board.cols, across, down, entries.to_vec())
                .with_layer_as_sum(rules.layer_is_sum)
                .with_carried_bits(rules.carried_bits)
        })
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
        let label = self.handle.label();
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
        let Object { this, table, .. } = self.object();
        let Plain(state) = ask(|out| (table.start)(this, random, out));
        self.check_position("start", state);
        state
    }

    #[inline]
    fn successors(&self, state: State, out: &mut Successors) {
        let Object { this, table, .. } = self.object();
        (table.successors)(this, Plain(state), Plain::of_mut(out)).done();
        self.check_successors("successors", out);
    }

    #[inline]
    fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        let Object { this, table, .. } = self.object();
        (table.outcomes)(this, Plain(afterstate), LentOutcomes::of(out)).done();
        self.check_distribution(afterstate, out);
    }

    #[inline]
    fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        let Object { this, table, .. } = self.object();
        let Plain(state) = ask(|out| (table.spawn)(this, Plain(afterstate), random, out));
        self.check_position("spawn", state);
        state
    }

    fn write(&self, state: State) -> String {
        let Object { this, table, .. } = self.object();
        ask(|out| (table.write)(this, Plain(state), out)).into()
    }

    fn write_afterstate(&self, afterstate: Afterstate) -> String {
        let Object { this, table, .. } = self.object();
        ask(|out| (table.write_afterstate)(this, Plain(afterstate), out)).into()
    }

    fn parse(&self, text: &str) -> Result<State, TextError> {
        let Object { this, table, .. } = self.object();
        let parsed = ask(|out| (table.parse)(this, text.into(), out)).into_result();
        parsed.map(|state| state.0).map_err(|error| {
            let (at, message): (usize, String) = from_text(&error);
            TextError::new(at, message)
        })
    }

    #[inline]
    fn successor(&self, state: State, action: Action) -> Option<Successor> {
        let Object { this, table, .. } = self.object();
        let found = ask(|out| (table.successor)(this, Plain(state), Plain(action), out)).open();
        let successor = found.map(|found| found.0);
        self.check_successors("successor", successor.as_slice());
        successor
    }

    #[inline]
    fn chance_reward(&self, from: Option<Afterstate>, to: State) -> f32 {
        let Object { this, table, .. } = self.object();
        let from = Maybe::of(from.map(Plain));
        let reward = ask(|out| (table.chance_reward)(this, from, Plain(to), out));
        self.check(reward.is_finite(), "chance_reward", || reward.to_string());
        reward
    }

    fn has_chance_rewards(&self) -> bool {
        let Object { this, table, .. } = self.object();
        ask(|out| (table.has_chance_rewards)(this, out))
    }

    fn starts(&self) -> Option<Vec<Outcome>> {
        let Object { this, table, .. } = self.object();
        let starts = ask(|out| (table.starts)(this, out)).open();
        starts.map(|starts| starts.into_iter().map(|start| start.0).collect())
    }

    #[inline]
    fn max_tile(&self, state: State) -> Option<u64> {
        let Object { this, table, .. } = self.object();
        ask(|out| (table.max_tile)(this, Plain(state), out)).open()
    }

    #[inline]
    fn layer(&self, state: State) -> Option<u64> {
        let Object { this, table, .. } = self.object();
        ask(|out| (table.layer)(this, Plain(state), out)).open()
    }

    #[inline]
    fn transform(&self, state: State, symmetry: usize) -> State {
        let Object { this, table, .. } = self.object();
        ask(|out| (table.transform)(this, Plain(state), symmetry, out)).0
    }

    #[inline]
    fn transform_afterstate(&self, after: Afterstate, symmetry: usize) -> Afterstate {
        let Object { this, table, .. } = self.object();
        ask(|out| (table.transform_afterstate)(this, Plain(after), symmetry, out)).0
    }

    #[inline]
    fn canonical_states(&self, states: &mut [State]) {
        let Object { this, table, .. } = self.object();
        (table.canonical_states)(this, Plain::lend_mut(states)).done();
    }

    #[inline]
    fn canonical_afterstates(&self, afterstates: &mut [Afterstate]) {
        let Object { this, table, .. } = self.object();
        (table.canonical_afterstates)(this, Plain::lend_mut(afterstates)).done();
    }

    /// None: they would be copied at each call. A [`TableGame`] has a copy.
    fn tables(&self) -> Option<&dyn Any> {
        None
    }

    fn playouts(&self, starts: &[State], random: u64, results: &mut [Playout]) {
        let Object { this, table, .. } = self.object();
        (table.playouts)(this, Plain::lend(starts), random, Plain::lend_mut(results)).done();
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
