//! The panics of code that the other side calls: they are caught, and their messages name the
//! plugin and its file.
//!
//! Each plugin library has its own copy of the statics below, as it has its own copy of the
//! standard library's.

use abi_stable::std_types::RStr;
use runner_core::Fault;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Once, OnceLock};

thread_local! {
    /// How many calls this thread is inside of.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// The message and place of the panic that is unwinding.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// The file of the library that these statics belong to.
static FILE: OnceLock<String> = OnceLock::new();
/// True if these statics belong to a library that was loaded.
static LOADED: AtomicBool = AtomicBool::new(false);

/// The label of a plugin in messages, such as "game `2048` (games.so)".
pub fn in_this_file(name: &str) -> String {
    match FILE.get() {
        Some(file) => format!("{name} ({file})"),
        None => name.to_owned(),
    }
}

/// The label of the program.
pub fn the_program() -> String {
    "the program".into()
}

/// Runs a task and catches its panic, whose message is not printed.
#[inline(always)]
pub fn catch_silently(task: impl FnOnce()) -> Result<(), Box<dyn Any + Send>> {
    // In a loaded library no panic is printed, and a thread-local costs a call there. In a program
    // that links the plugin, counting is one instruction.
    let is_counted = !LOADED.load(Ordering::Relaxed);
    if is_counted {
        DEPTH.set(DEPTH.get() + 1);
    }
    let result = catch_unwind(AssertUnwindSafe(task));
    if is_counted {
        DEPTH.set(DEPTH.get() - 1);
    }
    result
}

/// Returns the message of a fault or panic that was caught.
pub fn message(label: fn() -> String, payload: Box<dyn Any + Send>) -> String {
    // A raised fault already names its cause: a proxy or core made it.
    match payload.downcast::<Fault>() {
        Ok(fault) => fault.0,
        Err(payload) => {
            let message = PANIC.take().unwrap_or_else(|| Fault::from_panic(payload).0);
            format!("{} {message}", label())
        }
    }
}

/// Stores the library's file, which is empty for a library that is linked in, and replaces the
/// panic hook: the program reports the fault once, in one line.
pub extern "C" fn loaded_from(file: RStr<'_>) {
    if !file.is_empty() {
        let _ = FILE.set(file.to_string());
        LOADED.store(true, Ordering::Relaxed);
    }
    static HOOK: Once = Once::new();
    HOOK.call_once(install_hook);
}

fn install_hook() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if DEPTH.get() == 0 && !LOADED.load(Ordering::Relaxed) {
            return before(info);
        }
        let message = info.payload_as_str().unwrap_or("without a message");
        let place = info.location().map(|l| format!(", at {}:{}", l.file(), l.line()));
        PANIC.set(Some(format!("panicked: {message}{}", place.unwrap_or_default())));
    }));
}
