//! One call of a training: its counters, its budget, its reports and its threads.

use crate::history::History;
use crate::recent::{FinishedGame, RecentGames};
use runner_core::{
    Control, Fault, Game, GameInProgress, Random, Start, State, TrainingProgress, TrainingSession,
    catch, locked, unpoisoned,
};
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Time between two reports.
const INTERVAL: Duration = Duration::from_millis(100);

/// A training that continues a [`History`], shared by its threads. Its counters begin at 0, except
/// `next_game`, `recent` and `series`, which continue those of the history.
pub struct Run<'a> {
    session: &'a TrainingSession<'a>,
    began: Instant,
    /// Moves, games and time of the history.
    before: TrainingProgress,
    /// Moves that threads have made or are about to make.
    claimed: AtomicU64,
    /// Moves made.
    moves: AtomicU64,
    episodes: AtomicU64,
    next_game: AtomicU64,
    recent: Mutex<RecentGames>,
    series: Mutex<Vec<(String, f64)>>,
    stopped: AtomicBool,
    /// The time of the next report. The thread that reports holds the lock.
    next_report: Mutex<Instant>,
}

impl<'a> Run<'a> {
    /// Begins a training. It is stopped from the start if the session has no budget left.
    pub fn new(session: &'a TrainingSession<'a>, history: History) -> Self {
        let History { moves, episodes, elapsed, next_game, recent, series, .. } = history;
        let began = Instant::now();
        Self {
            session,
            began,
            before: TrainingProgress { moves, episodes, elapsed, ..TrainingProgress::default() },
            claimed: AtomicU64::new(0),
            moves: AtomicU64::new(0),
            episodes: AtomicU64::new(0),
            next_game: AtomicU64::new(next_game),
            recent: Mutex::new(recent),
            series: Mutex::new(series),
            stopped: AtomicBool::new(session.budget.is_spent(&TrainingProgress::default())),
            next_report: Mutex::new(began + INTERVAL),
        }
    }

    /// Returns the session.
    pub fn session(&self) -> &'a TrainingSession<'a> {
        self.session
    }

    /// Runs a task on each of the host's threads, and passes it the thread's number. A fault of
    /// one task stops the training for all, and is returned.
    pub fn on_threads(&self, task: &(dyn Fn(usize) + Sync)) -> Result<(), Fault> {
        let fault = Mutex::new(None);
        self.session.host.for_each(self.session.host.threads().max(1), &|thread| {
            if let Err(error) = catch(|| task(thread)) {
                self.stop();
                *locked(&fault) = Some(error);
            }
        });
        unpoisoned(fault.into_inner()).map_or(Ok(()), Err)
    }

    /// Claims moves for one batch: as many as the budget leaves, and at most up to the next
    /// multiple of `batch` in the learner's total. Returns 0 if the budget is spent.
    pub fn claim_moves(&self, batch: u64) -> u64 {
        let limit = self.session.budget.moves.unwrap_or(u64::MAX);
        let next_batch = |claimed: u64| {
            let to_multiple = batch - (self.before.moves + claimed) % batch;
            to_multiple.min(limit - claimed)
        };
        let claim = |claimed| Some(claimed + next_batch(claimed));
        let claimed_before = self.claimed.fetch_update(Relaxed, Relaxed, claim);
        next_batch(claimed_before.expect("`claim` always returns a number"))
    }

    /// Counts the moves of a claimed batch, and returns those that were not made to the budget.
    pub fn add_claimed(&self, claimed: u64, not_made: u64) {
        self.moves.fetch_add(claimed - not_made, Relaxed);
        self.claimed.fetch_sub(not_made, Relaxed);
    }

    /// Counts moves that were not claimed.
    pub fn add_moves(&self, moves: u64) {
        self.moves.fetch_add(moves, Relaxed);
    }

    /// Claims the numbers of the next `count` games.
    pub fn claim_games(&self, count: u64) -> Range<u64> {
        let first = self.next_game.fetch_add(count, Relaxed);
        first..first + count
    }

    /// Begins the game with this number: at a position of the session, or as the rules say if
    /// the session has none. A game depends on its number and the seed alone.
    pub fn begin<G: Game>(&self, game: &G, number: u64) -> GameInProgress {
        let mut random: Random = self.session.random(number);
        let start = match self.session.starts {
            [] => Start::new(game, game.start(random.word())),
            starts => starts[random.below(starts.len() as u32) as usize],
        };
        GameInProgress::new(game, start, random)
    }

    /// Counts a finished game with this score and max tile.
    pub fn add_game(&self, score: f64, max_tile: Option<u64>) {
        self.episodes.fetch_add(1, Relaxed);
        locked(&self.recent).add(FinishedGame { score, tile: max_tile.unwrap_or(0) });
    }

    /// Counts a finished game, but leaves it out of the last games.
    pub fn add_game_without_score(&self) {
        self.episodes.fetch_add(1, Relaxed);
    }

    /// Sets the latest figures of all series by name.
    pub fn set_series<N: Into<String>>(&self, series: impl IntoIterator<Item = (N, f64)>) {
        let series = series.into_iter().map(|(name, figure)| (name.into(), figure));
        *locked(&self.series) = series.collect();
    }

    /// Returns moves, games and time of this training.
    pub fn done(&self) -> TrainingProgress {
        TrainingProgress {
            moves: self.moves.load(Relaxed),
            episodes: self.episodes.load(Relaxed),
            elapsed: self.began.elapsed(),
            ..TrainingProgress::default()
        }
    }

    /// Returns moves, games and time of all trainings together.
    pub fn total(&self) -> TrainingProgress {
        let done = self.done();
        TrainingProgress {
            moves: self.before.moves + done.moves,
            episodes: self.before.episodes + done.episodes,
            elapsed: self.before.elapsed + done.elapsed,
            ..done
        }
    }

    /// Returns the share of the session's plan that is done, in [0, 1]. It changes in batches of
    /// moves, so that a schedule does not depend on where a training was interrupted.
    pub fn plan_share(&self, batch: u64) -> f64 {
        let mut total = self.total();
        total.moves -= total.moves % batch;
        self.session.plan.share(&total)
    }

    /// Stops the training if its budget is spent or the session says so. Reports to the session
    /// ten times a second. Call it after every batch of moves, on any thread.
    pub fn update(&self) {
        self.update_with(|| ());
    }

    /// As [`update`](Self::update). If there is a report, `before_report` runs before it, to set
    /// the series.
    pub fn update_with(&self, before_report: impl FnOnce()) {
        if self.session.budget.is_spent(&self.done()) {
            self.stop();
        }
        // Skip if another thread is reporting.
        let Ok(mut next_report) = self.next_report.try_lock() else { return };
        let now = Instant::now();
        if now < *next_report || self.is_stopped() {
            return;
        }
        *next_report = now + INTERVAL;
        before_report();
        let total = TrainingProgress { series: locked(&self.series).clone(), ..self.total() };
        let progress = locked(&self.recent).set_in(total);
        if (self.session.report)(&progress) == Control::Stop {
            self.stop();
        }
    }

    /// Returns true if the training has to stop.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Relaxed)
    }

    /// Stops the training on all threads.
    pub fn stop(&self) {
        self.stopped.store(true, Relaxed);
    }

    /// Ends the training, and returns the history with it.
    pub fn end(self) -> History {
        let TrainingProgress { moves, episodes, elapsed, .. } = self.total();
        History {
            moves,
            episodes,
            elapsed,
            next_game: self.next_game.into_inner(),
            seed: self.session.seed.0,
            recent: unpoisoned(self.recent.into_inner()),
            series: unpoisoned(self.series.into_inner()),
        }
    }
}

/// Returns the fault of a training whose last games had no moves, from which nothing can be
/// learned.
#[cold]
pub fn over_at_start(game: &impl Game, start: State, games: u64) -> Fault {
    let start = game.write(start);
    Fault::new(format!(
        "{games} games in a row were over at their start: no legal action in {start}"
    ))
}
