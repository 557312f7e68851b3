//! Signals that end the process because of a defect, such as a stack overflow in a plugin: before
//! the end, the program writes what it was doing.

#![allow(unsafe_code)]

use std::fs::File;
use std::io::{Write, stderr};
use std::mem::MaybeUninit;
use std::os::fd::AsFd;
use std::ptr;
use std::sync::OnceLock;

const SIGNALS: [i32; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGABRT];

type Describe = dyn Fn(&mut dyn FnMut(&str)) + Send + Sync;

struct Crashes {
    describe: Box<Describe>,
    /// Standard error without the lock of [`stderr`], which the thread may hold.
    out: File,
    /// The earlier action of each signal.
    earlier: [libc::sigaction; SIGNALS.len()],
}

static CRASHES: OnceLock<Crashes> = OnceLock::new();

/// Makes a signal that ends the process call `describe` before, which passes its text in pieces. It
/// is called in the handler of a signal: it must not allocate, wait for a lock or panic. The second
/// call does nothing, and if the system refuses, a crash is not described.
pub fn describe_crashes(describe: impl Fn(&mut dyn FnMut(&str)) + Send + Sync + 'static) {
    let Ok(out) = stderr().as_fd().try_clone_to_owned() else { return };
    let mut earlier = [MaybeUninit::uninit(); SIGNALS.len()];
    for (signal, earlier) in SIGNALS.into_iter().zip(&mut earlier) {
        // SAFETY: without a new action, the call writes the current one.
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

/// Describes the crash, and restores the earlier actions. The failed instruction is then repeated
/// and raises its signal again; `abort` raises its signal a second time.
extern "C" fn handle(_: i32) {
    let Some(Crashes { describe, out, earlier }) = CRASHES.get() else { return };
    describe(&mut |text| drop((&*out).write(text.as_bytes())));
    for (signal, earlier) in SIGNALS.into_iter().zip(earlier) {
        // SAFETY: the action was that of the signal; `sigaction` may be called in a handler.
        unsafe { libc::sigaction(signal, earlier, ptr::null_mut()) };
    }
}
