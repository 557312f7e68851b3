//! Signals that end the process because of a defect, such as a stack overflow in a plugin. Before
//! the process ends, it writes what it was doing to standard error.

#![allow(unsafe_code)]

use std::fs::File;
use std::io::{Write, stderr};
use std::mem::MaybeUninit;
use std::os::fd::AsFd;
use std::ptr;
use std::sync::OnceLock;

const SIGNALS: [i32; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGABRT];

/// Passes a text in pieces to its argument.
type Describe = dyn Fn(&mut dyn FnMut(&str)) + Send + Sync;

struct Crashes {
    describe: Box<Describe>,
    /// Standard error without the lock of [`stderr`], which the thread may hold.
    out: File,
    /// The action of each of [`SIGNALS`] before [`describe_crashes`].
    earlier: [libc::sigaction; SIGNALS.len()],
}

static CRASHES: OnceLock<Crashes> = OnceLock::new();

/// Makes signals that end the process write the text of `describe` first. `describe` runs in the
/// handler of the signal: it must not allocate, wait for a lock or panic. A second call of this
/// function does nothing. If the system refuses the handler, crashes are not described.
pub fn describe_crashes(describe: impl Fn(&mut dyn FnMut(&str)) + Send + Sync + 'static) {
    let Ok(out) = stderr().as_fd().try_clone_to_owned() else { return };
    let mut earlier = [MaybeUninit::uninit(); SIGNALS.len()];
    for (signal, earlier) in SIGNALS.into_iter().zip(&mut earlier) {
        // SAFETY: a null pointer sets no new action, and `earlier` is valid for the current one.
        if unsafe { libc::sigaction(signal, ptr::null(), earlier.as_mut_ptr()) } != 0 {
            return;
        }
    }
    // SAFETY: each has been written.
    let earlier = earlier.map(|action| unsafe { action.assume_init() });
    let describe = Box::new(describe);
    if CRASHES.set(Crashes { describe, out: out.into(), earlier }).is_ok() {
        // SAFETY: zeros are a valid action, and the handler is a function of the type that
        // `sigaction` calls without `SA_SIGINFO`. It runs on the stack that the standard library
        // has for stack overflows.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = handle as extern "C" fn(i32) as libc::sighandler_t;
            action.sa_flags = libc::SA_ONSTACK;
            for signal in SIGNALS {
                libc::sigaction(signal, &raw const action, ptr::null_mut());
            }
        }
    }
}

/// Describes the crash, and restores the earlier actions. They end the process: after the return,
/// the failed instruction runs again and raises its signal again, and `abort` repeats its signal.
extern "C" fn handle(_: i32) {
    let Some(Crashes { describe, out, earlier }) = CRASHES.get() else { return };
    describe(&mut |text| drop((&*out).write(text.as_bytes())));
    for (signal, earlier) in SIGNALS.into_iter().zip(earlier) {
        // SAFETY: the action was that of the signal; `sigaction` may be called in a handler.
        unsafe { libc::sigaction(signal, earlier, ptr::null_mut()) };
    }
}
