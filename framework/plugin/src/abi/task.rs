//! Tasks that run on the program's threads.

use super::cross::{Argument, longer};
use super::data::This;
use runner_core::{Fault, catch, locked, unpoisoned};
use std::ptr;
use std::sync::Mutex;

/// A function with its context. Any thread may call it, and it contains its own panics.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Task {
    context: This,
    run: unsafe extern "C" fn(This, usize),
}

// SAFETY: `lend` makes the context of a task that is `Sync`.
unsafe impl Send for Task {}
// SAFETY: `lend` makes the context of a task that is `Sync`.
unsafe impl Sync for Task {}

impl Task {
    /// A method, so that closures capture the whole struct, which is `Sync`.
    fn run(&self, i: usize) {
        // SAFETY: `lend` made function and context for each other, and has not returned.
        unsafe { (self.run)(self.context, i) }
    }
}

/// A task with the first fault of its runs.
struct Contained<'a> {
    task: &'a (dyn Fn(usize) + Sync),
    fault: Mutex<Option<Fault>>,
}

unsafe extern "C" fn run(context: This, i: usize) {
    // SAFETY: `lend` passes its own task, which outlives the call.
    let contained = unsafe { &*context.cast::<Contained<'_>>() };
    if let Err(fault) = catch(|| (contained.task)(i)) {
        let mut first = locked(&contained.fault);
        first.get_or_insert(fault);
    }
}

// SAFETY: the task crosses as a function with its context.
unsafe impl<'a> Argument for &'a (dyn Fn(usize) + Sync + 'a) {
    type Abi = Task;

    /// The first fault of the runs is raised.
    fn lend<R>(self, task: impl FnOnce(Task) -> R) -> R {
        let contained = Contained { task: self, fault: Mutex::new(None) };
        let result = task(Task { run, context: ptr::from_ref(&contained).cast() });
        match unpoisoned(contained.fault.into_inner()) {
            Some(fault) => fault.raise(),
            None => result,
        }
    }

    unsafe fn open<R>(abi: Task, task: impl FnOnce(Self) -> R) -> R {
        let run = move |i| abi.run(i);
        // SAFETY: the callee does not keep the task, so it may call its lifetime a longer one.
        task(unsafe { longer::<dyn Fn(usize) + Sync + 'a>(&run) })
    }
}
