//! Stand-ins for tests of games, values and agents: a host with threads, a value that looks random,
//! a game that is over at its start, and an agent that plays at random.

use runner_core::{
    Action, Afterstate, Agent, Game, Host, State, Successors, Turn, Value, ValueScale,
    forward_game, scale,
};

/// A host that starts a thread for each task, and says that it has this number of them.
#[derive(Clone, Copy, Debug)]
pub struct TestThreads(pub usize);

impl Host for TestThreads {
    fn threads(&self) -> usize {
        self.0
    }

    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| (0..n).for_each(|k| drop(scope.spawn(move || task(k)))));
    }
}

/// A value from 0 up to, but not including, 4096 that looks random, so that errors do not cancel
/// out.
#[derive(Clone, Copy, Debug)]
pub struct Scattered(pub ValueScale);

impl Value for Scattered {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        for (value, afterstate) in values.iter_mut().zip(afterstates) {
            let mixed =
                (afterstate.lo ^ afterstate.hi.rotate_left(7)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            *value = (mixed >> 48) as f32 / 16.0;
        }
    }

    fn scale(&self) -> ValueScale {
        self.0
    }
}

/// A game whose positions have no legal actions.
#[derive(Clone, Copy, Debug)]
pub struct OverGame<G>(pub G);

impl<G: Game> Game for OverGame<G> {
    forward_game!(|this| this.0;
        description, start, outcomes, spawn, write, write_afterstate, parse
    );

    fn successors(&self, _: State, out: &mut Successors) {
        out.clear();
    }
}

/// Chooses legal actions uniformly.
#[derive(Clone, Copy, Debug)]
pub struct Uniform;

impl Agent for Uniform {
    fn act<G: Game>(&mut self, _: &G, turn: &Turn<'_>) -> Option<Action> {
        let drawn = scale((turn.random >> 32) as u32, turn.successors.len() as u32);
        Some(turn.successors[drawn as usize].action)
    }
}

/// Calls `decide` with the turn of a position.
pub fn with_turn<G: Game, T>(
    game: &G,
    state: State,
    random: u64,
    decide: impl FnOnce(&Turn<'_>) -> T,
) -> T {
    let mut successors = Successors::new();
    game.successors(state, &mut successors);
    decide(&Turn { state, successors: &successors, random })
}
