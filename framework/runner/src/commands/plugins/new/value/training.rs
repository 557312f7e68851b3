//! Learning from games that the table plays against chance, always with the
//! action that it thinks best. After the move t + 1 is chosen,
//!
//! ```text
//! V(a_t) += alpha * (r_{t+1} + V(a_{t+1}) - V(a_t))
//! ```
//!
//! with every V as it is at that moment; at the end of the game the target is 0.
//! What chance gives between a_t and the next state is a reward as well.

use crate::__Type__;
use crate::life::Play;
use runner_core::{
    Control, Fault, Game, TrainingProgress, TrainingSession, Successor, Successors, catch,
};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// After how many moves of a game a thread adds them to the account, and looks
/// whether to go on: a budget of moves is exceeded by at most so many for each
/// thread.
const BATCH: u64 = 256;
/// How often progress is reported.
const TICK: Duration = Duration::from_millis(100);

/// Plays and learns on all threads of the host.
pub fn train<G>(table: &__Type__, game: &G, session: &TrainingSession<'_>) -> Result<TrainingProgress, Fault>
where
    G: Game,
{
    let before = table.life().progress();
    let over = AtomicBool::new(session.budget.is_spent(&TrainingProgress::default()));
    let call = Call { table, game, session, before, began: Instant::now(), over };
    // One thread reports.
    session.host.for_each(session.host.threads(), &|thread| {
        let mut worker = Worker { call: &call, batch: 0, reported: Instant::now() };
        if let Err(fault) = catch(|| worker.run(thread == 0)) {
            call.over.store(true, Relaxed);
            fault.raise();
        }
    });
    Ok(table.life().progress())
}

/// One call of `train`.
struct Call<'a, G> {
    table: &'a __Type__,
    game: &'a G,
    session: &'a TrainingSession<'a>,
    /// What was done in earlier calls.
    before: TrainingProgress,
    began: Instant,
    over: AtomicBool,
}

impl<G: Game> Call<'_, G> {
    /// A game that an earlier call left, or a new one.
    fn next_game(&self) -> Play {
        let mut life = self.table.life();
        if let Some(play) = life.under_way.pop() {
            return play;
        }
        let mut random = self.session.random(life.begun);
        life.begun += 1;
        drop(life);
        let state = self.game.start(random.word());
        let score = f64::from(self.game.chance_reward(None, state));
        Play { random, state, score, last: None }
    }

    /// Adds moves, and a game if one has ended, to what was done.
    fn add(&self, moves: u64, ended: Option<&Play>) {
        let tile = ended.and_then(|play| self.game.max_tile(play.state));
        let mut life = self.table.life();
        life.done.moves += moves;
        life.done.elapsed = self.before.elapsed + self.began.elapsed();
        if let Some(play) = ended {
            life.note(play.score, tile, &self.game.description().tiles);
        }
        if self.session.budget.is_spent(&life.done.since(&self.before)) {
            self.over.store(true, Relaxed);
        }
    }
}

/// One thread's part.
struct Worker<'a, G> {
    call: &'a Call<'a, G>,
    /// Moves that are not yet added to the account.
    batch: u64,
    reported: Instant,
}

impl<G: Game> Worker<'_, G> {
    fn run(&mut self, reports: bool) {
        while !self.call.over.load(Relaxed) {
            let mut play = self.call.next_game();
            if !self.play(&mut play, reports) {
                self.call.table.life().under_way.push(play);
            }
        }
    }

    /// Plays on until the game ends, or the training: then it is left where it
    /// stands. Whether it has ended.
    fn play(&mut self, play: &mut Play, reports: bool) -> bool {
        let Call { table, game, .. } = *self.call;
        let mut successors = Successors::new();
        loop {
            game.successors(play.state, &mut successors);
            let Some((chosen, worth)) = table.choose(&successors) else { break };
            if let Some((afterstate, given)) = play.last {
                table.learn(afterstate, given + worth);
            }
            play.state = game.spawn(chosen.afterstate, play.random.word());
            let given = game.chance_reward(Some(chosen.afterstate), play.state);
            play.score += f64::from(chosen.reward + given);
            play.last = Some((chosen.afterstate, given));
            self.batch += 1;
            if self.batch == BATCH {
                self.settle(None, reports);
                if self.call.over.load(Relaxed) {
                    return false;
                }
            }
        }
        if let Some((afterstate, given)) = play.last {
            table.learn(afterstate, given);
        }
        self.settle(Some(play), reports);
        true
    }

    /// Adds what was done to the account, and reports if it is time to.
    fn settle(&mut self, ended: Option<&Play>, reports: bool) {
        self.call.add(std::mem::take(&mut self.batch), ended);
        if reports && self.reported.elapsed() >= TICK {
            self.reported = Instant::now();
            let progress = self.call.table.life().progress();
            if (self.call.session.report)(&progress) == Control::Stop {
                self.call.over.store(true, Relaxed);
            }
        }
    }
}

impl __Type__ {
    /// The action with the largest sum of reward and value, the first of equals,
    /// and that sum.
    fn choose(&self, successors: &Successors) -> Option<(Successor, f32)> {
        let worths = successors.iter().map(|s| (*s, s.reward + self.value(s.afterstate)));
        worths.reduce(|best, next| if next.1 > best.1 { next } else { best })
    }
}
