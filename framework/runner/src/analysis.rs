//! A recorded game in the opinion of a player: the loss of each move against its choice.

use crate::interrupt;
use crate::player::Player;
use crate::progress::ProgressLine;
use crate::threads::Threads;
use runner_core::{Action, Agent, Fault, Game, Random, Seed, State, Successors, Turn, catch};
use runner_plugin::LoadedGame;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// The opinion about one move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// The player's choice; `None` if it would stop.
    pub choice: Option<Action>,
    /// The difference of the values of choice and move; `None` if the player gives no values.
    pub loss: Option<f32>,
}

/// Analyses positions with the actions that were taken there, on all threads. Returns `None`
/// after an interrupt.
///
/// Every position is a game of its own for the player, so that the result does not depend on the
/// number of threads.
pub fn judge(
    game: &LoadedGame,
    player: &Player,
    moves: &[(State, Action)],
    seed: Seed,
    threads: &Threads,
) -> Result<Option<Vec<Judged>>, Fault> {
    let workers = (threads.count() / player.threads().max(1)).clamp(1, moves.len().max(1));
    let players: Vec<_> = (0..workers).map(|_| Mutex::new(player.clone())).collect();
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let judged: Vec<Mutex<Option<Judged>>> = moves.iter().map(|_| Mutex::default()).collect();
    let fault = Mutex::new(None);
    let line = Mutex::new(ProgressLine::new(true));
    threads.for_each(workers, &|worker| {
        let mut player = lock(&players[worker]);
        let mut successors = Successors::new();
        loop {
            let number = next.fetch_add(1, Relaxed);
            if number >= moves.len() || failed.load(Relaxed) || interrupt::requested() {
                break;
            }
            let random = Random::stream(seed, number as u64).word();
            let task = || judge_one(game, &mut player, moves[number], random, &mut successors);
            match catch(task) {
                Ok(one) => *lock(&judged[number]) = Some(one),
                Err(error) => {
                    failed.store(true, Relaxed);
                    *lock(&fault) = Some(error);
                }
            }
            let mut line = lock(&line);
            if line.is_due() {
                line.show(&format!("{} of {} moves", number + 1, moves.len()));
            }
        }
    });
    match lock(&fault).take() {
        Some(fault) => Err(fault),
        None => Ok(judged.into_iter().map(into_inner).collect()),
    }
}

fn judge_one(
    game: &LoadedGame,
    player: &mut Player,
    (state, taken): (State, Action),
    random: u64,
    successors: &mut Successors,
) -> Judged {
    let rules = &*game.rules;
    rules.successors(state, successors);
    player.begin(rules, state);
    let analysis = player.analyse(rules, &Turn { state, successors, random });
    let loss = analysis.choice.and_then(|choice| analysis.loss(choice, taken));
    Judged { choice: analysis.choice, loss }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}
