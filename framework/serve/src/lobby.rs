//! The open games. A [`Lobby`] builds them from the specs that a browser sends.

use super::permits::Permits;
use super::refusal::Refusal;
use super::room::{GRACE, Room};
use runner_core::{Game, Random, Seed, Start, State, catch, locked};
use runner_play::failure::Failure;
use runner_play::player::NamedPlayer;
use runner_play::registry::{LoadedGame, Registry};
use runner_play::threads::Threads;
use runner_play::watched::WatchedGame;
use runner_play::written::{self, WrittenGame};
use runner_records::GameRecord;
use runner_session::session::{SPEEDS, Setup};
use runner_session::timeline::Timeline;
use runner_spec::Spec;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

/// Largest number of open games.
const MAX_ROOMS: usize = 16;
/// Largest number of moves of a recorded game.
const MAX_RECORDED_MOVES: u64 = 1_000_000;
/// Moves per second of a new game.
const SPEED: f64 = 5.0;

pub struct Lobby {
    pub registry: Arc<Registry>,
    /// The file and program names that specs of a browser may hold.
    pub permits: Permits,
    threads: Threads,
    /// Seed of the first game.
    seed: Seed,
    rooms: Mutex<Rooms>,
}

#[derive(Default)]
struct Rooms {
    /// Number of games that have been opened. It is the id of the last one.
    opened: u64,
    /// The open games by id.
    open: BTreeMap<u64, Arc<Room>>,
}

/// An open game, as lists show it.
#[derive(Serialize)]
pub struct Listed {
    id: u64,
    viewers: usize,
}

impl Lobby {
    pub fn new(registry: Arc<Registry>, permits: Permits, threads: Threads, seed: Seed) -> Self {
        Self { registry, permits, threads, seed, rooms: Mutex::default() }
    }

    /// Parses a spec from a browser, or the path of a model that the command line names.
    pub fn spec(&self, text: &str) -> Result<Spec, Failure> {
        let spec = self.permits.player_of(text).map_or_else(|| text.parse(), Ok)?;
        self.permits.check(&spec, &self.registry)?;
        Ok(spec)
    }

    /// Builds a game. Open games with the same spec share the rules, whose tables take megabytes.
    pub fn game(&self, spec: &str) -> Result<LoadedGame, Failure> {
        let built = self.registry.game(&self.spec(spec)?)?;
        let rooms = self.lock_rooms();
        let same = rooms.open.values().find(|room| room.game.spec == built.spec);
        Ok(same.map_or(built, |room| room.game.clone()))
    }

    pub fn player(&self, spec: &str, game: &LoadedGame) -> Result<NamedPlayer, Failure> {
        NamedPlayer::trained(&self.registry, &self.spec(spec)?, game, &self.threads)
    }

    /// Opens a new game and returns its id. It begins at the position `state` if there is one, and
    /// has the lobby's next seed if there is no `wanted_seed`.
    pub fn open(
        &self,
        game: &str,
        agent: &str,
        state: Option<&str>,
        wanted_seed: Option<u64>,
    ) -> Result<u64, Refusal> {
        check_vacancy(&self.lock_rooms())?;
        let game = self.game(game)?;
        let state = state.map(|text| self.state(&game, text)).transpose()?;
        let player = Some(self.player(agent, &game)?);
        let seed = wanted_seed.map_or_else(|| self.next_seed(), Seed);
        // Stream 0 is that of the first game of a seed.
        let mut random = Random::stream(seed, 0);
        let timeline = catch(|| {
            let rules = WatchedGame::of(&game);
            let start = state.unwrap_or_else(|| rules.start(random.word()));
            Timeline::new(&rules, start)
        })
        .map_err(Failure::from)?;
        self.add(Setup { player, ..Setup::new(game, seed, timeline, random) })
    }

    /// Opens a recorded game and returns its id. `recorded_agent` played it; `agent` judges it.
    pub fn open_recorded(
        &self,
        game: LoadedGame,
        record: &GameRecord,
        recorded_agent: &str,
        agent: &str,
    ) -> Result<u64, Refusal> {
        check_vacancy(&self.lock_rooms())?;
        if record.moves() > MAX_RECORDED_MOVES {
            return Err(Refusal::wrong(format!(
                "game {} has {} moves; the browser shows up to {MAX_RECORDED_MOVES}",
                record.number,
                record.moves()
            )));
        }
        let timeline = catch(|| Timeline::recorded(&WatchedGame::of(&game), record))
            .map_err(Failure::from)?
            .map_err(Failure::failed)?;
        self.add_recorded(game, timeline, recorded_agent, agent)
    }

    /// Opens a game that is written as text and returns its id. `agent` judges it.
    pub fn open_written(&self, game: &str, text: &str, agent: &str) -> Result<u64, Refusal> {
        check_vacancy(&self.lock_rooms())?;
        let game = self.game(game)?;
        let WrittenGame { start, moves } = written::read(&game, text, "the text", &self.registry)?;
        let start = catch(|| Start::new(&WatchedGame::of(&game), start)).map_err(Failure::from)?;
        self.add_recorded(game, Timeline::of_moves(start, &moves), "someone", agent)
    }

    fn add_recorded(
        &self,
        game: LoadedGame,
        timeline: Timeline,
        recorded_agent: &str,
        agent: &str,
    ) -> Result<u64, Refusal> {
        let player = Some(self.player(agent, &game)?);
        let recorded_agent = Some(recorded_agent.to_owned());
        let seed = self.next_seed();
        let random = Random::stream(seed, 0);
        self.add(Setup { player, recorded_agent, ..Setup::new(game, seed, timeline, random) })
    }

    fn add(&self, setup: Setup) -> Result<u64, Refusal> {
        let speed = SPEEDS.iter().position(|&speed| speed >= SPEED).unwrap_or(0);
        let room = Room::open(Setup { speed, ..setup }, &self.registry)?;
        let mut rooms = self.lock_rooms();
        // Another request may have opened a game since the first check.
        check_vacancy(&rooms)?;
        rooms.opened += 1;
        let id = rooms.opened;
        rooms.open.insert(id, Arc::new(room));
        Ok(id)
    }

    pub fn state(&self, game: &LoadedGame, text: &str) -> Result<State, Failure> {
        runner_play::position::parse(game, text, &self.registry)
    }

    pub fn room(&self, id: u64) -> Result<Arc<Room>, Refusal> {
        let room = self.lock_rooms().open.get(&id).cloned();
        room.ok_or_else(|| {
            Refusal::missing(format!("game {id} is over: it had no viewers; begin another one"))
        })
    }

    pub fn list(&self) -> Vec<Listed> {
        let rooms = self.lock_rooms();
        rooms.open.iter().map(|(&id, room)| Listed { id, viewers: room.viewers() }).collect()
    }

    /// Returns the seed of the next game. Each game has its own.
    fn next_seed(&self) -> Seed {
        Seed(self.seed.0.wrapping_add(self.lock_rooms().opened))
    }

    /// Locks the rooms, and drops those that have ended.
    fn lock_rooms(&self) -> MutexGuard<'_, Rooms> {
        let mut rooms = locked(&self.rooms);
        rooms.open.retain(|_, room| !room.is_over());
        rooms
    }
}

fn check_vacancy(rooms: &Rooms) -> Result<(), Refusal> {
    if rooms.open.len() < MAX_ROOMS {
        return Ok(());
    }
    Err(Refusal::busy(format!(
        "{MAX_ROOMS} games are open; close the page of one, which ends it after {} seconds",
        GRACE.as_secs()
    )))
}
