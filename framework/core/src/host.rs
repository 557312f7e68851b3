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
pub struct Site<'a> {
    /// The game's description of itself.
    pub game: &'a Description,
    /// The game's resolved spec, defaults included: what a model's header names.
    pub game_spec: &'a str,
    /// The program's services; clone it to use them later.
    pub host: &'a Arc<dyn Host>,
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
