//! Containment: no panic leaves a library. Every function of an object's table
//! runs inside a guard, which turns a panic or a raised fault into a status and
//! keeps its text for `take_fault`.
//!
//! Each plugin library has its own copy of this module's statics, as it has its
//! own copy of the standard library's.

use abi_stable::std_types::{RStr, RString};
use runner_core::Fault;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Once, OnceLock};

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
    static FAULT: RefCell<Option<String>> = const { RefCell::new(None) };
}

static FILE: OnceLock<String> = OnceLock::new();
/// Whether this copy of the statics lies in a library that was loaded.
static LOADED: AtomicBool = AtomicBool::new(false);

/// Who is at work: `game 2048`. Names the culprit in messages.
pub trait Who {
    /// Kind and name.
    fn who() -> String;
}

/// Runs `task` so that nothing unwinds out of it.
#[inline(always)]
pub fn guard<W: Who, T>(task: impl FnOnce() -> T) -> Result<T, Faulted> {
    // In a loaded library everything runs inside a guard, and a thread-local
    // costs a call there. Linked into a program, it is one instruction.
    let counted = !LOADED.load(Ordering::Relaxed);
    if counted {
        DEPTH.set(DEPTH.get() + 1);
    }
    let result = catch_unwind(AssertUnwindSafe(task));
    if counted {
        DEPTH.set(DEPTH.get() - 1);
    }
    match result {
        Ok(value) => Ok(value),
        Err(payload) => {
            keep(W::who(), payload);
            Err(Faulted)
        }
    }
}

/// A fault happened, and its text is kept for this thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Faulted;

impl From<Faulted> for RString {
    fn from(_: Faulted) -> RString {
        take()
    }
}

#[cold]
#[inline(never)]
fn keep(who: String, payload: Box<dyn std::any::Any + Send>) {
    let text = match payload.downcast::<Fault>() {
        // Raised on purpose, by a proxy or by core: it says who it was.
        Ok(fault) => fault.0,
        Err(payload) => {
            let message = PANIC.take().unwrap_or_else(|| Fault::from_panic(payload).0);
            match FILE.get() {
                Some(file) => format!("{who} ({file}) {message}"),
                None => format!("{who} {message}"),
            }
        }
    };
    FAULT.set(Some(text));
}

/// The text of this thread's last fault.
pub fn take() -> RString {
    FAULT.take().unwrap_or_else(|| "failed without a message".into()).into()
}

/// [`take`], for the tables.
///
/// # Safety
///
/// It may be called at any time: only the tables' type is unsafe.
pub unsafe extern "C" fn take_fault() -> RString {
    take()
}

/// Remembers the library's file, and silences the panic messages of what runs
/// inside a guard: the fault is reported by the runner, once, in one line.
///
/// # Safety
///
/// It may be called at any time: only the root's type is unsafe.
pub unsafe extern "C" fn loaded_from(file: RStr<'_>) {
    if !file.is_empty() {
        let _ = FILE.set(file.to_string());
        LOADED.store(true, Ordering::Relaxed);
    }
    install_hook();
}

fn install_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if DEPTH.get() == 0 && !LOADED.load(Ordering::Relaxed) {
                return before(info);
            }
            let message = info.payload_as_str().unwrap_or("without a message");
            let place = info.location().map(|l| format!(", at {}:{}", l.file(), l.line()));
            PANIC.set(Some(format!("panicked: {message}{}", place.unwrap_or_default())));
        }));
    });
}
