//! Finds workers whose move does not end, and the call of a plugin that does not return.
//!
//! A worker answers the watching thread before each move. If it does not, a thread plays its game
//! again, which is the same move for move, and notes each call. So the games of the workers pay
//! nothing.

use super::cell::Cell;
use super::episodes::Episodes;
use super::sign::Sign;
use crate::calls::{WatchedGame, WatchedPlayer};
use runner_core::catch;
use runner_plugin::calls::Calls;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// The game of a worker is played again if its move takes longer.
const LIMIT: Duration = Duration::from_secs(10);
/// A call of the game that is played again does not return if it takes longer.
const CALL_LIMIT: Duration = Duration::from_secs(5);
/// Interval at which workers are asked.
const INTERVAL: Duration = Duration::from_millis(500);

/// Watches the workers.
pub struct Stalls<'a> {
    cells: &'a [Cell],
    signs: &'a [Sign],
    /// When each worker last answered.
    answered: Vec<Instant>,
    asked: Instant,
    search: Option<Search>,
    found: Option<String>,
}

/// A worker whose move does not end.
pub struct Stall<'a> {
    /// The call that does not return, or who moves.
    pub message: &'a str,
    /// True if no other worker plays.
    pub is_everywhere: bool,
}

/// The games of a worker whose move does not end, played again.
struct Search {
    worker: usize,
    calls: Calls,
    thread: JoinHandle<()>,
    /// Ends the games.
    sign: Arc<Sign>,
    /// The message if no call is found.
    otherwise: String,
}

impl<'a> Stalls<'a> {
    /// Begins to watch.
    pub fn new(cells: &'a [Cell], signs: &'a [Sign]) -> Self {
        let now = Instant::now();
        let answered = vec![now; signs.len()];
        Self { cells, signs, answered, asked: now, search: None, found: None }
    }

    /// Looks at the workers. Returns a stall from the time at which its call is known.
    pub fn look(&mut self) -> Option<Stall<'_>> {
        let now = Instant::now();
        let asks = now - self.asked >= INTERVAL;
        for (sign, answered) in self.signs.iter().zip(&mut self.answered) {
            if sign.pulse.has_answered() || sign.games().is_empty() {
                *answered = now;
                if asks {
                    sign.pulse.ask();
                }
            }
        }
        if asks {
            self.asked = now;
        }
        let is_stalled = |worker: usize| now - self.answered[worker] > LIMIT;
        if let Some(search) = &self.search
            && !is_stalled(search.worker)
        {
            // The move was only slow.
            (self.search, self.found) = (None, None);
        }
        if self.search.is_none() {
            let stalled = (0..self.signs.len()).find(|&worker| is_stalled(worker))?;
            self.search = self.search(stalled);
        }
        let search = self.search.as_ref()?;
        if self.found.is_none() {
            self.found = match search.calls.overdue(CALL_LIMIT) {
                Some(call) => Some(format!("{}: `{}` does not return", call.whose, call.name)),
                None if search.thread.is_finished() => Some(search.otherwise.clone()),
                None => None,
            };
        }
        let is_everywhere = (0..self.signs.len())
            .all(|worker| self.signs[worker].games().is_empty() || is_stalled(worker));
        Some(Stall { message: self.found.as_deref()?, is_everywhere })
    }

    /// Plays the games of a worker again.
    fn search(&self, worker: usize) -> Option<Search> {
        let sign = &self.signs[worker];
        let cell = self.cells.get(sign.cell()?)?;
        let (game, label, seed) = (cell.game.clone(), cell.label.clone(), cell.seed);
        let otherwise = format!("a move of {label} on {} does not end", game.label);
        // The copy of a player may be the call that does not return.
        let player = cell.player.try_lock().ok().map(|player| catch(|| player.clone()));
        let player = player.and_then(Result::ok);
        let (games, starts, limits) = (sign.games(), cell.starts.clone(), cell.limits);
        let (calls, sign) = (Calls::default(), Arc::new(Sign::default()));
        let (watched, shared) = (calls.clone(), sign.clone());
        let play = move || {
            let Some(player) = player else { return };
            let rules = &WatchedGame::new(&*game.rules, &game.label, &watched);
            let mut player = WatchedPlayer::new(player, &label, &watched);
            let (starts, sign) = (&starts, &*shared);
            let episodes =
                Episodes { rules, game: &game, seed, limits, starts, is_timed: false, sign };
            // Only a call that does not return is of interest.
            games.into_iter().for_each(|number| drop(episodes.play_here(&mut player, number)));
        };
        let thread = thread::Builder::new().name("search".into()).spawn(play).ok()?;
        Some(Search { worker, calls, thread, sign, otherwise })
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        self.sign.pulse.stop();
    }
}
