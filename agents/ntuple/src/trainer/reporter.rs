//! Reports to the training session, and when a training stops.

use super::counters::Counters;
use crate::starts::Entrances;
use runner_core::{Control, TrainingBudget, TrainingProgress, TrainingSession};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Time between two reports.
const INTERVAL: Duration = Duration::from_millis(100);

/// Reports progress and decides when to stop, for all threads of a training.
pub struct Reporter<'a> {
    session: &'a TrainingSession<'a>,
    stop: AtomicBool,
    next_report: Mutex<Instant>,
}

impl<'a> Reporter<'a> {
    /// Creates the reporter of a training that begins now.
    pub fn new(session: &'a TrainingSession<'a>) -> Self {
        let spent = session.budget.is_spent(&TrainingProgress::default());
        Self {
            session,
            stop: AtomicBool::new(spent),
            next_report: Mutex::new(Instant::now() + INTERVAL),
        }
    }

    /// Returns true if the training has to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Stops the training on all threads.
    pub fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    /// Stops the training if its budget is spent, and reports if it is time to.
    pub fn update(&self, counters: &Counters, entrances: &Entrances<'_>) {
        // A budget of games is spent when no more may begin; those under way are finished.
        let budget = TrainingBudget { episodes: None, ..self.session.budget };
        if budget.is_spent(&counters.session()) {
            self.stop();
        }
        // Skip if another thread is reporting.
        let Ok(mut next_report) = self.next_report.try_lock() else { return };
        let now = Instant::now();
        if now < *next_report || self.is_stopped() {
            return;
        }
        *next_report = now + INTERVAL;
        if (self.session.report)(&counters.report(entrances)) == Control::Stop {
            self.stop();
        }
    }
}
