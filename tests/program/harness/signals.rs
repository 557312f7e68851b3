//! Interrupts a run of the program.

use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// Time after which a test fails.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Waits until the program handles SIGINT and the condition holds.
#[track_caller]
pub fn await_listening(child: &Child, and: impl Fn() -> bool) {
    let began = Instant::now();
    while !(listens(child) && and()) {
        assert!(began.elapsed() < TIMEOUT, "the program does not handle SIGINT");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Returns true if a process handles SIGINT, which is signal 2.
fn listens(child: &Child) -> bool {
    let status =
        std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|m| m & 2 != 0)
}

/// Sends SIGINT to a process, as Ctrl-C does.
#[track_caller]
pub fn interrupt(child: &Child) {
    signal(child, "INT");
}

/// Sends a signal to a process.
#[track_caller]
pub fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    let sent = Command::new("kill").args([&format!("-{name}"), &id]).status();
    assert!(sent.unwrap().success());
}
