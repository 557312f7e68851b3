//! `runner perft`: the size of the full tree, the field's way to compare rules.

use crate::cli::Perft;
use crate::failure::{Failure, attributed};
use crate::setting::position;
use crate::threads::Threads;
use runner_core::{Fault, Game, Outcomes, State, Successors, catch};
use runner_plugin::Registry;
use runner_spec::quantity::{grouped, time};
use serde::Serialize;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

#[derive(Serialize)]
struct Report {
    game: String,
    state: String,
    depth: u32,
    count: u64,
    seconds: f64,
}

pub(super) fn run(perft: &Perft, registry: &Arc<Registry>) -> Result<(), Failure> {
    let game = registry.game(&perft.game.parse()?)?;
    let rules = &*game.rules;
    let state = position(&game, &perft.state)?;
    let threads = Threads::new(perft.threads)?;
    let mut out = std::io::stdout().lock();
    let depths = if perft.json { perft.depth..=perft.depth } else { 0..=perft.depth };
    for depth in depths {
        let began = Instant::now();
        let count = count(rules, state, depth, &threads)
            .map_err(|fault| Failure::failed(attributed(&fault.0, &[&game.label])))?;
        if perft.json {
            let report = Report {
                game: game.spec.to_string(),
                state: catch(|| rules.write(state))?,
                depth,
                count,
                seconds: began.elapsed().as_secs_f64(),
            };
            serde_json::to_writer(&mut out, &report)?;
            writeln!(out)?;
        } else {
            writeln!(out, "{depth:>3} {:>25}   {}", grouped(count), time(began.elapsed()))?;
        }
    }
    Ok(())
}

/// The number of sequences of `depth` actions and outcomes from a position.
fn count<G: Game>(rules: &G, state: State, depth: u32, threads: &Threads) -> Result<u64, Fault> {
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
    let total = Mutex::new(Ok(0u64));
    threads.for_each(next.len(), &|i| {
        let mut levels = Levels::new(rules, below);
        let count = catch(|| levels.count(next[i], below)).and_then(|count| count);
        let mut total = total.lock().unwrap_or_else(PoisonError::into_inner);
        *total = match (&*total, count) {
            (Ok(sum), Ok(count)) => sum.checked_add(count).ok_or_else(too_many),
            (Ok(_), Err(fault)) => Err(fault),
            (Err(fault), _) => Err(fault.clone()),
        };
    });
    total.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// The buffers of a depth-first count, one pair for each level.
struct Levels<'a, G> {
    rules: &'a G,
    buffers: Vec<(Successors, Outcomes)>,
}

impl<'a, G: Game> Levels<'a, G> {
    fn new(rules: &'a G, depth: u32) -> Self {
        let capacity = rules.description().max_outcomes;
        let buffer = |_| (Successors::new(), Outcomes::with_capacity(capacity));
        Self { rules, buffers: (0..depth).map(buffer).collect() }
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
        Ok(total)
    }
}

fn too_many() -> Fault {
    Fault::new("there are more sequences than 64 bits can count; ask for a smaller depth")
}
