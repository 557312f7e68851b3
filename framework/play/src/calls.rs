//! Calls of games and players under watch: the one that does not return is named.

use crate::player::Player;
use runner_core::{
    Action, Agent, Analysis, Game, Outcomes, Random, Seed, State, Successors, Turn, catch,
    forward_game,
};
use runner_plugin::calls::{Calls, Entered};
use runner_plugin::{DynGame, LoadedGame};
use std::time::{Duration, Instant};

/// Longest time for which random games test the rules, and most moves of one of them.
const SEARCH: (Duration, usize) = (Duration::from_secs(60), 10_000);

/// Begins a call that makes calls of the rules, without a watch on each of those. While it is overdue,
/// random games from these positions, or from starts of the game if there is none, search for a rule
/// that does not return.
pub fn enter<'a>(
    game: &'a LoadedGame,
    whose: &str,
    name: &'static str,
    starts: &[State],
) -> Entered<'a> {
    let (searched, starts) = (game.clone(), starts.to_vec());
    let search = move || {
        // Only a call that does not return is of interest.
        let _ = catch(|| play_random_games(&searched, &starts));
    };
    game.calls.enter(whose, name).with_search(search)
}

fn play_random_games(game: &LoadedGame, starts: &[State]) {
    let rules = WatchedGame::of(game);
    let (began, (time, moves)) = (Instant::now(), SEARCH);
    let mut successors = Successors::new();
    let mut outcomes = Outcomes::with_capacity(rules.description().max_outcomes);
    for number in 0.. {
        let mut random = Random::stream(Seed(1), number);
        let mut state = match starts.len() {
            0 => rules.start(random.word()),
            count => starts[number as usize % count],
        };
        for _ in 0..moves {
            if began.elapsed() > time {
                return;
            }
            rules.successors(state, &mut successors);
            if successors.is_empty() {
                break;
            }
            let chosen = successors[random.below(successors.len() as u32) as usize].afterstate;
            rules.outcomes(chosen, &mut outcomes);
            state = rules.spawn(chosen, random.word());
        }
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
        self.calls.make_rule(self.whose, name, call)
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
