//! The program's services across the boundary, both sides: lent by the program,
//! used by plugins.

use crate::abi::{BuildRefused, HostObject, HostTable, Span, Task, This, ValueObject};
use crate::proxy::DynValue;
use abi_stable::std_types::{RResult, RStr, RVec};
use runner_core::{BuildError, Fault, Host, Spec, Value, catch};
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

/// What a program must be able to do for its plugins, besides what any
/// [`Host`] does: build values *as objects*.
pub trait PluginHost: Host {
    /// Builds the value that a spec names.
    fn value_object(&self, spec: &Spec) -> Result<DynValue, BuildError>;
}

/// Lends a host that is alive for the length of `task` only. Values cannot be
/// named through it.
pub fn lend_host<T>(host: &dyn Host, task: impl FnOnce(HostObject) -> T) -> T {
    // SAFETY: sharing does nothing here, and `task` ends before the borrow does;
    // the contract of a session is that its host is not kept.
    let this: This = ptr::from_ref(&host).cast();
    task(HostObject { this, table: LENT })
}

const LENT: &HostTable = &HostTable {
    share: lent_share,
    release: lent_share,
    threads: lent_threads,
    for_each: lent_for_each,
    memory: lent_memory,
    value: lent_value,
};

unsafe extern "C" fn lent_share(_: This) {}

unsafe fn lent<'a>(this: This) -> &'a dyn Host {
    // SAFETY: `lend_host` passes a pointer to a reference that outlives the call.
    unsafe { *this.cast::<&dyn Host>() }
}

unsafe extern "C" fn lent_threads(this: This) -> usize {
    // SAFETY: see `lent`.
    unsafe { lent(this) }.threads()
}

unsafe extern "C" fn lent_for_each(this: This, n: usize, task: Task) {
    // SAFETY: see `lent`.
    unsafe { for_each(lent(this), n, task) };
}

unsafe extern "C" fn lent_memory(this: This) -> u64 {
    // SAFETY: see `lent`.
    unsafe { lent(this) }.memory()
}

unsafe extern "C" fn lent_value(_: This, spec: RStr<'_>) -> RResult<ValueObject, BuildRefused> {
    RResult::RErr(refused(BuildError::new(format!("no value can be named here: `{spec}`"))))
}

/// The program's services in a form that can be shared across the boundary.
pub struct HostShare(Box<dyn PluginHost>);

impl HostShare {
    /// Wraps the program's services.
    pub fn new(host: impl PluginHost + 'static) -> Arc<Self> {
        Arc::new(Self(Box::new(host)))
    }

    /// The services as an object, for as long as the caller holds its share.
    pub(crate) fn object(self: &Arc<Self>) -> HostObject {
        HostObject { this: Arc::as_ptr(self).cast(), table: SHARED }
    }
}

const SHARED: &HostTable = &HostTable {
    share: shared_share,
    release: shared_release,
    threads: shared_threads,
    for_each: shared_for_each,
    memory: shared_memory,
    value: shared_value,
};

// SAFETY, for the functions below: `this` comes from `HostShare::object`, and
// whoever calls holds a share.
unsafe fn shared<'a>(this: This) -> &'a dyn PluginHost {
    // SAFETY: see above.
    unsafe { &*(*this.cast::<HostShare>()).0 }
}

unsafe extern "C" fn shared_share(this: This) {
    // SAFETY: see above.
    unsafe { Arc::increment_strong_count(this.cast::<HostShare>()) };
}

unsafe extern "C" fn shared_release(this: This) {
    // SAFETY: see above.
    unsafe { Arc::decrement_strong_count(this.cast::<HostShare>()) };
}

unsafe extern "C" fn shared_threads(this: This) -> usize {
    // SAFETY: see above.
    unsafe { shared(this) }.threads()
}

unsafe extern "C" fn shared_for_each(this: This, n: usize, task: Task) {
    // SAFETY: see above.
    unsafe { for_each(shared(this), n, task) };
}

unsafe extern "C" fn shared_memory(this: This) -> u64 {
    // SAFETY: see above.
    unsafe { shared(this) }.memory()
}

unsafe extern "C" fn shared_value(
    this: This,
    spec: RStr<'_>,
) -> RResult<ValueObject, BuildRefused> {
    // SAFETY: see above.
    let host = unsafe { shared(this) };
    let built = catch(|| {
        let spec: Spec =
            spec.as_str().parse().map_err(|error| BuildError::new(format!("{error}")))?;
        host.value_object(&spec)
    });
    match built {
        Ok(Ok(value)) => RResult::ROk(value.into_object()),
        Ok(Err(error)) => RResult::RErr(refused(error)),
        Err(fault) => RResult::RErr(refused(fault.into())),
    }
}

/// Runs a foreign task on the host. It contains its own panics.
unsafe fn for_each<H: Host + ?Sized>(host: &H, n: usize, task: Task) {
    let task = Foreign(task);
    host.for_each(n, &|i| {
        let Task { run, context } = *task.get();
        // SAFETY: the caller's promise: function and context belong together.
        unsafe { run(context, i) }
    });
}

/// A task that any thread may run: its context is `Sync` on its own side.
struct Foreign(Task);

// SAFETY: see above.
unsafe impl Sync for Foreign {}

impl Foreign {
    /// By a method, so that closures capture the whole, which is `Sync`.
    fn get(&self) -> &Task {
        &self.0
    }
}

fn refused(error: BuildError) -> BuildRefused {
    BuildRefused {
        message: error.message.into(),
        span: Span { start: 0, end: 0 },
        allowed: RVec::new(),
        fault: false,
    }
}

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

/// A task on its way through the program's threads and back into the library.
struct Errand<'a> {
    task: &'a (dyn Fn(usize) + Sync),
    fault: Mutex<Option<Fault>>,
}

unsafe extern "C" fn run_errand(errand: This, i: usize) {
    // SAFETY: `for_each` passes its own errand, which outlives the call.
    let errand = unsafe { &*errand.cast::<Errand<'_>>() };
    if let Err(fault) = catch(|| (errand.task)(i)) {
        let mut first = errand.fault.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(fault);
    }
}

impl Host for RemoteHost {
    fn threads(&self) -> usize {
        // SAFETY: this proxy holds a share.
        unsafe { (self.0.table.threads)(self.0.this) }
    }

    fn memory(&self) -> u64 {
        // SAFETY: the object is alive.
        unsafe { (self.0.table.memory)(self.0.this) }
    }

    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        let errand = Errand { task, fault: Mutex::new(None) };
        // SAFETY: as above; the errand outlives the call, and may be used by all threads.
        unsafe {
            let task = Task { run: run_errand, context: ptr::from_ref(&errand).cast() };
            (self.0.table.for_each)(self.0.this, n, task);
        }
        if let Some(fault) = errand.fault.into_inner().unwrap_or_else(PoisonError::into_inner) {
            fault.raise();
        }
    }

    fn value(&self, spec: &Spec) -> Result<Arc<dyn Value>, BuildError> {
        let text = spec.to_string();
        // SAFETY: this proxy holds a share.
        match unsafe { (self.0.table.value)(self.0.this, RStr::from_str(&text)) } {
            // SAFETY: the object was built for this caller.
            RResult::ROk(object) => Ok(Arc::new(unsafe { DynValue::own(object) })),
            RResult::RErr(error) => Err(BuildError::new(error.message)),
        }
    }
}
