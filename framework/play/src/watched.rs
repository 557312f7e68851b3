//! A game whose calls are registered, so that one that does not return is named: [`WatchedGame`].

use crate::calls::{Calls, Endless, Signs};
use crate::registry::LoadedGame;
use runner_core::rows::RowTables;
use runner_core::{
    Action, Afterstate, Description, Game, Outcome, Outcomes, Playout, State, Successor,
    Successors, TextError, playouts,
};
use runner_plugin::DynGame;
use std::any::Any;

/// How the calls of the rules are registered.
pub trait Watch: Send + Sync {
    /// True if loaded players may call the rules directly, and so unwatched.
    const IS_OPTIONAL: bool;

    /// Makes a call of the rule with this name. Its type is explained at `Signs::rule`.
    fn watch<T>(&self, rule: &'static &'static str, call: impl FnOnce() -> T) -> T;
}

/// A game whose calls are watched.
#[derive(Debug)]
pub struct WatchedGame<'a, G, W> {
    game: &'a G,
    watch: W,
}

/// Enters each call in the register of calls.
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

/// Only notes which rule is under way, which costs two stores: the moves of the player are
/// registered as one call.
impl Watch for &Signs {
    const IS_OPTIONAL: bool = true;

    #[inline]
    fn watch<T>(&self, rule: &'static &'static str, call: impl FnOnce() -> T) -> T {
        self.rule.store(Some(rule));
        let result = call();
        self.rule.store(None);
        result
    }
}

impl<'a, G: Game> WatchedGame<'a, G, Registered<'a>> {
    /// Wraps a game with this label.
    pub fn new(game: &'a G, whose: &'a str, calls: &'a Calls) -> Self {
        Self { game, watch: Registered { whose, calls } }
    }
}

impl<'a> WatchedGame<'a, DynGame, Registered<'a>> {
    /// Wraps a loaded game, whose calls are entered in the register of its plugins.
    pub fn of(game: &'a LoadedGame) -> Self {
        Self::new(&game.rules, &game.label, &game.calls)
    }
}

impl<'a> WatchedGame<'a, DynGame, &'a Signs> {
    /// Wraps a loaded game for the moves of a player, and notes the rule under way in `signs`.
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
