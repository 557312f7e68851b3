//! The program's services on a plugin's side.

use super::{DynAgent, DynGame, DynValue, TableGame};
use crate::abi::This;
use crate::abi::build::BuildRefused;
use crate::abi::call::Call;
use crate::abi::objects::{BuiltAgent, HostObject, Task};
use abi_stable::std_types::{RResult, RStr};
use runner_core::{AnyAgent, BuildError, Fault, Game, GreedyPolicy, Host, Spec, Value, catch};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

/// The program's services as a plugin sees them.
pub struct RemoteHost(HostObject);

// SAFETY: a host is `Send + Sync` on its own side (`Host` demands it).
unsafe impl Send for RemoteHost {}
// SAFETY: as above.
unsafe impl Sync for RemoteHost {}

impl RemoteHost {
    /// Takes a share of the program's services.
    ///
    /// # Safety
    ///
    /// The object must be alive.
    pub(crate) unsafe fn share(object: HostObject) -> Self {
        // SAFETY: the caller's promise.
        unsafe { (object.table.share)(object.this) };
        Self(object)
    }
}

impl Drop for RemoteHost {
    fn drop(&mut self) {
        // SAFETY: this proxy holds a share.
        unsafe { (self.0.table.release)(self.0.this) };
    }
}

/// A task that runs on the program's threads, with the first fault of its runs.
struct ContainedTask<'a> {
    task: &'a (dyn Fn(usize) + Sync),
    fault: Mutex<Option<Fault>>,
}

unsafe extern "C" fn run(context: This, i: usize) {
    // SAFETY: `for_each` passes its own task, which outlives the call.
    let contained = unsafe { &*context.cast::<ContainedTask<'_>>() };
    if let Err(fault) = catch(|| (contained.task)(i)) {
        let mut first = contained.fault.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(fault);
    }
}

impl Host for RemoteHost {
    fn threads(&self) -> usize {
        let mut threads = 1;
        // SAFETY: this proxy holds a share.
        unsafe { (self.0.table.threads)(self.0.this, &mut threads) }.or_raise();
        threads
    }

    fn memory(&self) -> u64 {
        let mut memory = 0;
        // SAFETY: this proxy holds a share.
        unsafe { (self.0.table.memory)(self.0.this, &mut memory) }.or_raise();
        memory
    }

    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        let contained = ContainedTask { task, fault: Mutex::new(None) };
        let task = Task { run, context: ptr::from_ref(&contained).cast() };
        // SAFETY: as above; the context outlives the call and may be used by all threads.
        unsafe { (self.0.table.for_each)(self.0.this, n, task) }.or_raise();
        if let Some(fault) = contained.fault.into_inner().unwrap_or_else(PoisonError::into_inner) {
            fault.raise();
        }
    }

    fn value(&self, spec: &Spec) -> Result<Arc<dyn Value>, BuildError> {
        let object = self.build(spec, self.0.table.value)?;
        // SAFETY: the object was built for this caller.
        Ok(Arc::new(unsafe { DynValue::own(object) }))
    }

    fn agent(&self, spec: &Spec) -> Result<AnyAgent, BuildError> {
        Ok(match self.build(spec, self.0.table.agent)? {
            BuiltAgent::Agent(agent) => {
                // SAFETY: the object was built for this caller.
                AnyAgent::new(unsafe { DynAgent::own(agent) })
            }
            BuiltAgent::Greedy(value) => {
                // SAFETY: the object was built for this caller.
                let value = unsafe { DynValue::own(value) };
                AnyAgent::new(GreedyPolicy(value))
            }
        })
    }

    fn game(&self, spec: &Spec) -> Result<Arc<dyn Game>, BuildError> {
        let object = self.build(spec, self.0.table.game)?;
        // SAFETY: the object was built for this caller.
        let game = unsafe { DynGame::own(object) }?;
        let game = Arc::new(game);
        Ok(match TableGame::over(&game) {
            Some(table) => Arc::new(table),
            None => game,
        })
    }
}

type BuildFn<T> = unsafe extern "C" fn(This, RStr<'_>, *mut RResult<T, BuildRefused>) -> Call;

impl RemoteHost {
    fn build<T>(&self, spec: &Spec, build: BuildFn<T>) -> Result<T, BuildError> {
        let text = spec.to_string();
        let mut out = MaybeUninit::uninit();
        // SAFETY: this proxy holds a share.
        unsafe { build(self.0.this, RStr::from_str(&text), out.as_mut_ptr()) }.into_result()?;
        // SAFETY: a call that succeeded has written its result.
        match unsafe { out.assume_init() } {
            RResult::ROk(object) => Ok(object),
            RResult::RErr(error) => Err(BuildError::new(error.message)),
        }
    }
}
