//! The thread pool of the program, and the services that it offers to plugins.

use crate::failure::Failure;
use crate::learners;
use crate::registry::{LoadedGame, Registry};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use runner_core::{BuildError, Host, Spec, locked};
use runner_plugin::{DynAgent, DynGame, DynValue, PluginHost, PluginKind, SharedHost};
use std::sync::{Arc, Mutex};

/// The thread pool of the program, which all plugins share.
#[derive(Clone)]
pub struct Threads(Arc<ThreadPool>);

impl Threads {
    /// Starts this many threads, or one per core.
    pub fn new(count: Option<usize>) -> Result<Self, Failure> {
        let count = match count {
            Some(count) => count,
            None => std::thread::available_parallelism().map_or(1, Into::into),
        };
        let pool = ThreadPoolBuilder::new()
            .num_threads(count)
            .thread_name(|i| format!("runner-{i}"))
            .build()
            .map_err(|error| Failure::failed(format!("cannot start {count} threads: {error}")))?;
        Ok(Self(Arc::new(pool)))
    }

    pub fn count(&self) -> usize {
        self.0.current_num_threads()
    }

    /// Runs a task on a thread of the pool, so that its rayon calls use the pool.
    pub fn install<T: Send>(&self, task: impl FnOnce() -> T + Send) -> T {
        self.0.install(task)
    }

    /// Runs `task(0)` to `task(n - 1)`, each on its own thread; `n` is at most the number of
    /// threads. While a task waits for a nested [`for_each`](Self::for_each), its thread does not
    /// start another one of these tasks.
    pub fn on_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        assert!(n <= self.count());
        self.0.broadcast(|thread| {
            if thread.index() < n {
                task(thread.index());
            }
        });
    }

    /// Runs `task(0)` to `task(n - 1)` on all threads. While a task waits for a nested call, its
    /// thread may run tasks of other calls.
    pub fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        self.0.install(|| (0..n).into_par_iter().with_max_len(1).for_each(task));
    }
}

/// What players can ask of the program: threads, memory, and other players of their game by spec.
#[derive(Clone)]
pub struct Services {
    threads: Threads,
    registry: Arc<Registry>,
    game: LoadedGame,
    /// A value that already exists, with the spec for which it is handed out.
    present: Option<(Spec, DynValue)>,
    /// Whether a learner without a model is refused.
    refuses_untrained: bool,
    /// The first value that was built for an agent; see [`noting_values`](Self::noting_values).
    first: Arc<Mutex<Option<KnownValue>>>,
}

/// A value that was built, with its spec as it was typed and with the defaults.
#[derive(Clone)]
pub struct KnownValue {
    pub typed: Spec,
    pub spec: Spec,
    pub value: DynValue,
}

impl Services {
    pub fn new(threads: &Threads, registry: &Arc<Registry>, game: &LoadedGame) -> Self {
        let (threads, registry, game) = (threads.clone(), registry.clone(), game.clone());
        let first = Arc::default();
        Self { threads, registry, game, present: None, refuses_untrained: false, first }
    }

    /// Returns services that refuse to build a learner without a model: it would play
    /// untrained.
    #[must_use]
    pub fn refusing_untrained(&self) -> Self {
        Self { refuses_untrained: true, ..self.clone() }
    }

    /// Returns services without a [`first_value`](Self::first_value), which note the next value
    /// that a plugin asks for.
    #[must_use]
    pub fn noting_values(&self) -> Self {
        Self { first: Arc::default(), ..self.clone() }
    }

    pub fn first_value(&self) -> Option<KnownValue> {
        locked(&self.first).clone()
    }

    /// Returns services that hand out this value for this spec.
    #[must_use]
    pub fn with_value(&self, spec: &Spec, value: &DynValue) -> Self {
        Self { present: Some((spec.clone(), value.clone())), ..self.clone() }
    }

    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Returns the services in the form in which plugins receive them.
    pub fn share(&self) -> Arc<SharedHost> {
        SharedHost::new(self.clone())
    }
}

impl Host for Services {
    fn threads(&self) -> usize {
        self.threads.count()
    }

    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        self.threads.for_each(n, task);
    }

    fn memory(&self) -> u64 {
        crate::memory::spare()
    }
}

impl PluginHost for Services {
    fn value_object(&self, spec: &Spec) -> Result<DynValue, BuildError> {
        if let Some((known, value)) = &self.present
            && known == spec
        {
            return Ok(value.clone());
        }
        // The values that this value asks for are not noted.
        let host = self.noting_values().share();
        let built = self.registry.value(spec, &self.game, &host);
        let (value, resolved) = built.map_err(BuildError::new)?;
        if self.refuses_untrained
            && learners::is_untrained(spec, &value).map_err(BuildError::new)?
        {
            let message = learners::untrained(spec, &self.game.spec, &self.registry);
            return Err(BuildError::new(message));
        }
        let known = KnownValue { typed: spec.clone(), spec: resolved, value: value.clone() };
        locked(&self.first).get_or_insert(known);
        Ok(value)
    }

    fn agent_object(&self, spec: &Spec) -> Result<Option<DynAgent>, BuildError> {
        let plugin = self.registry.player(spec.name()).map_err(BuildError::new)?;
        if plugin.kind != PluginKind::Agent {
            return Ok(None);
        }
        let built = self.registry.agent(spec, &self.game, &self.share());
        built.map(|(agent, _)| Some(agent)).map_err(BuildError::new)
    }

    fn game_object(&self, spec: &Spec) -> Result<DynGame, BuildError> {
        self.registry.wrapped_game(spec).map_err(BuildError::new)
    }
}
