//! Positions in the opinion of a player, on all threads.

use crate::arena::locked;
use crate::interrupt;
use crate::player::Player;
use crate::progress::ProgressLine;
use crate::threads::Threads;
use runner_core::{Agent, Analysis, Fault, Game, Random, Seed, State, Successors, Turn, catch};
use runner_plugin::LoadedGame;
use serde::Serialize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// The value of an action, by name.
#[derive(Serialize)]
pub struct ActionValue {
    /// The action.
    pub action: String,
    /// Its value.
    pub value: f32,
}

/// Analyses positions on all threads. Returns `None` after an interrupt. The analysis of the end of
/// a game is empty.
///
/// The player begins a new game for each position, so that the result does not depend on the number
/// of threads.
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
        let mut player = locked(&players[worker]);
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
                Ok(one) => *locked(&analyses[number]) = Some(one),
                Err(error) => {
                    failed.store(true, Relaxed);
                    *locked(&fault) = Some(error);
                }
            }
            let mut line = locked(&line);
            if line.is_due() {
                line.show(&format!("{} of {} positions", number + 1, positions.len()));
            }
        }
    });
    match locked(&fault).take() {
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

fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}
