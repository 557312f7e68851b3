//! The work on which speed is measured: the same closures over any game and any
//! agent, so that what is compiled together and what was loaded can be compared; and
//! the positions for it.

use runner_core::{
    Agent, Control, Episode, Game, GreedyPolicy, Learner, Outcomes, Random, Seed, SingleThread,
    State, Successors, TrainingBudget, TrainingProgress, TrainingSession, Turn, Value, play,
    play_interleaved,
};
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

/// Positions of so many random games, each at its own time of its game. What agrees on
/// them agrees on more than one course of things.
pub fn positions_of_games<G: Game>(game: &G, count: u64) -> Vec<State> {
    let mut successors = Successors::new();
    let positions = (0..count).map(|k| {
        let mut random = Random::from_word(k);
        let mut state = game.start(random.word());
        for _ in 0..random.below(120) {
            game.successors(state, &mut successors);
            if successors.is_empty() {
                break;
            }
            let chosen = successors[random.below(successors.len() as u32) as usize];
            state = game.spawn(chosen.afterstate, random.word());
        }
        state
    });
    positions.collect()
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
pub fn host_episodes<G, A>(game: Arc<G>, mut agent: A) -> Workload
where
    G: Game + 'static,
    A: Agent + 'static,
{
    let never = AtomicBool::new(false);
    episodes(move |k| play(&*game, &mut agent, &mut Random::stream(Seed(1), k), &never))
}

/// The decisions of an agent in many positions.
pub fn decisions<G, A>(name: &'static str, game: Arc<G>, mut agent: A) -> Workload
where
    G: Game + 'static,
    A: Agent + 'static,
{
    const DECISIONS: usize = 64;
    let mut positions = positions(&*game).into_iter().cycle();
    let mut successors = Successors::new();
    let run = Box::new(move || {
        for state in positions.by_ref().take(DECISIONS) {
            game.successors(state, &mut successors);
            let chosen = agent.act(&*game, &Turn { state, successors: &successors, random: 0 });
            assert!(chosen.is_some());
        }
        DECISIONS as u64
    });
    Workload { name, unit: "moves", run }
}

/// The training of a learner, from where it is.
pub fn training<G, L>(game: Arc<G>, learner: L) -> Workload
where
    G: Game + 'static,
    L: Learner + 'static,
{
    const MOVES: u64 = 1 << 15;
    let run = Box::new(move || {
        let session = TrainingSession {
            budget: TrainingBudget { moves: Some(MOVES), ..TrainingBudget::default() },
            ..TrainingSession::new(&SingleThread, &|_: &TrainingProgress| Control::Continue)
        };
        if let Err(fault) = learner.train(&*game, &session) {
            fault.raise();
        }
        MOVES
    });
    Workload { name: "training", unit: "moves", run }
}

/// Games of a value, several at once.
pub fn interleaved_games<G, V>(game: Arc<G>, value: V) -> Workload
where
    G: Game + 'static,
    V: Value + 'static,
{
    let player = GreedyPolicy(value);
    let never = AtomicBool::new(false);
    let mut number = 0;
    let run = Box::new(move || {
        let (mut games, mut moves) = (number..number + 64, 0);
        number = games.end;
        let next = || games.next().map(|k| (k, Random::stream(Seed(1), k)));
        play_interleaved(&*game, &player, 8, next, |_, episode| moves += episode.moves, &never);
        moves
    });
    Workload { name: "play of a value", unit: "moves", run }
}
