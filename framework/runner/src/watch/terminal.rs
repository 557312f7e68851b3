//! The terminal in its special mode, which it leaves however the program ends.

use super::thinker;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use std::io::{self, Stdout, stdout};
use std::panic;
use std::thread;

/// A terminal that shows one screen and reports single keys, until it is dropped.
pub struct Screen(pub Terminal<CrosstermBackend<Stdout>>);

impl Screen {
    /// Enters the mode.
    pub fn enter() -> io::Result<Self> {
        enable_raw_mode()?;
        // From here on, leaving is needed.
        let entered = execute!(stdout(), EnterAlternateScreen)
            .and_then(|()| Terminal::new(CrosstermBackend::new(stdout())));
        match entered {
            Ok(terminal) => {
                leave_after_panics();
                Ok(Self(terminal))
            }
            Err(error) => {
                leave();
                Err(error)
            }
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        leave();
    }
}

/// Leaves the mode. Errors have no one to go to: the terminal may be gone.
fn leave() {
    let _ = disable_raw_mode();
    let _ = execute!(stdout(), LeaveAlternateScreen, Show);
}

/// Makes panics leave the mode before they are reported. A panic of the player is caught, and
/// the screen says so: its report would be written over the screen.
fn leave_after_panics() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if thread::current().name() == Some(thinker::THREAD) {
            return;
        }
        leave();
        report(info);
    }));
}
