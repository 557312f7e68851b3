//! The training behind a network, its progress, and when it stops.

use runner_core::{Control, RecentGames, TrainingProgress, TrainingSession};
use std::time::{Duration, Instant};

/// Time between two reports.
const INTERVAL: Duration = Duration::from_millis(100);

/// The training that a model has behind it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// Moves made.
    pub moves: u64,
    /// Games finished.
    pub episodes: u64,
    /// Time spent.
    pub elapsed: Duration,
    /// The number of the next game.
    pub next_game: u64,
    /// The seed.
    pub seed: u64,
    /// The last games.
    pub recent: RecentGames,
    /// Further figures by name.
    pub series: Vec<(String, f64)>,
}

impl History {
    /// Returns it as progress.
    pub fn progress(&self) -> TrainingProgress {
        self.recent.in_progress(TrainingProgress {
            moves: self.moves,
            episodes: self.episodes,
            elapsed: self.elapsed,
            series: self.series.clone(),
            ..TrainingProgress::default()
        })
    }
}

/// Counts the time of a session, reports progress, and stops the training when its budget is
/// spent or the session says so.
pub struct Clock<'a> {
    session: &'a TrainingSession<'a>,
    began: Instant,
    before: TrainingProgress,
    next_report: Instant,
    stopped: bool,
}

impl<'a> Clock<'a> {
    /// Begins a session that continues from `history`.
    pub fn new(session: &'a TrainingSession<'a>, history: &History) -> Self {
        let began = Instant::now();
        let before = history.progress();
        let stopped = session.budget.is_spent(&TrainingProgress::default());
        Self { session, began, before, next_report: began + INTERVAL, stopped }
    }

    /// Adds the time since the session began to `history`, reports if it is time to, and returns
    /// true if the training has to stop.
    pub fn update(&mut self, history: &mut History) -> bool {
        history.elapsed = self.before.elapsed + self.began.elapsed();
        let now = Instant::now();
        if !self.stopped && now >= self.next_report {
            self.next_report = now + INTERVAL;
            self.stopped = (self.session.report)(&history.progress()) == Control::Stop;
        }
        // Progress without the statistics of recent games, which no budget depends on.
        let done = TrainingProgress {
            moves: history.moves,
            episodes: history.episodes,
            elapsed: history.elapsed,
            ..TrainingProgress::default()
        };
        self.stopped |= self.session.budget.is_spent(&done.since(&self.before));
        self.stopped
    }
}
