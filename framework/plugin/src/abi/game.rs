//! Games.

use super::This;
use super::call::{Call, In, Out, Position};
use super::extension::ExtensionHeader;
use abi_stable::StableAbi;
use abi_stable::std_types::{ROption, RResult, RStr, RString, RVec};
use runner_board::rows::{Entry, ROWS, Row};
use runner_core::{Outcomes, Playout, State, Successor, Successors};

/// A start position with its probability.
#[repr(C)]
#[derive(StableAbi, Clone, Copy, Debug)]
pub struct WeightedPosition {
    pub position: Position,
    pub probability: f64,
}

/// The reason why a text was refused.
#[repr(C)]
#[derive(StableAbi, Clone, Debug)]
pub struct TextRefused {
    pub at: usize,
    pub message: RString,
}

/// Row tables, borrowed from the game object.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct RowTablesView {
    pub across: In<[Row; ROWS]>,
    pub down: In<[Row; ROWS]>,
    pub entries: In<Entry>,
    pub entry_count: usize,
    /// True if the layer is the sum of the displayed values.
    pub layer_is_sum: bool,
    /// Bits of the second word that moves and chance leave unchanged.
    pub carried_bits: u64,
}

/// The functions of a game.
#[repr(C)]
#[derive(StableAbi)]
pub struct GameTable {
    /// Adds an owner of the object.
    pub share: unsafe extern "C" fn(This),
    /// Removes an owner. The last one frees the object.
    pub release: unsafe extern "C" fn(This),
    pub extension: unsafe extern "C" fn(This, u64) -> *const ExtensionHeader,
    /// Writes kind, name and file, for messages.
    pub label: unsafe extern "C" fn(This, *mut RString) -> Call,
    /// The description, as RON.
    pub describe: unsafe extern "C" fn(This, *mut RString) -> Call,
    pub start: unsafe extern "C" fn(This, u64, *mut Position) -> Call,
    pub successors: unsafe extern "C" fn(This, Position, Out<Successors>) -> Call,
    /// (game, state, action, the result if it is legal, whether it is legal).
    pub successor: unsafe extern "C" fn(This, Position, u8, Out<Successor>, *mut bool) -> Call,
    pub outcomes: unsafe extern "C" fn(This, Position, Out<Outcomes>) -> Call,
    /// (game, afterstate, random bits, state).
    pub spawn: unsafe extern "C" fn(This, Position, u64, *mut Position) -> Call,
    pub chance_reward: unsafe extern "C" fn(This, ROption<Position>, Position, *mut f32) -> Call,
    pub has_chance_rewards: unsafe extern "C" fn(This, *mut bool) -> Call,
    pub starts: unsafe extern "C" fn(This, *mut ROption<RVec<WeightedPosition>>) -> Call,
    pub write: unsafe extern "C" fn(This, Position, *mut RString) -> Call,
    pub write_afterstate: unsafe extern "C" fn(This, Position, *mut RString) -> Call,
    pub parse: unsafe extern "C" fn(This, RStr<'_>, *mut RResult<Position, TextRefused>) -> Call,
    pub max_tile: unsafe extern "C" fn(This, Position, *mut ROption<u64>) -> Call,
    pub layer: unsafe extern "C" fn(This, Position, *mut ROption<u64>) -> Call,
    /// (game, state, symmetry, image).
    pub transform: unsafe extern "C" fn(This, Position, usize, *mut Position) -> Call,
    pub transform_afterstate: unsafe extern "C" fn(This, Position, usize, *mut Position) -> Call,
    pub canonical: unsafe extern "C" fn(This, Position, *mut Position) -> Call,
    pub canonical_afterstate: unsafe extern "C" fn(This, Position, *mut Position) -> Call,
    pub row_tables: unsafe extern "C" fn(This, *mut ROption<RowTablesView>) -> Call,
    /// (game, starts, number of games, random bits, results); one result for each start.
    pub playouts: unsafe extern "C" fn(This, In<State>, usize, u64, Out<Playout>) -> Call,
}

/// A game, borrowed or owned by its holder.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct GameObject {
    pub this: This,
    pub table: &'static GameTable,
}
