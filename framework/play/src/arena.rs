//! Plays games of several players on all threads: [`Arena`]. A [`Cell`] is one player with its
//! game and seed; a cell is named by its index among those of the arena. A [`Schedule`] chooses
//! the games and receives their results.
//!
//! The register of calls shows whose move does not end.

mod cell;
mod episodes;
mod missing;
mod timed;

pub use cell::{Cell, Limits};
pub use episodes::{Ended, GameOutcome};
pub use missing::Missing;
pub use timed::ShownGames;

use crate::calls::Signs;
use crate::failure::Failure;
use crate::player::Player;
use crate::threads::Threads;
use crate::watched::WatchedGame;
use episodes::Episodes;
use runner_core::wrappers::Transcript;
use runner_core::{Episode, Fault, Game, catch, locked};
use runner_plugin::TableGame;
use runner_records::{Block, Encoder};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Interval at which the watching thread looks at the games and passes on the stop flag.
const TICK: Duration = Duration::from_millis(20);

/// Says which games are played, in which order. Workers call it, all at the same time.
pub trait Schedule: Sync {
    /// Chooses one of these cells for a worker, or `None` if the worker has nothing more to play.
    fn choose(&self, cells: &[usize]) -> Option<usize>;

    /// Takes the numbers of the next games of a cell; `None` if no more may be taken now.
    fn take(&self, cell: usize) -> Option<Range<u64>>;

    /// Returns true if a game that was taken may start.
    fn may_start(&self) -> bool {
        true
    }

    /// Receives a game that is over, from a worker. Workers are numbered from 0, and there are at
    /// most as many as threads.
    fn done(&self, worker: usize, cell: usize, outcome: GameOutcome);

    /// Returns true if [`record`](Self::record) receives each game before its outcome.
    fn is_recorded(&self) -> bool {
        false
    }

    fn record(&self, _block: &Block) {}
}

/// Players, and the threads on which they play.
pub struct Arena<'a> {
    pub cells: &'a [Cell],
    pub threads: &'a Threads,
    /// Time after which a worker may change to another cell.
    pub slice: Duration,
    /// True if the moves of slow players, and of some games of fast ones, are timed.
    pub is_timed: bool,
    /// Where the games of slow players are shown, if they are.
    pub shown: Option<&'a ShownGames>,
    pub stop: &'a AtomicBool,
}

/// Cells that are played at the same time, by the number of threads that each of their players
/// may need.
type Phases = BTreeMap<usize, Vec<usize>>;

impl Arena<'_> {
    /// Plays until the schedule has no more games. Players with different thread counts play in
    /// separate phases, so that each gets the threads that it asks for. `watch` is called from
    /// time to time on this thread.
    pub fn play(&self, schedule: &dyn Schedule, watch: &mut dyn FnMut()) -> Result<(), Failure> {
        let mut phases = Phases::new();
        for (index, cell) in self.cells.iter().enumerate() {
            phases.entry(cell.threads).or_default().push(index);
        }
        self.play_phases(&phases, schedule, watch)
    }

    /// Plays all players at the same time. The player that needs the most threads limits the
    /// number of workers.
    pub fn play_together(
        &self,
        schedule: &dyn Schedule,
        watch: &mut dyn FnMut(),
    ) -> Result<(), Failure> {
        let most = self.cells.iter().map(|cell| cell.threads).max().unwrap_or(1);
        let phases = Phases::from([(most, (0..self.cells.len()).collect())]);
        self.play_phases(&phases, schedule, watch)
    }

    /// Plays one phase after the other on the pool. This thread passes on the stop flag meanwhile.
    fn play_phases(
        &self,
        phases: &Phases,
        schedule: &dyn Schedule,
        watch: &mut dyn FnMut(),
    ) -> Result<(), Failure> {
        let tables: Vec<_> = self.cells.iter().map(|cell| cell.game.rules.with_tables()).collect();
        let all_signs: Vec<_> =
            (0..self.threads.count()).map(|_| Arc::<Signs>::default()).collect();
        let is_complete = AtomicBool::new(false);
        let watcher = std::thread::current();
        let work = || {
            for (threads, cells) in phases {
                let workers = (self.threads.count() / threads).max(1);
                self.threads.on_each(workers, &|number| {
                    let mut worker = Worker {
                        number,
                        signs: &all_signs[number],
                        arena: self,
                        schedule,
                        cells,
                        tables: &tables,
                        current: None,
                    };
                    while let Some(index) = schedule.choose(cells) {
                        worker.play_slice(index);
                    }
                });
            }
            is_complete.store(true, Ordering::Release);
            watcher.unpark();
        };
        let ended = std::thread::scope(|scope| {
            let thread = scope.spawn(work);
            // After a panic, `is_complete` stays false.
            while !is_complete.load(Ordering::Acquire) && !thread.is_finished() {
                std::thread::park_timeout(TICK);
                if self.stop.load(Ordering::Relaxed) {
                    all_signs.iter().for_each(|signs| signs.pulse.stop());
                }
                watch();
            }
            thread.join()
        });
        watch();
        Ok(ended.map_err(Fault::from_panic)?)
    }
}

struct Worker<'a> {
    number: usize,
    /// Ends its games, and shows whether its moves end.
    signs: &'a Arc<Signs>,
    arena: &'a Arena<'a>,
    schedule: &'a dyn Schedule,
    /// The cells of the phase.
    cells: &'a [usize],
    /// For each cell, its rules by row tables if the game has these.
    tables: &'a [Option<TableGame>],
    /// The cell of the last games, and this worker's copy of its player. There is only one copy,
    /// because a player may need much memory.
    current: Option<(usize, Player)>,
}

impl Worker<'_> {
    /// Plays games of a cell until it is the turn of another one.
    fn play_slice(&mut self, index: usize) {
        let cell = &self.arena.cells[index];
        let Cell { game, label, own_time, .. } = cell;
        let _moves = game
            .calls
            .enter_moves(label, cell.move_name, &game.label, self.signs.clone())
            .with_own_time(*own_time);
        let mut player = match self.current.take() {
            Some((current, player)) if current == index => player,
            _ => match catch(|| locked(&cell.player).clone()) {
                Ok(player) => player,
                Err(fault) => return self.forfeit(index, &fault),
            },
        };
        match &self.tables[index] {
            Some(rules) => self.play_games(index, rules, &mut player),
            None => {
                let rules = WatchedGame::noted(game, self.signs);
                self.play_games(index, &rules, &mut player);
            }
        }
        self.current = Some((index, player));
    }

    fn play_games<G: Game>(&self, index: usize, rules: &G, player: &mut Player) {
        let Self { number: worker, arena, schedule, .. } = *self;
        let episodes = Episodes {
            rules,
            cell: &arena.cells[index],
            is_timed: arena.is_timed,
            pulse: &self.signs.pulse,
            shown: arena.shown.map(|games| games.of_worker(worker)),
        };
        let start = Instant::now();
        let mut batch = 0..0;
        let mut is_over = false;
        let mut next = || {
            if is_over {
                return None;
            }
            if batch.is_empty() {
                // A change costs time, because the interleaved games end one by one.
                let changes = start.elapsed() >= arena.slice
                    && schedule.choose(self.cells).is_some_and(|other| other != index);
                let taken = if changes { None } else { schedule.take(index) };
                is_over = taken.is_none();
                batch = taken.unwrap_or_default();
            } else if !schedule.may_start() {
                return None;
            }
            batch.next()
        };
        let mut done = |outcome| schedule.done(worker, index, outcome);
        if !schedule.is_recorded() {
            return episodes.play(player, None, &mut next, &mut done);
        }
        let mut encoder = Encoder::new(rules);
        let mut record = |number, transcript: &Transcript, episode: &Episode| {
            let encode = || encoder.encode(number, transcript, episode.score, episode.finished);
            schedule.record(&catch(encode)?.map_err(Fault::new)?);
            Ok(())
        };
        episodes.play(player, Some(&mut record), &mut next, &mut done);
    }

    /// Takes the next games of a cell, and ends them with the fault of copying its player.
    fn forfeit(&self, index: usize, fault: &Fault) {
        for number in self.schedule.take(index).into_iter().flatten() {
            let result = Err(fault.clone());
            let outcome = GameOutcome { number, time: Duration::ZERO, result, times: None };
            self.schedule.done(self.number, index, outcome);
        }
    }
}
