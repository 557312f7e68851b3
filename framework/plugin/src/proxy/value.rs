//! A loaded value, and a loaded learner.

use super::lent::lend_game;
use crate::abi::cross::answer;
use crate::abi::game::Tables;
use crate::abi::interface::*;
use crate::abi::object::Handle;
use crate::abi::value::{LearnerTable, ValueTable};
use runner_board::lines::LineValues;
use runner_core::{Fault, Game, Learner, ModelFormat, TrainingProgress, TrainingSession, Value};
use std::any::Any;
use std::path::Path;
use std::sync::OnceLock;

/// The bits of infinity. Those of NaN are larger.
const INFINITY: u32 = f32::INFINITY.to_bits();

/// A value behind the plugin boundary. Clones share it. It plays the game that it is
/// given: its own without a detour, any other one through a borrowed object.
///
/// Every call checks that the numbers it returns are finite.
#[derive(Clone)]
pub struct DynValue {
    handle: Handle<ValueTable>,
    /// Copied at the first use.
    line_values: OnceLock<Option<LineValues>>,
}

impl DynValue {
    pub fn is_learner(&self) -> bool {
        self.handle.object().table.learner.is_some()
    }

    /// A value that does not learn raises a fault.
    fn learner(&self) -> Object<LearnerTable> {
        let Object { this, table, bound } = self.handle.object();
        match table.learner {
            Some(table) => Object { this, table, bound },
            None => Fault::new(format!("{} does not learn", self.handle.label())).raise(),
        }
    }

    fn copy_line_values(&self) -> Option<LineValues> {
        let Object { this, table, .. } = self.handle.object();
        // SAFETY: the object is alive, and the function writes its result unless it fails.
        let Tables::Lines(view) = (unsafe { ask(|out| (table.tables)(this, out)) }) else {
            return None;
        };
        // SAFETY: the value lends whole tables for its own lifetime.
        let (across, down) = unsafe { view.values.copy() };
        self.check_finite("tables", &*across);
        self.check_finite("tables", &*down);
        Some(LineValues::from_tables(across, down, view.absent, view.least))
    }

    #[inline(always)]
    fn check_finite(&self, function: &str, values: &[f32]) {
        // A branch for each of a few values is cheap, and a vector of them would be read before
        // it is written. The largest of many is found without branches.
        let is_finite = match values.len() {
            ..16 => values.iter().all(|value| value.is_finite()),
            _ => values.iter().fold(0, |most, v| most.max(v.abs().to_bits())) < INFINITY,
        };
        if !is_finite {
            self.wrong(function, values, f32::is_finite);
        }
    }

    fn check_not_infinite(&self, function: &str, values: &[f32]) {
        if values.iter().any(|value| value.is_infinite()) {
            self.wrong(function, values, |value| !value.is_infinite());
        }
    }

    #[cold]
    #[inline(never)]
    fn wrong(&self, function: &str, values: &[f32], right: fn(f32) -> bool) -> ! {
        let wrong = values.iter().find(|value| !right(**value)).expect("one of them is wrong");
        Fault::new(format!("{}: `{function}` returned the value {wrong}", self.handle.label()))
            .raise()
    }
}

answer!([] DynValue as Object<ValueTable>:
    |value| value.handle.send(),
    |form| Self { handle: Handle::receive(form), line_values: OnceLock::new() });

/// Checks what a wrong value could return.
macro_rules! check_value {
    (evaluate $value:ident $done:ident [$afterstates:ident, $values:ident]) => {
        $value.check_finite("evaluate", $values);
    };
    (action_values $value:ident $done:ident [$state:ident, $successors:ident, $values:ident]) => {
        $value.check_finite("action_values", $values);
    };
    (evaluate_states $value:ident $done:ident [$states:ident, $priors:ident, $values:ident]) => {
        $value.check_finite("evaluate_states", $priors);
        $value.check_finite("evaluate_states", $values);
    };
    (exact_values $value:ident $done:ident [$afterstates:ident, $values:ident]) => {
        $value.check_not_infinite("exact_values", $values);
    };
    ($($unchecked:tt)*) => {};
}

value_interface! { interface_proxy [[Value for] DynValue, |value| value.handle.object(), check_value;
    fn tables(&self) -> Option<&dyn Any> {
        let lines = self.line_values.get_or_init(|| self.copy_line_values());
        lines.as_ref().map(|lines| lines as _)
    }
] }

learner_interface! { interface_proxy [[Learner for] DynValue, |value| value.learner(), unchecked;] }
