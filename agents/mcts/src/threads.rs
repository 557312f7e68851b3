//! The work of one thread: batches of simulations until the budget is spent.

use crate::options::Budget;
use crate::search::{Search, SearchTree, Worker};
use runner_core::{Game, Random, Value};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

pub struct Limits {
    pub budget: Budget,
    pub began: Instant,
    /// Maximum number of simulations that a thread begins at a time.
    pub batch: usize,
}

impl Limits {
    /// Returns how many simulations may begin. The first batch has no deadline.
    fn left(&self, tree: &SearchTree) -> usize {
        let Budget { simulations, time } = self.budget;
        if tree.begun > 0 && time.is_some_and(|time| self.began.elapsed() >= time) {
            return 0;
        }
        let left = simulations.map_or(u64::MAX, |limit| limit.saturating_sub(tree.begun));
        left.min(self.batch as u64) as usize
    }
}

/// Searches with one thread. Others may search the same tree: leaves that wait for their
/// evaluation count as visits, so that the threads follow different paths.
pub fn work<G: Game, V: Value + ?Sized>(
    search: &Search<'_, G, V>,
    tree: &Mutex<&mut SearchTree>,
    worker: &mut Worker,
    random: &mut Random,
    limits: &Limits,
) {
    worker.batch.clear();
    loop {
        let mut locked = lock(tree);
        search.absorb(&mut locked, worker);
        let count = limits.left(&locked);
        if count == 0 {
            return;
        }
        search.collect(&mut locked, worker, count, random);
        drop(locked);
        search.evaluate(worker, random);
    }
}

/// Locks a mutex. A thread that raised a fault does not matter: it ends the game.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
