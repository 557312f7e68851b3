//! Games whose calls are under watch: the one that does not return is named.

use crate::calls::{Calls, Endless, Signs};
use crate::registry::LoadedGame;
use runner_core::rows::RowTables;
use runner_core::{
    Action, Afterstate, Description, Game, Outcome, Outcomes, Playout, State, Successor,
    Successors, TextError, playouts,
};
use runner_plugin::DynGame;
use std::any::Any;

/// What happens around each call of a rule.
pub trait Watch: Send + Sync {
    /// True if loaded players may play the game itself, whose calls are then not watched.
    const IS_OPTIONAL: bool;

    /// Makes a call of the rule with this name.
    fn watch<T>(&self, rule: &'static &'static str, call: impl FnOnce() -> T) -> T;
}

/// A game whose calls are watched.
#[derive(Debug)]
pub struct WatchedGame<'a, G, W> {
    game: &'a G,
    watch: W,
}

/// Enters each call with all other calls of plugins.
#[derive(Debug)]
pub struct Registered<'a> {
    whose: &'a str,
    calls: &'a Calls,
}

impl Watch for Registered<'_> {
    const IS_OPTIONAL: bool = false;

    fn watch<T>(&self, rule: &'static &'static str, call: impl FnOnce() -> T) -> T {
        let _entered = self.calls.enter_as(self.whose, rule, Endless::Always);
        call()
    }
}

/// Notes the rule under way, for a game of a player's moves.
impl Watch for &Signs {
    const IS_OPTIONAL: bool = true;

    #[inline]
    fn watch<T>(&self, rule: &'static &'static str, call: impl FnOnce() -> T) -> T {
        self.in_rule(rule, call)
    }
}

impl<'a, G: Game> WatchedGame<'a, G, Registered<'a>> {
    /// Wraps a game. `whose` names it.
    pub fn new(game: &'a G, whose: &'a str, calls: &'a Calls) -> Self {
        Self { game, watch: Registered { whose, calls } }
    }
}

impl<'a> WatchedGame<'a, DynGame, Registered<'a>> {
    /// Watches the calls of a loaded game, with all other calls of plugins.
    pub fn of(game: &'a LoadedGame) -> Self {
        Self::new(&game.rules, &game.label, &game.calls)
    }
}

impl<'a> WatchedGame<'a, DynGame, &'a Signs> {
    /// Notes the rule under way in the signs of a player.
    pub fn noted(game: &'a LoadedGame, signs: &'a Signs) -> Self {
        Self { game: &game.rules, watch: signs }
    }
}

#[warn(clippy::missing_trait_methods)]
impl<G: Game, W: Watch> Game for WatchedGame<'_, G, W> {
    fn description(&self) -> &Description {
        self.watch.watch(&"description", || self.game.description())
    }

    fn start(&self, random: u64) -> State {
        self.watch.watch(&"start", || self.game.start(random))
    }

    fn successors(&self, state: State, out: &mut Successors) {
        self.watch.watch(&"successors", || self.game.successors(state, out));
    }

    fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        self.watch.watch(&"outcomes", || self.game.outcomes(afterstate, out));
    }

    fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        self.watch.watch(&"spawn", || self.game.spawn(afterstate, random))
    }

    fn write(&self, state: State) -> String {
        self.watch.watch(&"write", || self.game.write(state))
    }

    fn write_afterstate(&self, afterstate: Afterstate) -> String {
        self.watch.watch(&"write_afterstate", || self.game.write_afterstate(afterstate))
    }

    fn parse(&self, text: &str) -> Result<State, TextError> {
        self.watch.watch(&"parse", || self.game.parse(text))
    }

    fn successor(&self, state: State, action: Action) -> Option<Successor> {
        self.watch.watch(&"successor", || self.game.successor(state, action))
    }

    fn chance_reward(&self, from: Option<Afterstate>, to: State) -> f32 {
        self.watch.watch(&"chance_reward", || self.game.chance_reward(from, to))
    }

    fn has_chance_rewards(&self) -> bool {
        self.watch.watch(&"has_chance_rewards", || self.game.has_chance_rewards())
    }

    fn starts(&self) -> Option<Vec<Outcome>> {
        self.watch.watch(&"starts", || self.game.starts())
    }

    fn max_tile(&self, state: State) -> Option<u64> {
        self.watch.watch(&"max_tile", || self.game.max_tile(state))
    }

    fn layer(&self, state: State) -> Option<u64> {
        self.watch.watch(&"layer", || self.game.layer(state))
    }

    fn transform(&self, state: State, symmetry: usize) -> State {
        self.watch.watch(&"transform", || self.game.transform(state, symmetry))
    }

    fn transform_afterstate(&self, afterstate: Afterstate, symmetry: usize) -> Afterstate {
        self.watch
            .watch(&"transform_afterstate", || self.game.transform_afterstate(afterstate, symmetry))
    }

    fn canonical_states(&self, states: &mut [State]) {
        self.watch.watch(&"canonical_states", || self.game.canonical_states(states));
    }

    fn canonical_afterstates(&self, afterstates: &mut [Afterstate]) {
        self.watch.watch(&"canonical_afterstates", || self.game.canonical_afterstates(afterstates));
    }

    fn tables(&self) -> Option<&RowTables> {
        None
    }

    /// Calls the watched rules for each move.
    fn playouts(&self, starts: &[State], random: u64, results: &mut [Playout]) {
        playouts::play(self, starts, random, results);
    }

    fn as_loaded(&self) -> Option<&dyn Any> {
        self.game.as_loaded().filter(|_| W::IS_OPTIONAL)
    }
}
