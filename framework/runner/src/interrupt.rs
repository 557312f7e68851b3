//! Ctrl-C: the first asks a run to end cleanly, the second ends the program.

use crate::notes::note;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A run that has not ended so long after it was asked to says what is going on: a move
/// may take as long as its player likes.
const PATIENCE: Duration = Duration::from_secs(2);

static ASKED: AtomicBool = AtomicBool::new(false);

/// From now on an interrupt is noted, and ends the program only when repeated.
pub fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let handler = || {
            if ASKED.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
            std::thread::spawn(|| {
                std::thread::sleep(PATIENCE);
                note("what has begun is being finished; Ctrl-C once more ends it at once");
            });
        };
        if let Err(error) = ctrlc::set_handler(handler) {
            note(format!("note: an interrupt will end the program at once: {error}"));
        }
    });
}

/// Whether the user has asked to stop.
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
