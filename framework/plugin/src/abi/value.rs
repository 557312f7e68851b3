//! The data of values, and their extension tables.

use super::This;
use super::call::{Call, In};
use super::extension::extension;
use super::game::GameObject;
use abi_stable::StableAbi;
use abi_stable::std_types::ROption;
use runner_board::rows::ROWS;
use runner_core::State;

/// The constant properties of a value.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct ValueFacts {
    /// True if the value estimates actions instead of afterstates.
    pub estimates_actions: bool,
    /// None if the estimates are points.
    pub rating: ROption<AbiRating>,
}

/// The bounds of ratings.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct AbiRating {
    pub min: f32,
    pub max: f32,
}

/// The values of lines, borrowed from the value object.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct LineTables {
    pub across: In<[f32; ROWS]>,
    pub down: In<[f32; ROWS]>,
    /// The sum of the lines that the board lacks.
    pub absent: f32,
    /// The lower bound of all values.
    pub least: f32,
}

extension! {
    /// Action priors, for tree search. Values without this table have uniform priors.
    PolicyTable = 1 {
        /// Whether the priors are the value's own.
        has_priors: unsafe extern "C" fn(This, *mut bool) -> Call,
        /// (value, game, states, count, priors, values); one row of priors for each state,
        /// one prior for each action of the game's list.
        evaluate_states: unsafe extern "C" fn(
            This, *const GameObject, In<State>, usize, *mut f32, *mut f32
        ) -> Call,
    }
}
