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
use runner_core::{
    Budget, Control, Fault, Game, Progress, Random, Session, Successor, Successors, catch,
};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// After how many moves a thread adds them to the account, and looks whether to
/// go on: a budget is exceeded by at most so many for each thread.
const BATCH: u64 = 256;
/// How often progress is reported.
const TICK: Duration = Duration::from_millis(100);

/// Plays and learns on all threads of the host.
pub fn train<G>(table: &__Type__, game: &G, session: &Session<'_>) -> Result<Progress, Fault>
where
    G: Game,
{
    let account = Account::new(session.budget);
    session.host.for_each(session.host.threads(), &|thread| {
        let (account, batch) = (&account, Tally::default());
        let mut worker = Worker { table, game, session, account, thread, batch };
        if let Err(fault) = catch(|| worker.run()) {
            account.fail(fault);
        }
    });
    account.close()
}

/// One thread's part.
struct Worker<'a, G> {
    table: &'a __Type__,
    game: &'a G,
    session: &'a Session<'a>,
    account: &'a Account,
    thread: usize,
    batch: Tally,
}

impl<G: Game> Worker<'_, G> {
    fn run(&mut self) {
        while !self.is_over() {
            let Some(number) = self.account.next_game() else { break };
            let number = self.session.first_episode + number;
            self.play(&mut Random::stream(self.session.seed, number));
        }
        self.settle();
    }

    /// One game. It is left where it stands when the training is over.
    fn play(&mut self, random: &mut Random) {
        let Self { table, game, .. } = *self;
        let mut successors = Successors::new();
        let mut state = game.start(random.word());
        let mut score = f64::from(game.chance_reward(None, state));
        // The last afterstate, and what chance gave after it.
        let mut last = None;
        loop {
            game.successors(state, &mut successors);
            let Some((chosen, worth)) = table.choose(&successors) else { break };
            if let Some((afterstate, given)) = last {
                table.learn(afterstate, given + worth);
            }
            state = game.spawn(chosen.afterstate, random.word());
            let given = game.chance_reward(Some(chosen.afterstate), state);
            score += f64::from(chosen.reward + given);
            last = Some((chosen.afterstate, given));
            self.batch.moves += 1;
            if self.batch.moves == BATCH {
                self.settle();
                if self.is_over() {
                    return;
                }
            }
        }
        if let Some((afterstate, given)) = last {
            table.learn(afterstate, given);
        }
        self.batch.games += 1;
        self.batch.score += score;
        let tile = game.greatest_tile(state).unwrap_or(0);
        self.batch.greatest_tile = self.batch.greatest_tile.max(tile);
    }

    fn is_over(&self) -> bool {
        self.account.over.load(Relaxed)
    }

    /// Adds what was done to the account; the first thread reports.
    fn settle(&mut self) {
        let batch = std::mem::take(&mut self.batch);
        let due = self.account.add(batch, self.thread == 0);
        if let Some(progress) = due
            && (self.session.report)(&progress) == Control::Stop
        {
            self.account.over.store(true, Relaxed);
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

/// What was done.
#[derive(Clone, Copy, Default)]
struct Tally {
    moves: u64,
    games: u64,
    score: f64,
    greatest_tile: u64,
}

/// What all threads have done together.
struct Account {
    budget: Budget,
    began: Instant,
    /// Games that were begun.
    begun: AtomicU64,
    over: AtomicBool,
    sums: Mutex<Sums>,
}

#[derive(Default)]
struct Sums {
    done: Progress,
    /// Since the last report.
    recent: Tally,
    reported: Duration,
    fault: Option<Fault>,
}

impl Account {
    fn new(budget: Budget) -> Self {
        let over = AtomicBool::new(budget.is_spent(&Progress::default()));
        let (begun, sums) = (AtomicU64::new(0), Mutex::default());
        Self { budget, began: Instant::now(), begun, over, sums }
    }

    /// The number of the next game, if the budget has one left.
    fn next_game(&self) -> Option<u64> {
        let number = self.begun.fetch_add(1, Relaxed);
        self.budget.episodes.is_none_or(|games| number < games).then_some(number)
    }

    fn sums(&self) -> MutexGuard<'_, Sums> {
        self.sums.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Books a batch. The progress, if `reporter` asks and a report is due.
    fn add(&self, batch: Tally, reporter: bool) -> Option<Progress> {
        let mut sums = self.sums();
        sums.done.moves += batch.moves;
        sums.done.episodes += batch.games;
        sums.done.elapsed = self.began.elapsed();
        sums.recent.games += batch.games;
        sums.recent.score += batch.score;
        sums.recent.greatest_tile = sums.recent.greatest_tile.max(batch.greatest_tile);
        if self.budget.is_spent(&sums.done) {
            self.over.store(true, Relaxed);
        }
        let due = reporter && sums.done.elapsed - sums.reported >= TICK;
        due.then(|| sums.report())
    }

    fn fail(&self, fault: Fault) {
        self.sums().fault.get_or_insert(fault);
        self.over.store(true, Relaxed);
    }

    fn close(self) -> Result<Progress, Fault> {
        let mut sums = self.sums.into_inner().unwrap_or_else(PoisonError::into_inner);
        match sums.fault.take() {
            Some(fault) => Err(fault),
            None => Ok(sums.report()),
        }
    }
}

impl Sums {
    /// The progress so far. Its mean is that of the games since the last report.
    fn report(&mut self) -> Progress {
        self.reported = self.done.elapsed;
        if self.recent.games > 0 {
            let recent = std::mem::take(&mut self.recent);
            self.done.window = recent.games;
            self.done.mean = recent.score / recent.games as f64;
            self.done.greatest_tile = recent.greatest_tile;
        }
        self.done
    }
}
