//! A loaded game.

use crate::abi::cross::{Answer, answer};
use crate::abi::data::List;
use crate::abi::game::{GameTable, Tables};
use crate::abi::interface::*;
use crate::abi::object::Handle;
use crate::description;
use runner_board::rows::{ROWS, Row, RowTables};
use runner_core::{Afterstate, Description, Fault, Game, Outcomes, Playout, State, Successor};
use std::any::Any;
use std::sync::{Arc, OnceLock};

/// How far the probabilities of a loaded game may sum from 1.
const PROBABILITY_SLACK: f64 = 1e-6;

/// A game behind the plugin boundary. Clones share it.
///
/// Every call checks what a wrong game could return: numbers that are not finite, the
/// reserved position, probabilities that do not sum to 1.
#[derive(Clone)]
pub struct DynGame {
    handle: Handle<GameTable>,
    description: OnceLock<Arc<Description>>,
}

impl DynGame {
    /// Takes over an object that was built for this caller.
    ///
    /// # Safety
    ///
    /// The object is alive, and one of its shares the caller's to give.
    pub(crate) unsafe fn own(object: Object<GameTable>) -> Result<Self, Fault> {
        // SAFETY: the caller's promise.
        let game = Self::of(unsafe { Handle::own(object) });
        game.described()?;
        Ok(game)
    }

    /// Takes a share of an object.
    ///
    /// # Safety
    ///
    /// The object is alive.
    pub(crate) unsafe fn share(object: Object<GameTable>) -> Result<Self, Fault> {
        // SAFETY: the caller's promise.
        let game = Self::of(unsafe { Handle::share(object) });
        game.described()?;
        Ok(game)
    }

    /// Borrows an object for the length of a call.
    ///
    /// # Safety
    ///
    /// The object outlives the proxy and its clones.
    #[inline(always)]
    pub(crate) unsafe fn borrowed(object: Object<GameTable>) -> Self {
        // SAFETY: the caller's promise.
        Self::of(unsafe { Handle::borrow(object) })
    }

    #[inline(always)]
    fn of(handle: Handle<GameTable>) -> Self {
        Self { handle, description: OnceLock::new() }
    }

    pub(crate) fn into_object(self) -> Object<GameTable> {
        self.handle.into_object()
    }

    /// The object, which is valid during the lifetime of this proxy.
    #[inline(always)]
    pub(crate) fn object(&self) -> Object<GameTable> {
        self.handle.object()
    }

    #[inline(always)]
    fn table(&self) -> Result<Object<GameTable>, Fault> {
        Ok(self.handle.object())
    }

    /// Returns kind, name and file of the game, for messages.
    pub fn label(&self) -> String {
        self.handle.label()
    }

    fn described(&self) -> Result<&Description, Fault> {
        if self.description.get().is_none() {
            let text: List<u8> = ask!(self.object(), description)?;
            let description = description::read(text.text(), || self.label())?;
            let _ = self.description.set(description);
        }
        Ok(self.description.get().expect("it was read above"))
    }

    /// Returns a copy of the game's row tables, if it has them and they are usable.
    pub(crate) fn copy_row_tables(&self) -> Option<RowTables> {
        let board = self.description().geometry.as_ref()?;
        let tables = ask!(self.object(), tables).unwrap_or_else(|fault| fault.raise());
        let Tables::Rows(view) = tables else { return None };
        // SAFETY: the game lends a list for its own lifetime.
        let entries = unsafe { view.entries.get() };
        if board.rows > 4 || board.cols > 4 || entries.is_empty() {
            return None;
        }
        // SAFETY: the game lends whole tables for its own lifetime.
        let copy = |table| unsafe { copy_rows(table) };
        let across = copy(view.across)?;
        let down = if view.down == view.across { across.clone() } else { copy(view.down)? };
        let tables = RowTables::new(board.rows, board.cols, across, down, entries.to_vec())
            .with_layer_as_sum(view.layer_is_sum)
            .with_carried_bits(view.carried_bits);
        Some(tables)
    }

    #[inline(always)]
    fn check_position(&self, function: &str, position: State) {
        if position == State::RESERVED {
            self.wrong(function, "the reserved position, all bits set");
        }
    }

    #[inline(always)]
    fn check_rewards(&self, function: &str, successors: &[Successor]) {
        if let Some(wrong) = successors.iter().find(|successor| !successor.reward.is_finite()) {
            self.wrong_reward(function, wrong);
        }
    }

    #[inline(always)]
    fn check_distribution(&self, afterstate: Afterstate, out: &Outcomes) {
        let off = (out.total() - 1.0).abs();
        if off.is_nan() || off > PROBABILITY_SLACK {
            self.not_a_distribution(afterstate, out);
        }
    }

    fn check_finite(&self, function: &str, number: f64) {
        if !number.is_finite() {
            self.wrong(function, &number.to_string());
        }
    }

    fn check_scores(&self, results: &[Playout]) {
        if let Some(wrong) = results.iter().find(|result| !result.score.is_finite()) {
            self.wrong("playouts", &format!("the score {}", wrong.score));
        }
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

/// Returns a copy of a table, or `None` if a reward is not finite: the game's own
/// functions then say which.
///
/// # Safety
///
/// The pointer is that of a table.
unsafe fn copy_rows(from: *const [Row; ROWS]) -> Option<Arc<[Row; ROWS]>> {
    // SAFETY: the caller's promise.
    let table = unsafe { super::copy_table(from) };
    let finite = |row: &Row| row.first_reward.is_finite() && row.last_reward.is_finite();
    table.iter().all(finite).then_some(table)
}

answer!([] DynGame as Object<GameTable>:
    |game| game.into_object(), |form| Self::own(form).unwrap_or_else(|fault| fault.raise()));

/// Checks what a wrong game could return.
macro_rules! check_game {
    (start $game:ident $state:ident $arguments:tt) => {
        $game.check_position("start", $state);
    };
    (successors $game:ident $done:ident [$state:ident, $out:ident]) => {
        $game.check_rewards("successors", $out);
    };
    (outcomes $game:ident $done:ident [$afterstate:ident, $out:ident]) => {
        $game.check_distribution($afterstate, $out);
    };
    (spawn $game:ident $state:ident $arguments:tt) => {
        $game.check_position("spawn", $state);
    };
    (successor $game:ident $successor:ident $arguments:tt) => {
        $game.check_rewards("successor", $successor.as_slice());
    };
    (chance_reward $game:ident $reward:ident $arguments:tt) => {
        $game.check_finite("chance_reward", f64::from($reward));
    };
    (playouts $game:ident $done:ident [$starts:ident, $random:ident, $results:ident]) => {
        $game.check_scores($results);
    };
    ($($unchecked:tt)*) => {};
}

game_interface! { interface_proxy [[Game for] DynGame, table, check_game;
    fn description(&self) -> &Description {
        self.described().unwrap_or_else(|fault| fault.raise())
    }

    #[inline]
    fn as_loaded(&self) -> Option<&dyn Any> {
        Some(self)
    }
] }

impl std::fmt::Debug for DynGame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DynGame").field("description", self.description()).finish_non_exhaustive()
    }
}
