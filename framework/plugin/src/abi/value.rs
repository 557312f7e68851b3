//! Values.

use super::This;
use super::call::{Call, In, Position};
use super::extension::{ExtensionHeader, extension};
use super::game::GameObject;
use super::learner::LearnerTable;
use abi_stable::StableAbi;
use abi_stable::std_types::{ROption, RString};
use runner_core::rows::ROWS;
use runner_core::{Afterstate, State, Successors};

/// The functions of a value. All threads may use a value at once.
///
/// `game` is null for the game that the value was built for, otherwise a game that is
/// borrowed for the call.
#[repr(C)]
#[derive(StableAbi)]
pub struct ValueTable {
    pub share: unsafe extern "C" fn(This),
    pub release: unsafe extern "C" fn(This),
    /// See [`PolicyTable`].
    pub extension: unsafe extern "C" fn(This, u64) -> *const ExtensionHeader,
    /// Writes kind, name and file, for messages.
    pub label: unsafe extern "C" fn(This, *mut RString) -> Call,
    /// The game object that the value was built for.
    pub game: unsafe extern "C" fn(This) -> This,
    /// (value, afterstates, estimates, count).
    pub evaluate: unsafe extern "C" fn(This, In<Afterstate>, *mut f32, usize) -> Call,
    /// (value, afterstates, exact values or NaN, count).
    pub exact_values: unsafe extern "C" fn(This, In<Afterstate>, *mut f32, usize) -> Call,
    pub facts: unsafe extern "C" fn(This, *mut ValueFacts) -> Call,
    /// (value, game, state, its successors, the value of each).
    pub action_values:
        unsafe extern "C" fn(This, *const GameObject, Position, In<Successors>, *mut f32) -> Call,
    pub line_values: unsafe extern "C" fn(This, *mut ROption<LineTables>) -> Call,
    /// None if the value does not learn.
    pub learner: ROption<LearnerTable>,
}

/// The constant properties of a value.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct ValueFacts {
    /// True if the value estimates actions instead of afterstates.
    pub estimates_actions: bool,
    /// The position bits that the estimates depend on, low word first.
    pub reads: [u64; 2],
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

/// A value, borrowed or owned by its holder.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct ValueObject {
    pub this: This,
    pub table: &'static ValueTable,
}
