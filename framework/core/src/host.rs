//! The services that the program offers to plugins.

use crate::{AnyAgent, BuildError, Description, Game, Spec, Value};
use std::sync::Arc;

/// The services of the running program.
///
/// Plugins do not start threads of their own: a library has its own copy of every thread
/// pool's statics, so the number of threads would multiply.
pub trait Host: Send + Sync {
    /// Returns the number of tasks that run at once.
    fn threads(&self) -> usize;

    /// Runs `task(0)` to `task(n - 1)` on the program's threads and returns when all have
    /// ended.
    ///
    /// While a thread waits for its own `for_each` to end, it may run tasks of other callers, such
    /// as another game of the same player. Do not hold a lock or a `RefCell` borrow across this
    /// call if such a task could need it: the thread would wait for itself.
    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync));

    /// Returns how many bytes of memory are available, or `u64::MAX` if that is unknown.
    fn memory(&self) -> u64 {
        u64::MAX
    }

    /// Builds the value that a spec names, for the game that the caller plays.
    fn value(&self, spec: &Spec) -> Result<Arc<dyn Value>, BuildError> {
        Err(BuildError::no_plugins("value", spec))
    }

    /// Builds the agent that a spec names, for the game that the caller plays. The name of
    /// a value gives its greedy policy.
    fn agent(&self, spec: &Spec) -> Result<AnyAgent, BuildError> {
        Err(BuildError::no_plugins("agent", spec))
    }

    /// Builds the game that a spec names.
    fn game(&self, spec: &Spec) -> Result<Arc<dyn Game>, BuildError> {
        Err(BuildError::no_plugins("game", spec))
    }
}

/// The context in which a game is built.
#[derive(Clone, Copy)]
pub struct GameContext<'a> {
    /// The program's services; clone the `Arc` to use them later.
    pub host: &'a Arc<dyn Host>,
}

impl GameContext<'_> {
    /// Builds the game that a parameter names, for a game that wraps another.
    pub fn game(&self, parameter: &str, spec: &Spec) -> Result<Arc<dyn Game>, BuildError> {
        self.host.game(spec).map_err(|error| BuildError::of(parameter, error))
    }
}

/// The context in which a value or an agent is built.
#[derive(Clone, Copy)]
pub struct BuildContext<'a> {
    /// The game's description of itself.
    pub game: &'a Description,
    /// The game's resolved spec, defaults included: model files name it.
    pub game_spec: &'a str,
    /// The program's services; clone the `Arc` to use them later.
    pub host: &'a Arc<dyn Host>,
}

impl BuildContext<'_> {
    /// Builds the agent that a parameter names, for an agent that wraps others.
    pub fn agent(&self, parameter: &str, spec: &Spec) -> Result<AnyAgent, BuildError> {
        self.host.agent(spec).map_err(|error| BuildError::of(parameter, error))
    }

    /// Builds the value that a parameter names. It must estimate afterstates.
    pub fn afterstate_value(
        &self,
        parameter: &str,
        spec: &Spec,
    ) -> Result<Arc<dyn Value>, BuildError> {
        let value = self.host.value(spec).map_err(|error| BuildError::of(parameter, error))?;
        if value.estimates_actions() {
            let message = "a value of afterstates is needed; this one estimates actions";
            Err(BuildError::of(parameter, message))
        } else {
            Ok(value)
        }
    }

    /// Builds the value that a parameter names (`spec`). If the parameter is not given, builds the
    /// value named `default`, which needs a board. The error of a game without a board recommends
    /// the agent named `alternative`, which needs no value.
    pub fn value_or_default(
        &self,
        default: &str,
        alternative: &str,
        parameter: &str,
        spec: Option<&Spec>,
    ) -> Result<Arc<dyn Value>, BuildError> {
        if let Some(spec) = spec {
            return self.afterstate_value(parameter, spec);
        }
        if self.game.geometry.is_some() {
            let default = default.parse().expect("a name is a spec");
            return self.afterstate_value(parameter, &default);
        }
        Err(BuildError::of(
            parameter,
            format!(
                "a value is needed: this game has no board, which `{default}`, the default, \
                 needs; agents that play random games, such as `{alternative}`, need no value"
            ),
        ))
    }
}

/// A host with one thread that builds nothing by name, for tests and for programs without
/// plugins.
#[derive(Clone, Copy, Debug, Default)]
pub struct SingleThread;

impl Host for SingleThread {
    fn threads(&self) -> usize {
        1
    }

    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        (0..n).for_each(task);
    }
}
