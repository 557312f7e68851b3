//! A loaded game.

use super::raise;
use crate::abi::{GameObject, Position, Status};
use abi_stable::std_types::{ROption, RResult, RStr, RString};
use runner_core::rows::{Entry, ROWS, Row, RowTables};
use runner_core::{
    Action, Afterstate, Description, Episode, Fault, Game, MAX_ACTIONS, Outcome, Outcomes,
    Playouts, Seed, State, Successor, Successors, TextError, catch,
};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// How far the probabilities of a loaded game may sum from 1.
const PROBABILITY_SLACK: f64 = 1e-6;

/// A game behind the plugin boundary.
pub struct DynGame {
    object: GameObject,
    description: Description,
    has_chance_rewards: bool,
}

// SAFETY: a game is `Send + Sync` on its own side (`Game` demands it).
unsafe impl Send for DynGame {}
// SAFETY: as above.
unsafe impl Sync for DynGame {}

impl Drop for DynGame {
    fn drop(&mut self) {
        // SAFETY: this proxy is one of the owners.
        unsafe { (self.object.table.release)(self.object.this) };
    }
}

/// Calls a function of the object's table.
macro_rules! call {
    ($self:ident.$function:ident($($argument:expr),*)) => {
        // SAFETY: the object is alive, as this proxy owns a share of it, and every
        // pointer among the arguments is to something valid for the call.
        unsafe { ($self.object.table.$function)($self.object.this $(, $argument)*) }
    };
}

impl DynGame {
    /// Takes over an object that was built for this caller.
    ///
    /// # Safety
    ///
    /// The object must be alive, and one of its shares the caller's to give.
    pub(crate) unsafe fn own(object: GameObject) -> Result<Self, Fault> {
        let mut game = Self {
            object,
            description: Description {
                actions: Vec::new(),
                max_outcomes: 0,
                tiles: Vec::new(),
                goal: None,
                geometry: None,
            },
            has_chance_rewards: false,
        };
        let text = call!(game.describe()).into_result().map_err(|fault| Fault(fault.into()))?;
        let description: Description = ron::from_str(&text).map_err(|error| {
            Fault::new(format!("the game's description cannot be read: {error}"))
        })?;
        if !(1..=MAX_ACTIONS).contains(&description.actions.len()) {
            return Err(Fault::new(format!(
                "the game declares {} actions; 1 to {MAX_ACTIONS} are possible",
                description.actions.len()
            )));
        }
        game.description = description;
        game.has_chance_rewards = match call!(game.has_chance_rewards()) {
            Status::Done => true,
            Status::None => false,
            Status::Fault => return Err(catch(|| game.fault()).unwrap_err()),
        };
        Ok(game)
    }

    /// A further share of an object that someone else owns.
    ///
    /// # Safety
    ///
    /// The object must be alive.
    pub(crate) unsafe fn share(object: GameObject) -> Result<Self, Fault> {
        // SAFETY: the caller's promise; the share made here is the proxy's.
        unsafe {
            (object.table.share)(object.this);
            Self::own(object)
        }
    }

    /// The object, for as long as this proxy lives.
    pub(crate) fn object(&self) -> GameObject {
        self.object
    }

    /// Plays one whole game on the game's side of the boundary: the loop runs
    /// there, and only the agent's decisions cross.
    pub fn play_there(
        &self,
        agent: &mut super::DynAgent,
        seed: Seed,
        stream: u64,
        stop: &AtomicBool,
    ) -> Result<Episode, Fault> {
        let mut out = MaybeUninit::<Episode>::uninit();
        let stop = ptr::from_ref(stop).cast();
        let status =
            call!(self.play(agent.object(), seed.0, stream, stop, out.as_mut_ptr().cast()));
        match status {
            // SAFETY: it was written, the status says so.
            Status::Done => Ok(unsafe { out.assume_init() }),
            _ => Err(catch(|| self.fault()).unwrap_err()),
        }
    }

    /// A copy of the game's row tables, if it has them.
    pub(crate) fn copy_row_tables(&self) -> Option<RowTables> {
        let board = self.description.geometry.as_ref()?;
        let tables = call!(self.row_tables()).into_option()?;
        if board.rows > 4 || board.cols > 4 || tables.entry_count == 0 {
            return None;
        }
        let copy = |from: *const u8| -> Arc<[Row; ROWS]> {
            let mut table = Arc::<[Row; ROWS]>::new_uninit();
            let to = Arc::get_mut(&mut table).expect("just made");
            // SAFETY: the game lends a whole table, valid for as long as the game.
            unsafe {
                to.as_mut_ptr().copy_from_nonoverlapping(from.cast(), 1);
                table.assume_init()
            }
        };
        let across = copy(tables.across);
        let down = if tables.down == tables.across { across.clone() } else { copy(tables.down) };
        // SAFETY: as above.
        let entries = unsafe {
            std::slice::from_raw_parts(tables.entries.cast::<Entry>(), tables.entry_count)
        };
        let copied = RowTables::new(board.rows, board.cols, across, down, entries.to_vec());
        Some(copied.with_layer_as_sum(tables.layer_is_sum))
    }

    #[cold]
    fn fault(&self) -> ! {
        raise(self.object.table.take_fault)
    }

    fn number(&self, number: crate::abi::Number) -> Option<u64> {
        match number.status {
            Status::Done => Some(number.number),
            Status::None => None,
            Status::Fault => self.fault(),
        }
    }

    #[inline(always)]
    fn position(&self, position: Position) -> Position {
        if position == Position::RESERVED {
            self.fault();
        }
        position
    }

    #[cold]
    fn not_a_distribution(&self, afterstate: Afterstate, out: &Outcomes) -> ! {
        let what = match out.len() {
            0 => "no outcomes at all".to_owned(),
            n => format!("{n} outcomes whose probabilities sum to {} instead of 1", out.total()),
        };
        let place = self.write_afterstate(afterstate);
        Fault::new(format!("the game gave {what}, after {place}")).raise()
    }
}

fn text(result: RResult<RString, RString>) -> String {
    match result {
        RResult::ROk(text) => text.into(),
        RResult::RErr(fault) => Fault(fault.into()).raise(),
    }
}

impl Game for DynGame {
    fn description(&self) -> &Description {
        &self.description
    }

    fn start(&self, random: u64) -> State {
        self.position(call!(self.start(random))).into()
    }

    #[inline]
    fn successors(&self, state: State, out: &mut Successors) {
        if call!(self.successors(state.into(), ptr::from_mut(out).cast())) != Status::Done {
            self.fault();
        }
    }

    #[inline]
    fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        if call!(self.outcomes(afterstate.into(), ptr::from_mut(out).cast())) != Status::Done {
            self.fault();
        }
        if (out.total() - 1.0).abs() > PROBABILITY_SLACK {
            self.not_a_distribution(afterstate, out);
        }
    }

    #[inline]
    fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        self.position(call!(self.spawn(afterstate.into(), random))).into()
    }

    fn write(&self, state: State) -> String {
        text(call!(self.write(state.into())))
    }

    fn write_afterstate(&self, afterstate: Afterstate) -> String {
        text(call!(self.write_afterstate(afterstate.into())))
    }

    fn parse(&self, text: &str) -> Result<State, TextError> {
        match call!(self.parse(RStr::from_str(text))) {
            RResult::ROk(RResult::ROk(state)) => Ok(state.into()),
            RResult::ROk(RResult::RErr(error)) => Err(TextError::new(error.at, error.message)),
            RResult::RErr(fault) => Fault(fault.into()).raise(),
        }
    }

    #[inline]
    fn successor(&self, state: State, action: Action) -> Option<Successor> {
        let mut out = MaybeUninit::<Successor>::uninit();
        match call!(self.successor(state.into(), action.0, out.as_mut_ptr().cast())) {
            // SAFETY: it was written, the status says so.
            Status::Done => Some(unsafe { out.assume_init() }),
            Status::None => None,
            Status::Fault => self.fault(),
        }
    }

    fn chance_reward(&self, from: Option<Afterstate>, to: State) -> f32 {
        let from: ROption<Position> = from.map(Into::into).into();
        let reward = call!(self.chance_reward(from, to.into()));
        if reward.is_nan() {
            self.fault();
        }
        reward
    }

    fn has_chance_rewards(&self) -> bool {
        self.has_chance_rewards
    }

    fn starts(&self) -> Option<Vec<Outcome>> {
        match call!(self.starts()) {
            RResult::ROk(starts) => starts.into_option().map(|list| {
                let weigh = |w: &crate::abi::WeightedPosition| Outcome {
                    state: w.position.into(),
                    probability: w.probability,
                };
                list.iter().map(weigh).collect()
            }),
            RResult::RErr(fault) => Fault(fault.into()).raise(),
        }
    }

    fn max_tile(&self, state: State) -> Option<u64> {
        self.number(call!(self.max_tile(state.into())))
    }

    fn layer(&self, state: State) -> Option<u64> {
        self.number(call!(self.layer(state.into())))
    }

    fn transform(&self, state: State, symmetry: usize) -> State {
        self.position(call!(self.transform(state.into(), symmetry))).into()
    }

    fn transform_afterstate(&self, afterstate: Afterstate, symmetry: usize) -> Afterstate {
        self.position(call!(self.transform_afterstate(afterstate.into(), symmetry))).into()
    }

    fn canonical(&self, state: State) -> State {
        self.position(call!(self.canonical(state.into()))).into()
    }

    fn canonical_afterstate(&self, afterstate: Afterstate) -> Afterstate {
        self.position(call!(self.canonical_afterstate(afterstate.into()))).into()
    }

    fn playouts(&self, state: State, games: u64, random: u64) -> Playouts {
        let mut out = Playouts::default();
        let status =
            call!(self.playouts(state.into(), games, random, ptr::from_mut(&mut out).cast()));
        if status != Status::Done {
            self.fault();
        }
        out
    }
}

impl std::fmt::Debug for DynGame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DynGame").field("description", &self.description).finish_non_exhaustive()
    }
}
