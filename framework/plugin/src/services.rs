//! The threads and the memory of the program, which building and training plugins use: the table of
//! functions, the functions that the program exports, and the calls.

use crate::boundary::{Call, Out, This, answer, ask, perform};
use abi_stable::StableAbi;
use runner_core::{Fault, Host, catch, locked, unpoisoned};
use std::marker::PhantomData;
use std::ptr;
use std::sync::Mutex;

/// The services that build nothing: methods of [`Host`]. Each function takes the pointer of the
/// object first, and writes its result through its last argument, unless it fails. A task is
/// borrowed until the function returns.
#[repr(C)]
#[derive(Clone, Copy, StableAbi)]
pub struct ServicesTable {
    /// Writes the number of tasks that run at once.
    threads: extern "C" fn(This, Out<'_, usize>) -> Call,
    /// Runs a task for each number below this one, on the program's threads.
    for_each: extern "C" fn(This, usize, TaskRef<'_>) -> Call,
    /// Writes how many bytes of memory are available.
    memory: extern "C" fn(This, Out<'_, u64>) -> Call,
}

/// A task of a plugin, which any thread may run.
#[repr(C)]
#[derive(StableAbi)]
pub struct TaskRef<'a> {
    task: *const u8,
    run: unsafe extern "C" fn(*const u8, usize),
    borrowed: PhantomData<&'a u8>,
}

// SAFETY: the pointer is that of a `CaughtTask`, which is `Sync`.
unsafe impl Sync for TaskRef<'_> {}

/// A task with the first fault of its runs.
struct CaughtTask<'a> {
    task: &'a (dyn Fn(usize) + Sync),
    fault: Mutex<Option<Fault>>,
}

impl<'a> TaskRef<'a> {
    fn new(task: &'a CaughtTask<'_>) -> Self {
        Self { task: ptr::from_ref(task).cast(), run: run_task, borrowed: PhantomData }
    }

    fn run(&self, i: usize) {
        // SAFETY: `new` made the pointer for this function, and it borrows the task for `'a`.
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

extern "C" fn threads<H: Host>(this: This, out: Out<'_, usize>) -> Call {
    answer(this, out, |host: &H| host.threads())
}

extern "C" fn for_each<H: Host>(this: This, n: usize, task: TaskRef<'_>) -> Call {
    perform(this, |host: &H| host.for_each(n, &|i| task.run(i)))
}

extern "C" fn memory<H: Host>(this: This, out: Out<'_, u64>) -> Call {
    answer(this, out, |host: &H| host.memory())
}

impl ServicesTable {
    pub const fn of<H: Host>() -> Self {
        Self { threads: threads::<H>, for_each: for_each::<H>, memory: memory::<H> }
    }

    // The calls.

    pub fn threads(&self, this: This) -> usize {
        ask(|out| (self.threads)(this, out))
    }

    /// Raises the first fault of the task.
    pub fn for_each(&self, this: This, n: usize, task: &(dyn Fn(usize) + Sync)) {
        let caught = CaughtTask { task, fault: Mutex::new(None) };
        let call = (self.for_each)(this, n, TaskRef::new(&caught));
        if let Some(fault) = unpoisoned(caught.fault.into_inner()) {
            fault.raise();
        }
        call.done();
    }

    pub fn memory(&self, this: This) -> u64 {
        ask(|out| (self.memory)(this, out))
    }
}
