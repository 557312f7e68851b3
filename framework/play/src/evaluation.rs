//! Plays many games of one player on all threads.
//!
//! Game `k` draws from stream `k` of the run's seed, so results do not depend on the
//! number of threads.
//!
//! In dependency order: the plan and the result (`plan`), the times of moves (`timed`), the loops
//! that play the games of one thread (`episodes`), and the games that the threads share (`games`).

mod episodes;
mod games;
mod plan;
mod timed;

pub use episodes::{Episodes, Over, Record};
pub use plan::{Limits, Plan, Played};

use crate::failure::Failure;
use crate::player::Player;
use crate::unpoisoned::locked;
use games::Games;
use runner_console::interrupt;
use runner_console::progress::ProgressLine;
use runner_core::{Agent, Fault, catch};
use runner_plugin::TableGame;
use runner_records::RecordWriter;
use runner_spec::quantity::{grouped, number, time};
use std::sync::Mutex;
use std::time::Duration;

/// Interval at which the watching thread checks the clock and for an interrupt.
const TICK: Duration = Duration::from_millis(20);
/// An evaluation shorter than this shows no progress.
const QUIET: Duration = Duration::from_millis(500);

/// Plays the games of a plan, and records them if `records` is given.
pub fn play(
    plan: &Plan<'_>,
    player: &Player,
    records: Option<RecordWriter>,
) -> Result<Played, Failure> {
    play_labelled("", plan, player, records)
}

/// Plays the games of a plan; the progress line starts with `label`.
pub fn play_labelled(
    label: &str,
    plan: &Plan<'_>,
    player: &Player,
    records: Option<RecordWriter>,
) -> Result<Played, Failure> {
    interrupt::listen();
    // Cloned here, on one thread: agents are `Send`, but not `Sync`.
    let mut players = Vec::new();
    for _ in 0..(plan.threads.count() / player.threads().max(1)).max(1) {
        players.push(Mutex::new(catch(|| player.clone())?));
    }
    let table = TableGame::over(&plan.game.rules);
    let games = Games::new(plan, players.len(), records);
    let watcher = std::thread::current();
    let elapsed = std::thread::scope(|scope| {
        let work = scope.spawn(|| {
            plan.threads.on_each(players.len(), &|i| {
                let player = &mut *locked(&players[i]);
                match &table {
                    Some(rules) => games.work(i, rules, player),
                    None => games.work(i, &*plan.game.rules, player),
                }
            });
            let elapsed = games.complete();
            watcher.unpark();
            elapsed
        });
        watch(&games, label);
        work.join()
    });
    match elapsed {
        Ok(elapsed) => games.finish(elapsed),
        Err(payload) => Err(Fault::from_panic(payload).into()),
    }
}

/// Shows progress, and stops the games on an interrupt or past the time limit, until all
/// workers are done.
fn watch(games: &Games<'_>, label: &str) {
    let mut line = ProgressLine::new(true);
    while !games.is_complete() {
        std::thread::park_timeout(TICK);
        let elapsed = games.elapsed();
        let deadline = games.plan.time.map(|time| time.saturating_mul(2));
        if interrupt::requested() || deadline.is_some_and(|deadline| elapsed >= deadline) {
            games.stop();
        }
        if elapsed >= QUIET && line.is_due() {
            line.show(&format!("{label}{}", progress(games, elapsed)));
        }
    }
}

/// Returns the progress of an evaluation in words: games, mean score, time left.
fn progress(games: &Games<'_>, elapsed: Duration) -> String {
    let (done, mean) = games.progress();
    let mut text = format!("{} of {} games", grouped(done), grouped(games.plan.games));
    if let Some(mean) = mean {
        text += &format!(", mean {}", number(mean));
    }
    if let Some(left) = time_left(done, games.plan, elapsed) {
        text += &format!(", {} left", time(left));
    }
    text
}

/// Returns the time left at the present rate, at most that of the plan.
fn time_left(done: u64, plan: &Plan<'_>, elapsed: Duration) -> Option<Duration> {
    let rest = plan.games.saturating_sub(done) as f64;
    let by_rate = elapsed.as_secs_f64() * rest / done as f64;
    let by_rate = Duration::try_from_secs_f64(by_rate).ok();
    by_rate.into_iter().chain(plan.time.map(|time| time.saturating_sub(elapsed))).min()
}
