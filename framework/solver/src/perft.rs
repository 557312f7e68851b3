//! The number of leaves of the full game tree, with which implementations of the rules are
//! compared.

use runner_core::{Fault, Game, Host, Outcomes, State, Successors, catch};
use std::sync::OnceLock;

/// Returns the number of sequences of `depth` actions and outcomes from a position. `progress` is
/// called again and again meanwhile.
pub fn perft<G: Game>(
    rules: &G,
    state: State,
    depth: u32,
    host: &dyn Host,
    progress: &(dyn Fn() + Sync),
) -> Result<u64, Fault> {
    let Some(below) = depth.checked_sub(1) else { return Ok(1) };
    // The first level is cut into parts, one for each position that follows.
    let mut next = Vec::new();
    catch(|| {
        let mut outcomes = Outcomes::with_capacity(rules.description().max_outcomes);
        let mut successors = Successors::new();
        rules.successors(state, &mut successors);
        for successor in successors.iter() {
            rules.outcomes(successor.afterstate, &mut outcomes);
            next.extend(outcomes.iter().map(|outcome| outcome.state));
        }
    })?;
    let counts: Vec<OnceLock<Result<u64, Fault>>> = next.iter().map(|_| OnceLock::new()).collect();
    host.for_each(next.len(), &|part| {
        let mut levels = Levels::new(rules, below, progress);
        let count = catch(|| levels.count(next[part], below)).and_then(|count| count);
        counts[part].get_or_init(|| count);
    });
    let mut counts = counts.into_iter().filter_map(OnceLock::into_inner);
    counts.try_fold(0u64, |sum, count| sum.checked_add(count?).ok_or_else(too_many))
}

/// The buffers of a depth-first count, one pair for each level.
struct Levels<'a, G> {
    rules: &'a G,
    progress: &'a (dyn Fn() + Sync),
    buffers: Vec<(Successors, Box<Outcomes>)>,
}

impl<'a, G: Game> Levels<'a, G> {
    fn new(rules: &'a G, depth: u32, progress: &'a (dyn Fn() + Sync)) -> Self {
        let capacity = rules.description().max_outcomes;
        let buffer = |_| (Successors::new(), Outcomes::with_capacity(capacity));
        Self { rules, progress, buffers: (0..depth).map(buffer).collect() }
    }

    fn count(&mut self, state: State, depth: u32) -> Result<u64, Fault> {
        let Some((mut successors, mut outcomes)) = self.buffers.pop() else { return Ok(1) };
        self.rules.successors(state, &mut successors);
        let mut total = 0u64;
        for successor in successors.iter() {
            self.rules.outcomes(successor.afterstate, &mut outcomes);
            if depth == 1 {
                total = total.checked_add(outcomes.len() as u64).ok_or_else(too_many)?;
                continue;
            }
            for outcome in outcomes.iter() {
                let below = self.count(outcome.state, depth - 1)?;
                total = total.checked_add(below).ok_or_else(too_many)?;
            }
        }
        self.buffers.push((successors, outcomes));
        (self.progress)();
        Ok(total)
    }
}

fn too_many() -> Fault {
    Fault::new("there are more sequences than 64 bits can count; ask for a smaller depth")
}
