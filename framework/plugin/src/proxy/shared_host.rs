//! The program's services in a form that plugins can keep.

use super::{DynAgent, DynGame, DynValue};
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

    pub(super) fn services(&self) -> &dyn PluginHost {
        &*self.0
    }
}
