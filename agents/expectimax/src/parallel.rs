//! A search by several threads. The tasks are the chance outcomes of the root's actions.

use crate::scratch::Scratch;
use crate::search::{NodePath, Search};
use runner_core::{Game, Host, Outcome, Outcomes, State, Successors, Value, locked};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed};

/// A chance outcome of one of the root's actions. The state has a legal action.
struct Task {
    /// The number of the root's successor.
    successor: usize,
    state: State,
    probability: f64,
    /// The value of the state as the bits of an f32, once it is searched.
    value: AtomicU32,
}

/// A share of the tasks. Its tasks are consecutive, so their subtrees have positions in common. To
/// avoid that two threads search equal positions at the same time, each thread begins with another
/// share, and then helps with the rest.
struct Share<'a> {
    tasks: &'a [Task],
    next: AtomicUsize,
}

impl<'a> Share<'a> {
    fn new(tasks: &'a [Task]) -> Self {
        Self { tasks, next: AtomicUsize::new(0) }
    }

    fn take(&self) -> Option<&'a Task> {
        self.tasks.get(self.next.fetch_add(1, Relaxed))
    }
}

/// Does what [`Search::search_root`] does, for two plies or more, on one thread for each scratch.
/// The values are equal to those of one thread to the last bit. If the search is aborted, returns
/// `None` and leaves `values`.
pub fn search_root<G: Game, V: Value>(
    search: &Search<'_, G, V>,
    host: &dyn Host,
    scratches: &mut [Scratch],
    successors: &Successors,
    plies: u8,
    values: &mut [f32],
) -> Option<usize> {
    let order = search.search_order(values);
    let (tasks, mut means) = list_tasks(search, successors);
    let scratches: Vec<Mutex<&mut Scratch>> = scratches.iter_mut().map(Mutex::new).collect();
    let length = tasks.len().div_ceil(scratches.len()).max(1);
    let shares: Vec<Share<'_>> = tasks.chunks(length).map(Share::new).collect();
    host.for_each(scratches.len(), &|thread| {
        let mut scratch = locked(&scratches[thread]);
        let (earlier, own_and_later) = shares.split_at(thread.min(shares.len()));
        for share in own_and_later.iter().chain(earlier) {
            while !search.aborted.load(Relaxed)
                && let Some(task) = share.take()
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

/// Returns the tasks, and for each successor the part of its mean that is known without a search:
/// rewards of chance outcomes and values of terminal states, or its exact value.
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
