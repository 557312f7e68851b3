//! One move searched by several threads, which share out the root's chance outcomes.

use crate::scratch::Scratch;
use crate::search::{NodePath, Search};
use runner_core::{Game, Host, Outcome, Outcomes, State, Successors, Value, locked};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};

/// A chance outcome of one of the root's actions, after which the game continues.
struct Task {
    successor: usize,
    state: State,
    probability: f64,
    value: AtomicU32,
}

/// Consecutive tasks, whose subtrees have positions in common. Each thread begins with
/// another share, to avoid searching equal positions in parallel, and then helps with the
/// other shares.
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

/// Does what [`Search::search_root`] does, for two plies or more, with one thread for each
/// of the scratches. All values are exact, and to the last bit those of one thread. Returns `None`
/// if the search is aborted.
pub fn search_root<G: Game, V: Value>(
    search: &Search<'_, G, V>,
    host: &dyn Host,
    scratch: &mut [Scratch],
    successors: &Successors,
    plies: u8,
    values: &mut [f32],
) -> Option<usize> {
    let order = search.search_order(values);
    let (tasks, mut means) = list_tasks(search, successors);
    let scratches: Vec<Mutex<&mut Scratch>> = scratch.iter_mut().map(Mutex::new).collect();
    let length = tasks.len().div_ceil(scratches.len()).max(1);
    let shares: Vec<Share<'_>> = tasks.chunks(length).map(Share::new).collect();
    host.for_each(scratches.len(), &|thread| {
        let mut scratch = locked(&scratches[thread]);
        let (before, own) = shares.split_at(thread.min(shares.len()));
        for share in own.iter().chain(before) {
            while !search.aborted.load(Relaxed)
                && let Some(task) = share.next()
            {
                let path = NodePath { plies: plies - 1, probability: task.probability };
                let value = search.search_state(&mut scratch, task.state, path);
                task.value.store(value.to_bits(), Relaxed);
            }
        }
    });
    if search.aborted.load(Relaxed) {
        return None;
    }
    for task in &tasks {
        let value = f32::from_bits(task.value.load(Relaxed));
        means[task.successor] += task.probability * f64::from(value);
    }
    for ((value, successor), mean) in values.iter_mut().zip(successors.iter()).zip(means) {
        *value = mean as f32 + search.reward(successor);
    }
    order.reduce(|best, k| if values[k] > values[best] { k } else { best })
}

/// Lists the chance outcomes to search, and returns the part of each successor's mean that is known
/// without a search.
fn list_tasks<G: Game, V: Value>(
    search: &Search<'_, G, V>,
    successors: &Successors,
) -> (Vec<Task>, Vec<f64>) {
    let mut outcomes = Outcomes::with_capacity(search.game.description().max_outcomes);
    let mut next = Successors::new();
    let mut tasks = Vec::new();
    let mut means = vec![0.0; successors.len()];
    for (number, successor) in successors.iter().enumerate() {
        let from = successor.afterstate;
        if let Some(exact) = search.exact_value(from) {
            means[number] = f64::from(exact);
            continue;
        }
        search.game.outcomes(from, &mut outcomes);
        for &Outcome { probability, state } in outcomes.iter() {
            means[number] += probability * f64::from(search.chance_reward(from, state));
            search.game.successors(state, &mut next);
            if next.is_empty() {
                means[number] += probability * f64::from(search.terminal_value());
            } else {
                let value = AtomicU32::new(0);
                tasks.push(Task { successor: number, state, probability, value });
            }
        }
    }
    (tasks, means)
}
