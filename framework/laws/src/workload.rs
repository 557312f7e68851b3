//! Workloads for measuring speed: the same closures over any game and agent, so that
//! statically linked and loaded ones can be compared.

use runner_core::{
    Agent, Control, Episode, Game, GreedyPolicy, Learner, Outcomes, Random, Seed, SingleThread,
    State, Successors, TrainingBudget, TrainingProgress, TrainingSession, Turn, Value, play,
    play_interleaved,
};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The kind of a workload, with the spec of the player where there is one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Task {
    /// Lists the successors of many positions: [`successors`].
    Successors,
    /// Lists the outcomes of many afterstates: [`outcomes`].
    Outcomes,
    /// Plays random games: [`playouts`].
    Playouts,
    /// Plays whole games of this agent: [`episodes`].
    Episodes(&'static str),
    /// Plays several games of this value at once: [`interleaved_games`].
    InterleavedGames(&'static str),
    /// Trains this learner: [`training`].
    Training(&'static str),
    /// Lets this agent decide in many positions: [`decisions`].
    Decisions(&'static str),
}

/// A task and its workload on a game and a player that are compiled together.
pub struct LinkedTask {
    /// The task, from which the same workload is built on loaded plugins.
    pub task: Task,
    /// The workload.
    pub workload: Workload,
}

/// The tasks that loaded plugins are compared with.
pub struct LinkedTasks {
    /// Spec of the game of all tasks.
    pub game: &'static str,
    /// The tasks.
    pub tasks: Vec<LinkedTask>,
}

/// A repeatable piece of work.
pub struct Workload {
    /// Unit of the amount of work: `states`, `moves`.
    pub unit: &'static str,
    /// Does some milliseconds of work and returns its amount.
    pub run: Box<dyn FnMut() -> u64>,
}

/// Number of positions that the workloads cycle through.
const POSITIONS: usize = 4096;

/// Returns positions of games of random play.
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

/// Returns one position of each of `count` random games, after 0 to 119 moves.
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

/// Lists the successors of many positions.
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
    Workload { unit: "states", run }
}

/// Lists the outcomes of many afterstates.
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
    Workload { unit: "outcomes", run }
}

/// Plays random games with the game's own playout kernel.
pub fn playouts<G: Game + 'static>(game: Arc<G>) -> Workload {
    let start = game.start(1);
    let mut random = Random::stream(Seed(1), 1);
    let run =
        Box::new(move || runner_core::playouts::totals(&*game, start, 256, random.word()).moves);
    Workload { unit: "moves", run }
}

/// Plays whole games of an agent; `play_one` plays game number k.
pub fn episodes(mut play_one: impl FnMut(u64) -> Episode + 'static) -> Workload {
    let mut number = 0;
    let run = Box::new(move || {
        (0..256).fold(0, |moves, _| {
            number += 1;
            moves + play_one(number).moves
        })
    });
    Workload { unit: "moves", run }
}

/// Plays [`episodes`] with the episode loop in this crate, outside any plugin.
pub fn host_episodes<G, A>(game: Arc<G>, mut agent: A) -> Workload
where
    G: Game + 'static,
    A: Agent + 'static,
{
    let never = AtomicBool::new(false);
    episodes(move |k| play(&*game, &mut agent, &mut Random::stream(Seed(1), k), &never))
}

/// Lets an agent decide in many positions.
pub fn decisions<G, A>(game: Arc<G>, mut agent: A) -> Workload
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
    Workload { unit: "moves", run }
}

/// Continues the training of a learner.
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
    Workload { unit: "moves", run }
}

/// Plays several games of a value at once.
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
    Workload { unit: "moves", run }
}
