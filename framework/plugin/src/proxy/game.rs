//! A loaded game.

use crate::abi::cross::{answer, to_text};
use crate::abi::data::List;
use crate::abi::game::{GameTable, Tables};
use crate::abi::interface::*;
use crate::abi::object::Handle;
use runner_board::rows::{Row, RowTables};
use runner_core::{Afterstate, Description, Fault, Game, Outcomes, Playout, State, Successor};
use std::any::Any;
use std::sync::OnceLock;

/// How far the probabilities of a loaded game may sum from 1.
const PROBABILITY_SLACK: f64 = 1e-6;

/// A game behind the plugin boundary. Clones share it.
///
/// Every call checks what a wrong game could return: numbers that are not finite, the
/// reserved position, probabilities that do not sum to 1.
#[derive(Clone)]
pub struct DynGame {
    handle: Handle<GameTable>,
    description: OnceLock<Description>,
}

impl DynGame {
    /// Takes over an object.
    ///
    /// # Safety
    ///
    /// The object is alive, and one of its shares the caller's to give.
    pub(crate) unsafe fn own(object: Object<GameTable>) -> Self {
        // SAFETY: the caller's promise.
        Self { handle: unsafe { Handle::own(object) }, description: OnceLock::new() }
    }

    /// Takes a share of an object.
    ///
    /// # Safety
    ///
    /// The object is alive.
    pub(crate) unsafe fn share(object: Object<GameTable>) -> Self {
        // SAFETY: the caller's promise.
        Self { handle: unsafe { Handle::share(object) }, description: OnceLock::new() }
    }

    /// The object, which is valid during the lifetime of this proxy.
    #[inline(always)]
    pub(crate) fn object(&self) -> Object<GameTable> {
        self.handle.object()
    }

    /// Returns the description, which is read at the first use, or the fault of a wrong one.
    pub(crate) fn described(&self) -> Result<&Description, Fault> {
        if self.description.get().is_none() {
            let Object { this, table, .. } = self.object();
            // SAFETY: the object is alive, and the function writes its result unless it fails.
            let text: String = unsafe { ask(|out| (table.description)(this, out)) };
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

    /// Returns a copy of the game's row tables, if it has them and they are usable.
    pub(super) fn copy_row_tables(&self) -> Option<RowTables> {
        let board = self.description().geometry.as_ref()?;
        let Object { this, table, .. } = self.object();
        // SAFETY: the object is alive, and the function writes its result unless it fails.
        let Tables::Rows(view) = (unsafe { ask(|out| (table.tables)(this, out)) }) else {
            return None;
        };
        // SAFETY: the game lends list and tables for its own lifetime.
        let (entries, (across, down)) = unsafe { (view.entries.get(), view.rows.copy()) };
        // The game's own functions say which reward is wrong.
        let is_finite = |row: &Row| row.first_reward.is_finite() && row.last_reward.is_finite();
        let is_usable = board.rows <= 4
            && board.cols <= 4
            && !entries.is_empty()
            && across.iter().chain(&*down).all(is_finite);
        is_usable.then(|| {
            RowTables::new(board.rows, board.cols, across, down, entries.to_vec())
                .with_layer_as_sum(view.layer_is_sum)
                .with_carried_bits(view.carried_bits)
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

    fn check_scores(&self, results: &[Playout]) {
        if let Some(wrong) = results.iter().find(|result| !result.score.is_finite()) {
            self.wrong("playouts", || format!("the score {}", wrong.score));
        }
    }
}

impl Answer for &Description {
    type Abi = List<u8>;

    fn send(self) -> List<u8> {
        to_text(self).into()
    }

    unsafe fn receive(_: List<u8>) -> Self {
        unreachable!("proxies keep the description")
    }
}

answer!([] DynGame as Object<GameTable>: |game| game.handle.send(), |form| Self::own(form));

/// Checks what a wrong game could return.
macro_rules! check_game {
    (start $game:ident $state:ident $arguments:tt) => {
        $game.check_position("start", $state);
    };
    (successors $game:ident $done:ident [$state:ident, $out:ident]) => {
        $game.check_successors("successors", $out);
    };
    (outcomes $game:ident $done:ident [$afterstate:ident, $out:ident]) => {
        $game.check_distribution($afterstate, $out);
    };
    (spawn $game:ident $state:ident $arguments:tt) => {
        $game.check_position("spawn", $state);
    };
    (successor $game:ident $successor:ident $arguments:tt) => {
        $game.check_successors("successor", $successor.as_slice());
    };
    (chance_reward $game:ident $reward:ident $arguments:tt) => {
        $game.check($reward.is_finite(), "chance_reward", || $reward.to_string());
    };
    (playouts $game:ident $done:ident [$starts:ident, $random:ident, $results:ident]) => {
        $game.check_scores($results);
    };
    ($($unchecked:tt)*) => {};
}

game_interface! { interface_proxy [[Game for] DynGame, |game| game.handle.object(), check_game;
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
