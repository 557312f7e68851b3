//! `runner watch`: games in the terminal, with the player's values of the moves.

use crate::context::{Context, Execute};
use crate::options::{PlayerOptions, ResourceOptions, agent_or_strongest};
use clap::Args;
use runner_console::interrupt;
use runner_core::{Game, Random, Spec, catch};
use runner_play::brief;
use runner_play::failure::Failure;
use runner_play::learners;
use runner_play::player::NamedPlayer;
use runner_play::position::{find, open, parse};
use runner_play::registry::{LoadedGame, Registry};
use runner_play::threads::Threads;
use runner_play::watched::WatchedGame;
use runner_session::session::{Mover, SPEEDS, Setup};
use runner_session::timeline::Timeline;
use runner_spec::quantity::{Count, PositiveNumber};
use runner_watch::{self as watch, Loading};
use std::io::{IsTerminal, stdin, stdout};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;

/// Watch a player, play yourself, or step through a recorded game, in the terminal
#[derive(Debug, Clone, Default, Args)]
pub struct WatchOptions {
    #[command(flatten)]
    players: PlayerOptions,
    /// First position as text [default: a start position]
    #[arg(long, value_name = "TEXT", conflicts_with = "replay")]
    state: Option<String>,
    /// File of recorded games, one of which is shown; --agent judges its moves
    #[arg(long, value_name = "FILE")]
    replay: Option<PathBuf>,
    /// Number of the recorded game, counted from 0 [default: the lowest]
    #[arg(long, value_name = "N", requires = "replay")]
    game_number: Option<Count>,
    /// Moves per second, above 200 as fast as possible; the keys + and - change it [default: 10]
    #[arg(long, value_name = "N")]
    speed: Option<PositiveNumber>,
    /// File in which the key s saves the game [default: game-1.rec, or the next free number]
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,
    #[command(flatten)]
    resources: ResourceOptions,
}

/// Moves per second by default.
const SPEED: f64 = 10.0;

/// A game that is shown, with the cursor at its start.
struct ShownGame {
    game: LoadedGame,
    timeline: Timeline,
    /// The agent that played a recorded game.
    recorded_agent: Option<String>,
}

/// Starts a thread that loads a player.
fn load(agent: Spec, game: LoadedGame, threads: Threads, registry: Arc<Registry>) -> Loading {
    let (loaded, player) = channel();
    let what = learners::loading(&brief::player(&agent, &registry));
    thread::spawn(move || {
        // Nobody receives the player if the user has left the screen.
        let _ = loaded.send(NamedPlayer::trained(&registry, &agent, &game, &threads));
    });
    Loading { what, player }
}

impl Execute for WatchOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        self.show(Mover::Player, context)
    }
}

impl WatchOptions {
    /// Returns the options of `runner play`.
    pub fn of_person(
        players: PlayerOptions,
        state: Option<String>,
        resources: ResourceOptions,
    ) -> Self {
        Self { players, state, resources, ..Self::default() }
    }

    /// Shows the screen at once, while a thread loads the player. `mover` makes the moves at first.
    pub fn show(&self, mover: Mover, context: &Context) -> Result<(), Failure> {
        let (seed, registry) = (self.resources.seed(), context.registry());
        let person_plays = mover == Mover::Person;
        let mut random = Random::stream(seed, 0);
        let ShownGame { game, timeline, recorded_agent } = match &self.replay {
            Some(file) => self.recorded(file, registry)?,
            None => {
                let game = registry.game(&self.players.game(&context.linked)?)?;
                let start = match &self.state {
                    Some(text) => parse(&game, text, registry)?,
                    None => catch(|| WatchedGame::of(&game).start(random.word()))?,
                };
                let timeline = catch(|| Timeline::new(&WatchedGame::of(&game), start))?;
                ShownGame { game, timeline, recorded_agent: None }
            }
        };
        if !stdin().is_terminal() || !stdout().is_terminal() {
            return Err(Failure::failed(if person_plays {
                "`play` needs a terminal; with --stdio, a program plays through standard input"
            } else {
                "`watch` needs a terminal; `runner eval` plays without one, and `runner replay \
                 show` prints recorded games"
            }));
        }
        let named = self.players.agent.as_ref();
        let agent = match &self.replay {
            None => Some(agent_or_strongest(named, &game, &context.linked)?),
            Some(_) => named.cloned(),
        };
        let threads = Threads::new(self.resources.threads())?;
        let loading = agent.map(|agent| load(agent, game.clone(), threads, registry.clone()));
        let setup = Setup {
            recorded_agent,
            speed: self.speed_index(),
            records: self.records.clone(),
            person_plays,
            ..Setup::new(game, seed, timeline, random)
        };
        watch::show(setup, loading, registry, interrupt::listen())
    }

    fn recorded(&self, file: &Path, registry: &Registry) -> Result<ShownGame, Failure> {
        let (reader, game) = open(file, registry)?;
        if let Some(spec) = &self.players.game
            && registry.game(spec)?.spec != game.spec
        {
            return Err(Failure::usage(format!(
                "{} is of the game {}; leave out --game",
                file.display(),
                game.spec
            )));
        }
        let agent = reader.metadata().agent.clone();
        let number = self.game_number.map(Count::get);
        let record = find(reader, file, number)?;
        let timeline = catch(|| Timeline::recorded(&WatchedGame::of(&game), &record))?
            .map_err(|error| Failure::failed(format!("{}: {error}", file.display())))?;
        Ok(ShownGame { game, timeline, recorded_agent: Some(agent) })
    }

    /// Returns the index of the lowest of [`SPEEDS`] that is not below the wanted speed.
    fn speed_index(&self) -> usize {
        let wanted = self.speed.map_or(SPEED, PositiveNumber::get);
        let at_least = SPEEDS.iter().position(|&speed| speed >= wanted);
        at_least.unwrap_or(SPEEDS.len() - 1)
    }
}
