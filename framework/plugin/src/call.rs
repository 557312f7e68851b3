//! How a call crosses the boundary, and how it ends.
//!
//! The functions of a library [`respond`]: nothing unwinds out of them. A panic, or a fault that
//! is raised, becomes the message of the call's result. The caller [asks](ask), and raises the
//! fault again.
//!
//! Each plugin library has its own copy of this module's statics, as it has its own copy of the
//! standard library's.

use abi_stable::StableAbi;
use abi_stable::std_types::{RStr, RString};
use runner_core::Fault;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Once, OnceLock};

/// The result of a call: null if it succeeded, otherwise the message of its fault.
#[repr(transparent)]
#[derive(StableAbi)]
#[must_use]
pub struct Call(*mut FaultMessage);

/// The message of a fault, freed by the library that made it.
#[repr(C)]
#[derive(StableAbi)]
pub struct FaultMessage {
    text: RString,
    free: unsafe extern "C" fn(*mut FaultMessage),
}

unsafe extern "C" fn free(message: *mut FaultMessage) {
    // SAFETY: only `Call` calls this, once, with the pointer that `failed` made.
    drop(unsafe { Box::from_raw(message) });
}

impl Call {
    fn failed(message: String) -> Self {
        Self(Box::into_raw(Box::new(FaultMessage { text: message.into(), free })))
    }

    #[inline(always)]
    pub fn result(self) -> Result<(), Fault> {
        if self.0.is_null() { Ok(()) } else { Err(self.take_fault()) }
    }

    /// Raises the fault of a call that failed.
    #[inline(always)]
    pub fn done(self) {
        if !self.0.is_null() {
            self.take_fault().raise();
        }
    }

    #[cold]
    #[inline(never)]
    fn take_fault(self) -> Fault {
        // SAFETY: a pointer that is not null is the message of this call alone.
        Fault(unsafe { &*self.0 }.text.to_string())
    }
}

impl Drop for Call {
    #[inline(always)]
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: the message is freed once, by the function of the library that made it.
            unsafe { ((*self.0).free)(self.0) };
        }
    }
}

/// The place of a result, which a function writes unless it fails.
pub type Out<'a, R> = &'a mut MaybeUninit<R>;

/// Calls a function of the other side and returns its result. Raises its fault.
#[inline(always)]
pub fn ask<R>(call: impl FnOnce(Out<'_, R>) -> Call) -> R {
    let mut place = MaybeUninit::uninit();
    call(&mut place).done();
    // SAFETY: only `respond` makes the result of a call that succeeded, after it has written to
    // the place.
    unsafe { place.assume_init() }
}

/// As [`ask`], and returns the fault.
pub fn try_ask<R>(call: impl FnOnce(Out<'_, R>) -> Call) -> Result<R, Fault> {
    let mut place = MaybeUninit::uninit();
    call(&mut place).result()?;
    // SAFETY: as in `ask`.
    Ok(unsafe { place.assume_init() })
}

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

/// The label of a plugin in messages: kind, name and file, such as "game `2048` (games.so)".
pub fn labelled(kind: &str, name: &str) -> String {
    in_this_file(format!("{kind} `{name}`"))
}

pub fn in_this_file(label: String) -> String {
    match FILE.get() {
        Some(file) => format!("{label} ({file})"),
        None => label,
    }
}

/// The label of the program.
pub fn the_program() -> String {
    "the program".into()
}

/// Runs the task of a function that the other side calls, and writes its result, so that nothing
/// unwinds out of it. `label` names the plugin in the message of a panic.
#[inline(always)]
pub fn respond<R>(label: fn() -> String, out: Out<'_, R>, task: impl FnOnce() -> R) -> Call {
    // In a loaded library all code runs inside a guard, and a thread-local costs a call
    // there. In a program that links the plugin, counting is one instruction.
    let counted = !LOADED.load(Ordering::Relaxed);
    if counted {
        DEPTH.set(DEPTH.get() + 1);
    }
    let result = catch_unwind(AssertUnwindSafe(|| {
        out.write(task());
    }));
    if counted {
        DEPTH.set(DEPTH.get() - 1);
    }
    match result {
        Ok(()) => Call(ptr::null_mut()),
        Err(payload) => fault(label, payload),
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
    Call::failed(message)
}

/// Remembers the library's file, which is empty for a library that is linked in, and silences the
/// panic messages of code inside a guard: the program reports the fault once, in one line.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn label() -> String {
        labelled("game", "tested")
    }

    #[test]
    fn a_panic_becomes_a_fault_that_names_the_plugin() {
        let panics = |out: Out<'_, ()>| respond(label, out, || panic!("it went wrong"));
        let fault = try_ask(panics).unwrap_err();
        assert!(fault.0.starts_with("game `tested` panicked: it went wrong"), "{fault}");
    }

    #[test]
    fn a_raised_fault_keeps_its_words() {
        let raises = |out: Out<'_, ()>| respond(label, out, || Fault::new("words").raise());
        assert_eq!(try_ask(raises), Err(Fault::new("words")));
        assert_eq!(try_ask(|out| respond(label, out, || 7)), Ok(7));
    }
}
