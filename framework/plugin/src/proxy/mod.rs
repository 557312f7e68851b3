//! The caller's side: objects that crossed the boundary, as types that implement
//! the traits of `runner-core`. Generic code runs on them as on anything else.
//!
//! A fault on the far side is raised again here (see [`Fault::raise`]).

mod agent;
mod game;
mod host;
mod tables;
mod value;

pub use agent::{DynAgent, RemoteAgent};
pub use game::DynGame;
pub use host::{HostShare, PluginHost, RemoteHost, lend_host};
pub use tables::TableGame;
pub use value::{DynValue, to_abi_progress, utf8};

use abi_stable::std_types::RString;
use runner_core::Fault;

/// Raises the fault that a table keeps for this thread.
#[cold]
#[inline(never)]
fn raise(take_fault: unsafe extern "C" fn() -> RString) -> ! {
    // SAFETY: every table's `take_fault` may be called at any time.
    Fault(unsafe { take_fault() }.into()).raise()
}
