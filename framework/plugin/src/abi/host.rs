//! The services of the program.

use super::This;
use super::agent::AgentObject;
use super::build::BuildRefused;
use super::call::Call;
use super::extension::ExtensionHeader;
use super::game::GameObject;
use super::value::ValueObject;
use abi_stable::StableAbi;
use abi_stable::std_types::{RResult, RStr};

/// A function with its context. Any thread may call it, and it contains its own panics.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct Task {
    pub run: unsafe extern "C" fn(This, usize),
    pub context: This,
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

/// The program's services, borrowed or owned by their holder.
#[repr(C)]
#[derive(StableAbi, Clone, Copy)]
pub struct HostObject {
    pub this: This,
    pub table: &'static HostTable,
}
