//! Tests a value or an agent on a game: its games, whether they are repeatable, and its
//! estimates.

use runner_core::wrappers::Limited;
use runner_core::{
    Action, Agent, Analysis, Episode, Fault, Game, Random, Seed, State, Successors, Turn, catch,
    play,
};
use runner_play::calls::Calls;
use runner_play::failure::attributed;
use runner_play::player::{NamedPlayer, Player};
use runner_play::registry::LoadedGame;
use runner_play::watched::WatchedGame;
use runner_plugin::DynGame;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

const GAMES: u64 = 4;
/// Most moves of a game.
const MOVES: u64 = 200;
/// A slow player plays no more games after this time.
const PATIENCE: Duration = Duration::from_secs(1);
const ANALYSED: u64 = 8;

/// A player and the game that it is tested on.
pub struct Test<'a> {
    pub named: &'a NamedPlayer,
    pub game: &'a LoadedGame,
    pub subject: &'a str,
    pub calls: &'a Calls,
}

/// A player whose calls are under watch. It gets the loaded rules, whose calls are not: then it is
/// as fast as in play.
struct WatchedPlayer<'a> {
    player: Player,
    game: &'a LoadedGame,
    subject: &'a str,
    calls: &'a Calls,
}

impl WatchedPlayer<'_> {
    fn call<T>(&mut self, name: &'static str, call: impl FnOnce(&mut Player, &DynGame) -> T) -> T {
        self.calls.make(self.subject, name, || call(&mut self.player, &self.game.rules))
    }
}

impl Agent for WatchedPlayer<'_> {
    fn begin<G: Game>(&mut self, _: &G, start: State) {
        self.call("begin", |player, rules| player.begin(rules, start));
    }

    fn act<G: Game>(&mut self, _: &G, turn: &Turn<'_>) -> Option<Action> {
        let name = self.player.move_name();
        self.call(name, |player, rules| player.act(rules, turn))
    }

    fn analyse<G: Game>(&mut self, _: &G, turn: &Turn<'_>) -> Analysis {
        self.call("analyse", |player, rules| player.analyse(rules, turn))
    }

    fn end<G: Game>(&mut self, _: &G, last: State) {
        self.call("end", |player, rules| player.end(rules, last));
    }
}

impl Test<'_> {
    /// Returns a summary, or the first defect.
    pub fn run(&self) -> Result<String, String> {
        let whose = [self.game.label.as_str(), &self.named.label];
        self.find().map_err(|Fault(message)| attributed(&message, &whose))
    }

    fn find(&self) -> Result<String, Fault> {
        let first = self.games(0..GAMES, PATIENCE)?;
        if first.iter().all(|game| game.moves == 0) {
            return Err(Fault::new("stops every game before its first move"));
        }
        let count = first.len() as u64;
        if self.games(0..count, Duration::MAX)? != first {
            return Err(Fault::new(
                "plays the same games differently a second time: it has random numbers of its \
                 own, or depends on time; draw from the turn's `random`",
            ));
        }
        let mut reversed = self.games((0..count).rev(), Duration::MAX)?;
        reversed.reverse();
        if reversed != first {
            return Err(Fault::new(
                "plays a game differently after other games: forget them in `begin`",
            ));
        }
        self.analyse()?;
        Ok(format!("played {count} games three times, the same each time"))
    }

    fn watched_game(&self) -> impl Game {
        WatchedGame::new(&*self.game.rules, self.subject, self.calls)
    }

    fn fresh_player(&self) -> Result<WatchedPlayer<'_>, Fault> {
        let Self { subject, calls, game, .. } = *self;
        let player = calls.make(subject, "clone", || catch(|| self.named.player.clone()))?;
        Ok(WatchedPlayer { player, game, subject, calls })
    }

    /// Plays games with a fresh clone. No game starts after this time.
    fn games(
        &self,
        numbers: impl Iterator<Item = u64>,
        patience: Duration,
    ) -> Result<Vec<Episode>, Fault> {
        let (rules, mut player) = (self.watched_game(), self.fresh_player()?);
        let began = Instant::now();
        let mut games = Vec::new();
        for number in numbers {
            games.push(catch(|| {
                let mut limited = Limited::to_moves(&mut player, MOVES);
                let mut random = Random::stream(Seed(1), number);
                play(&rules, &mut limited, &mut random, &AtomicBool::new(false))
            })?);
            if began.elapsed() > patience {
                break;
            }
        }
        Ok(games)
    }

    /// Analyses positions of random games.
    fn analyse(&self) -> Result<(), Fault> {
        let (rules, mut player) = (self.watched_game(), self.fresh_player()?);
        let positions = catch(|| runner_laws::positions_of_games(&rules, ANALYSED))?;
        let began = Instant::now();
        for state in positions {
            let mut successors = Successors::new();
            catch(|| rules.successors(state, &mut successors))?;
            if successors.is_empty() || began.elapsed() > PATIENCE {
                continue;
            }
            let turn = Turn { state, successors: &successors, random: 1 };
            let analysis = catch(|| {
                player.begin(&rules, state);
                player.analyse(&rules, &turn)
            })?;
            self.check(state, &successors, &analysis)?;
        }
        Ok(())
    }

    fn check(
        &self,
        state: State,
        successors: &Successors,
        analysis: &Analysis,
    ) -> Result<(), Fault> {
        let rules = &*self.game.rules;
        let name = |action: Action| rules.description().action_name(action);
        let at = catch(|| rules.write(state))?;
        let refuse = |what: String| Err(Fault::new(format!("{what} at `{at}`")));
        if let Some(action) = analysis.choice
            && successors.of(action).is_none()
        {
            return refuse(format!("analyse: chooses the illegal action {}", name(action)));
        }
        for &(action, value) in &analysis.action_values {
            if successors.of(action).is_none() {
                return refuse(format!("analyse: values the illegal action {}", name(action)));
            }
            if value.is_nan() {
                return refuse(format!("the value of {} is NaN", name(action)));
            }
        }
        Ok(())
    }
}
