//! The terminal in its special mode, which it leaves however the program ends.

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event;
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use runner_session::thinker;
use std::io::{self, Stdout, stdout};
use std::panic;
use std::thread;
use std::time::Duration;

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

/// The end of a wait for input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// There is an event to read.
    Event,
    /// The time is over.
    Nothing,
    Closed,
}

/// Waits for input, at most this long.
#[cfg(unix)]
pub fn wait(patience: Duration) -> io::Result<Input> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::io::Errno;
    // The library never returns from a wait at a terminal that was closed, so it is not asked to
    // wait.
    let is_closed = |patience: Duration| {
        let stdin = io::stdin();
        let mut polled = [PollFd::new(&stdin, PollFlags::IN)];
        match poll(&mut polled, Timespec::try_from(patience).ok().as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(io::Error::from(error)),
        }
        let closed = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
        Ok(polled[0].revents().intersects(closed))
    };
    // Events may wait that were read before.
    for patience in [Duration::ZERO, patience] {
        if is_closed(patience)? {
            return Ok(Input::Closed);
        }
        if event::poll(Duration::ZERO)? {
            return Ok(Input::Event);
        }
    }
    Ok(Input::Nothing)
}

/// Waits for input, at most this long.
#[cfg(not(unix))]
pub fn wait(patience: Duration) -> io::Result<Input> {
    Ok(if event::poll(patience)? { Input::Event } else { Input::Nothing })
}

/// Leaves the mode. Errors have no one to go to: the terminal may be gone.
pub fn leave() {
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
