//! Objects that crossed the boundary, as types that implement the traits of `runner-core`: generic
//! code runs on them as on anything else. A fault of the other side is raised again here.

/// Calls a function of an object that has no arguments, and returns the form of its result.
macro_rules! ask {
    ($object:expr, $name:ident) => {{
        let Object { this, table } = $object;
        let mut out = MaybeUninit::uninit();
        // SAFETY: the object is alive, and `out` is a place for the result.
        let call = unsafe { (table.$name)(this, out.as_mut_ptr()) };
        // SAFETY: a call that succeeded has written its result.
        call.into_result().map(|()| unsafe { out.assume_init() })
    }};
}

mod agent;
mod game;
#[macro_use]
mod host;
mod lend_game;
mod remote_host;
mod session;
mod tables;
mod value;

pub use agent::DynAgent;
pub use game::DynGame;
pub use host::{HostTable, Player, PluginHost, SharedHost};
pub use remote_host::RemoteHost;
pub use tables::TableGame;
pub use value::DynValue;

use std::sync::Arc;

/// Returns a copy of a table that an object lends.
///
/// # Safety
///
/// The pointer is that of a table.
unsafe fn copy_table<T: Copy, const N: usize>(from: *const [T; N]) -> Arc<[T; N]> {
    let mut table = Arc::<[T; N]>::new_uninit();
    let to = Arc::get_mut(&mut table).expect("the table is not shared yet");
    // SAFETY: the caller promises a whole table, and a copy of it is a table.
    unsafe {
        to.as_mut_ptr().copy_from_nonoverlapping(from, 1);
        table.assume_init()
    }
}
