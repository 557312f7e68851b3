//! The program's services in a form that plugins can keep.

use super::lend_host::{Access, Table};
use super::{DynAgent, DynGame, DynValue};
use crate::abi::This;
use crate::abi::game::GameObject;
use crate::abi::objects::{BuiltAgent, HostObject, ValueObject};
use runner_core::{BuildError, Host, Spec};
use std::sync::Arc;

/// A host that builds loaded objects for its plugins.
pub trait PluginHost: Host {
    /// Builds the value that a spec names.
    fn value_object(&self, spec: &Spec) -> Result<DynValue, BuildError>;

    /// Builds the agent that a spec names, or the value whose greedy policy it is.
    fn player_object(&self, spec: &Spec) -> Result<Player, BuildError>;

    /// Builds the game that a spec names.
    fn game_object(&self, spec: &Spec) -> Result<DynGame, BuildError>;
}

/// A loaded agent, or a loaded value that plays greedily.
pub enum Player {
    /// An agent.
    Agent(DynAgent),
    /// The greedy policy of a value.
    Greedy(DynValue),
}

/// The program's services in a form that plugins can keep.
pub struct SharedHost(Box<dyn PluginHost>);

impl SharedHost {
    /// Wraps the program's services.
    pub fn new(host: impl PluginHost + 'static) -> Arc<Self> {
        Arc::new(Self(Box::new(host)))
    }

    /// Returns the services as an object that is valid during the lifetime of the caller's share.
    pub(crate) fn object(self: &Arc<Self>) -> HostObject {
        HostObject { this: Arc::as_ptr(self).cast(), table: Table::<Shared>::TABLE }
    }
}

/// A host that its owners share. The pointer is that of an `Arc<SharedHost>`.
struct Shared;

impl Shared {
    /// Returns the services.
    ///
    /// # Safety
    ///
    /// `this` comes from `SharedHost::object`, and the caller holds a share.
    unsafe fn services<'a>(this: This) -> &'a dyn PluginHost {
        // SAFETY: the caller's promise.
        unsafe { &*(*this.cast::<SharedHost>()).0 }
    }
}

// SAFETY: `SharedHost::object` makes the pointer from an `Arc<SharedHost>`.
unsafe impl Access for Shared {
    unsafe fn host<'a>(this: This) -> &'a dyn Host {
        // SAFETY: the caller's promise.
        unsafe { Self::services(this) }
    }

    unsafe fn share(this: This) {
        // SAFETY: the caller's promise.
        unsafe { Arc::increment_strong_count(this.cast::<SharedHost>()) };
    }

    unsafe fn release(this: This) {
        // SAFETY: the caller's promise.
        unsafe { Arc::decrement_strong_count(this.cast::<SharedHost>()) };
    }

    unsafe fn value(this: This, spec: &Spec) -> Result<ValueObject, BuildError> {
        // SAFETY: the caller's promise.
        Ok(unsafe { Self::services(this) }.value_object(spec)?.into_object())
    }

    unsafe fn agent(this: This, spec: &Spec) -> Result<BuiltAgent, BuildError> {
        // SAFETY: the caller's promise.
        Ok(match unsafe { Self::services(this) }.player_object(spec)? {
            Player::Agent(agent) => BuiltAgent::Agent(agent.into_object()),
            Player::Greedy(value) => BuiltAgent::Greedy(value.into_object()),
        })
    }

    unsafe fn game(this: This, spec: &Spec) -> Result<GameObject, BuildError> {
        // SAFETY: the caller's promise.
        Ok(unsafe { Self::services(this) }.game_object(spec)?.into_object())
    }
}
