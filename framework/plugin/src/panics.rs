//! Catches the panics of functions that the other side calls. Their messages name the plugin and
//! its file.
//!
//! Each loaded library has its own copy of the statics below and of the standard library with its
//! panic hook. Plugins that are linked into the program share those of the program.

use abi_stable::std_types::RStr;
use runner_core::Fault;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Once, OnceLock};

thread_local! {
    /// The number of calls of [`catch_silently`] that this thread is in. Always 0 in a loaded
    /// library.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// The message and place of the panic that is unwinding, from the hook for [`message`].
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// The file of the loaded library that these statics belong to. Not set in the program, whose own
/// panics are printed as usual.
static FILE: OnceLock<String> = OnceLock::new();

/// Appends the file of a loaded library to the label of a plugin: "game `2048` (games.so)".
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
    // A loaded library prints no panic and need not count, which costs it a call for the
    // thread-local variable. In the program, counting is one instruction.
    let is_counted = FILE.get().is_none();
    if is_counted {
        DEPTH.set(DEPTH.get() + 1);
    }
    let result = catch_unwind(AssertUnwindSafe(task));
    if is_counted {
        DEPTH.set(DEPTH.get() - 1);
    }
    result
}

/// Returns the message of a fault or panic that was caught. `label` names the plugin that panicked;
/// the message of a fault already names its cause.
pub fn message(label: fn() -> String, payload: Box<dyn Any + Send>) -> String {
    match payload.downcast::<Fault>() {
        Ok(fault) => fault.0,
        Err(payload) => {
            let message = PANIC.take().unwrap_or_else(|| Fault::from_panic(payload).0);
            format!("{} {message}", label())
        }
    }
}

/// Stores the file of a loaded library; `file` is empty if the library is linked in. Replaces the
/// panic hook by one that prints only panics of the program itself, and stores the messages of the
/// others for `message`.
pub extern "C" fn loaded_from(file: RStr<'_>) {
    if !file.is_empty() {
        let _ = FILE.set(file.to_string());
    }
    static HOOK: Once = Once::new();
    HOOK.call_once(install_hook);
}

fn install_hook() {
    let previous = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        // In the program, calls of plugins are counted.
        let is_in_program_itself = FILE.get().is_none() && DEPTH.get() == 0;
        if is_in_program_itself {
            return previous(info);
        }
        let message = info.payload_as_str().unwrap_or("without a message");
        let place = info.location().map(|l| format!(", at {}:{}", l.file(), l.line()));
        PANIC.set(Some(format!("panicked: {message}{}", place.unwrap_or_default())));
    }));
}
