//! The services of the program that do not build anything, its threads and its memory: the table
//! of functions, the functions that the program exports, and the calls.

use crate::call::{Call, Out, ask};
use crate::object::{This, answer, perform};
use abi_stable::StableAbi;
use runner_core::{Fault, Host, catch, locked, unpoisoned};
use std::marker::PhantomData;
use std::ptr;
use std::sync::Mutex;

/// The functions of the services: methods of [`Host`]. Each takes the pointer of the object first,
/// and writes its result through its last argument, unless it fails. A task is lent until the
/// function returns.
#[repr(C)]
#[derive(Clone, Copy, StableAbi)]
pub struct ServicesTable {
    /// Writes the number of tasks that run at once.
    threads: extern "C" fn(This, Out<'_, usize>) -> Call,
    /// Runs a task for each number below this one, on the program's threads.
    for_each: extern "C" fn(This, usize, LentTask<'_>) -> Call,
    /// Writes how many bytes of memory are available.
    memory: extern "C" fn(This, Out<'_, u64>) -> Call,
}

/// A task of a plugin. Any thread may call it, and it contains its own panics.
#[repr(C)]
#[derive(StableAbi)]
pub struct LentTask<'a> {
    context: *const u8,
    run: unsafe extern "C" fn(*const u8, usize),
    lent: PhantomData<&'a u8>,
}

// SAFETY: the context is that of a task that is `Sync`.
unsafe impl Sync for LentTask<'_> {}

impl LentTask<'_> {
    fn run(&self, i: usize) {
        // SAFETY: function and context belong together, and are lent.
        unsafe { (self.run)(self.context, i) }
    }
}

/// A task with the first fault of its runs.
struct Contained<'a> {
    task: &'a (dyn Fn(usize) + Sync),
    fault: Mutex<Option<Fault>>,
}

impl Contained<'_> {
    fn lend(&self) -> LentTask<'_> {
        LentTask { run, context: ptr::from_ref(self).cast(), lent: PhantomData }
    }
}

unsafe extern "C" fn run(context: *const u8, i: usize) {
    // SAFETY: `lend` passes its own task, which outlives the call.
    let contained = unsafe { &*context.cast::<Contained<'_>>() };
    if let Err(fault) = catch(|| (contained.task)(i)) {
        locked(&contained.fault).get_or_insert(fault);
    }
}

// Exported by the program.

extern "C" fn threads<H: Host>(this: This, out: Out<'_, usize>) -> Call {
    answer(this, out, |host: &H| host.threads())
}

extern "C" fn for_each<H: Host>(this: This, n: usize, task: LentTask<'_>) -> Call {
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
        let contained = Contained { task, fault: Mutex::new(None) };
        let call = (self.for_each)(this, n, contained.lend());
        if let Some(fault) = unpoisoned(contained.fault.into_inner()) {
            fault.raise();
        }
        call.done();
    }

    pub fn memory(&self, this: This) -> u64 {
        ask(|out| (self.memory)(this, out))
    }
}
