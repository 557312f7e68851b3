//! Containment of panics: every function of an object's table runs inside a guard, which
//! turns a panic or a raised fault into the message of the call's result.
//!
//! Each plugin library has its own copy of this module's statics, as it has its own copy
//! of the standard library's.

use crate::abi::call::Call;
use crate::abi::data::Slice;
use runner_core::Fault;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Once, OnceLock};

thread_local! {
    /// How many guards this thread is inside of.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    /// The message and place of the panic that is unwinding.
    static PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// The file of the library that these statics belong to.
static FILE: OnceLock<String> = OnceLock::new();
/// True if these statics belong to a library that was loaded.
static LOADED: AtomicBool = AtomicBool::new(false);

/// Something that messages name.
pub trait Labelled {
    /// Returns kind and name, such as "game `2048`".
    fn label() -> String;

    /// Returns the label with the file of the library.
    fn full_label() -> String {
        match FILE.get() {
            Some(file) => format!("{} ({file})", Self::label()),
            None => Self::label(),
        }
    }
}

/// Runs `task` so that nothing unwinds out of it.
#[inline(always)]
pub fn guard<L: Labelled>(task: impl FnOnce()) -> Call {
    // In a loaded library all code runs inside a guard, and a thread-local costs a call
    // there. In a program that links the plugin, counting is one instruction.
    let counted = !LOADED.load(Ordering::Relaxed);
    if counted {
        DEPTH.set(DEPTH.get() + 1);
    }
    let result = catch_unwind(AssertUnwindSafe(task));
    if counted {
        DEPTH.set(DEPTH.get() - 1);
    }
    match result {
        Ok(()) => Call::DONE,
        Err(payload) => fault(L::full_label, payload),
    }
}

#[cold]
#[inline(never)]
fn fault(label: fn() -> String, payload: Box<dyn Any + Send>) -> Call {
    // A raised fault already names its cause: a proxy or core made it.
    let message = match payload.downcast::<Fault>() {
        Ok(fault) => fault.0,
        Err(payload) => {
            let message = PANIC.take().unwrap_or_else(|| Fault::from_panic(payload).0);
            format!("{} {message}", label())
        }
    };
    Call::fault(message)
}

/// Remembers the library's file, and silences the panic messages of code inside a guard:
/// the program reports the fault once, in one line.
///
/// # Safety
///
/// `file` is a text, which is borrowed for the length of the call.
pub unsafe extern "C" fn loaded_from(file: Slice<u8>) {
    // SAFETY: the caller's promise.
    let file = unsafe { file.get() };
    if !file.is_empty() {
        let _ = FILE.set(String::from_utf8_lossy(file).into_owned());
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

#[cfg(test)]
mod tests {
    use super::*;

    struct Tested;
    impl Labelled for Tested {
        fn label() -> String {
            "game `tested`".into()
        }
    }

    #[test]
    fn a_panic_becomes_a_fault_that_names_the_plugin() {
        let fault = guard::<Tested>(|| panic!("it went wrong")).into_result().unwrap_err();
        assert!(fault.0.starts_with("game `tested` panicked: it went wrong"), "{fault}");
    }

    #[test]
    fn a_raised_fault_keeps_its_words() {
        let raised = guard::<Tested>(|| Fault::new("words").raise());
        assert_eq!(raised.into_result(), Err(Fault::new("words")));
        assert_eq!(guard::<Tested>(|| ()).into_result(), Ok(()));
    }
}
