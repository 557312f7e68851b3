//! Positions in the opinion of a player, on all threads.

use crate::interrupt;
use crate::player::Player;
use crate::progress::ProgressLine;
use crate::threads::Threads;
use runner_core::{Agent, Analysis, Fault, Game, Random, Seed, State, Successors, Turn, catch};
use runner_plugin::LoadedGame;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// Analyses positions on all threads. Returns `None` after an interrupt. The analysis of the end of
/// a game is empty.
///
/// Every position is a game of its own for the player, so that the result does not depend on the
/// number of threads.
pub fn analyse(
    game: &LoadedGame,
    player: &Player,
    positions: &[State],
    seed: Seed,
    threads: &Threads,
) -> Result<Option<Vec<Analysis>>, Fault> {
    let workers = (threads.count() / player.threads().max(1)).clamp(1, positions.len().max(1));
    let players: Vec<_> = (0..workers).map(|_| Mutex::new(player.clone())).collect();
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let analyses: Vec<Mutex<Option<Analysis>>> =
        positions.iter().map(|_| Mutex::default()).collect();
    let fault = Mutex::new(None);
    let line = Mutex::new(ProgressLine::new(true));
    threads.for_each(workers, &|worker| {
        let mut player = lock(&players[worker]);
        let mut successors = Successors::new();
        loop {
            let number = next.fetch_add(1, Relaxed);
            if number >= positions.len() || failed.load(Relaxed) || interrupt::requested() {
                break;
            }
            let random = Random::stream(seed, number as u64).word();
            let task =
                || analyse_one(game, &mut player, positions[number], random, &mut successors);
            match catch(task) {
                Ok(one) => *lock(&analyses[number]) = Some(one),
                Err(error) => {
                    failed.store(true, Relaxed);
                    *lock(&fault) = Some(error);
                }
            }
            let mut line = lock(&line);
            if line.is_due() {
                line.show(&format!("{} of {} positions", number + 1, positions.len()));
            }
        }
    });
    match lock(&fault).take() {
        Some(fault) => Err(fault),
        None => Ok(analyses.into_iter().map(into_inner).collect()),
    }
}

fn analyse_one(
    game: &LoadedGame,
    player: &mut Player,
    state: State,
    random: u64,
    successors: &mut Successors,
) -> Analysis {
    let rules = &*game.rules;
    rules.successors(state, successors);
    if successors.is_empty() {
        return Analysis::default();
    }
    player.begin(rules, state);
    player.analyse(rules, &Turn { state, successors, random })
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}
