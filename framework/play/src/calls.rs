//! Calls of plugins that another thread watches, to name the one that does not return.

use crate::player::Player;
use crate::unpoisoned::locked;
use runner_core::{Action, Agent, Analysis, Game, State, Turn, forward_game};
use runner_plugin::DynGame;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Time between two looks at the calls.
const TICK: Duration = Duration::from_millis(50);

/// The calls under way of one thread, and of those that work for it.
#[derive(Clone, Debug, Default)]
pub struct Calls(Arc<Mutex<UnderWay>>);

#[derive(Debug, Default)]
struct UnderWay {
    /// The calls in the order in which they began.
    calls: Vec<Call>,
    /// Number of the next call.
    next: u64,
}

#[derive(Debug)]
struct Call {
    number: u64,
    /// Kind and name of the plugin, or the name of a test.
    whose: String,
    /// Name of the function.
    name: &'static str,
    began: Instant,
}

impl Calls {
    /// Makes a call.
    pub fn make<T>(&self, whose: &str, name: &'static str, call: impl FnOnce() -> T) -> T {
        let entered = Entered::new(self, whose, name);
        let result = call();
        drop(entered);
        result
    }

    /// Returns whose call has not returned for this time, and its name. A call that waits for another
    /// one is not named.
    pub fn overdue(&self, limit: Duration) -> Option<(String, &'static str)> {
        let UnderWay { calls, .. } = &*locked(&self.0);
        calls.first().filter(|call| call.began.elapsed() > limit)?;
        // An inner call began later than its outer one. A call that began just now is one of many.
        let waited_for = calls.iter().rev().find(|call| call.began.elapsed() > limit / 2);
        waited_for.map(|call| (call.whose.clone(), call.name))
    }

    /// Starts a thread that calls `end` if a call does not return within a time. It ends with the
    /// last clone of the calls.
    pub fn watch(&self, limit: Duration, end: impl Fn(&str, &'static str) + Send + 'static) {
        let calls = Arc::downgrade(&self.0);
        thread::spawn(move || {
            while let Some(calls) = calls.upgrade().map(Calls) {
                if let Some((whose, name)) = calls.overdue(limit) {
                    return end(&whose, name);
                }
                drop(calls);
                thread::sleep(TICK.min(limit));
            }
        });
    }
}

/// A call under way. It ends with this, also by a panic.
struct Entered<'a> {
    calls: &'a Calls,
    number: u64,
}

impl<'a> Entered<'a> {
    fn new(calls: &'a Calls, whose: &str, name: &'static str) -> Self {
        let mut under_way = locked(&calls.0);
        let number = under_way.next;
        under_way.next += 1;
        let began = Instant::now();
        under_way.calls.push(Call { number, whose: whose.to_owned(), name, began });
        Self { calls, number }
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        locked(&self.calls.0).calls.retain(|call| call.number != self.number);
    }
}

/// A game whose calls are watched.
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

    fn watch<T>(&self, name: &'static str, call: impl FnOnce() -> T) -> T {
        self.calls.make(self.whose, name, call)
    }
}

impl<G: Game> Game for WatchedGame<'_, G> {
    forward_game!(|this| this.game, within watch; rules);
}

/// A player whose calls are watched.
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

/// Makes a call of the player under watch.
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
        let name = match self.player {
            Player::Agent(_) => "act",
            Player::Value(_) => "evaluate",
        };
        watched_player!(self, name, act(game, turn))
    }

    fn analyse<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Analysis {
        watched_player!(self, "analyse", analyse(game, turn))
    }

    fn end<G: Game>(&mut self, game: &G, last: State) {
        watched_player!(self, "end", end(game, last));
    }
}
