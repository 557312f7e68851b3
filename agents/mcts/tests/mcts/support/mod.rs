//! Games and exact values for the tests of this folder.

use game_2048::{Config, Game2048};
use runner_core::{
    Action, Afterstate, Game, Outcomes, State, Successor, Successors, Value, forward_game,
};
use runner_laws::doubles::with_turn;
use std::collections::HashMap;

pub fn board(rows: usize, cols: usize) -> Game2048 {
    Game2048::new(Config { rows, cols, ..Config::default() }).unwrap()
}

/// The values of optimal play, by recursion over all positions.
#[derive(Default)]
pub struct Optimum {
    states: HashMap<State, f64>,
    afterstates: HashMap<Afterstate, f64>,
}

impl Optimum {
    pub fn of<G: Game>(game: &G) -> Self {
        let mut optimum = Self::default();
        for start in game.starts().expect("the starts are listed") {
            optimum.state(game, start.state);
        }
        optimum
    }

    fn state<G: Game>(&mut self, game: &G, state: State) -> f64 {
        if let Some(&value) = self.states.get(&state) {
            return value;
        }
        let mut successors = Successors::new();
        game.successors(state, &mut successors);
        let values =
            successors.iter().map(|s| f64::from(s.reward) + self.after(game, s.afterstate));
        let value = values.fold(f64::MIN, f64::max);
        let value = if successors.is_empty() { 0.0 } else { value };
        self.states.insert(state, value);
        value
    }

    fn after<G: Game>(&mut self, game: &G, afterstate: Afterstate) -> f64 {
        if let Some(&value) = self.afterstates.get(&afterstate) {
            return value;
        }
        let mut outcomes = Outcomes::with_capacity(game.description().max_outcomes);
        game.outcomes(afterstate, &mut outcomes);
        let value = outcomes.iter().map(|o| o.probability * self.state(game, o.state)).sum();
        self.afterstates.insert(afterstate, value);
        value
    }

    /// Returns positions with two legal actions or more of different values, sorted.
    pub fn decisions<G: Game>(&self, game: &G) -> Vec<State> {
        let is_decision = |state: &&State| {
            with_turn(game, **state, 0, |turn| {
                let values = turn.successors.iter().map(|s| self.regret(game, **state, s.action));
                values.fold(0.0, f64::max) > 0.01
            })
        };
        let mut states: Vec<_> = self.states.keys().filter(is_decision).copied().collect();
        states.sort();
        states
    }

    pub fn state_value(&self, state: State) -> f64 {
        self.states[&state]
    }

    pub fn regret<G: Game>(&self, game: &G, state: State, action: Action) -> f64 {
        let chosen = game.successor(state, action).expect("the action is legal");
        self.states[&state] - f64::from(chosen.reward) - self.afterstates[&chosen.afterstate]
    }
}

/// The exact values of a solved game.
impl Value for Optimum {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        for (value, afterstate) in values.iter_mut().zip(afterstates) {
            *value = self.afterstates[afterstate] as f32;
        }
    }
}

/// A game in which one action leads back to the position before it, with a large reward.
pub struct Circling {
    pub game: Game2048,
    pub start: State,
    pub back: Successor,
}

impl Game for Circling {
    forward_game!(|this| this.game;
        description, outcomes, write, write_afterstate, parse
    );

    fn start(&self, _: u64) -> State {
        self.start
    }

    fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        if afterstate == self.back.afterstate {
            self.start
        } else {
            self.game.spawn(afterstate, random)
        }
    }

    fn successors(&self, state: State, out: &mut Successors) {
        let mut plain = Successors::new();
        self.game.successors(state, &mut plain);
        out.clear();
        let reward =
            |s: &Successor| if s.afterstate == self.back.afterstate { 1e4 } else { s.reward };
        plain.iter().for_each(|s| out.push(s.action, s.afterstate, reward(s)));
    }
}

pub struct Scaled {
    pub game: Game2048,
    pub factor: f32,
}

impl Game for Scaled {
    forward_game!(|this| this.game;
        description, start, outcomes, spawn, write, write_afterstate, parse
    );

    fn successors(&self, state: State, out: &mut Successors) {
        let mut plain = Successors::new();
        self.game.successors(state, &mut plain);
        out.clear();
        plain.iter().for_each(|s| out.push(s.action, s.afterstate, self.factor * s.reward));
    }
}
