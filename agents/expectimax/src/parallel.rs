//! One move by several threads: what chance can do after each action is dealt out.

use crate::search::{Scratch, Search};
use runner_core::{Game, Host, Outcomes, State, Successors, Value};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// A position to look into.
struct Task {
    /// The action on the way to it.
    successor: usize,
    state: State,
    probability: f64,
    /// What it is worth.
    worth: AtomicU32,
}

/// Neighbouring tasks, which have much in common: one thread begins with each share, so
/// that no two find out the same at the same time, and helps with the others after that.
struct Share<'a> {
    tasks: &'a [Task],
    next: AtomicUsize,
}

impl<'a> Share<'a> {
    fn new(tasks: &'a [Task]) -> Self {
        Self { tasks, next: AtomicUsize::new(0) }
    }

    fn next(&self) -> Option<&'a Task> {
        self.tasks.get(self.next.fetch_add(1, Relaxed))
    }
}

/// [`Search::worths`] by as many threads as there is scratch, of two plies or more.
pub fn worths<G: Game, V: Value>(
    search: &Search<'_, G, V>,
    host: &dyn Host,
    scratch: &mut [Scratch],
    successors: &Successors,
    plies: u8,
    worths: &mut [f32],
) {
    let mut outcomes = Outcomes::with_capacity(search.game.description().max_outcomes);
    let mut tasks = Vec::new();
    for (successor, s) in successors.iter().enumerate() {
        search.game.outcomes(s.afterstate, &mut outcomes);
        tasks.extend(search.counted(&outcomes, 0).map(|(probability, state)| Task {
            successor,
            state,
            probability,
            worth: AtomicU32::new(0),
        }));
    }
    let hands: Vec<Mutex<&mut Scratch>> = scratch.iter_mut().map(Mutex::new).collect();
    let share = tasks.len().div_ceil(hands.len()).max(1);
    let shares: Vec<Share<'_>> = tasks.chunks(share).map(Share::new).collect();
    host.for_each(hands.len(), &|thread| {
        let mut scratch = hands[thread].lock().unwrap_or_else(PoisonError::into_inner);
        let (before, own) = shares.split_at(thread.min(shares.len()));
        for share in own.iter().chain(before) {
            while !search.given_up.load(Relaxed)
                && let Some(task) = share.next()
            {
                let probability = task.probability;
                let worth = search.worth_of(&mut scratch, task.state, plies - 1, probability, 1);
                task.worth.store(worth.to_bits(), Relaxed);
            }
        }
    });
    let mut means = vec![0.0; successors.len()];
    for task in &tasks {
        let from = successors[task.successor].afterstate;
        let worth = f32::from_bits(task.worth.load(Relaxed)) + search.given(from, task.state);
        means[task.successor] += task.probability * f64::from(worth);
    }
    for ((worth, successor), mean) in worths.iter_mut().zip(successors.iter()).zip(means) {
        *worth = search.earned(successor) + mean as f32;
    }
}
