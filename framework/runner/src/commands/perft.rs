//! `runner perft`: the number of leaves of the full game tree, with which implementations of
//! the rules are compared.

use crate::context::{Context, Execute};
use crate::options::{PositionOptions, ResourceOptions};
use clap::Args;
use runner_console::notes::note;
use runner_core::{Fault, Game, Outcomes, State, Successors, catch};
use runner_play::calls;
use runner_play::failure::{Failure, attributed};
use runner_play::position::Position;
use runner_play::threads::Threads;
use runner_play::unpoisoned::{into_inner, locked};
use runner_plugin::calls::Entered;
use runner_spec::Spec;
use runner_spec::quantity::{Count, grouped, time};
use serde::Serialize;
use std::io::Write;
use std::sync::Mutex;
use std::time::Instant;

#[derive(Serialize)]
struct Report {
    game: String,
    state: String,
    depth: u32,
    count: u64,
    seconds: f64,
}

/// Count the sequences of moves and chance outcomes from a position
#[derive(Debug, Clone, Default, Args)]
pub struct PerftOptions {
    /// Game, like threes or '2048(rows: 3, cols: 4)' [default: that of --record]
    #[arg(long, value_name = "SPEC")]
    game: Option<Spec>,
    /// Length of the sequences in moves, 0 to 1000
    #[arg(long, value_name = "N")]
    depth: Option<Count<0, 1000>>,
    #[command(flatten)]
    position: PositionOptions,
    #[command(flatten)]
    resources: ResourceOptions,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl Execute for PerftOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        let depth = self.depth.ok_or_else(|| {
            Failure::usage("--depth is missing: the length of the sequences, like 3")
        })?;
        let (seed, registry) = (self.resources.seed(), context.registry());
        let position = self.position.find(self.game.as_ref(), seed, registry)?;
        let threads = Threads::new(self.resources.threads())?;
        if !self.json && !self.position.is_typed() {
            note(format!("note: from {}", position.text));
        }
        print(&position, depth.get() as u32, &threads, self.json)
    }
}

/// Prints the counts: of all depths up to the wanted one, or of that one as JSON.
fn print(position: &Position, depth: u32, threads: &Threads, json: bool) -> Result<(), Failure> {
    let Position { game, state, text } = position;
    let mut out = std::io::stdout().lock();
    let call = calls::enter(game, &game.label, "perft", &[*state]);
    let depths = if json { depth..=depth } else { 0..=depth };
    for depth in depths {
        let began = Instant::now();
        let count = count(&*game.rules, *state, depth, (threads, &call))
            .map_err(|fault| Failure::failed(attributed(&fault.0, &[&game.label])))?;
        if json {
            let report = Report {
                game: game.spec.to_string(),
                state: text.clone(),
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
fn count<G: Game>(
    rules: &G,
    state: State,
    depth: u32,
    (threads, call): (&Threads, &Entered<'_>),
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
    let total = Mutex::new(Ok(0u64));
    threads.for_each(next.len(), &|i| {
        let mut levels = Levels::new(rules, below, call);
        let count = catch(|| levels.count(next[i], below)).and_then(|count| count);
        let mut total = locked(&total);
        *total = match (&*total, count) {
            (Ok(sum), Ok(count)) => sum.checked_add(count).ok_or_else(too_many),
            (Ok(_), Err(fault)) => Err(fault),
            (Err(fault), _) => Err(fault.clone()),
        };
    });
    into_inner(total)
}

/// The buffers of a depth-first count, one pair for each level.
struct Levels<'a, G> {
    rules: &'a G,
    call: &'a Entered<'a>,
    buffers: Vec<(Successors, Outcomes)>,
}

impl<'a, G: Game> Levels<'a, G> {
    fn new(rules: &'a G, depth: u32, call: &'a Entered<'a>) -> Self {
        let capacity = rules.description().max_outcomes;
        let buffer = |_| (Successors::new(), Outcomes::with_capacity(capacity));
        Self { rules, call, buffers: (0..depth).map(buffer).collect() }
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
        self.call.progress();
        Ok(total)
    }
}

fn too_many() -> Fault {
    Fault::new("there are more sequences than 64 bits can count; ask for a smaller depth")
}
