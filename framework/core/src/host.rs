//! What the program offers to the plugins that it runs.

use crate::{BuildError, Description, Spec, Value};
use std::sync::Arc;

/// The services of the running program.
///
/// Plugins do not start threads of their own: a library has its own copy of
/// every thread pool's statics, so they would multiply.
pub trait Host: Send + Sync {
    /// How many tasks run at once.
    fn threads(&self) -> usize;

    /// Runs `task(0)` to `task(n - 1)`, on the program's own threads, and
    /// returns when all are done.
    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync));

    /// How much memory there is to be had, in bytes, as far as that is known.
    fn memory(&self) -> u64 {
        u64::MAX
    }

    /// Builds the value that a spec names, for the game that the asker plays.
    fn value(&self, spec: &Spec) -> Result<Arc<dyn Value>, BuildError>;
}

/// Where a value or an agent is to work.
#[derive(Clone, Copy)]
pub struct BuildContext<'a> {
    /// The game's description of itself.
    pub game: &'a Description,
    /// The game's resolved spec, defaults included: what a model's header names.
    pub game_spec: &'a str,
    /// The program's services; clone it to use them later.
    pub host: &'a Arc<dyn Host>,
}

impl BuildContext<'_> {
    /// Builds the value that a parameter names, for who looks ahead by it: a value of
    /// afterstates.
    pub fn afterstate_value(
        &self,
        parameter: &str,
        spec: &Spec,
    ) -> Result<Arc<dyn Value>, BuildError> {
        let refuse = |error: BuildError| BuildError::of(parameter, error);
        let value = self.host.value(spec).map_err(refuse)?;
        match value.estimates_actions() {
            false => Ok(value),
            true => {
                let message = "a value of afterstates is needed: this one weighs actions";
                Err(BuildError::of(parameter, message))
            }
        }
    }

    /// The same of a player that goes by the value of this name, which looks at boards,
    /// if it is told nothing.
    pub fn value_or_default(
        &self,
        default: &str,
        parameter: &str,
        spec: Option<&Spec>,
    ) -> Result<Arc<dyn Value>, BuildError> {
        match (spec, &self.game.geometry) {
            (Some(spec), _) => self.afterstate_value(parameter, spec),
            (None, Some(_)) => {
                self.afterstate_value(parameter, &default.parse().expect("a name is a spec"))
            }
            (None, None) => Err(BuildError::of(
                parameter,
                format!("a value is needed: this game has no board, which `{default}` looks at"),
            )),
        }
    }
}

/// A host for tests and for programs without a runner: one thread, no values
/// by name.
#[derive(Clone, Copy, Debug, Default)]
pub struct SingleThread;

impl Host for SingleThread {
    fn threads(&self) -> usize {
        1
    }

    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        (0..n).for_each(task);
    }

    fn value(&self, spec: &Spec) -> Result<Arc<dyn Value>, BuildError> {
        Err(BuildError::new(format!("no value can be named here, and `{spec}` was asked for")))
    }
}
