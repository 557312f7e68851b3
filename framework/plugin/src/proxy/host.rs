//! The program's services: how they cross the boundary, and the program's side of them.

use super::{DynAgent, DynGame, DynValue};
use crate::abi::agent::AgentTable;
use crate::abi::cross::{Answer, answer};
use crate::abi::interface::*;
use crate::abi::object::{BuiltFor, Export, Owners, SharedTable};
use crate::abi::value::ValueTable;
use crate::guard::Labelled;
use runner_core::{AnyAgent, BuildError, GreedyPolicy, Host, Spec};
use std::sync::Arc;

/// A host that builds loaded objects for its plugins.
pub trait PluginHost: Host {
    fn value_object(&self, spec: &Spec) -> Result<DynValue, BuildError> {
        Err(BuildError::no_plugins("value", spec))
    }

    /// Builds the agent that a spec names, or the value whose greedy policy it is.
    fn player_object(&self, spec: &Spec) -> Result<Player, BuildError> {
        Err(BuildError::no_plugins("agent", spec))
    }

    fn game_object(&self, spec: &Spec) -> Result<DynGame, BuildError> {
        Err(BuildError::no_plugins("game", spec))
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
            fn player_object(&self, spec: &Spec) -> Result<Player, BuildError>;
            fn game_object(&self, spec: &Spec) -> Result<DynGame, BuildError>;
        }
    };
}

host_interface! { interface_table [
    /// The functions of the program.
    HostTable {}
] }

impl SharedTable for HostTable {}

/// A loaded agent, or a loaded value that plays greedily.
pub enum Player {
    Agent(DynAgent),
    Greedy(DynValue),
}

impl From<Player> for AnyAgent {
    fn from(player: Player) -> Self {
        match player {
            Player::Agent(agent) => Self::new(agent),
            Player::Greedy(value) => Self::new(GreedyPolicy(value)),
        }
    }
}

/// A [`Player`] as it crosses.
#[repr(C, u8)]
pub enum BuiltPlayer {
    Agent(BuiltFor<AgentTable>),
    Greedy(BuiltFor<ValueTable>),
}

answer!([] Player as BuiltPlayer:
|player| match player {
    Player::Agent(agent) => BuiltPlayer::Agent(agent.into_object()),
    Player::Greedy(value) => BuiltPlayer::Greedy(value.into_object()),
},
|form| match form {
    BuiltPlayer::Agent(agent) => Player::Agent(DynAgent::own(agent)),
    BuiltPlayer::Greedy(value) => Player::Greedy(DynValue::own(value)),
});

/// The program's services in a form that plugins can keep.
pub struct SharedHost(Box<dyn PluginHost>);

impl SharedHost {
    pub fn new(host: impl PluginHost + 'static) -> Arc<Self> {
        Arc::new(Self(Box::new(host)))
    }

    /// The services as an object that is valid during the lifetime of the caller's share.
    pub(crate) fn object(self: &Arc<Self>) -> Object<HostTable> {
        Object { this: Arc::as_ptr(self).cast(), table: Shared::TABLE }
    }
}

/// The table of a [`SharedHost`].
struct Shared;

impl Labelled for Shared {
    fn label() -> String {
        "the program".into()
    }
}

// SAFETY: `SharedHost::object` makes the pointers from an `Arc<SharedHost>`.
unsafe impl Export for Shared {
    const OWNERS: Owners = Owners::arc::<SharedHost>();
}

impl Shared {
    unsafe fn parts<'a>(this: This) -> (&'a dyn PluginHost, ()) {
        // SAFETY: `SharedHost::object` made the pointer from an `Arc`, which is alive.
        (&*unsafe { &*this.cast::<SharedHost>() }.0, ())
    }
}

host_interface! { interface_export [[] Shared, TABLE; HostTable {}] }

/// The host of a training, which builds nothing.
struct TrainingHost(&'static dyn Host);

impl Host for TrainingHost {
    runner_core::__forward! { [|this| this.0]
        fn threads(&self) -> usize;
        fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync));
        fn memory(&self) -> u64;
    }
}

impl PluginHost for TrainingHost {}

/// Lends a host for the length of `task`, which must not keep it.
pub fn lend_host<T>(host: &dyn Host, task: impl FnOnce(Object<HostTable>) -> T) -> T {
    // SAFETY: `task` does not keep the host, so its lifetime may be called a longer one.
    let host = unsafe { std::mem::transmute::<&dyn Host, &'static dyn Host>(host) };
    task(SharedHost::new(TrainingHost(host)).object())
}
