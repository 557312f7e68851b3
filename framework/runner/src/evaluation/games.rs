//! The games of an evaluation, shared by the workers that play them. The choice of the
//! loop that plays an episode is made here and nowhere else: see [`EpisodeLoop`].

use super::plan::{Limits, Plan, Played};
use crate::failure::Failure;
use crate::interrupt;
use crate::player::Player;
use runner_core::wrappers::{MoveLimit, Recorder, TimeLimit, Transcript};
use runner_core::{Agent, Episode, Fault, Game, GreedyPolicy, Random, catch};
use runner_plugin::DynValue;
use runner_records::{Encoder, RecordWriter, WriteError};
use runner_stats::{GameResult, Results};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Number of distinct fault messages that are kept.
const MESSAGES: usize = 3;
/// Number of games that a greedy value plays at once on each thread: their lookups
/// overlap.
const INTERLEAVED: usize = 8;

/// The loop that plays the games of one worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum EpisodeLoop {
    /// This program plays several games of a greedy value at once.
    Interleaved,
    /// The plugin plays each game in one call across the boundary.
    Plugin,
    /// This program plays one game after the other, through wrappers that record it and
    /// end it at its limits.
    Host,
}

impl EpisodeLoop {
    /// Returns the fastest loop that supports the limits and the recording.
    fn choose(player: &Player, limits: Limits, is_recorded: bool) -> Self {
        match player {
            _ if is_recorded || limits != Limits::default() => Self::Host,
            Player::Value(_) => Self::Interleaved,
            Player::Agent(_) => Self::Plugin,
        }
    }
}

/// The games of a plan, shared by its workers.
pub struct Games<'a> {
    /// The plan.
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

#[derive(Default)]
struct Faults {
    count: u64,
    messages: Vec<String>,
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
        let choice = EpisodeLoop::choose(player, self.plan.limits, self.records.is_some());
        if let (EpisodeLoop::Interleaved, Player::Value(value)) = (choice, &*player) {
            self.play_interleaved(rules, value, &mut share);
        }
        // Games remain after the interleaved loop only if one of them had a fault.
        let mut encoder = self.records.as_ref().map(|_| Encoder::new(rules));
        while let Some(batch) = self.next_batch() {
            for number in batch {
                if self.is_over() {
                    break;
                }
                let game = self.play_one(choice, rules, player, number, encoder.as_mut());
                self.count(game, &mut share);
            }
        }
        let mut results = lock(&self.results);
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

    /// Plays several games at once with a greedy value.
    fn play_interleaved<G: Game>(
        &self,
        rules: &G,
        value: &GreedyPolicy<DynValue>,
        share: &mut Share<'_>,
    ) {
        // The games that were taken and are not over.
        let running = RefCell::new(BTreeSet::new());
        let mut batch = 0..0;
        let next = || {
            if batch.is_empty() {
                batch = self.next_batch()?;
            } else if self.is_over() {
                return None;
            }
            let number = batch.next()?;
            running.borrow_mut().insert(number);
            Some((number, Random::stream(self.plan.seed, number)))
        };
        let done = |number, episode: Episode| {
            running.borrow_mut().remove(&number);
            self.count(self.result(rules, number, &episode), share);
        };
        let played = catch(|| {
            runner_core::play_interleaved(rules, value, INTERLEAVED, next, done, &self.stop)
        });
        if played.is_err() {
            // The fault does not name its game: each is played again, alone.
            let mut player = Player::Value(value.clone());
            for number in running.into_inner().into_iter().chain(batch) {
                let game = self.play_one(EpisodeLoop::Host, rules, &mut player, number, None);
                self.count(game, share);
            }
        }
    }

    /// Counts a game that is over.
    fn count(&self, game: Result<Option<GameResult>, Fault>, share: &mut Share<'_>) {
        let mut score = None;
        match game {
            Ok(Some(game)) => {
                score = Some(game.score);
                share.results.push(game);
            }
            Ok(None) => {
                self.given_up.fetch_add(1, Relaxed);
            }
            Err(fault) => self.keep(fault),
        }
        share.tally.add(score);
    }

    /// Plays one game; returns `None` if it was stopped.
    fn play_one<G: Game>(
        &self,
        choice: EpisodeLoop,
        rules: &G,
        player: &mut Player,
        number: u64,
        encoder: Option<&mut Encoder<'_, G>>,
    ) -> Result<Option<GameResult>, Fault> {
        let episode = match (choice, &mut *player, encoder) {
            (EpisodeLoop::Plugin, Player::Agent(agent), _) => {
                agent.play(&*self.plan.game.rules, self.plan.seed, number, &self.stop)?
            }
            (_, player, None) => self.play_here(rules, player, number)?,
            (_, player, Some(encoder)) => {
                let mut recorder = Recorder::new(player);
                let episode = self.play_here(rules, &mut recorder, number)?;
                if !self.was_stopped(&episode) {
                    self.record(encoder, number, &recorder.transcript, &episode)?;
                }
                episode
            }
        };
        self.result(rules, number, &episode)
    }

    /// Returns the result of a game that is over; `None` if it was stopped.
    fn result<G: Game>(
        &self,
        rules: &G,
        number: u64,
        episode: &Episode,
    ) -> Result<Option<GameResult>, Fault> {
        if self.was_stopped(episode) {
            return Ok(None);
        }
        if !episode.score.is_finite() {
            return Err(Fault::new(format!(
                "{}: the rewards of game {number} sum to {}",
                self.plan.game.label, episode.score
            )));
        }
        Ok(Some(GameResult {
            number,
            score: episode.score,
            moves: episode.moves,
            max_tile: catch(|| rules.max_tile(episode.last))?,
        }))
    }

    /// Plays one game in this program, under the limits.
    fn play_here<G: Game, A: Agent>(
        &self,
        rules: &G,
        agent: &mut A,
        number: u64,
    ) -> Result<Episode, Fault> {
        let mut random = Random::stream(self.plan.seed, number);
        let Limits { moves, time } = self.plan.limits;
        catch(|| {
            if moves.is_none() && time.is_none() {
                return runner_core::play(rules, agent, &mut random, &self.stop);
            }
            // A missing limit is the largest number.
            let limited = MoveLimit::new(agent, moves.unwrap_or(u64::MAX));
            let mut limited = TimeLimit::new(limited, time.unwrap_or(Duration::MAX));
            runner_core::play(rules, &mut limited, &mut random, &self.stop)
        })
    }

    /// Returns true if [`stop`](Self::stop) ended this game.
    fn was_stopped(&self, episode: &Episode) -> bool {
        !episode.finished && self.stop.load(Relaxed)
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
            && let Err(error) = lock(records).write(&block)
        {
            lock(&self.write_error).get_or_insert(error);
            self.stop();
        }
        Ok(())
    }

    #[cold]
    fn keep(&self, fault: Fault) {
        let mut faults = lock(&self.faults);
        faults.count += 1;
        if faults.messages.len() < MESSAGES && !faults.messages.contains(&fault.0) {
            faults.messages.push(fault.0);
        }
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
        let faults = into_inner(self.faults);
        Ok(Played {
            results: into_inner(self.results),
            faults: faults.count,
            fault_messages: faults.messages,
            elapsed,
            interrupted: interrupt::requested(),
            given_up: self.given_up.into_inner(),
        })
    }
}

/// Locks a mutex. A panic of its holder cannot leave the data half changed, so poison is
/// ignored.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
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
