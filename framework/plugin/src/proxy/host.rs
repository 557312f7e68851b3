//! The program's services: how they cross the boundary, and both sides of them.

use super::{DynAgent, DynGame, DynValue, TableGame};
use crate::abi::interface::*;
use crate::abi::object::{Handle, SharedTable};
use crate::guard::Labelled;
use runner_core::{
    AnyAgent, BuildError, Control, Game, GreedyPolicy, Host, Spec, TrainingProgress, Value,
};
use std::sync::Arc;

/// A host that builds loaded objects for its plugins.
pub trait PluginHost: Host {
    fn value_object(&self, spec: &Spec) -> Result<DynValue, BuildError> {
        Err(BuildError::no_plugins("value", spec))
    }

    /// Builds the agent that a spec names; `None` if it names a value.
    fn agent_object(&self, spec: &Spec) -> Result<Option<DynAgent>, BuildError> {
        Err(BuildError::no_plugins("agent", spec))
    }

    fn game_object(&self, spec: &Spec) -> Result<DynGame, BuildError> {
        Err(BuildError::no_plugins("game", spec))
    }

    /// Reports the progress of a training. Returns true if it is to stop.
    fn stops(&self, _: &TrainingProgress) -> bool {
        false
    }
}

/// The methods of a [`PluginHost`]. All threads may use it at once.
macro_rules! host_interface {
    ($make:ident $arguments:tt) => {
        $make! { $arguments
            fn threads(&self) -> usize;
            fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync));
            fn memory(&self) -> u64;
            fn value_object(&self, spec: &Spec) -> Result<DynValue, BuildError>;
            fn agent_object(&self, spec: &Spec) -> Result<Option<DynAgent>, BuildError>;
            fn game_object(&self, spec: &Spec) -> Result<DynGame, BuildError>;
            fn stops(&self, progress: &TrainingProgress) -> bool;
        }
    };
}

host_interface! { interface_table [
    /// The functions of the program.
    HostTable {}
] }

impl SharedTable for HostTable {}

/// The program's services in a form that plugins can keep.
pub struct SharedHost(Box<dyn PluginHost>);

impl SharedHost {
    pub fn new(host: impl PluginHost + 'static) -> Arc<Self> {
        Arc::new(Self(Box::new(host)))
    }

    /// The services as an object that is valid during the lifetime of the caller's share.
    pub(crate) fn object(self: &Arc<Self>) -> Object<HostTable> {
        Object { this: Arc::as_ptr(self).cast(), table: Self::TABLE, bound: 0 }
    }
}

impl Labelled for SharedHost {
    fn label() -> String {
        "the program".into()
    }
}

host_interface! { interface_export [[] SharedHost, TABLE; HostTable {
    life: Life::shared::<Self>(),
}] }

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

    pub(super) fn report(&self, progress: &TrainingProgress) -> Control {
        if self.stops(progress) { Control::Stop } else { Control::Continue }
    }
}

host_interface! { interface_proxy [[] RemoteHost, |host| host.0.object(), unchecked;] }

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
        Ok(match self.agent_object(spec)? {
            Some(agent) => AnyAgent::new(agent),
            None => AnyAgent::new(GreedyPolicy(self.value_object(spec)?)),
        })
    }

    fn game(&self, spec: &Spec) -> Result<Arc<dyn Game>, BuildError> {
        Ok(Arc::new(TableGame::new(self.game_object(spec)?)))
    }
}
