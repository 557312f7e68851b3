//! Calls of games and players under watch: the one that does not return is named.

use crate::calls::{Calls, Endless};
use crate::player::Player;
use crate::registry::LoadedGame;
use runner_core::{Action, Agent, Analysis, Game, Signs, State, Turn, forward_game};
use runner_plugin::DynGame;
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

pub struct WatchedPlayer<'a> {
    player: Player,
    whose: &'a str,
    calls: &'a Calls,
    /// The rules that it gets, if not those of the loop that plays.
    rules: Option<&'a DynGame>,
}

impl<'a> WatchedPlayer<'a> {
    /// Wraps a player. `whose` names it.
    pub fn new(player: Player, whose: &'a str, calls: &'a Calls) -> Self {
        Self { player, whose, calls, rules: None }
    }

    /// Gives the player these rules, whose calls are not watched: then it is as fast as in play.
    #[must_use]
    pub fn with_rules(self, rules: &'a DynGame) -> Self {
        Self { rules: Some(rules), ..self }
    }
}

macro_rules! watched_player {
    ($this:ident, $name:expr, $method:ident($game:ident, $argument:expr)) => {{
        let Self { player, whose, calls, rules } = $this;
        calls.make(whose, $name, || match rules {
            Some(rules) => player.$method(*rules, $argument),
            None => player.$method($game, $argument),
        })
    }};
}

impl Agent for WatchedPlayer<'_> {
    fn begin<G: Game>(&mut self, game: &G, start: State) {
        watched_player!(self, "begin", begin(game, start));
    }

    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        let name = self.player.move_name();
        watched_player!(self, name, act(game, turn))
    }

    fn analyse<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Analysis {
        watched_player!(self, "analyse", analyse(game, turn))
    }

    fn end<G: Game>(&mut self, game: &G, last: State) {
        watched_player!(self, "end", end(game, last));
    }
}
