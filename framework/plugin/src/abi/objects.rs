//! Values, learners and the program's services: the objects whose tables name each other. A
//! host builds values, a value may be a learner, and a training session brings a host.

use super::This;
use super::agent::AgentObject;
use super::build::BuildRefused;
use super::call::{Call, In, Position};
use super::extension::ExtensionHeader;
use super::game::GameObject;
use super::training::{AbiBudget, AbiModelFormat, AbiProgress, SessionTable};
use super::value::{LineTables, ValueFacts};
use abi_stable::StableAbi;
use abi_stable::std_types::{ROption, RResult, RSlice, RStr, RString, RVec};
use runner_core::{Afterstate, Successors};

/// A value, borrowed or owned by its holder.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct ValueObject {
    pub this: This,
    pub table: &'static ValueTable,
}

/// The functions of a value. All threads may use a value at once.
///
/// `game` is null for the game that the value was built for, otherwise a game that is
/// borrowed for the call.
#[repr(C)]
#[derive(StableAbi)]
pub struct ValueTable {
    pub share: unsafe extern "C" fn(This),
    pub release: unsafe extern "C" fn(This),
    /// See [`PolicyTable`](super::value::PolicyTable).
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

/// The further functions of a value that learns.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct LearnerTable {
    /// (learner, game or null for the learner's own, session, progress).
    pub train: unsafe extern "C" fn(This, *const GameObject, &AbiSession, *mut AbiProgress) -> Call,
    pub progress: unsafe extern "C" fn(This, *mut AbiProgress) -> Call,
    pub formats: unsafe extern "C" fn(This, *mut RVec<AbiModelFormat>) -> Call,
    /// (learner, path, format).
    pub save: unsafe extern "C" fn(This, RStr<'_>, RStr<'_>) -> Call,
    /// (learner, paths).
    pub load: unsafe extern "C" fn(This, RSlice<'_, RStr<'_>>) -> Call,
}

/// A training session, borrowed for the length of one call.
#[repr(C)]
#[derive(StableAbi)]
pub struct AbiSession {
    pub budget: AbiBudget,
    pub plan: AbiBudget,
    pub seed: u64,
    pub host: HostObject,
    pub this: This,
    pub table: &'static SessionTable,
}

/// The program's services, borrowed or owned by their holder.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct HostObject {
    pub this: This,
    pub table: &'static HostTable,
}

/// The functions of the program. All threads may use it at once.
#[repr(C)]
#[derive(StableAbi)]
pub struct HostTable {
    pub share: unsafe extern "C" fn(This),
    pub release: unsafe extern "C" fn(This),
    pub extension: unsafe extern "C" fn(This, u64) -> *const ExtensionHeader,
    pub threads: unsafe extern "C" fn(This, *mut usize) -> Call,
    /// Runs the task for 0..n on the program's threads. A thread that waits in a nested
    /// call may run tasks of other callers meanwhile.
    pub for_each: unsafe extern "C" fn(This, usize, Task) -> Call,
    /// Available memory in bytes.
    pub memory: unsafe extern "C" fn(This, *mut u64) -> Call,
    /// Builds the value that a spec names for the caller, which then owns it.
    pub value:
        unsafe extern "C" fn(This, RStr<'_>, *mut RResult<ValueObject, BuildRefused>) -> Call,
    /// Builds the agent that a spec names, which may be the greedy policy of a value.
    pub agent: unsafe extern "C" fn(This, RStr<'_>, *mut RResult<BuiltAgent, BuildRefused>) -> Call,
    /// Builds the game that a spec names.
    pub game: unsafe extern "C" fn(This, RStr<'_>, *mut RResult<GameObject, BuildRefused>) -> Call,
}

/// An agent that the program built for a plugin.
#[repr(u8)]
#[derive(StableAbi, Clone, Copy)]
pub enum BuiltAgent {
    Agent(AgentObject),
    /// The greedy policy of this value.
    Greedy(ValueObject),
}

/// A function with its context. Any thread may call it, and it contains its own panics.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct Task {
    pub run: unsafe extern "C" fn(This, usize),
    pub context: This,
}
