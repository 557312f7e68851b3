//! The program's services: the table of functions, the functions that the program exports, and the
//! implementation of [`Host`] that calls them in a plugin.

use crate::agent::{AgentTable, DynAgent};
use crate::boundary::{
    Erased, Maybe, Object, Reply, Shared, Table, Target, This, from_text, to_text,
};
use crate::game::{DynGame, GameTable};
use crate::panics::the_program;
use crate::value::{DynValue, ValueTable};
use abi_stable::StableAbi;
use abi_stable::std_types::{RResult, RStr, RString};
use runner_core::{
    AnyAgent, BuildError, Control, Fault, Game, GreedyPolicy, Host, Spec, TrainingProgress, Value,
    catch, locked, unpoisoned,
};
use std::marker::PhantomData;
use std::ptr;
use std::sync::{Arc, Mutex};

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

    /// Receives the progress of a training. Called only for the host that crosses with a session.
    fn report(&self, progress: &TrainingProgress) -> Control {
        let _ = progress;
        Control::Continue
    }
}

/// The functions of the program: the methods of [`Host`] and [`PluginHost`]. Strings and tasks are
/// borrowed until a function returns. The caller owns a built object. An error is the message of a
/// [`BuildError`].
#[repr(C)]
#[derive(StableAbi)]
#[sabi(unsafe_unconstrained(E))]
pub struct HostTable<E = Erased> {
    threads: extern "C" fn(This<'_, E>) -> Reply<usize>,
    for_each: extern "C" fn(This<'_, E>, n: usize, TaskRef<'_>) -> Reply<()>,
    memory: extern "C" fn(This<'_, E>) -> Reply<u64>,
    value: extern "C" fn(This<'_, E>, spec: RStr<'_>) -> ObjectReply<Object<ValueTable>>,
    /// Builds the agent of a spec; none if it names a value.
    agent: extern "C" fn(This<'_, E>, spec: RStr<'_>) -> ObjectReply<Maybe<Object<AgentTable>>>,
    game: extern "C" fn(This<'_, E>, spec: RStr<'_>) -> ObjectReply<Object<GameTable>>,
    /// Reports the progress of a training, as RON. Returns true if the training is to stop.
    report: extern "C" fn(This<'_, E>, progress: RStr<'_>) -> Reply<bool>,
}

type ObjectReply<T> = Reply<RResult<T, RString>>;

// SAFETY: `For<E>` is the same struct.
unsafe impl Table for HostTable {
    type For<E> = HostTable<E>;
}

impl Shared for HostTable {}

/// A task of a plugin, which any thread of the program may run.
#[repr(C)]
#[derive(StableAbi)]
pub struct TaskRef<'a> {
    /// Points to a [`CaughtTask`].
    task: *const u8,
    run: unsafe extern "C" fn(*const u8, usize),
    borrowed: PhantomData<&'a u8>,
}

// SAFETY: `new` makes the pointer from a `CaughtTask`, which is `Sync`.
unsafe impl Sync for TaskRef<'_> {}

/// A task, and the first fault of its runs. No fault crosses the boundary: `run_task` stores it,
/// and `for_each` raises it when all runs have ended.
struct CaughtTask<'a> {
    task: &'a (dyn Fn(usize) + Sync),
    fault: Mutex<Option<Fault>>,
}

impl<'a> TaskRef<'a> {
    fn new(task: &'a CaughtTask<'_>) -> Self {
        Self { task: ptr::from_ref(task).cast(), run: run_task, borrowed: PhantomData }
    }

    fn run(&self, i: usize) {
        // SAFETY: `new` stored the function for this pointer, and borrowed the task for `'a`.
        unsafe { (self.run)(self.task, i) }
    }
}

/// # Safety
///
/// The pointer is that of a `CaughtTask`.
unsafe extern "C" fn run_task(task: *const u8, i: usize) {
    // SAFETY: the caller's promise.
    let caught = unsafe { &*task.cast::<CaughtTask<'_>>() };
    if let Err(fault) = catch(|| (caught.task)(i)) {
        locked(&caught.fault).get_or_insert(fault);
    }
}

// Exported by the program.

impl<H: PluginHost> HostTable<H> {
    pub const EXPORTS: Self = Self { threads, for_each, memory, value, agent, game, report };
}

extern "C" fn threads<H: Host>(host: This<'_, H>) -> Reply<usize> {
    host.answer(|host| host.threads())
}

extern "C" fn for_each<H: Host>(host: This<'_, H>, n: usize, task: TaskRef<'_>) -> Reply<()> {
    host.answer(|host| host.for_each(n, &|i| task.run(i)))
}

extern "C" fn memory<H: Host>(host: This<'_, H>) -> Reply<u64> {
    host.answer(|host| host.memory())
}

extern "C" fn value<H: PluginHost>(
    host: This<'_, H>,
    spec: RStr<'_>,
) -> ObjectReply<Object<ValueTable>> {
    host.answer(|host| or_message(host.value_object(&spec_of(spec)).map(|value| value.object)))
}

extern "C" fn agent<H: PluginHost>(
    host: This<'_, H>,
    spec: RStr<'_>,
) -> ObjectReply<Maybe<Object<AgentTable>>> {
    host.answer(|host| {
        let built = host.agent_object(&spec_of(spec));
        or_message(built.map(|agent| Maybe::from_option(agent.map(|agent| agent.0))))
    })
}

extern "C" fn game<H: PluginHost>(
    host: This<'_, H>,
    spec: RStr<'_>,
) -> ObjectReply<Object<GameTable>> {
    host.answer(|host| or_message(host.game_object(&spec_of(spec)).map(|game| game.object)))
}

fn spec_of(text: RStr<'_>) -> Spec {
    text.as_str().parse().unwrap_or_else(|error| Fault::new(error).raise())
}

fn or_message<T>(built: Result<T, BuildError>) -> RResult<T, RString> {
    built.map_err(|error| error.message.into()).into()
}

extern "C" fn report<H: PluginHost>(host: This<'_, H>, progress: RStr<'_>) -> Reply<bool> {
    host.answer(|host| host.report(&from_text(progress.as_str())) == Control::Stop)
}

/// A [`PluginHost`] as an object, for the plugins that [`PluginInfo`](crate::PluginInfo) builds.
pub struct SharedHost(pub(crate) Object<HostTable>);

impl SharedHost {
    pub fn new<H: PluginHost + 'static>(host: H) -> Arc<Self> {
        let target = Target { label: the_program, implementation: host };
        Arc::new(Self(Object::shared(target, &HostTable::<H>::EXPORTS)))
    }
}

// Called by plugins.

impl Object<HostTable> {
    /// Reports the progress of a training to its session.
    pub fn report(&self, progress: &TrainingProgress) -> Control {
        let text = to_text(progress);
        let is_to_stop = self.ask(|vtable, this| (vtable.report)(this, text.as_rstr()));
        if is_to_stop { Control::Stop } else { Control::Continue }
    }

    fn value_object(&self, spec: &Spec) -> Result<DynValue, BuildError> {
        let text = spec.to_string();
        let built = self.ask(|vtable, this| (vtable.value)(this, text.as_str().into()));
        built.into_result().map(DynValue::new).map_err(BuildError::new)
    }
}

#[warn(clippy::missing_trait_methods)]
impl Host for Object<HostTable> {
    fn threads(&self) -> usize {
        self.ask(|vtable, this| (vtable.threads)(this))
    }

    /// Raises the first fault of the task, else that of the host.
    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        let caught = CaughtTask { task, fault: Mutex::new(None) };
        let result =
            catch(|| self.ask(|vtable, this| (vtable.for_each)(this, n, TaskRef::new(&caught))));
        if let Some(fault) = unpoisoned(caught.fault.into_inner()).or(result.err()) {
            fault.raise();
        }
    }

    fn memory(&self) -> u64 {
        self.ask(|vtable, this| (vtable.memory)(this))
    }

    fn value(&self, spec: &Spec) -> Result<Arc<dyn Value>, BuildError> {
        Ok(Arc::new(self.value_object(spec)?))
    }

    fn agent(&self, spec: &Spec) -> Result<AnyAgent, BuildError> {
        let text = spec.to_string();
        let built = self.ask(|vtable, this| (vtable.agent)(this, text.as_str().into()));
        match built.into_result().map_err(BuildError::new)? {
            Maybe::Some(agent) => Ok(AnyAgent::new(DynAgent(agent))),
            Maybe::None => Ok(AnyAgent::new(GreedyPolicy(self.value_object(spec)?))),
        }
    }

    fn game(&self, spec: &Spec) -> Result<Arc<dyn Game>, BuildError> {
        let text = spec.to_string();
        let built = self.ask(|vtable, this| (vtable.game)(this, text.as_str().into()));
        let object = built.into_result().map_err(BuildError::new)?;
        Ok(Arc::new(DynGame::new(object).into_row_game()))
    }
}
