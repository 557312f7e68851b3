//! The work on which speed is measured: the same closures over any game and any
//! agent, so that what is compiled together and what was loaded can be compared.

use crate::{Agent, Episode, Game, Outcomes, Random, Seed, State, Successors, play};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A piece of work that is done again and again.
pub struct Workload {
    /// What it is: the same name for the same work.
    pub name: &'static str,
    /// What it counts: `states`, `moves`.
    pub unit: &'static str,
    /// Does some of it, milliseconds long, and says how much.
    pub run: Box<dyn FnMut() -> u64>,
}

/// How many positions from play the work on positions goes through.
const POSITIONS: usize = 4096;

/// Positions that come up in games of random play.
pub fn positions<G: Game>(game: &G) -> Vec<State> {
    let mut random = Random::stream(Seed(1), 0);
    let mut successors = Successors::new();
    let mut positions = Vec::with_capacity(POSITIONS);
    let mut state = game.start(random.word());
    while positions.len() < POSITIONS {
        game.successors(state, &mut successors);
        if successors.is_empty() {
            state = game.start(random.word());
            continue;
        }
        positions.push(state);
        let chosen = successors[random.below(successors.len() as u32) as usize];
        state = game.spawn(chosen.afterstate, random.word());
    }
    positions
}

/// All legal moves of many positions.
pub fn successors<G: Game + 'static>(game: Arc<G>) -> Workload {
    let positions = positions(&*game);
    let mut out = Successors::new();
    let run = Box::new(move || {
        let mut found = 0;
        for &state in &positions {
            game.successors(state, &mut out);
            found += out.len() as u64;
        }
        assert!(found > 0);
        positions.len() as u64
    });
    Workload { name: "successors", unit: "states", run }
}

/// All that chance can do after many positions.
pub fn outcomes<G: Game + 'static>(game: Arc<G>) -> Workload {
    let mut all = Successors::new();
    let mut afterstates = Vec::new();
    for state in positions(&*game) {
        game.successors(state, &mut all);
        afterstates.extend(all.first().map(|successor| successor.afterstate));
    }
    let mut out = Outcomes::with_capacity(game.description().max_outcomes);
    let run = Box::new(move || {
        let mut found = 0;
        for &afterstate in &afterstates {
            game.outcomes(afterstate, &mut out);
            found += out.len() as u64;
        }
        found
    });
    Workload { name: "outcomes", unit: "outcomes", run }
}

/// Random games through the game's own kernel.
pub fn playouts<G: Game + 'static>(game: Arc<G>) -> Workload {
    let start = game.start(1);
    let mut random = Random::stream(Seed(1), 1);
    let run = Box::new(move || game.playouts(start, 256, random.word()).moves);
    Workload { name: "random playouts", unit: "moves", run }
}

/// Whole games of an agent, as `play_one` plays game number k.
pub fn episodes(mut play_one: impl FnMut(u64) -> Episode + 'static) -> Workload {
    let mut number = 0;
    let run = Box::new(move || {
        (0..256).fold(0, |moves, _| {
            number += 1;
            moves + play_one(number).moves
        })
    });
    Workload { name: "greedy episodes", unit: "moves", run }
}

/// [`episodes`] with the loop on this side of any boundary.
pub fn episodes_here<G, A>(game: Arc<G>, mut agent: A) -> Workload
where
    G: Game + 'static,
    A: Agent + 'static,
{
    let never = AtomicBool::new(false);
    episodes(move |k| play(&*game, &mut agent, &mut Random::stream(Seed(1), k), &never))
}
