//! Runs that are interrupted.

use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// Far longer than anything takes on the slowest machine.
const FOREVER: Duration = Duration::from_secs(120);

/// Comes back once the run listens for interrupts and the rest is so too.
#[track_caller]
pub fn await_listening(child: &Child, and: impl Fn() -> bool) {
    let began = Instant::now();
    while !(listens(child) && and()) {
        assert!(began.elapsed() < FOREVER, "it does not listen for interrupts");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Whether a process catches SIGINT, which is signal 2.
fn listens(child: &Child) -> bool {
    let status =
        std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|m| m & 2 != 0)
}

/// What Ctrl-C does.
#[track_caller]
pub fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.unwrap().success());
}
