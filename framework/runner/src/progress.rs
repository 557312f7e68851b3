//! A line of progress on standard error: rewritten in place on a terminal, now
//! and then a plain line elsewhere.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

/// How often a plain line is written where there is no terminal.
const PLAIN: Duration = Duration::from_secs(10);
/// Shows how far something is.
#[derive(Debug)]
pub struct Progress {
    terminal: bool,
    plain: bool,
    shown: bool,
    last_plain: Instant,
}

impl Default for Progress {
    fn default() -> Self {
        Self::new()
    }
}

impl Progress {
    /// No line is longer: it must not wrap on a terminal.
    pub const COLUMNS: usize = 79;

    /// Nothing is shown yet.
    pub fn new() -> Self {
        let (terminal, last_plain) = (stderr().is_terminal(), Instant::now());
        Self { terminal, plain: true, shown: false, last_plain }
    }

    /// Nothing will be shown where there is no terminal.
    pub fn on_terminals() -> Self {
        Self { plain: false, ..Self::new() }
    }

    /// Shows a line in place of the last.
    pub fn show(&mut self, line: &str) {
        // Progress that cannot be shown is no reason to stop.
        if self.terminal {
            let line: String = line.chars().take(Self::COLUMNS).collect();
            let _ = write!(stderr(), "\r\x1b[K{line}");
            self.shown = true;
        } else if self.plain && self.last_plain.elapsed() >= PLAIN {
            self.last_plain = Instant::now();
            let _ = writeln!(stderr(), "{line}");
        }
    }

    /// Takes the line away.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            let _ = write!(stderr(), "\r\x1b[K");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
