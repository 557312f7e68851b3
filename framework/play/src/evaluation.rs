//! Plays many games of one player on all threads: [`play`], a schedule of one cell.
//!
//! Game `k` draws from stream `k` of the run's seed, so results do not depend on the
//! number of threads.

pub use crate::arena::Limits;

use crate::arena::{Arena, Cell, Ended, GameOutcome, Missing, Schedule, ShownGames};
use crate::calls::Overdue;
use crate::failure::Failure;
use crate::faults::Faults;
use crate::kept::Kept;
use crate::luck::Luck;
use crate::player::NamedPlayer;
use crate::registry::LoadedGame;
use crate::threads::Threads;
use crossbeam_utils::CachePadded;
use runner_core::{Game as _, Seed, State, catch, locked};
use runner_records::{Block, RecordWriter, WriteError};
use runner_spec::quantity::{grouped, number, rate, time};
use runner_stats::{GameResult, Results};
use std::fmt;
use std::mem::take;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Maximum number of games that a worker takes at once.
const BATCH: u64 = 64;

/// The index of the only player in the file of kept games.
const PLAYER: usize = 0;

pub struct Plan<'a> {
    pub game: &'a LoadedGame,
    pub games: u64,
    pub seed: Seed,
    pub threads: &'a Threads,
    /// No game starts after this time. Games that still run after 5/4 of it are given up.
    pub time: Option<Duration>,
    pub limits: Limits,
    /// Positions of which each game draws its first one. If empty, games begin as the rules say.
    pub starts: &'a [State],
    /// What measures the luck of each game.
    pub luck: Option<Arc<Luck>>,
    /// The file that keeps the games. Those that it held when it was opened are not played again.
    pub kept: Option<&'a Kept>,
    /// True if [`Progress`] includes the games under way.
    pub shows_games: bool,
}

impl<'a> Plan<'a> {
    /// Plans whole games that begin as the rules say.
    pub fn new(game: &'a LoadedGame, games: u64, seed: Seed, threads: &'a Threads) -> Self {
        Self {
            game,
            games,
            seed,
            threads,
            time: None,
            limits: Limits::default(),
            starts: &[],
            luck: None,
            kept: None,
            shows_games: false,
        }
    }
}

pub struct Played {
    pub results: Results,
    /// The faults that ended games; these are not in `results`.
    pub faults: Faults,
    pub elapsed: Duration,
    pub interrupted: bool,
    /// Number of moves of the games that the file kept from an earlier run.
    pub moves_before: u64,
    /// The results so far of the games that were given up at the time limit or an interrupt.
    pub given_up: Vec<GameResult>,
}

/// The progress of an evaluation. Displayed, it is a line of text.
pub struct Progress {
    pub elapsed: Duration,
    /// Number of games that are over.
    over: u64,
    games: u64,
    /// Mean score of the games that have one.
    mean: Option<f64>,
    /// Moves per second, those of the games under way included.
    speed: f64,
    /// Largest tile of all games.
    max_tile: Option<u64>,
    /// A position of a game under way, if it is shown.
    pub position: Option<State>,
    /// Time left at the present rate, or until the time limit if that is less.
    left: Option<Duration>,
    /// Set if the games under way are to end, and only overdue calls are left. Then `watch` must
    /// end the program: the games are in here, and missing from the result of [`play`].
    pub stuck: Option<Stuck>,
}

/// An evaluation whose last games do not end. The program cannot end their threads, only itself.
pub struct Stuck {
    pub call: Overdue,
    /// The result of the games that are over. Their record is complete.
    pub played: Result<Played, Failure>,
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} games", grouped(self.over), grouped(self.games))?;
        if self.speed > 0.0 {
            let speed = rate(self.speed);
            write!(f, ", {} moves/s", speed.trim_end_matches("/s").trim_end())?;
        }
        if let Some(tile) = self.max_tile {
            write!(f, ", largest tile {}", grouped(tile))?;
        }
        if let Some(mean) = self.mean {
            write!(f, ", mean {}", number(mean))?;
        }
        match self.left {
            Some(left) if !left.is_zero() => write!(f, ", {} left", time(left)),
            _ => Ok(()),
        }
    }
}

/// Plays the games of a plan, and records them if `records` is given. `interrupt` ends the games
/// under way; `watch` is called from time to time on this thread.
pub fn play(
    plan: &Plan<'_>,
    player: &NamedPlayer,
    records: Option<RecordWriter>,
    interrupt: &AtomicBool,
    watch: &mut dyn FnMut(&Progress),
) -> Result<Played, Failure> {
    let player = catch(|| player.clone())?;
    let luck = plan.luck.clone();
    let cells = [Cell::new(plan.game, player, plan.seed, plan.limits, plan.starts, luck)];
    let must_end = AtomicBool::new(false);
    let games = Games::new(plan, &must_end, records);
    let longest = plan.time.map(|time| time.saturating_add(time / 4));
    let arena = Arena {
        cells: &cells,
        threads: plan.threads,
        slice: Duration::MAX,
        is_timed: false,
        shown: plan.shows_games.then_some(&games.shown),
        stop: &must_end,
    };
    arena.play(&games, &mut || {
        games.keep();
        let mut progress = games.progress();
        let interrupted = interrupt.load(Relaxed);
        if interrupted || longest.is_some_and(|longest| progress.elapsed >= longest) {
            must_end.store(true, Relaxed);
            let stuck = plan.game.calls.stuck();
            progress.stuck = stuck.map(|call| Stuck { call, played: games.finish(interrupted) });
        }
        watch(&progress);
    })?;
    games.finish(interrupt.load(Relaxed))
}

/// The games of a plan, shared by its workers.
struct Games<'a> {
    plan: &'a Plan<'a>,
    start: Instant,
    missing: Mutex<Missing>,
    /// Numbers of games and moves that the file kept from an earlier run.
    games_before: u64,
    moves_before: u64,
    /// The games of each worker. Those of the file are among the games of worker 0.
    shares: Vec<CachePadded<Mutex<Share>>>,
    shown: ShownGames,
    faults: Mutex<Faults>,
    /// True if the games under way must end and no other may start.
    must_end: &'a AtomicBool,
    /// The file of recorded games; `None` if there is none, or once it is complete.
    records: Mutex<Option<RecordWriter>>,
    record_error: Mutex<Option<WriteError>>,
}

/// The games of one worker, which alone adds to them.
#[derive(Default)]
struct Share {
    results: Vec<GameResult>,
    /// Sums over `results`.
    score: f64,
    moves: u64,
    max_tile: Option<u64>,
    given_up: Vec<GameResult>,
}

impl Share {
    fn add(&mut self, game: GameResult) {
        self.score += game.score;
        self.moves += game.moves;
        self.max_tile = self.max_tile.max(game.max_tile);
        self.results.push(game);
    }
}

impl<'a> Games<'a> {
    fn new(plan: &'a Plan<'a>, must_end: &'a AtomicBool, records: Option<RecordWriter>) -> Self {
        let threads = plan.threads.count();
        let shares: Vec<CachePadded<Mutex<Share>>> =
            (0..threads).map(|_| CachePadded::default()).collect();
        let before: Vec<_> =
            plan.kept.map_or_else(Vec::new, |kept| kept.before(PLAYER, plan.games).collect());
        before.iter().for_each(|&game| locked(&shares[0]).add(game));
        let missing = Missing::new(0..plan.games, before.iter().map(|game| game.number));
        Self {
            plan,
            start: Instant::now(),
            games_before: before.len() as u64,
            moves_before: before.iter().map(|game| game.moves).sum(),
            missing: Mutex::new(missing),
            shares,
            shown: ShownGames::new(threads),
            faults: Mutex::default(),
            must_end,
            records: Mutex::new(records),
            record_error: Mutex::default(),
        }
    }

    fn progress(&self) -> Progress {
        // The number of games with a score and of those without one, and the sum of the scores.
        let (mut scored, mut unscored, mut score) = (0, locked(&self.faults).count(), 0.0);
        let (mut moves, mut max_tile, mut position) = (0, None, None);
        for of_worker in &self.shares {
            let share = locked(of_worker);
            scored += share.results.len() as u64;
            unscored += share.given_up.len() as u64;
            score += share.score;
            moves += share.moves;
            max_tile = max_tile.max(share.max_tile);
        }
        for game in self.shown.under_way() {
            moves += game.moves;
            max_tile = max_tile.max(self.largest_tile(game.state));
            position = position.or(Some(game.state));
        }
        let (over, elapsed) = (scored + unscored, self.start.elapsed());
        let moves_now = moves.saturating_sub(self.moves_before);
        Progress {
            elapsed,
            over,
            games: self.plan.games,
            mean: (scored > 0).then(|| score / scored as f64),
            speed: moves_now as f64 / elapsed.as_secs_f64().max(1e-9),
            max_tile,
            position,
            left: self.time_left(over, elapsed),
            stuck: None,
        }
    }

    fn time_left(&self, over: u64, elapsed: Duration) -> Option<Duration> {
        let over_now = over.saturating_sub(self.games_before);
        let games_left = self.plan.games.saturating_sub(over);
        // Not finite, and so no duration, before the first game is over.
        let seconds = elapsed.as_secs_f64() * games_left as f64 / over_now as f64;
        let by_rate = Duration::try_from_secs_f64(seconds).ok();
        let until_limit = self.plan.time.map(|time| time.saturating_sub(elapsed));
        by_rate.into_iter().chain(until_limit).min()
    }

    /// Returns the largest tile on a board, without a call of the rules, which may not return.
    fn largest_tile(&self, state: State) -> Option<u64> {
        let board = self.plan.game.rules.description().geometry.as_ref()?;
        let ranks = (0..board.cells()).map(|cell| board.rank(state.bits(), cell));
        ranks.filter_map(|rank| board.values.get(usize::from(rank)).copied()).max()
    }

    /// Writes the games that are over to their files, so that a killed run does not lose them.
    fn keep(&self) {
        self.check_written(locked(&self.records).as_mut().map_or(Ok(()), RecordWriter::flush));
        // `Kept::finish` returns this error again.
        if self.plan.kept.is_some_and(|kept| kept.flush().is_err()) {
            self.must_end.store(true, Relaxed);
        }
    }

    /// Keeps an error of the record, which ends the evaluation.
    fn check_written(&self, written: Result<(), WriteError>) {
        if let Err(error) = written {
            locked(&self.record_error).get_or_insert(error);
            self.must_end.store(true, Relaxed);
        }
    }

    /// Completes the files, and moves all games into the result.
    fn finish(&self, interrupted: bool) -> Result<Played, Failure> {
        let elapsed = self.start.elapsed();
        let (mut results, mut given_up) = (Results::default(), Vec::new());
        for of_worker in &self.shares {
            let share = take(&mut *locked(of_worker));
            share.results.into_iter().for_each(|game| results.push(game));
            given_up.extend(share.given_up);
        }
        given_up.sort_by_key(|game| game.number);
        let faults = take(&mut *locked(&self.faults));
        if let Some(error) = locked(&self.record_error).take() {
            return Err(error.into());
        }
        if let Some(writer) = locked(&self.records).take() {
            writer.finish()?;
        }
        self.plan.kept.map_or(Ok(()), Kept::finish)?;
        let moves_before = self.moves_before;
        Ok(Played { results, faults, elapsed, interrupted, moves_before, given_up })
    }
}

impl Schedule for Games<'_> {
    fn choose(&self, _: &[usize]) -> Option<usize> {
        (self.may_start() && locked(&self.missing).left() > 0).then_some(0)
    }

    fn take(&self, _: usize) -> Option<Range<u64>> {
        if !self.may_start() {
            return None;
        }
        // Up to 1/256 of a worker's share, so that workers do not contend for `missing`.
        let batch = (self.plan.games / (self.shares.len() as u64 * 256)).clamp(1, BATCH);
        locked(&self.missing).take(batch)
    }

    fn may_start(&self) -> bool {
        !self.must_end.load(Relaxed)
            && self.plan.time.is_none_or(|time| self.start.elapsed() < time)
    }

    fn done(&self, worker: usize, _: usize, outcome: GameOutcome) {
        let mut share = locked(&self.shares[worker]);
        match outcome.result {
            Ok(Ended::Over(game)) => {
                if let Some(kept) = self.plan.kept {
                    kept.add(PLAYER, &game);
                }
                share.add(game);
            }
            Ok(Ended::Stopped(game)) => share.given_up.push(game),
            Err(fault) => locked(&self.faults).add(outcome.number, &fault.0),
        }
    }

    fn is_recorded(&self) -> bool {
        locked(&self.records).is_some()
    }

    fn record(&self, block: &Block) {
        let written = locked(&self.records).as_mut().map_or(Ok(()), |writer| writer.write(block));
        self.check_written(written);
    }
}
