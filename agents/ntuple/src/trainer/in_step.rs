//! Two threads that play the same games in step, each with half of the tables.
//!
//! Threads that share tables spend much of their time on cache lines that another one has written. Here
//! there are two sides with tables of their own: a side computes its half of every sum and updates its own
//! weights. Both draw the same random numbers and make the same moves, so they exchange only about
//! five sums a move. The sums of a group of games fill a few cache lines; while these travel, each
//! side works on the other group.
//!
//! Each side handles the games in the same order, so that the same seed gives the same weights every
//! time. It does not matter which thread plays a side: if the second thread loses its core, the first one
//! plays both.
//!
//! The first side leads: it counts, chooses the starts of games and collects entrances of stages.

use super::game::TrainingGame;
use super::schedule::{BATCH, OVER_AT_START, Training};
use crate::rule::Rule;
use crate::starts::NewGame;
use crate::update::TrainingContext;
use agent_ntuple_network::PartOfLookup;
use runner_core::{Fault, Game, MAX_ACTIONS, catch, locked};
use runner_learning::over_at_start;
use std::collections::VecDeque;
use std::hint::spin_loop;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{
    AtomicBool, AtomicU32, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

/// Number of games of a group. A side works on one group while the sums of the other one travel.
const GROUP: usize = 8;

/// Number of games that two threads play in step.
pub const GAMES: usize = 2 * GROUP;

/// Maximum number of sums of a group: for each game those of its afterstates, and that of its last step.
const SUMS: usize = GROUP * (MAX_ACTIONS + 1);

/// Number of slots of a side. The other side may have read none of them yet.
const SLOTS: usize = 4;

/// Number of looks at a cache line that another thread will write before the core is left to others.
const LOOKS: u32 = 200;

/// Time that the first thread waits for the second one before it plays both sides. A batch takes less
/// than this, and a thread that has lost its core is away for longer.
const PATIENCE: Duration = Duration::from_millis(1);

/// Time that the second thread waits for a batch before it sleeps.
const AWAKE: Duration = Duration::from_millis(2);

/// The sums of a group that one side hands to the other, without gaps.
#[repr(C, align(128))]
struct Slot {
    /// The number of the group, from 1 on.
    group: AtomicU64,
    sums: [AtomicU32; SUMS],
}

impl Default for Slot {
    fn default() -> Self {
        Self { group: AtomicU64::new(0), sums: [const { AtomicU32::new(0) }; SUMS] }
    }
}

/// Games whose sums were handed over.
struct Group {
    /// The places of the games in the list, which begins again at its end.
    games: Range<usize>,
    number: u64,
    /// Number of games that are over.
    over: usize,
}

/// The games with half of the tables, and where they are in a batch. The alignment keeps the sides on different
/// cache lines.
#[repr(align(128))]
struct Side<'a, R: Rule> {
    number: usize,
    context: TrainingContext<'a, R>,
    games: Vec<TrainingGame>,
    /// The game with the next turn.
    next: usize,
    /// Number of groups that were handed over.
    groups: u64,
    /// The group that moves next, and the one after it, if they were handed over.
    group: Option<Group>,
    ahead: Option<Group>,
    /// Number of moves that remain of the batch.
    left: u64,
    /// Number of moves of the batch that were not made because no game is under way.
    not_made: u64,
    /// Number of turns without a move since the last move.
    idle: u64,
}

struct InStep<'a, G, R: Rule> {
    training: &'a Training<'a, G, R>,
    slots: [[Slot; SLOTS]; 2],
    /// The starts of games that the first side has chosen, in order. `None` if no more may begin.
    starts: Mutex<VecDeque<Option<NewGame>>>,
    /// The second side, which the second thread plays, or the first one beside its own.
    second: Mutex<Side<'a, R>>,
    batch: Batch,
    failed: AtomicBool,
}

/// The batches that both threads play.
#[derive(Default)]
#[repr(align(128))]
struct Batch {
    /// Number of the last batch that has begun.
    begun: AtomicU64,
    /// Number of the last batch that the second thread has finished.
    finished: AtomicU64,
    /// Number of the last batch that the first thread took over: it plays the rest of both sides.
    taken_over: AtomicU64,
    is_awake: AtomicBool,
    /// True if no more batches begin.
    is_over: AtomicBool,
}

/// Trains games on two threads, each with one of the parts of the lookup.
pub fn train<G: Game, R: Rule>(
    training: &Training<'_, G, R>,
    parts: &[PartOfLookup; 2],
    games: &mut [TrainingGame],
) -> Result<(), Fault> {
    let [mut first, second] = [0, 1].map(|number| Side::new(number, training, parts, games));
    let in_step = InStep {
        training,
        slots: Default::default(),
        starts: Mutex::default(),
        second: Mutex::new(second),
        batch: Batch::default(),
        failed: AtomicBool::new(false),
    };
    let (led, followed) = thread::scope(|scope| {
        let follower = scope.spawn(|| in_step.catching(|| in_step.follow()));
        let led = in_step.catching(|| in_step.lead(&mut first, follower.thread()));
        in_step.batch.is_over.store(true, Relaxed);
        in_step.call(follower.thread());
        (led, follower.join().expect("faults of the thread are caught"))
    });
    // A fault of one thread ends the other one.
    led?;
    followed?;
    let second = in_step.second.into_inner().expect("no thread has failed");
    for ((game, first), second) in games.iter_mut().zip(first.games).zip(second.games) {
        game.set_parts([(first, &parts[0].numbers), (second, &parts[1].numbers)]);
    }
    games.rotate_left(second.next);
    Ok(())
}

impl<'a, R: Rule> Side<'a, R> {
    fn new<G: Game>(
        number: usize,
        training: &Training<'a, G, R>,
        parts: &'a [PartOfLookup; 2],
        games: &[TrainingGame],
    ) -> Self {
        let part = &parts[number];
        let context = TrainingContext { lookup: &part.lookup, ..training.context };
        let mut games: Vec<_> = games.iter().map(|game| game.part(&part.numbers)).collect();
        for game in games.iter_mut().filter(|game| game.under_way) {
            game.find_actions(training.game, &context);
        }
        Self {
            number,
            context,
            games,
            next: 0,
            groups: 0,
            group: None,
            ahead: None,
            left: 0,
            not_made: 0,
            idle: 0,
        }
    }

    /// Begins a batch. No sums of earlier ones are under way, so that it depends on the weights and the games
    /// alone.
    fn begin_batch(&mut self, rule: R, moves: u64) {
        self.context.rule = rule;
        (self.group, self.ahead) = (None, None);
        (self.left, self.not_made, self.idle) = (moves, 0, 0);
    }
}

impl<'a, G: Game, R: Rule> InStep<'a, G, R> {
    fn catching(&self, task: impl FnOnce()) -> Result<(), Fault> {
        let done = catch(task);
        if done.is_err() {
            self.failed.store(true, Relaxed);
        }
        done
    }

    /// Plays the first side, or both, until the training ends or the other thread has failed.
    fn lead(&self, first: &mut Side<'a, R>, follower: &Thread) {
        let run = &self.training.counters.run;
        let mut rest = Rest::default();
        while !run.is_stopped() && first.games.iter().any(|game| game.under_way) {
            let moves = run.claim_moves(BATCH);
            if moves == 0 {
                break;
            }
            let rule = self.training.context_of_batch().rule;
            first.begin_batch(rule, moves);
            locked(&self.second).begin_batch(rule, moves);
            let is_awake = self.batch.is_awake.load(Relaxed);
            if rest.take() || !is_awake {
                if !is_awake && rest.left == 0 {
                    follower.unpark();
                }
                self.play_both(first);
            } else {
                let number = self.call(follower);
                let is_late = |waited| waited > PATIENCE;
                let is_done = self.play(&mut [first], is_late) && self.wait_for(number, is_late);
                if !is_done {
                    self.batch.taken_over.store(number, Relaxed);
                    self.play_both(first);
                }
                rest.add(is_done);
            }
            if self.failed.load(Relaxed) {
                return;
            }
            self.training.end_batch(moves, first.not_made);
        }
    }

    /// Plays the rest of a batch of both sides, if the second thread has not failed.
    fn play_both(&self, first: &mut Side<'a, R>) {
        match self.second.lock() {
            Ok(mut second) => drop(self.play(&mut [first, &mut second], |_| false)),
            // The second thread failed while it played its side.
            Err(_) => self.failed.store(true, Relaxed),
        }
    }

    /// Plays the second side in the batches of both threads.
    fn follow(&self) {
        let mut last = 0;
        self.batch.is_awake.store(true, Relaxed);
        loop {
            let mut wait = Wait::default();
            while self.batch.begun.load(Acquire) == last {
                if wait.pause() > AWAKE {
                    self.batch.is_awake.store(false, Relaxed);
                    thread::park();
                    self.batch.is_awake.store(true, Relaxed);
                    wait = Wait::default();
                }
            }
            last = self.batch.begun.load(Acquire);
            if self.batch.is_over.load(Relaxed) || self.failed.load(Relaxed) {
                return;
            }
            let mut second = locked(&self.second);
            let is_taken = |_| self.batch.taken_over.load(Relaxed) >= last;
            let is_done = !is_taken(Duration::ZERO) && self.play(&mut [&mut second], is_taken);
            drop(second);
            if is_done {
                self.batch.finished.store(last, Release);
            }
        }
    }

    /// Calls the second thread to a batch, and returns the batch's number.
    fn call(&self, follower: &Thread) -> u64 {
        let number = self.batch.begun.fetch_add(1, Release) + 1;
        follower.unpark();
        number
    }

    /// Waits until the second thread has finished a batch. Returns false if it is late or has failed.
    fn wait_for(&self, number: u64, is_late: impl Fn(Duration) -> bool) -> bool {
        let mut wait = Wait::default();
        while self.batch.finished.load(Acquire) != number {
            if is_late(wait.pause()) || self.failed.load(Relaxed) {
                return false;
            }
        }
        true
    }

    /// Plays a batch of some sides. Returns false if another thread has failed, or if `gives_up` says so, which
    /// gets the time that the sides have waited for another one.
    fn play(&self, sides: &mut [&mut Side<'a, R>], gives_up: impl Fn(Duration) -> bool) -> bool {
        let (mut wait, mut waited) = (Wait::default(), Duration::ZERO);
        while sides.iter().any(|side| side.left > 0) {
            let mut has_advanced = false;
            for side in sides.iter_mut().filter(|side| side.left > 0) {
                has_advanced |= self.advance(side);
            }
            if has_advanced {
                (wait, waited) = (Wait::default(), Duration::ZERO);
            }
            if gives_up(waited) || (!has_advanced && self.failed.load(Relaxed)) {
                return false;
            }
            if !has_advanced {
                waited = wait.pause();
            }
        }
        true
    }

    /// Hands over the next group of a side, or makes the moves of one. Returns false if that needs another
    /// side.
    fn advance(&self, side: &mut Side<'a, R>) -> bool {
        match (&side.group, &side.ahead) {
            (None, _) => side.group = Some(self.hand_over(side, side.left)),
            (Some(group), None) => {
                let in_group = group.games.len() as u64;
                side.ahead = Some(self.hand_over(side, side.left - in_group));
            }
            (Some(group), Some(_)) => {
                let other = self.slot(1 - side.number, group);
                // A game that is over needs the start of the next one.
                let has_starts =
                    side.number == 0 || group.over == 0 || locked(&self.starts).len() >= group.over;
                if other.group.load(Acquire) != group.number || !has_starts {
                    return false;
                }
                self.make_moves(side);
                side.group = side.ahead.take();
            }
        }
        true
    }

    fn slot(&self, side: usize, group: &Group) -> &Slot {
        &self.slots[side][group.number as usize % SLOTS]
    }

    /// Computes the sums of the next games of a side, at most `at_most`, and hands them over.
    fn hand_over(&self, side: &mut Side<'a, R>, at_most: u64) -> Group {
        let size = at_most.min(GROUP as u64) as usize;
        side.groups += 1;
        let games = side.next..side.next + size;
        let mut group = Group { games, number: side.groups, over: 0 };
        let slot = self.slot(side.number, &group);
        let mut sums = slot.sums.iter();
        let mut add = |value: f32| {
            let sum = sums.next().expect("a slot has room for a group");
            sum.store(value.to_bits(), Relaxed);
        };
        let context = side.context;
        let n = context.lookup.per_position();
        for place in group.games.clone() {
            let game = &side.games[place % side.games.len()];
            if !game.under_way {
                continue;
            }
            game.afterstate_indices(n).for_each(|indices| add(context.value(indices)));
            let has_last = game.trajectory.length() > 0;
            add(if has_last { context.known_value(game.trajectory.indices(0)) } else { 0.0 });
            group.over += usize::from(game.successors.is_empty());
        }
        slot.group.store(group.number, Release);
        side.next = group.games.end % side.games.len();
        group
    }

    /// Makes the moves of the next group, whose sums both sides have handed over.
    fn make_moves(&self, side: &mut Side<'a, R>) {
        let group = side.group.as_ref().expect("it was handed over");
        let (training, context) = (self.training, side.context);
        let entrances = (side.number == 0).then_some(&training.starts.entrances);
        let halves = [0, 1].map(|number| &self.slot(number, group).sums);
        let sum = |sums: &[AtomicU32; SUMS], at: usize| f32::from_bits(sums[at].load(Relaxed));
        let (mut at, mut made) = (0, 0);
        let count = side.games.len();
        for place in group.games.clone() {
            let game = &mut side.games[place % count];
            if !game.under_way {
                continue;
            }
            let actions = game.successors.len();
            let mut values = [0.0; MAX_ACTIONS + 1];
            let values = &mut values[..=actions];
            for value in values.iter_mut() {
                *value = sum(halves[0], at) + sum(halves[1], at);
                at += 1;
            }
            let last = values[actions];
            if actions > 0 {
                training.moves.make_with(game, &context, entrances, &values[..actions], last);
                made += 1;
            } else {
                training.moves.end(game, &context, Some(last));
                let next = self.next_start(side.number, game);
                training.begin(game, next, &context);
            }
        }
        side.left -= made;
        side.idle = if made > 0 { 0 } else { side.idle + group.games.len() as u64 };
        if side.idle >= OVER_AT_START {
            let state = side.games[group.games.start % count].state;
            over_at_start(training.game, state, OVER_AT_START).raise()
        }
        if made < group.games.len() as u64 && side.games.iter().all(|game| !game.under_way) {
            side.not_made = std::mem::take(&mut side.left);
        }
    }

    /// Returns the start of the game after one that has ended, which the first side chooses.
    #[cold]
    fn next_start(&self, side: usize, ended: &TrainingGame) -> Option<NewGame> {
        let mut starts = locked(&self.starts);
        if side == 0 {
            let new = self.training.next_start(ended);
            starts.push_back(new.clone());
            return new;
        }
        starts.pop_front().expect("the first side has chosen it")
    }
}

#[derive(Default)]
struct Wait {
    looks: u32,
    since: Option<Instant>,
}

impl Wait {
    /// Waits a moment. Returns how long the wait has lasted, or zero while it is short.
    fn pause(&mut self) -> Duration {
        self.looks += 1;
        if self.looks < LOOKS {
            spin_loop();
            return Duration::ZERO;
        }
        let since = *self.since.get_or_insert_with(Instant::now);
        thread::yield_now();
        since.elapsed()
    }
}

/// Decides how many batches the first thread plays alone after one for which the second thread was late.
#[derive(Default)]
struct Rest {
    /// Number of batches to play alone.
    left: u32,
    /// Number of batches to play alone the next time.
    next: u32,
    /// Number of batches in a row for which the second thread was not late.
    in_time: u64,
}

impl Rest {
    const MIN: u32 = 2;
    const MAX: u32 = 1024;
    /// Number of batches in time after which the next number is the least one again.
    const IN_TIME: u64 = 64;

    /// Takes a batch to play alone. Returns false if none is left.
    fn take(&mut self) -> bool {
        let is_left = self.left > 0;
        self.left -= u32::from(is_left);
        is_left
    }

    fn add(&mut self, is_in_time: bool) {
        if !is_in_time {
            self.left = self.next.clamp(Self::MIN, Self::MAX);
            self.next = 2 * self.left;
            self.in_time = 0;
        } else {
            self.in_time += 1;
            if self.in_time >= Self::IN_TIME {
                self.next = Self::MIN;
            }
        }
    }
}
