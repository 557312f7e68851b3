//! Agents.

use super::This;
use super::call::{Call, In, Out, Position, StopFlag};
use super::extension::ExtensionHeader;
use super::game::GameObject;
use abi_stable::StableAbi;
use abi_stable::std_types::{ROption, RString, RVec};
use runner_core::{Episode, Successors};

/// The functions of an agent. One thread at a time uses an agent.
///
/// `game` is null for the game that the agent was built for, otherwise a game that is
/// borrowed for the call.
#[repr(C)]
#[derive(StableAbi)]
pub struct AgentTable {
    /// Makes a copy for another thread. Other threads may not use the agent meanwhile.
    pub copy: unsafe extern "C" fn(This, *mut This) -> Call,
    pub release: unsafe extern "C" fn(This),
    pub extension: unsafe extern "C" fn(This, u64) -> *const ExtensionHeader,
    /// Writes kind, name and file, for messages.
    pub label: unsafe extern "C" fn(This, *mut RString) -> Call,
    /// The game object that the agent was built for.
    pub game: unsafe extern "C" fn(This) -> This,
    /// (agent, game, start).
    pub begin: unsafe extern "C" fn(This, *const GameObject, Position) -> Call,
    /// (agent, game, state, its successors, random bits, the action or none to stop).
    pub act: unsafe extern "C" fn(
        This,
        *const GameObject,
        Position,
        In<Successors>,
        u64,
        *mut ROption<u8>,
    ) -> Call,
    /// (agent, game, last state).
    pub end: unsafe extern "C" fn(This, *const GameObject, Position) -> Call,
    /// Like `act`.
    pub analyse: unsafe extern "C" fn(
        This,
        *const GameObject,
        Position,
        In<Successors>,
        u64,
        *mut AbiAnalysis,
    ) -> Call,
    /// The number of threads that one decision uses.
    pub threads: unsafe extern "C" fn(This, *mut usize) -> Call,
    /// True if the agent holds the rules of its game as tables: a game that it plays on
    /// its own side of the boundary then crosses nothing.
    pub holds_rules: bool,
    /// Plays one whole game: (agent, seed, stream, stop flag, result).
    pub play: unsafe extern "C" fn(This, u64, u64, StopFlag, Out<Episode>) -> Call,
}

/// An agent, borrowed or owned by its holder.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct AgentObject {
    pub this: This,
    pub table: &'static AgentTable,
}

/// An agent's analysis of a position.
#[repr(C)]
#[derive(StableAbi, Clone)]
pub struct AbiAnalysis {
    pub choice: ROption<u8>,
    pub action_values: RVec<AbiActionValue>,
    pub facts: RVec<AbiFact>,
}

/// The value of an action.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct AbiActionValue {
    pub action: u8,
    pub value: f32,
}

/// A named fact of an analysis.
#[repr(C)]
#[derive(StableAbi, Clone)]
pub struct AbiFact {
    pub name: RString,
    pub fact: AbiFactValue,
}

/// The content of a fact.
#[repr(u8)]
#[derive(StableAbi, Clone)]
pub enum AbiFactValue {
    Count(u64),
    Number(f64),
    Text(RString),
}
