//! Games whose calls are under watch: the one that does not return is named.

use crate::calls::{Calls, Endless};
use crate::registry::LoadedGame;
use runner_core::{Game, forward_game};
use runner_plugin::{DynGame, Signs};
use std::any::Any;

#[derive(Debug)]
pub struct WatchedGame<'a, G> {
    game: &'a G,
    whose: &'a str,
    calls: &'a Calls,
}

impl<'a, G: Game> WatchedGame<'a, G> {
    /// Wraps a game. `whose` names it.
    pub fn new(game: &'a G, whose: &'a str, calls: &'a Calls) -> Self {
        Self { game, whose, calls }
    }

    fn watch<T>(&self, name: &'static &'static str, call: impl FnOnce() -> T) -> T {
        let _entered = self.calls.enter_as(self.whose, name, Endless::Always);
        call()
    }
}

impl<'a> WatchedGame<'a, DynGame> {
    /// Watches the calls of a loaded game, with all other calls of plugins.
    pub fn of(game: &'a LoadedGame) -> Self {
        Self::new(&game.rules, &game.label, &game.calls)
    }
}

impl<G: Game> Game for WatchedGame<'_, G> {
    forward_game!(|this| this.game, within watch; rules);
}

/// A loaded game of a player's moves, of which `signs` show the rule under way.
#[derive(Debug)]
pub struct NotedGame<'a> {
    pub game: &'a DynGame,
    pub signs: &'a Signs,
}

impl NotedGame<'_> {
    #[inline]
    fn note<T>(&self, name: &'static &'static str, call: impl FnOnce() -> T) -> T {
        self.signs.in_rule(name, call)
    }
}

impl Game for NotedGame<'_> {
    forward_game!(|this| this.game, within note; rules);

    fn as_loaded(&self) -> Option<&dyn Any> {
        self.game.as_loaded()
    }
}
