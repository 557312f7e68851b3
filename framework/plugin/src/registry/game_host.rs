//! The host of games: it builds the games that they wrap.

use crate::proxy::{DynGame, DynValue, Player, PluginHost};
use runner_core::{BuildError, Host, Spec};

/// A host that builds games by a function and runs tasks on the calling thread. Values and agents are
/// built for a game, so no game can ask for one.
pub struct GameHost<F>(pub F);

impl<F: Send + Sync> Host for GameHost<F> {
    fn threads(&self) -> usize {
        1
    }

    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        (0..n).for_each(task);
    }
}

impl<F> PluginHost for GameHost<F>
where
    F: Fn(&Spec) -> Result<DynGame, BuildError> + Send + Sync,
{
    fn value_object(&self, spec: &Spec) -> Result<DynValue, BuildError> {
        Err(refused("value", spec))
    }

    fn player_object(&self, spec: &Spec) -> Result<Player, BuildError> {
        Err(refused("agent", spec))
    }

    fn game_object(&self, spec: &Spec) -> Result<DynGame, BuildError> {
        (self.0)(spec)
    }
}

fn refused(kind: &str, spec: &Spec) -> BuildError {
    BuildError::new(format!("a game cannot build the {kind} `{spec}`: it can build games only"))
}
