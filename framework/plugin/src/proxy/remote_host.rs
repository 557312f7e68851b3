//! The program's services on a plugin's side.

use super::{DynAgent, DynGame, DynValue, TableGame};
use crate::abi::game::GameTable;
use crate::abi::host::{BuiltAgent, BuiltFor, HostTable, Task};
use crate::abi::interface::*;
use crate::abi::object::Handle;
use crate::abi::value::ValueTable;
use runner_core::{AnyAgent, BuildError, Fault, Game, GreedyPolicy, Host, Spec, Value, catch};
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

/// The program's services as a plugin sees them.
pub struct RemoteHost(Handle<HostTable>);

impl RemoteHost {
    /// Takes a share of the program's services.
    ///
    /// # Safety
    ///
    /// The object is alive.
    pub(crate) unsafe fn share(object: Object<HostTable>) -> Self {
        // SAFETY: the caller's promise.
        Self(unsafe { Handle::share(object) })
    }

    fn table(&self) -> Result<Object<HostTable>, Fault> {
        Ok(self.0.object())
    }
}

host_interface! { interface_proxy [[] RemoteHost, table;] }

impl Host for RemoteHost {
    fn threads(&self) -> usize {
        self.threads()
    }

    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        self.for_each(n, task);
    }

    fn memory(&self) -> u64 {
        self.memory()
    }

    fn value(&self, spec: &Spec) -> Result<Arc<dyn Value>, BuildError> {
        let value: BuiltFor<ValueTable> = self.value(spec)?;
        // SAFETY: the object was built for this caller.
        Ok(Arc::new(unsafe { DynValue::own(value) }))
    }

    fn agent(&self, spec: &Spec) -> Result<AnyAgent, BuildError> {
        let agent: BuiltAgent = self.agent(spec)?;
        Ok(match agent {
            // SAFETY: the object was built for this caller.
            BuiltAgent::Agent(agent) => AnyAgent::new(unsafe { DynAgent::own(agent) }),
            BuiltAgent::Greedy(value) => {
                // SAFETY: the object was built for this caller.
                AnyAgent::new(GreedyPolicy(unsafe { DynValue::own(value) }))
            }
        })
    }

    fn game(&self, spec: &Spec) -> Result<Arc<dyn Game>, BuildError> {
        let game: Object<GameTable> = self.game(spec)?;
        // SAFETY: the object was built for this caller.
        let game = unsafe { DynGame::own(game) }?;
        Ok(match TableGame::over(&game) {
            Some(table) => Arc::new(table),
            None => Arc::new(game),
        })
    }
}

/// A task that runs on the program's threads, with the first fault of its runs.
struct ContainedTask<'a> {
    task: &'a (dyn Fn(usize) + Sync),
    fault: Mutex<Option<Fault>>,
}

unsafe extern "C" fn run(context: This, i: usize) {
    // SAFETY: `lend_task` passes its own task, which outlives the call.
    let contained = unsafe { &*context.cast::<ContainedTask<'_>>() };
    if let Err(fault) = catch(|| (contained.task)(i)) {
        let mut first = contained.fault.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(fault);
    }
}

/// Calls `lent` with a task as it crosses, and raises the first fault of its runs.
pub fn lend_task<R>(task: &(dyn Fn(usize) + Sync), lent: impl FnOnce(Task) -> R) -> R {
    let contained = ContainedTask { task, fault: Mutex::new(None) };
    let result = lent(Task { run, context: ptr::from_ref(&contained).cast() });
    match contained.fault.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(fault) => fault.raise(),
        None => result,
    }
}
