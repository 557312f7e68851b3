//! A loaded game.

use crate::abi::call::{Call, In, Out, Position};
use crate::abi::game::{GameObject, RowTablesView, WeightedPosition};
use abi_stable::std_types::{ROption, RResult, RStr, RString};
use runner_board::rows::{ROWS, Row, RowTables};
use runner_core::{
    Action, Afterstate, Description, Fault, Game, MAX_ACTIONS, Outcome, Outcomes, Playout, State,
    Successor, Successors, TextError,
};
use std::any::Any;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// How far the probabilities of a loaded game may sum from 1.
const PROBABILITY_SLACK: f64 = 1e-6;

/// A game behind the plugin boundary.
///
/// Every call checks what a wrong game could return: numbers that are not finite, the
/// reserved position, probabilities that do not sum to 1.
pub struct DynGame {
    object: GameObject,
    /// False for a game that is borrowed for one call.
    owned: bool,
    description: OnceLock<Described>,
    has_chance_rewards: OnceLock<bool>,
}

struct Described {
    text: String,
    description: Arc<Description>,
}

// SAFETY: a game is `Send + Sync` on its own side (`Game` demands it).
unsafe impl Send for DynGame {}
// SAFETY: as above.
unsafe impl Sync for DynGame {}

impl Drop for DynGame {
    fn drop(&mut self) {
        if self.owned {
            // SAFETY: this proxy is one of the owners.
            unsafe { (self.object.table.release)(self.object.this) };
        }
    }
}

/// Calls a function of the object's table.
macro_rules! call {
    ($self:ident.$function:ident($($argument:expr),*)) => {
        // SAFETY: the object is alive as long as this proxy, and every pointer among the
        // arguments is valid for the call.
        unsafe { ($self.object.table.$function)($self.object.this $(, $argument)*) }
    };
}

/// Calls a function of the object's table that writes its result last, and returns it.
macro_rules! ask {
    ($self:ident.$function:ident($($argument:expr),*)) => {{
        let mut out = MaybeUninit::uninit();
        call!($self.$function($($argument,)* out.as_mut_ptr())).or_raise();
        // SAFETY: a call that succeeded has written its result.
        unsafe { out.assume_init() }
    }};
}

impl DynGame {
    /// Takes over an object that was built for this caller.
    ///
    /// # Safety
    ///
    /// The object must be alive, and one of its shares the caller's to give.
    pub(crate) unsafe fn own(object: GameObject) -> Result<Self, Fault> {
        let game = Self::proxy(object, true);
        game.describe()?;
        Ok(game)
    }

    /// Takes a share of an object whose description is known.
    ///
    /// # Safety
    ///
    /// The object must be alive.
    pub(crate) unsafe fn share(object: GameObject, description: &str) -> Result<Self, Fault> {
        // SAFETY: the caller's promise; the share is the proxy's.
        unsafe { (object.table.share)(object.this) };
        let game = Self::proxy(object, true);
        let described = game.read(description.to_owned())?;
        let _ = game.description.set(described);
        Ok(game)
    }

    /// Borrows an object for the length of a call.
    ///
    /// # Safety
    ///
    /// The object must outlive the proxy.
    pub(crate) unsafe fn borrowed(object: GameObject) -> Self {
        Self::proxy(object, false)
    }

    fn proxy(object: GameObject, owned: bool) -> Self {
        let (description, has_chance_rewards) = (OnceLock::new(), OnceLock::new());
        Self { object, owned, description, has_chance_rewards }
    }

    /// Gives the share away.
    pub(crate) fn into_object(mut self) -> GameObject {
        self.owned = false;
        self.object
    }

    /// Returns the object, which is valid during the lifetime of this proxy.
    pub(crate) fn object(&self) -> GameObject {
        self.object
    }

    /// Returns the description as RON.
    pub(crate) fn description_text(&self) -> &str {
        &self.described().text
    }

    /// Returns kind, name and file of the game, for messages.
    pub fn label(&self) -> String {
        let label: RString = ask!(self.label());
        label.into()
    }

    fn described(&self) -> &Described {
        if let Err(fault) = self.describe() {
            fault.raise();
        }
        self.description.get().expect("it was read above")
    }

    /// Reads the description if that has not been done.
    fn describe(&self) -> Result<(), Fault> {
        if self.description.get().is_none() {
            let mut text = RString::new();
            // `RString` is a valid value, which the call replaces.
            call!(self.describe(&mut text)).into_result()?;
            let _ = self.description.set(self.read(text.into())?);
        }
        Ok(())
    }

    fn read(&self, text: String) -> Result<Described, Fault> {
        let wrong = |what| Fault::new(format!("{}: {what}", self.label()));
        let description = parse(&text)
            .map_err(|error| wrong(format!("the description cannot be read: {error}")))?;
        let actions = description.actions.len();
        match (1..=MAX_ACTIONS).contains(&actions) {
            true => Ok(Described { text, description }),
            false => {
                Err(wrong(format!("declares {actions} actions; 1 to {MAX_ACTIONS} are possible")))
            }
        }
    }

    /// Returns a copy of the game's row tables, if it has them and they are usable.
    pub(crate) fn copy_row_tables(&self) -> Option<RowTables> {
        let board = self.description().geometry.as_ref()?;
        let view: ROption<RowTablesView> = ask!(self.row_tables());
        let view = view.into_option()?;
        if board.rows > 4 || board.cols > 4 || view.entry_count == 0 {
            return None;
        }
        let across = copy_rows(view.across)?;
        let down = match view.down.0 == view.across.0 {
            true => across.clone(),
            false => copy_rows(view.down)?,
        };
        // SAFETY: the game lends a list of this length for its own lifetime.
        let entries = unsafe { std::slice::from_raw_parts(view.entries.0, view.entry_count) };
        let tables = RowTables::new(board.rows, board.cols, across, down, entries.to_vec())
            .with_layer_as_sum(view.layer_is_sum)
            .with_carried_bits(view.carried_bits);
        Some(tables)
    }

    #[inline(always)]
    fn check(&self, function: &str, position: Position) -> Position {
        if State::from(position) == State::RESERVED {
            self.wrong(function, "the reserved position, all bits set");
        }
        position
    }

    #[cold]
    #[inline(never)]
    fn wrong(&self, function: &str, result: &str) -> ! {
        Fault::new(format!("{}: `{function}` returned {result}", self.label())).raise()
    }

    #[cold]
    #[inline(never)]
    fn wrong_reward(&self, function: &str, successor: &Successor) -> ! {
        let action = self.description().action_name(successor.action);
        let what = format!("the reward {} for `{action}`", successor.reward);
        self.wrong(function, &what)
    }

    #[cold]
    #[inline(never)]
    fn not_a_distribution(&self, afterstate: Afterstate, out: &Outcomes) -> ! {
        let what = match out.len() {
            0 => "no outcomes at all".to_owned(),
            n => format!("{n} outcomes whose probabilities sum to {} instead of 1", out.total()),
        };
        let place = self.write_afterstate(afterstate);
        self.wrong("outcomes", &format!("{what}, after {place}"))
    }
}

/// Reads a description. Builders pass the same text again and again, so the last one is
/// remembered.
fn parse(text: &str) -> Result<Arc<Description>, ron::error::SpannedError> {
    static LAST: Mutex<Option<(String, Arc<Description>)>> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((known, description)) = &*last
        && known == text
    {
        return Ok(description.clone());
    }
    let description: Arc<Description> = Arc::new(ron::from_str(text)?);
    *last = Some((text.to_owned(), description.clone()));
    Ok(description)
}

/// Returns a copy of a table, or `None` if a reward is not finite: the game's own
/// functions then say which.
fn copy_rows(from: In<[Row; ROWS]>) -> Option<Arc<[Row; ROWS]>> {
    let mut table = Arc::<[Row; ROWS]>::new_uninit();
    let to = Arc::get_mut(&mut table).expect("the table is not shared yet");
    // SAFETY: the game lends a whole table for its own lifetime.
    let table = unsafe {
        to.as_mut_ptr().copy_from_nonoverlapping(from.0, 1);
        table.assume_init()
    };
    let finite = |row: &Row| row.first_reward.is_finite() && row.last_reward.is_finite();
    table.iter().all(finite).then_some(table)
}

impl Game for DynGame {
    fn description(&self) -> &Description {
        &self.described().description
    }

    fn start(&self, random: u64) -> State {
        self.check("start", ask!(self.start(random))).into()
    }

    #[inline]
    fn successors(&self, state: State, out: &mut Successors) {
        call!(self.successors(state.into(), Out(ptr::from_mut(out)))).or_raise();
        if let Some(wrong) = out.iter().find(|successor| !successor.reward.is_finite()) {
            self.wrong_reward("successors", wrong);
        }
    }

    #[inline]
    fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        call!(self.outcomes(afterstate.into(), Out(ptr::from_mut(out)))).or_raise();
        let off = (out.total() - 1.0).abs();
        if off.is_nan() || off > PROBABILITY_SLACK {
            self.not_a_distribution(afterstate, out);
        }
    }

    #[inline]
    fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        self.check("spawn", ask!(self.spawn(afterstate.into(), random))).into()
    }

    fn write(&self, state: State) -> String {
        let text: RString = ask!(self.write(state.into()));
        text.into()
    }

    fn write_afterstate(&self, afterstate: Afterstate) -> String {
        let text: RString = ask!(self.write_afterstate(afterstate.into()));
        text.into()
    }

    fn parse(&self, text: &str) -> Result<State, TextError> {
        match ask!(self.parse(RStr::from_str(text))) {
            RResult::ROk(state) => Ok(State::from(state)),
            RResult::RErr(error) => Err(TextError::new(error.at, error.message)),
        }
    }

    #[inline]
    fn successor(&self, state: State, action: Action) -> Option<Successor> {
        let (mut out, mut legal) = (MaybeUninit::<Successor>::uninit(), false);
        let call: Call =
            call!(self.successor(state.into(), action.0, Out(out.as_mut_ptr()), &mut legal));
        call.or_raise();
        if !legal {
            return None;
        }
        // SAFETY: the successor of a legal action was written.
        let successor = unsafe { out.assume_init() };
        if !successor.reward.is_finite() {
            self.wrong_reward("successor", &successor);
        }
        Some(successor)
    }

    fn chance_reward(&self, from: Option<Afterstate>, to: State) -> f32 {
        let from: ROption<Position> = from.map(Into::into).into();
        let reward: f32 = ask!(self.chance_reward(from, to.into()));
        if !reward.is_finite() {
            self.wrong("chance_reward", &format!("{reward}"));
        }
        reward
    }

    fn has_chance_rewards(&self) -> bool {
        *self.has_chance_rewards.get_or_init(|| ask!(self.has_chance_rewards()))
    }

    fn starts(&self) -> Option<Vec<Outcome>> {
        let outcome =
            |w: &WeightedPosition| Outcome { state: w.position.into(), probability: w.probability };
        let starts = ask!(self.starts()).into_option()?;
        Some(starts.iter().map(outcome).collect())
    }

    fn max_tile(&self, state: State) -> Option<u64> {
        ask!(self.max_tile(state.into())).into_option()
    }

    fn layer(&self, state: State) -> Option<u64> {
        ask!(self.layer(state.into())).into_option()
    }

    fn transform(&self, state: State, symmetry: usize) -> State {
        ask!(self.transform(state.into(), symmetry)).into()
    }

    fn transform_afterstate(&self, afterstate: Afterstate, symmetry: usize) -> Afterstate {
        ask!(self.transform_afterstate(afterstate.into(), symmetry)).into()
    }

    fn canonical(&self, state: State) -> State {
        ask!(self.canonical(state.into())).into()
    }

    fn canonical_afterstate(&self, afterstate: Afterstate) -> Afterstate {
        ask!(self.canonical_afterstate(afterstate.into())).into()
    }

    fn playouts(&self, starts: &[State], random: u64, results: &mut [Playout]) {
        assert_eq!(starts.len(), results.len());
        let (from, games, to) = (In(starts.as_ptr()), starts.len(), Out(results.as_mut_ptr()));
        call!(self.playouts(from, games, random, to)).or_raise();
        if let Some(wrong) = results.iter().find(|result| !result.score.is_finite()) {
            self.wrong("playouts", &format!("the score {}", wrong.score));
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
