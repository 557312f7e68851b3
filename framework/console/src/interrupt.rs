//! Ctrl-C, SIGTERM and SIGHUP. The first asks the command to stop, and the second ends the program
//! at once. While a call of a plugin does not return, the first ends the program at once too. A
//! SIGHUP that is ignored, as under `nohup`, stays ignored.
//!
//! A command calls [`listen`] or one of its variants, and reads the flag that it returns.

use crate::notes::note;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, Once, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Time after the first request until a command that still runs says what it waits for.
const PATIENCE: Duration = Duration::from_secs(2);
/// Interval at which [`unless_requested`] checks whether to stop.
const INTERVAL: Duration = Duration::from_millis(20);
/// A signal that follows the first within this time is the same request: `timeout`, for one,
/// signals the process and then its group.
const SAME_REQUEST: Duration = Duration::from_millis(500);
/// Time after a SIGTERM or a SIGHUP after which the program ends in any case. These signals come
/// from a program, or from a terminal that is closed, which do not ask a second time.
const GRACE: Duration = Duration::from_secs(60);

const SIGHUP: i32 = 1;
const SIGINT: i32 = 2;
const SIGTERM: i32 = 15;

/// True after the first signal.
static REQUESTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
/// The number of the last signal.
static SIGNAL: LazyLock<Arc<AtomicUsize>> = LazyLock::new(|| Arc::new((SIGINT as usize).into()));

/// How the running command stops.
struct Stopping {
    /// The units that the command finishes after the first request: moves, games or layers.
    awaited: &'static str,
    /// The last line of a program that is ended at once.
    farewell: Option<String>,
    /// The call of a plugin that does not return.
    stall: Option<String>,
    /// True if the command can end while a call does not return.
    ends_stalled: bool,
    /// Restores the terminal of a command whose screen fills it.
    restore: Option<fn()>,
}

impl Stopping {
    /// Returns true if a call keeps the command from ending.
    fn is_stalled(&self) -> bool {
        self.stall.is_some() && !self.ends_stalled
    }
}

static STOPPING: Mutex<Stopping> = Mutex::new(Stopping {
    awaited: "moves",
    farewell: None,
    stall: None,
    ends_stalled: false,
    restore: None,
});

/// Makes a write beyond the limit of the shell for files an error, which names the file, instead of
/// the end of the program.
pub fn survive_file_limit() {
    // If this fails, the system's default remains.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

/// Catches interrupts from now on, and returns the flag that the first one sets.
pub fn listen() -> &'static AtomicBool {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if let Err(error) = catch_signals() {
            note(format!("note: an interrupt will end the program at once: {error}"));
        }
    });
    &REQUESTED
}

/// Does the same as [`listen`] for a command that finishes its `awaited` units, such as games.
/// When a signal ends it at once, the program prints `farewell`, which names the command that
/// continues.
pub fn listen_between(awaited: &'static str, farewell: Option<String>) -> &'static AtomicBool {
    let mut stopping = lock_stopping();
    (stopping.awaited, stopping.farewell) = (awaited, farewell);
    drop(stopping);
    listen()
}

/// Does the same as [`listen`] for a command that can end while a call does not return.
pub fn listen_and_end_stalled() -> &'static AtomicBool {
    lock_stopping().ends_stalled = true;
    listen()
}

/// Sets what restores the terminal when an interrupt ends the program at once.
pub fn restore_with(restore: fn()) {
    lock_stopping().restore = Some(restore);
}

/// Restores the terminal before the program ends at once.
pub fn restore() {
    let restore = lock_stopping().restore;
    if let Some(restore) = restore {
        restore();
    }
}

/// Sets the call of a plugin that does not return; `None` if all return again. A new one is noted,
/// unless a screen fills the terminal: the screen shows it. If the user has asked to stop, the
/// program ends.
pub fn note_stall(stall: Option<&str>) {
    let mut stopping = lock_stopping();
    let is_new = stopping.stall.as_deref() != stall;
    let has_screen = stopping.restore.is_some();
    stopping.stall = stall.map(str::to_owned);
    let is_stalled = stopping.is_stalled();
    drop(stopping);
    if let Some(stall) = stall
        && is_new
        && !has_screen
    {
        note(format!("note: {stall}; Ctrl-C ends the program"));
    }
    if requested() && is_stalled {
        end();
    }
}

/// Returns true if the user has asked the command to stop.
pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

/// Runs a task that may block forever, such as reading a pipe without a writer. Returns its
/// result, or `None` if the user asks to stop first. The thread of the task then stays blocked,
/// because there is no portable way to wake it.
pub fn unless_requested<T: Send + 'static>(task: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    listen();
    let (sender, result) = mpsc::channel();
    let thread = std::thread::spawn(move || sender.send(task()));
    loop {
        match result.recv_timeout(INTERVAL) {
            Ok(result) => return Some(result),
            Err(RecvTimeoutError::Timeout) if requested() => return None,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                let panic = thread.join().expect_err("a task that returns sends its result");
                std::panic::resume_unwind(panic);
            }
        }
    }
}

/// Locks [`STOPPING`], and ignores poison: a panic cannot leave it half changed.
fn lock_stopping() -> MutexGuard<'static, Stopping> {
    STOPPING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a thread that handles signals.
#[cfg(unix)]
fn catch_signals() -> std::io::Result<()> {
    use signal_hook::flag;
    let mut caught = vec![SIGINT, SIGTERM];
    if !is_ignored(SIGHUP) {
        caught.push(SIGHUP);
    }
    let mut signals = signal_hook::iterator::Signals::new(&caught)?;
    // The handlers set these before the thread runs. Ctrl-C ends children too, and a command that
    // waits for one must then know that it is interrupted.
    for signal in caught {
        flag::register_usize(signal, Arc::clone(&SIGNAL), signal as usize)?;
        flag::register(signal, Arc::clone(&REQUESTED))?;
    }
    let handle_all = move || {
        for signal in signals.forever() {
            handle(signal, Instant::now());
        }
    };
    std::thread::Builder::new().name("signals".into()).spawn(handle_all)?;
    Ok(())
}

/// Returns true if this process was started with a signal ignored. Only Linux can tell without
/// unsafe code. Signal n is bit n - 1 of a hexadecimal mask: SIGHUP is 1 in `SigIgn: 00000001`.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let digits = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = digits.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[cfg(not(unix))]
fn catch_signals() -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(|| handle(SIGINT, Instant::now()))
}

/// Handles a signal that arrived at `now`.
fn handle(signal: i32, now: Instant) {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    // This thread may run before the handlers of the signal.
    SIGNAL.store(signal as usize, Ordering::Relaxed);
    REQUESTED.store(true, Ordering::Relaxed);
    if FIRST.set(now).is_ok() {
        if lock_stopping().is_stalled() {
            end();
        }
        std::thread::spawn(move || wait_for_end(signal));
    } else if FIRST.get().is_some_and(|first| is_second(*first, now)) {
        end();
    }
}

/// Notes what the command finishes. After [`GRACE`], ends it if no second signal is to be expected.
fn wait_for_end(signal: i32) {
    std::thread::sleep(PATIENCE);
    let Stopping { awaited, restore, .. } = *lock_stopping();
    // A screen may wait for a key of a terminal that is closed.
    if signal == SIGHUP && restore.is_some() {
        end();
    }
    note(format!("stopping after the {awaited} under way; Ctrl-C again stops at once"));
    if [SIGTERM, SIGHUP].contains(&signal) {
        std::thread::sleep(GRACE - PATIENCE);
        end();
    }
}

/// Ends the program at once, with the exit code of shells for a program that a signal ended.
fn end() -> ! {
    restore();
    let farewell = lock_stopping().farewell.clone();
    if let Some(farewell) = farewell {
        note(format!("interrupted: {farewell}"));
    }
    std::process::exit(128 + SIGNAL.load(Ordering::Relaxed) as i32);
}

/// Returns true if a signal that arrived at `now` is a second request, and not part of the first.
fn is_second(first: Instant, now: Instant) -> bool {
    now.saturating_duration_since(first) >= SAME_REQUEST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn task_that_ends_returns_its_result_or_its_panic() {
        assert_eq!(unless_requested(|| 7), Some(7));
        let panic =
            std::panic::catch_unwind(|| unless_requested::<()>(|| panic!("the task failed")));
        assert_eq!(panic.unwrap_err().downcast_ref(), Some(&"the task failed"));
    }

    #[test]
    fn signals_at_once_are_one_request() {
        let first = Instant::now();
        assert!(!is_second(first, first));
        assert!(!is_second(first, first + Duration::from_millis(100)));
        assert!(is_second(first, first + Duration::from_secs(1)));
    }
}
