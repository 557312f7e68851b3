//! The functions of a host object on the program's side, and the host of a training.

use super::shared_host::{Player, PluginHost, SharedHost};
use super::{DynGame, DynValue};
use crate::abi::cross::longer;
use crate::abi::game::GameTable;
use crate::abi::host::{BuiltAgent, BuiltFor, HostTable, Task};
use crate::abi::interface::*;
use crate::abi::object::Owners;
use crate::abi::value::ValueTable;
use crate::guard::Labelled;
use runner_core::{BuildError, Host, Spec};
use std::sync::Arc;

/// The services of a host, with objects as they cross.
struct Services<'a>(&'a dyn PluginHost);

impl Services<'_> {
    fn threads(&self) -> usize {
        self.0.threads()
    }

    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        self.0.for_each(n, task);
    }

    fn memory(&self) -> u64 {
        self.0.memory()
    }

    fn value(&self, spec: &Spec) -> Result<BuiltFor<ValueTable>, BuildError> {
        self.0.value_object(spec).map(DynValue::into_object)
    }

    fn agent(&self, spec: &Spec) -> Result<BuiltAgent, BuildError> {
        Ok(match self.0.player_object(spec)? {
            Player::Agent(agent) => BuiltAgent::Agent(agent.into_object()),
            Player::Greedy(value) => BuiltAgent::Greedy(value.into_object()),
        })
    }

    fn game(&self, spec: &Spec) -> Result<Object<GameTable>, BuildError> {
        self.0.game_object(spec).map(DynGame::into_object)
    }
}

/// A host that its owners share. The pointer is that of an `Arc<SharedHost>`.
struct Shared;

impl Labelled for Shared {
    fn label() -> String {
        "the program".into()
    }
}

// SAFETY: `SharedHost::object` makes the pointer from an `Arc<SharedHost>`.
unsafe impl Owners for Shared {
    unsafe fn share(this: This) {
        // SAFETY: the pointer is that of an `Arc<SharedHost>` which is alive.
        unsafe { Arc::increment_strong_count(this.cast::<SharedHost>()) };
    }

    unsafe fn release(this: This) {
        // SAFETY: the pointer is that of an `Arc<SharedHost>`, and the caller owns a share.
        unsafe { Arc::decrement_strong_count(this.cast::<SharedHost>()) };
    }
}

impl Shared {
    unsafe fn parts<'a>(this: This) -> (Services<'a>, ()) {
        // SAFETY: `SharedHost::object` made the pointer from an `Arc`, which is alive.
        (Services(unsafe { &*this.cast::<SharedHost>() }.services()), ())
    }
}

host_interface! { interface_export [[] Shared, TABLE; HostTable {}] }

impl SharedHost {
    /// Returns the services as an object that is valid during the lifetime of the caller's
    /// share.
    pub(crate) fn object(self: &Arc<Self>) -> Object<HostTable> {
        Object { this: Arc::as_ptr(self).cast(), table: Shared::TABLE }
    }
}

/// The host of a training, which builds nothing.
struct TrainingHost(&'static dyn Host);

impl Host for TrainingHost {
    fn threads(&self) -> usize {
        self.0.threads()
    }

    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        self.0.for_each(n, task);
    }

    fn memory(&self) -> u64 {
        self.0.memory()
    }
}

impl PluginHost for TrainingHost {
    fn value_object(&self, spec: &Spec) -> Result<DynValue, BuildError> {
        Err(refused(spec))
    }

    fn player_object(&self, spec: &Spec) -> Result<Player, BuildError> {
        Err(refused(spec))
    }

    fn game_object(&self, spec: &Spec) -> Result<DynGame, BuildError> {
        Err(refused(spec))
    }
}

fn refused(spec: &Spec) -> BuildError {
    BuildError::new(format!("nothing can be built during a training, and `{spec}` was asked for"))
}

/// Lends a host for the length of `task`, which must not keep it.
pub fn lend_host<T>(host: &dyn Host, task: impl FnOnce(Object<HostTable>) -> T) -> T {
    // SAFETY: nobody keeps the host, so its lifetime may be called a longer one.
    let host = unsafe { std::mem::transmute::<&dyn Host, &'static dyn Host>(host) };
    task(SharedHost::new(TrainingHost(host)).object())
}

/// A task of a plugin. Any thread may run it: its context is `Sync` on its own side.
#[derive(Clone, Copy)]
struct ForeignTask(Task);

// SAFETY: the other side made the context from a reference to a task that is `Sync`.
unsafe impl Send for ForeignTask {}
// SAFETY: the other side made the context from a reference to a task that is `Sync`.
unsafe impl Sync for ForeignTask {}

impl ForeignTask {
    /// A method, so that closures capture the whole struct, which is `Sync`.
    fn run(&self, i: usize) {
        let Task { run, context } = self.0;
        // SAFETY: function and context belong together.
        unsafe { run(context, i) }
    }
}

// SAFETY: the task crosses as a function with its context.
unsafe impl<'a> Argument for &'a (dyn Fn(usize) + Sync + 'a) {
    type Abi = Task;

    fn lend<R>(self, task: impl FnOnce(Task) -> R) -> R {
        super::remote_host::lend_task(self, task)
    }

    unsafe fn open<R>(abi: Task, task: impl FnOnce(Self) -> R) -> R {
        let foreign = ForeignTask(abi);
        let run = move |i| foreign.run(i);
        // SAFETY: the callee does not keep the task, so it may call its lifetime a longer one.
        task(unsafe { longer::<dyn Fn(usize) + Sync + 'a>(&run) })
    }
}
