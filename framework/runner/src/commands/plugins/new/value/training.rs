//! Learning from games of the greedy policy. After the action of step t + 1 is chosen,
//!
//! ```text
//! V(a_t) += alpha * (r_{t+1} + V(a_{t+1}) - V(a_t))
//! ```
//!
//! with the values at the moment of the update; at the end of the game the target is 0.
//! The chance reward between a_t and the next state is part of the target.

use crate::__Type__;
use crate::state::Episode;
use runner_core::{
    Control, Fault, Game, Successor, Successors, TrainingProgress, TrainingSession, catch,
};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Number of moves after which a thread adds them to the totals and checks the budget, which
/// is exceeded by at most this number per thread.
const BATCH: u64 = 256;
/// Time between two reports of progress.
const TICK: Duration = Duration::from_millis(100);

/// Plays and learns on all threads of the host.
pub fn train<G: Game>(
    table: &__Type__,
    game: &G,
    session: &TrainingSession<'_>,
) -> Result<TrainingProgress, Fault> {
    let before = table.state().progress();
    let over = AtomicBool::new(session.budget.is_spent(&TrainingProgress::default()));
    let call = Call { table, game, session, before, began: Instant::now(), over };
    session.host.for_each(session.host.threads(), &|thread| {
        let mut worker = Worker { call: &call, batch: 0, reported: Instant::now() };
        // The first thread reports.
        if let Err(fault) = catch(|| worker.run(thread == 0)) {
            call.over.store(true, Relaxed);
            fault.raise();
        }
    });
    Ok(table.state().progress())
}

/// One call of `train`.
struct Call<'a, G> {
    table: &'a __Type__,
    game: &'a G,
    session: &'a TrainingSession<'a>,
    /// Progress before the call.
    before: TrainingProgress,
    began: Instant,
    over: AtomicBool,
}

impl<G: Game> Call<'_, G> {
    /// Returns a game that an earlier call left in progress, or a new one.
    fn next_game(&self) -> Episode {
        let mut training = self.table.state();
        if let Some(episode) = training.in_progress.pop() {
            return episode;
        }
        let mut random = self.session.random(training.started);
        training.started += 1;
        drop(training);
        let state = self.game.start(random.word());
        let score = f64::from(self.game.chance_reward(None, state));
        Episode { random, state, score, last: None }
    }

    /// Adds moves, and a game if one has ended, to the totals.
    fn add(&self, moves: u64, ended: Option<&Episode>) {
        let tile = ended.and_then(|episode| self.game.max_tile(episode.state));
        let mut training = self.table.state();
        training.done.moves += moves;
        training.done.elapsed = self.before.elapsed + self.began.elapsed();
        if let Some(episode) = ended {
            training.add_game(episode.score, tile, &self.game.description().tiles);
        }
        if self.session.budget.is_spent(&training.done.since(&self.before)) {
            self.over.store(true, Relaxed);
        }
    }
}

/// One thread of a call.
struct Worker<'a, G> {
    call: &'a Call<'a, G>,
    /// Moves that are not yet added to the totals.
    batch: u64,
    reported: Instant,
}

impl<G: Game> Worker<'_, G> {
    fn run(&mut self, reports: bool) {
        while !self.call.over.load(Relaxed) {
            let mut episode = self.call.next_game();
            if !self.play(&mut episode, reports) {
                self.call.table.state().in_progress.push(episode);
            }
        }
    }

    /// Plays until the game or the call ends. Returns true if the game has ended.
    fn play(&mut self, episode: &mut Episode, reports: bool) -> bool {
        let Call { table, game, .. } = *self.call;
        let mut successors = Successors::new();
        loop {
            game.successors(episode.state, &mut successors);
            let Some((chosen, action_value)) = table.choose(&successors) else { break };
            if let Some((afterstate, chance_reward)) = episode.last {
                table.update(afterstate, chance_reward + action_value);
            }
            episode.state = game.spawn(chosen.afterstate, episode.random.word());
            let chance_reward = game.chance_reward(Some(chosen.afterstate), episode.state);
            episode.score += f64::from(chosen.reward + chance_reward);
            episode.last = Some((chosen.afterstate, chance_reward));
            self.batch += 1;
            if self.batch == BATCH {
                self.add_batch(None, reports);
                if self.call.over.load(Relaxed) {
                    return false;
                }
            }
        }
        if let Some((afterstate, chance_reward)) = episode.last {
            table.update(afterstate, chance_reward);
        }
        self.add_batch(Some(episode), reports);
        true
    }

    /// Adds the batch to the totals, and reports every [`TICK`].
    fn add_batch(&mut self, ended: Option<&Episode>, reports: bool) {
        self.call.add(std::mem::take(&mut self.batch), ended);
        if reports && self.reported.elapsed() >= TICK {
            self.reported = Instant::now();
            let progress = self.call.table.state().progress();
            if (self.call.session.report)(&progress) == Control::Stop {
                self.call.over.store(true, Relaxed);
            }
        }
    }
}

impl __Type__ {
    /// Returns the action with the largest sum of reward and value, the first of equals,
    /// and that sum.
    fn choose(&self, successors: &Successors) -> Option<(Successor, f32)> {
        let values = successors.iter().map(|s| (*s, s.reward + self.value(s.afterstate)));
        values.reduce(|best, next| if next.1 > best.1 { next } else { best })
    }
}
