//! The games of an evaluation, shared by the workers that play them.

use super::episodes::{Episodes, Over, Record};
use super::plan::{Plan, Played};
use crate::failure::Failure;
use crate::faults::Faults;
use crate::player::Player;
use crate::unpoisoned::{into_inner, locked};
use runner_console::interrupt;
use runner_core::wrappers::Transcript;
use runner_core::{Episode, Fault, Game, catch};
use runner_records::{Encoder, RecordWriter, WriteError};
use runner_stats::{GameResult, Results};
use std::sync::Mutex;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::{Duration, Instant};

/// The games of a plan, shared by its workers.
pub struct Games<'a> {
    pub plan: &'a Plan<'a>,
    start: Instant,
    /// The first game that no worker has taken.
    next: AtomicU64,
    /// Number of games that a worker takes at once. More than one where there are many, so
    /// that workers do not contend for `next`.
    batch: u64,
    /// Progress of each worker.
    tallies: Vec<Tally>,
    given_up: AtomicU64,
    /// Ends the games under way.
    stop: AtomicBool,
    is_complete: AtomicBool,
    results: Mutex<Results>,
    faults: Mutex<Faults>,
    records: Option<Mutex<RecordWriter>>,
    write_error: Mutex<Option<WriteError>>,
}

/// The progress of one worker. Only that worker writes it, so it is aligned to a cache line.
#[derive(Default)]
#[repr(align(64))]
struct Tally {
    /// Number of games that are over.
    over: AtomicU64,
    /// Number of those that have a score.
    scored: AtomicU64,
    /// Bits of the sum of the scores, an `f64`.
    score: AtomicU64,
}

impl Tally {
    fn add(&self, score: Option<f64>) {
        self.over.store(self.over.load(Relaxed) + 1, Relaxed);
        if let Some(score) = score {
            self.scored.store(self.scored.load(Relaxed) + 1, Relaxed);
            let sum = f64::from_bits(self.score.load(Relaxed)) + score;
            self.score.store(sum.to_bits(), Relaxed);
        }
    }
}

/// The results of one worker, added to the others when it is done.
struct Share<'a> {
    tally: &'a Tally,
    results: Vec<GameResult>,
}

impl<'a> Games<'a> {
    /// Starts the clock of an evaluation with this many workers.
    pub fn new(plan: &'a Plan<'a>, workers: usize, records: Option<RecordWriter>) -> Self {
        Self {
            plan,
            start: Instant::now(),
            next: AtomicU64::new(0),
            batch: (plan.games / (plan.threads.count() as u64 * 256)).clamp(1, 64),
            tallies: (0..workers).map(|_| Tally::default()).collect(),
            given_up: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            is_complete: AtomicBool::new(false),
            results: Mutex::default(),
            faults: Mutex::default(),
            records: records.map(Mutex::new),
            write_error: Mutex::new(None),
        }
    }

    /// Returns the time since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Ends the games under way; no other starts.
    pub fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    /// Marks the evaluation as complete, and returns how long it took.
    pub fn complete(&self) -> Duration {
        let elapsed = self.elapsed();
        self.is_complete.store(true, Release);
        elapsed
    }

    /// Returns true once all workers are done.
    pub fn is_complete(&self) -> bool {
        self.is_complete.load(Acquire)
    }

    /// Returns the number of games that are over, and their mean score so far.
    pub fn progress(&self) -> (u64, Option<f64>) {
        let sum = |count: fn(&Tally) -> &AtomicU64| -> u64 {
            self.tallies.iter().map(|tally| count(tally).load(Relaxed)).sum()
        };
        let score: f64 =
            self.tallies.iter().map(|tally| f64::from_bits(tally.score.load(Relaxed))).sum();
        let scored = sum(|tally| &tally.scored);
        (sum(|tally| &tally.over), (scored > 0).then(|| score / scored as f64))
    }

    /// Plays games on the thread of a worker until none is left.
    pub fn work<G: Game>(&self, worker: usize, rules: &G, player: &mut Player) {
        let mut share = Share { tally: &self.tallies[worker], results: Vec::new() };
        let episodes = Episodes {
            rules,
            game: self.plan.game,
            seed: self.plan.seed,
            limits: self.plan.limits,
            starts: self.plan.starts,
            is_timed: false,
            stop: &self.stop,
        };
        let mut encoder = self.records.as_ref().map(|_| Encoder::new(rules));
        let mut record = encoder.as_mut().map(|encoder| {
            |number, transcript: &Transcript, episode: &Episode| {
                self.record(encoder, number, transcript, episode)
            }
        });
        let record = record.as_mut().map(|record| record as Record<'_>);
        let mut batch = 0..0;
        let mut next = || {
            if batch.is_empty() {
                batch = self.next_batch()?;
            } else if self.is_over() {
                return None;
            }
            batch.next()
        };
        let mut done = |game: Over| self.count(game.number, game.result, &mut share);
        episodes.play(player, record, &mut next, &mut done);
        let mut results = locked(&self.results);
        share.results.into_iter().for_each(|game| results.push(game));
    }

    /// Takes the next games; `None` if there are no more, or no more time.
    fn next_batch(&self) -> Option<std::ops::Range<u64>> {
        if self.is_over() {
            return None;
        }
        let first = self.next.fetch_add(self.batch, Relaxed);
        let batch = first..(first + self.batch).min(self.plan.games);
        (!batch.is_empty()).then_some(batch)
    }

    /// Counts a game that is over.
    fn count(&self, number: u64, game: Result<Option<GameResult>, Fault>, share: &mut Share<'_>) {
        let mut score = None;
        match game {
            Ok(Some(game)) => {
                score = Some(game.score);
                share.results.push(game);
            }
            Ok(None) => {
                self.given_up.fetch_add(1, Relaxed);
            }
            Err(fault) => locked(&self.faults).add(number, &fault.0),
        }
        share.tally.add(score);
    }

    fn record<G: Game>(
        &self,
        encoder: &mut Encoder<'_, G>,
        number: u64,
        transcript: &Transcript,
        episode: &Episode,
    ) -> Result<(), Fault> {
        let block = catch(|| encoder.encode(number, transcript, episode.score, episode.finished))?
            .map_err(Fault::new)?;
        if let Some(records) = &self.records
            && let Err(error) = locked(records).write(&block)
        {
            locked(&self.write_error).get_or_insert(error);
            self.stop();
        }
        Ok(())
    }

    /// Returns true if no other game may start.
    fn is_over(&self) -> bool {
        self.stop.load(Relaxed) || self.plan.time.is_some_and(|time| self.elapsed() >= time)
    }

    /// Completes the record, and returns the result.
    pub fn finish(self, elapsed: Duration) -> Result<Played, Failure> {
        if let Some(error) = into_inner(self.write_error) {
            return Err(error.into());
        }
        if let Some(records) = self.records {
            into_inner(records).finish()?;
        }
        Ok(Played {
            results: into_inner(self.results),
            faults: into_inner(self.faults),
            elapsed,
            interrupted: interrupt::requested(),
            given_up: self.given_up.into_inner(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tally_counts_games_without_a_score_apart() {
        let tally = Tally::default();
        tally.add(Some(2.0));
        tally.add(None);
        tally.add(Some(4.0));
        assert_eq!((tally.over.load(Relaxed), tally.scored.load(Relaxed)), (3, 2));
        assert_eq!(f64::from_bits(tally.score.load(Relaxed)), 6.0);
    }
}
