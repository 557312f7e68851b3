//! Ctrl-C, SIGTERM and SIGHUP: the first asks the command to stop cleanly, the second ends the
//! program at once, and so does the first while a call of a plugin does not return. A SIGHUP that
//! is ignored, as under `nohup`, stays ignored.

use crate::notes::note;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, Once, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Time after the request until a command that still runs says what it waits for. A move can
/// take much longer.
const PATIENCE: Duration = Duration::from_secs(2);
/// Time between two checks whether to stop, while a task is waited for.
const TICK: Duration = Duration::from_millis(20);
/// A signal that follows the first within this time is the same request: `timeout`, for one,
/// signals the process and then its group.
const SAME_REQUEST: Duration = Duration::from_millis(500);

/// Time after a SIGTERM or a SIGHUP in which a command ends, with its last checkpoint. They come
/// from a program or from a terminal that is gone, which do not ask a second time.
const GRACE: Duration = Duration::from_secs(60);

static REQUESTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);
/// The last signal.
static SIGNAL: LazyLock<Arc<AtomicUsize>> = LazyLock::new(|| Arc::new((SIGINT as usize).into()));

const SIGHUP: i32 = 1;
const SIGINT: i32 = 2;
const SIGTERM: i32 = 15;

/// The messages of a command.
struct Words {
    /// Moves, games or layers, which the command finishes after the first request.
    awaited: &'static str,
    /// The last line after the second request.
    farewell: Option<String>,
    /// The call of a plugin that does not return.
    stall: Option<String>,
    /// True if the command ends after the first request even while a call does not return.
    ends_stalled: bool,
    /// Restores the terminal.
    restore: Option<fn()>,
}

impl Words {
    /// Returns true if the command cannot end without help.
    fn waits_in_vain(&self) -> bool {
        self.stall.is_some() && !self.ends_stalled
    }
}

static WORDS: Mutex<Words> = Mutex::new(Words {
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

/// Catches interrupts of a command that finishes what is `awaited`, such as games, after the first
/// request. After the second, `farewell` is printed, which names the command that continues.
pub fn listen_between(awaited: &'static str, farewell: Option<String>) -> &'static AtomicBool {
    {
        let mut words = locked(&WORDS);
        words.awaited = awaited;
        words.farewell = farewell;
    }
    listen()
}

/// Catches interrupts of a command that prints the result of the finished work after the first
/// request, even while a call of a plugin does not return.
pub fn listen_and_end_stalled() -> &'static AtomicBool {
    locked(&WORDS).ends_stalled = true;
    listen()
}

/// Sets what restores the terminal when an interrupt ends the program at once.
pub fn restore_with(restore: fn()) {
    locked(&WORDS).restore = Some(restore);
}

/// Restores the terminal before the program ends at once.
pub fn restore() {
    let restore = locked(&WORDS).restore;
    if let Some(restore) = restore {
        restore();
    }
}

/// Notes which call of a plugin does not return, once, or that all return. In the first case an
/// interrupt ends the program at once. A screen that fills the terminal has its own place for the
/// note.
pub fn note_stall(stall: Option<&str>) {
    let is_new = {
        let words = &mut *locked(&WORDS);
        let is_new = stall.is_some() && words.stall.as_deref() != stall;
        words.stall = stall.map(str::to_owned);
        is_new && words.restore.is_none()
    };
    if let (true, Some(stall)) = (is_new, stall) {
        note(format!("note: {stall}; Ctrl-C ends the program"));
    }
    if requested() && locked(&WORDS).waits_in_vain() {
        end();
    }
}

/// Returns true if the user has asked the command to stop.
pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

/// Runs a task that may block forever, such as reading a pipe without a writer. Returns its
/// result, or `None` if the user asks to stop first. The thread of the task then stays blocked
/// until the program ends, because there is no portable way to wake it.
pub fn unless_requested<T: Send + 'static>(task: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    listen();
    let (sender, result) = mpsc::channel();
    let thread = std::thread::spawn(move || sender.send(task()));
    loop {
        match result.recv_timeout(TICK) {
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

/// Locks a mutex. A panic of its holder cannot leave the data half changed, so poison is ignored.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
    // A child that Ctrl-C ends too may be waited for before the thread runs.
    for signal in caught {
        flag::register_usize(signal, Arc::clone(&SIGNAL), signal as usize)?;
        flag::register(signal, Arc::clone(&REQUESTED))?;
    }
    let handle_all = move || signals.forever().for_each(|signal| handle(signal, Instant::now()));
    std::thread::Builder::new().name("signals".into()).spawn(handle_all).map(drop)
}

/// Returns true if this process was started with a signal ignored. Only Linux says so without
/// unsafe code.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[cfg(not(unix))]
fn catch_signals() -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(|| handle(SIGINT, Instant::now()))
}

/// Handles a signal that arrived at `now`.
fn handle(signal: i32, now: Instant) {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    // This thread may run before the handler of the signal has set them.
    SIGNAL.store(signal as usize, Ordering::Relaxed);
    REQUESTED.store(true, Ordering::Relaxed);
    if FIRST.set(now).is_ok() {
        if locked(&WORDS).waits_in_vain() {
            end();
        }
        std::thread::spawn(move || {
            std::thread::sleep(PATIENCE);
            let Words { awaited, restore, .. } = *locked(&WORDS);
            // A read of a terminal that is gone may never return.
            if signal == SIGHUP && restore.is_some() {
                end();
            }
            note(format!("stopping after the {awaited} under way; Ctrl-C again stops at once"));
            if [SIGTERM, SIGHUP].contains(&signal) {
                std::thread::sleep(GRACE - PATIENCE);
                end();
            }
        });
    } else if FIRST.get().is_some_and(|first| is_second(*first, now)) {
        end();
    }
}

/// Ends the program at once, with the exit code of shells for a program that a signal ended.
fn end() -> ! {
    restore();
    let farewell = locked(&WORDS).farewell.clone();
    if let Some(farewell) = farewell {
        note(format!("interrupted: {farewell}"));
    }
    std::process::exit(128 + SIGNAL.load(Ordering::Relaxed) as i32);
}

/// Returns true if a signal is a second request.
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
