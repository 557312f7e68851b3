//! Many games of one player, on all threads.
//!
//! Game number k draws from stream k of the run's seed, so results do not depend
//! on the number of threads.

use crate::failure::Failure;
use crate::interrupt;
use crate::player::Player;
use crate::progress::Progress;
use crate::threads::Threads;
use runner_core::wrappers::{MoveLimit, Recorder, TimeLimit, Transcript};
use runner_core::{Agent, Episode, Fault, Game, GreedyPolicy, Random, Seed, catch};
use runner_plugin::{DynValue, LoadedGame, TableGame};
use runner_records::{Encoder, RecordWriter, WriteError};
use runner_spec::quantity::grouped;
use runner_stats::{GameResult, Results};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How often the watching thread looks at the clock and for an interrupt.
const TICK: Duration = Duration::from_millis(20);
/// What is over sooner needs no progress.
const QUIET: Duration = Duration::from_millis(500);
/// Of faults that say different things, so many are told.
const MESSAGES: usize = 3;

/// A value that plays, plays so many games at once on each thread.
const AT_ONCE: usize = 8;

/// What to play.
pub struct Plan<'a> {
    /// The game.
    pub game: &'a LoadedGame,
    /// How many games.
    pub games: u64,
    /// Where the chance of all games comes from.
    pub seed: Seed,
    /// The threads to play on.
    pub threads: &'a Threads,
    /// After this time no game is begun; after twice the time those that still
    /// run are given up.
    pub time: Option<Duration>,
    /// What ends a game early.
    pub limits: Limits,
}

/// What ends a game before the rules do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// No game has more moves.
    pub moves: Option<u64>,
    /// No move of a game begins later.
    pub time: Option<Duration>,
}

/// What was played.
pub struct Played {
    /// The games that ended.
    pub results: Results,
    /// How many ended by a fault; they are not among the results.
    pub faults: u64,
    /// What the faults said, each once.
    pub fault_messages: Vec<String>,
    /// How long it took.
    pub elapsed: Duration,
    /// Whether the user stopped it.
    pub interrupted: bool,
    /// Games given up because the time was over long before they were.
    pub given_up: u64,
}

/// Lets `player` play the games of a plan, and writes them down if asked to.
pub fn play(
    plan: &Plan<'_>,
    player: &Player,
    records: Option<RecordWriter>,
) -> Result<Played, Failure> {
    play_one_of("", plan, player, records)
}

/// The same for one of many players: `which` it is, progress says before the number of
/// games.
pub fn play_one_of(
    which: &str,
    plan: &Plan<'_>,
    player: &Player,
    records: Option<RecordWriter>,
) -> Result<Played, Failure> {
    interrupt::listen();
    // Copies are made here, on one thread: agents can be sent, not shared.
    let mut players = Vec::new();
    for _ in 0..(plan.threads.count() / player.threads()).max(1) {
        players.push(Mutex::new(catch(|| player.clone())?));
    }
    let table = TableGame::over(&plan.game.rules);
    let board = Board::new(plan, records);
    let watcher = std::thread::current();
    let elapsed = std::thread::scope(|scope| {
        let work = scope.spawn(|| {
            plan.threads.on_each(players.len(), &|i| {
                let player = &mut *lock(&players[i]);
                match &table {
                    Some(rules) => board.work(rules, player),
                    None => board.work(&*plan.game.rules, player),
                }
            });
            let elapsed = board.began.elapsed();
            board.is_done.store(true, Ordering::Release);
            watcher.unpark();
            elapsed
        });
        board.watch(which);
        work.join()
    });
    match elapsed {
        Ok(elapsed) => board.finish(elapsed),
        Err(payload) => Err(Fault::from_panic(payload).into()),
    }
}

/// What the threads share.
struct Board<'a> {
    plan: &'a Plan<'a>,
    began: Instant,
    /// The first game that nobody has taken.
    next: AtomicU64,
    /// How many games are taken at once: a handful where there are many, so that
    /// threads do not meet at the counter.
    handful: u64,
    done: AtomicU64,
    given_up: AtomicU64,
    /// Tells the games that run to end where they are.
    stop: AtomicBool,
    is_done: AtomicBool,
    results: Mutex<Results>,
    faults: Mutex<Faults>,
    records: Option<Mutex<RecordWriter>>,
    write_error: Mutex<Option<WriteError>>,
}

#[derive(Default)]
struct Faults {
    count: u64,
    messages: Vec<String>,
}

impl<'a> Board<'a> {
    fn new(plan: &'a Plan<'a>, records: Option<RecordWriter>) -> Self {
        Self {
            plan,
            began: Instant::now(),
            next: AtomicU64::new(0),
            handful: (plan.games / (plan.threads.count() as u64 * 256)).clamp(1, 64),
            done: AtomicU64::new(0),
            given_up: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            is_done: AtomicBool::new(false),
            results: Mutex::default(),
            faults: Mutex::default(),
            records: records.map(Mutex::new),
            write_error: Mutex::new(None),
        }
    }

    /// One thread's share of the games.
    fn work<G: Game>(&self, rules: &G, player: &mut Player) {
        let mut mine = Vec::new();
        if let (Player::Value(value), None) = (&*player, &self.records)
            && self.plan.limits == Limits::default()
        {
            self.work_together(rules, value, &mut mine);
        }
        let mut encoder = self.records.as_ref().map(|_| Encoder::new(rules));
        while !self.is_over() {
            let first = self.next.fetch_add(self.handful, Ordering::Relaxed);
            for number in first..(first + self.handful).min(self.plan.games) {
                if self.is_over() {
                    break;
                }
                self.tally(self.one_game(rules, player, number, encoder.as_mut()), &mut mine);
            }
            if first >= self.plan.games {
                break;
            }
        }
        let mut results = lock(&self.results);
        for game in mine {
            results.push(game);
        }
    }

    /// The same for a value that plays: several games at once.
    fn work_together<G: Game>(
        &self,
        rules: &G,
        value: &GreedyPolicy<DynValue>,
        mine: &mut Vec<GameResult>,
    ) {
        // Taken, and not yet ended.
        let running = RefCell::new(BTreeSet::new());
        let mut handful = 0..0;
        let next = || {
            if self.is_over() {
                return None;
            }
            if handful.is_empty() {
                let first = self.next.fetch_add(self.handful, Ordering::Relaxed);
                handful = first..(first + self.handful).min(self.plan.games);
            }
            let number = handful.next()?;
            running.borrow_mut().insert(number);
            Some((number, Random::stream(self.plan.seed, number)))
        };
        let done = |number, episode: Episode| {
            running.borrow_mut().remove(&number);
            self.tally(self.result(rules, number, &episode), mine);
        };
        let played =
            catch(|| runner_core::play_interleaved(rules, value, AT_ONCE, next, done, &self.stop));
        if played.is_err() {
            // Which of them it was, is seen when each is played alone.
            let mut player = Player::Value(value.clone());
            for number in running.into_inner().into_iter().chain(handful) {
                self.tally(self.one_game(rules, &mut player, number, None), mine);
            }
        }
    }

    /// Counts a game that is over.
    fn tally(&self, game: Result<Option<GameResult>, Fault>, mine: &mut Vec<GameResult>) {
        match game {
            Ok(Some(game)) => mine.push(game),
            Ok(None) => {
                self.given_up.fetch_add(1, Ordering::Relaxed);
            }
            Err(fault) => self.note(fault),
        }
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    /// Plays one game; `None` if it was told to stop.
    fn one_game<G: Game>(
        &self,
        rules: &G,
        player: &mut Player,
        number: u64,
        encoder: Option<&mut Encoder<'_, G>>,
    ) -> Result<Option<GameResult>, Fault> {
        let Plan { seed, limits, game, .. } = *self.plan;
        let episode = match (encoder, &mut *player) {
            (None, Player::Agent(agent)) if limits == Limits::default() => {
                agent.play(&*game.rules, seed, number, &self.stop)?
            }
            (None, player) => self.play_here(rules, player, number)?,
            (Some(encoder), player) => {
                let mut recorded = Recorder::new(player);
                let episode = self.play_here(rules, &mut recorded, number)?;
                if !self.cut(&episode) {
                    self.record(encoder, number, &recorded.transcript, &episode)?;
                }
                episode
            }
        };
        self.result(rules, number, &episode)
    }

    /// What counts of a game that is over; `None` if it was told to stop.
    fn result<G: Game>(
        &self,
        rules: &G,
        number: u64,
        episode: &Episode,
    ) -> Result<Option<GameResult>, Fault> {
        if self.cut(episode) {
            return Ok(None);
        }
        Ok(Some(GameResult {
            number,
            score: episode.score,
            moves: episode.moves,
            max_tile: catch(|| rules.max_tile(episode.last))?,
        }))
    }

    /// Plays one game with the loop on this side, under the limits.
    fn play_here<G: Game, A: Agent>(
        &self,
        rules: &G,
        agent: &mut A,
        number: u64,
    ) -> Result<Episode, Fault> {
        let mut random = Random::stream(self.plan.seed, number);
        let Limits { moves, time } = self.plan.limits;
        catch(|| {
            if moves.is_none() && time.is_none() {
                return runner_core::play(rules, agent, &mut random, &self.stop);
            }
            // No limit is the greatest that there can be.
            let limited = MoveLimit::new(agent, moves.unwrap_or(u64::MAX));
            let mut limited = TimeLimit::new(limited, time.unwrap_or(Duration::MAX));
            runner_core::play(rules, &mut limited, &mut random, &self.stop)
        })
    }

    /// Whether a game ended because it was told to.
    fn cut(&self, episode: &Episode) -> bool {
        !episode.finished && self.stop.load(Ordering::Relaxed)
    }

    fn record<G: Game>(
        &self,
        encoder: &mut Encoder<'_, G>,
        number: u64,
        transcript: &Transcript,
        episode: &Episode,
    ) -> Result<(), Fault> {
        let block = catch(|| encoder.encode(number, transcript, episode.score, episode.finished))?
            .map_err(Fault::new)?;
        if let Some(records) = &self.records
            && let Err(error) = lock(records).write(&block)
        {
            lock(&self.write_error).get_or_insert(error);
            self.stop.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    #[cold]
    fn note(&self, fault: Fault) {
        let mut faults = lock(&self.faults);
        faults.count += 1;
        if faults.messages.len() < MESSAGES && !faults.messages.contains(&fault.0) {
            faults.messages.push(fault.0);
        }
    }

    /// Whether no further game is to begin.
    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
            || self.plan.time.is_some_and(|time| self.began.elapsed() >= time)
    }

    /// Shows progress and passes on the wish to stop, until the work is done.
    fn watch(&self, which: &str) {
        let mut progress = Progress::new();
        while !self.is_done.load(Ordering::Acquire) {
            std::thread::park_timeout(TICK);
            let late = self.plan.time.is_some_and(|time| self.began.elapsed() >= time * 2);
            if interrupt::asked() || late {
                self.stop.store(true, Ordering::Relaxed);
            }
            if self.began.elapsed() >= QUIET {
                let done = self.done.load(Ordering::Relaxed);
                let games = grouped(self.plan.games);
                progress.show(&format!("{which}{} of {games} games", grouped(done)));
            }
        }
    }

    fn finish(self, elapsed: Duration) -> Result<Played, Failure> {
        if let Some(error) = into_inner(self.write_error) {
            return Err(error.into());
        }
        if let Some(records) = self.records {
            into_inner(records).finish()?;
        }
        let faults = into_inner(self.faults);
        Ok(Played {
            results: into_inner(self.results),
            faults: faults.count,
            fault_messages: faults.messages,
            elapsed,
            interrupted: interrupt::asked(),
            given_up: self.given_up.into_inner(),
        })
    }
}

/// A panic while one of these is held cannot leave it half changed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}
