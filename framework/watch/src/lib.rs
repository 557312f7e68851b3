//! The screen of the terminal: games, move by move, of a player, of a person, or recorded ones, and
//! the progress of trainings and tunings.
#![forbid(unsafe_code)]

mod board;
pub mod colors;
pub mod keys;
pub mod screen;
mod terminal;
pub mod training;
pub mod tuning;

pub use board::small as small_board;

use colors::Look;
use ratatui::crossterm::event::{self, Event};
use ratatui::crossterm::terminal::size;
use runner_console::interrupt;
use runner_core::Fault;
use runner_play::failure::{Failure, attributed};
use runner_play::player::NamedPlayer;
use runner_play::registry::Registry;
use runner_session::session::{Session, Setup};
use screen::SMALLEST;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};
use terminal::{Input, Screen};

/// Shortest time between two drawings.
const FRAME: Duration = Duration::from_millis(30);

/// A player that is loaded while the screen shows the game already.
pub struct Loading {
    /// Description of the player, for the screen.
    pub what: String,
    pub player: Receiver<Result<NamedPlayer, Failure>>,
}

/// Shows a session until the user ends it or `stop` is set.
pub fn show(
    setup: Setup,
    mut loading: Option<Loading>,
    registry: &Registry,
    stop: &AtomicBool,
) -> Result<(), Failure> {
    let (columns, lines) = size().map_err(terminal_failure)?;
    if columns < SMALLEST.0 || lines < SMALLEST.1 {
        return Err(Failure::failed(format!(
            "the terminal has {columns} x {lines} characters; {} x {} are needed",
            SMALLEST.0, SMALLEST.1
        )));
    }
    let mut session = Session::new(setup)?;
    if let Some(loading) = &loading {
        session.wait_for_player(loading.what.clone());
    }
    let look = Look::of_environment();
    let mut screen = Screen::enter().map_err(terminal_failure)?;
    interrupt::restore_with(terminal::leave);
    run(&mut session, &mut loading, &mut screen, look, registry, stop)
}

fn terminal_failure(error: io::Error) -> Failure {
    Failure::failed(format!("cannot use the terminal: {error}"))
}

impl Loading {
    /// Returns the player, or why there is none, once that is known.
    fn result(&self) -> Option<Result<NamedPlayer, Failure>> {
        match self.player.try_recv() {
            Ok(result) => Some(result),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => {
                Some(Err(Failure::failed("the player was not loaded: its thread has ended")))
            }
        }
    }
}

fn run(
    session: &mut Session,
    loading: &mut Option<Loading>,
    screen: &mut Screen,
    look: Look,
    registry: &Registry,
    stop: &AtomicBool,
) -> Result<(), Failure> {
    let label = session.game().label.clone();
    let game_failure = |fault: Fault| Failure::failed(attributed(&fault.0, &[&label]));
    let (mut changed, mut drawn) = (true, None::<Instant>);
    while !stop.load(Relaxed) {
        let now = Instant::now();
        if let Some(loaded) = loading.as_ref().and_then(Loading::result) {
            *loading = None;
            session.set_player(loaded?)?;
            changed = true;
        }
        changed |= session.tick(now).map_err(game_failure)?;
        let is_due = drawn.is_none_or(|drawn| drawn.elapsed() >= FRAME);
        if changed && is_due {
            let drawing = screen.0.draw(|frame| screen::draw(frame, session, look, registry));
            drawing.map_err(terminal_failure)?;
            (changed, drawn) = (false, Some(Instant::now()));
        }
        let patience = session.patience(now).min(if changed { FRAME } else { Duration::MAX });
        match terminal::wait(patience).map_err(terminal_failure)? {
            Input::Nothing => continue,
            Input::Closed => break,
            Input::Event => changed = true,
        }
        match event::read().map_err(terminal_failure)? {
            Event::Key(key) => {
                if let Some(command) = keys::command(&key)
                    && !session.obey(command, Instant::now()).map_err(game_failure)?
                {
                    break;
                }
            }
            Event::Resize(..) => screen.0.autoresize().map_err(terminal_failure)?,
            _ => {}
        }
    }
    Ok(())
}
