//! The work of one thread: batches of simulations until the budget is spent.

use crate::options::{Budget, Growth};
use crate::search::{Search, SearchTree, Worker};
use runner_core::{Game, Random, Value};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Number of simulations for each node of a budget of nodes, times the evaluations after which a
/// node is expanded. A position with few continuations cannot fill its tree.
const SIMULATIONS_PER_NODE: u64 = 16;

pub struct Limits {
    pub budget: Budget,
    pub began: Instant,
    /// Maximum number of simulations that a thread begins at a time.
    pub batch: usize,
    pub growth: Growth,
}

impl Limits {
    /// Returns how many simulations may begin. The first batch has no deadline.
    fn left(&self, tree: &SearchTree) -> usize {
        let Budget { simulations, nodes, time } = self.budget;
        let late = || time.is_some_and(|time| self.began.elapsed() >= time);
        if tree.begun > 0 && late() {
            return 0;
        }
        let left = |limit: u64, used: u64| limit.saturating_sub(used);
        let by_simulations = simulations.map_or(u64::MAX, |limit| left(limit, tree.begun));
        let by_nodes = nodes.map_or(u64::MAX, |limit| {
            let evaluations = match self.growth {
                Growth::After(evaluations) => evaluations.into(),
                Growth::Before(_) => 1,
            };
            let simulations = SIMULATIONS_PER_NODE * evaluations;
            left(limit, tree.stats.nodes).min(left(limit.saturating_mul(simulations), tree.begun))
        });
        by_simulations.min(by_nodes).min(self.batch as u64) as usize
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
