//! Ends the program when a call of a plugin does not return.

use runner_console::output::printable;
use runner_play::unpoisoned::locked;
use std::io::{Write, stderr, stdout};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Time between two looks at the call.
const TICK: Duration = Duration::from_millis(50);

/// Ends the program when a call does not return: a thread that loops for ever cannot be
/// stopped otherwise.
pub struct Watchdog {
    call: Arc<Mutex<Option<(String, Instant)>>>,
}

impl Watchdog {
    /// Starts a watchdog that allows each call this time.
    pub fn start(limit: Duration) -> Self {
        let call = Arc::new(Mutex::new(None));
        let watched: Arc<Mutex<Option<(String, Instant)>>> = call.clone();
        thread::spawn(move || {
            loop {
                thread::sleep(TICK.min(limit));
                if let Some((name, began)) = &*locked(&watched)
                    && began.elapsed() > limit
                {
                    end(name, limit);
                }
            }
        });
        Self { call }
    }

    /// Makes a call under watch. `name` says whose it is and which.
    pub fn watch<T>(&self, name: &str, call: impl FnOnce() -> T) -> T {
        let outer = locked(&self.call).replace((name.to_owned(), Instant::now()));
        let result = call();
        *locked(&self.call) = outer;
        result
    }
}

/// Reports the call and ends the program.
fn end(name: &str, limit: Duration) -> ! {
    let name = printable(name);
    let limit = limit.as_secs_f64();
    // The exit code still reports the failure where the output cannot be written.
    let _ = writeln!(stdout(), "BAD {name}: no return within {limit} s, probably an endless loop");
    let _ = writeln!(stderr(), "error: {name} does not return; the tests after it did not run");
    std::process::exit(1);
}
