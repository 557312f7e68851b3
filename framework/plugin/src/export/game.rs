//! The exported entry of a game.

use super::{build, identity};
use crate::abi::build::BuildResult;
use crate::abi::call::Call;
use crate::abi::game::GameObject;
use crate::abi::library::GameEntry;
use crate::abi::objects::HostObject;
use crate::game_table::Owned;
use crate::proxy::RemoteHost;
use abi_stable::std_types::RStr;
use runner_core::{GameContext, GamePlugin, Host};
use std::sync::Arc;

/// Returns the entry of a game in its library's contents.
pub fn game_entry<G: GamePlugin>() -> GameEntry {
    GameEntry { identity: identity::<G>(), build: build_game::<G> }
}

unsafe extern "C" fn build_game<G: GamePlugin>(
    spec: RStr<'_>,
    host: &HostObject,
    out: *mut BuildResult<GameObject>,
) -> Call {
    let new = |config| {
        // SAFETY: the host is valid during this call.
        let host: Arc<dyn Host> = Arc::new(unsafe { RemoteHost::share(*host) });
        Ok(Owned::object(G::new(config, &GameContext { host: &host })?))
    };
    // SAFETY: the caller passes a place for the result.
    unsafe { build::<G, Owned<G>, _>(spec, out, new) }
}
