//! The program's services on a plugin's side.

use super::host::{HostTable, Player};
use super::{DynGame, DynValue, TableGame};
use crate::abi::interface::*;
use crate::abi::object::Handle;
use runner_core::{AnyAgent, BuildError, Fault, Game, Host, Spec, Value};
use std::sync::Arc;

/// The program's services as a plugin sees them.
pub struct RemoteHost(Handle<HostTable>);

impl RemoteHost {
    /// Takes a share of the program's services.
    ///
    /// # Safety
    ///
    /// The object is alive.
    pub(crate) unsafe fn share(object: Object<HostTable>) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { Handle::share(object) })
    }

    fn table(&self) -> Result<Object<HostTable>, Fault> {
        Ok(self.0.object())
    }
}

host_interface! { interface_proxy [[] RemoteHost, table, unchecked;] }

impl Host for RemoteHost {
    runner_core::__forward! { [|this| this]
        fn threads(&self) -> usize;
        fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync));
        fn memory(&self) -> u64;
    }

    fn value(&self, spec: &Spec) -> Result<Arc<dyn Value>, BuildError> {
        Ok(Arc::new(self.value_object(spec)?))
    }

    fn agent(&self, spec: &Spec) -> Result<AnyAgent, BuildError> {
        self.player_object(spec).map(AnyAgent::from)
    }

    fn game(&self, spec: &Spec) -> Result<Arc<dyn Game>, BuildError> {
        let game = self.game_object(spec)?;
        Ok(match TableGame::over(&game) {
            Some(table) => Arc::new(table),
            None => Arc::new(game),
        })
    }
}
