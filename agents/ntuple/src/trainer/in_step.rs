//! Two threads that play the same games in step, each with half of the tables.
//!
//! Threads that share tables spend much of their time on cache lines that another thread has
//! written. Here there are two *sides* with tables of their own. A side computes its half of the
//! sum of each afterstate's weights, and updates its own weights. Both sides draw the same random
//! numbers and make the same moves, so they exchange only about five half sums a move.
//!
//! A side hands over the half sums of a *group* of games at a time, in a *slot*: a few cache lines
//! in shared memory. While they reach the other side, it works on another group.
//!
//! Each side handles the games in the same order, so that the same seed gives the same weights
//! every time. It does not matter which thread plays a side: if the second thread loses its core,
//! the first one plays both.
//!
//! Side 0 belongs to the first thread, side 1 to the second. Only side 0 counts, chooses the
//! starts of games and collects entrances of stages.

use super::batches::{BATCH, OVER_AT_START, Training};
use super::game::TrainingGame;
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

/// Number of games of a group. A side works on one group while the sums of the other are on the
/// way.
const GROUP: usize = 8;

/// Number of games that two threads play in step.
pub const GAMES: usize = 2 * GROUP;

/// Maximum number of sums of a group: for each game those of its afterstates and that of its last
/// step.
const SUMS: usize = GROUP * (MAX_ACTIONS + 1);

/// Number of slots of a side: the maximum number of groups that a side has handed over and the
/// other side has not read yet.
const SLOTS: usize = 4;

/// Number of times that a thread looks at a value that another thread will write, before it lets
/// other threads use its core.
const SPINS: u32 = 200;

/// Time that the first thread waits for the second one before it plays both sides. A batch takes
/// less than this, and a thread that has lost its core is away for longer.
const PATIENCE: Duration = Duration::from_millis(1);

/// Time that the second thread waits for a batch before it sleeps.
const AWAKE: Duration = Duration::from_millis(2);

/// The half sums of a group that one side hands to the other, without gaps: game by game, first its
/// afterstates, then its last step. Games that are not under way have none.
#[repr(C, align(128))]
struct Slot {
    /// The number of the group whose sums are complete, from 1 on; 0 before the first.
    group: AtomicU64,
    /// The bits of f32.
    sums: [AtomicU32; SUMS],
}

impl Default for Slot {
    fn default() -> Self {
        Self { group: AtomicU64::new(0), sums: [const { AtomicU32::new(0) }; SUMS] }
    }
}

/// A group of games whose sums a side has handed over.
struct Group {
    /// The places of the games in the side's list, modulo its length.
    games: Range<usize>,
    /// The groups of a side are numbered from 1 on.
    number: u64,
    /// Number of games without a legal action, which need the start of a new game.
    over: usize,
}

/// The games with half of the tables, and the progress of the side in the current batch of moves.
/// The alignment keeps the sides on different cache lines.
#[repr(align(128))]
struct Side<'a, R: Rule> {
    /// 0 or 1.
    number: usize,
    context: TrainingContext<'a, R>,
    games: Vec<TrainingGame>,
    /// The place of the first game of the next group.
    next: usize,
    /// Number of groups that were handed over.
    groups: u64,
    /// The group whose moves are made next, if it was handed over.
    current: Option<Group>,
    /// The group after it, if it was handed over.
    following: Option<Group>,
    /// Number of moves that remain of the batch.
    moves_left: u64,
    /// Number of moves of the batch that were not made because no game is under way.
    not_made: u64,
    /// Number of turns without a move since the last move.
    idle_turns: u64,
}

/// The state that both threads share.
struct InStep<'a, G, R: Rule> {
    training: &'a Training<'a, G, R>,
    /// The slots of each side, which only this side writes.
    slots: [[Slot; SLOTS]; 2],
    /// The starts that side 0 has chosen and side 1 has not taken yet, in order. `None` is chosen
    /// if no more game may begin.
    starts: Mutex<VecDeque<Option<NewGame>>>,
    /// Side 1. The second thread locks it to play it, or the first thread to play both sides.
    second: Mutex<Side<'a, R>>,
    batches: Batches,
    has_failed: AtomicBool,
}

/// The batches that the second thread is called to play, and the state of this thread. Batches are
/// numbered from 1 on.
#[derive(Default)]
#[repr(align(128))]
struct Batches {
    /// Number of the last batch that has begun. A last number without a batch wakes the second
    /// thread when the training ends.
    begun: AtomicU64,
    /// Number of the last batch that the second thread has finished.
    finished: AtomicU64,
    /// Number of the last batch that the first thread took over: it plays the rest of both sides.
    taken_over: AtomicU64,
    /// True while the second thread waits for a batch or plays one, false while it sleeps.
    is_awake: AtomicBool,
    /// True if no more batches begin.
    is_over: AtomicBool,
}

/// Trains games on two threads, each with one of the parts of the lookup. Then rotates the games,
/// so that the one with the next turn is first.
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
        batches: Batches::default(),
        has_failed: AtomicBool::new(false),
    };
    let (led, followed) = thread::scope(|scope| {
        let follower = scope.spawn(|| in_step.catch_fault(|| in_step.follow()));
        let led = in_step.catch_fault(|| in_step.lead(&mut first, follower.thread()));
        in_step.batches.is_over.store(true, Relaxed);
        in_step.call(follower.thread());
        (led, follower.join().expect("faults of the thread are caught"))
    });
    // A fault of one thread ends the other one.
    led?;
    followed?;
    let second = in_step.second.into_inner().expect("no thread has failed");
    for ((game, part), other_part) in games.iter_mut().zip(first.games).zip(second.games) {
        game.set_parts([(part, &parts[0].numbers), (other_part, &parts[1].numbers)]);
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
            game.list_actions(training.game, &context);
        }
        Self {
            number,
            context,
            games,
            next: 0,
            groups: 0,
            current: None,
            following: None,
            moves_left: 0,
            not_made: 0,
            idle_turns: 0,
        }
    }

    /// Begins a batch. No sums of the batch before are left, so the batch depends on the weights
    /// and the games alone.
    fn begin_batch(&mut self, rule: R, moves: u64) {
        self.context.rule = rule;
        (self.current, self.following) = (None, None);
        (self.moves_left, self.not_made, self.idle_turns) = (moves, 0, 0);
    }
}

impl<'a, G: Game, R: Rule> InStep<'a, G, R> {
    /// Runs the task of a thread. A fault also ends the other thread.
    fn catch_fault(&self, task: impl FnOnce()) -> Result<(), Fault> {
        let done = catch(task);
        if done.is_err() {
            self.has_failed.store(true, Relaxed);
        }
        done
    }

    /// Plays the batches on the first thread, until the training ends or the other thread has
    /// failed: side 0, or both sides.
    fn lead(&self, first: &mut Side<'a, R>, follower: &Thread) {
        let run = &self.training.counters.run;
        let mut alone = AloneBatches::default();
        while !run.is_stopped() && first.games.iter().any(|game| game.under_way) {
            let moves = run.claim_moves(BATCH);
            if moves == 0 {
                break;
            }
            let rule = self.training.context_of_batch().rule;
            first.begin_batch(rule, moves);
            locked(&self.second).begin_batch(rule, moves);
            let is_awake = self.batches.is_awake.load(Relaxed);
            if alone.take_one() || !is_awake {
                if !is_awake && alone.left == 0 {
                    // So that it is awake at one of the next batches.
                    follower.unpark();
                }
                self.play_both(first);
            } else {
                let number = self.call(follower);
                let is_in_time =
                    self.play(&mut [first], |waited| waited > PATIENCE) && self.wait_for(number);
                if !is_in_time {
                    self.batches.taken_over.store(number, Relaxed);
                    self.play_both(first);
                }
                alone.add_result(is_in_time);
            }
            if self.has_failed.load(Relaxed) {
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
            Err(_) => self.has_failed.store(true, Relaxed),
        }
    }

    /// Plays side 1 on the second thread, in each batch that it is called to.
    fn follow(&self) {
        let batches = &self.batches;
        let mut number = 0;
        batches.is_awake.store(true, Relaxed);
        loop {
            let mut wait = Wait::default();
            while batches.begun.load(Acquire) == number {
                if wait.pause() > AWAKE {
                    batches.is_awake.store(false, Relaxed);
                    thread::park();
                    batches.is_awake.store(true, Relaxed);
                    wait = Wait::default();
                }
            }
            number = batches.begun.load(Acquire);
            if batches.is_over.load(Relaxed) || self.has_failed.load(Relaxed) {
                return;
            }
            let mut second = locked(&self.second);
            let is_taken_over = |_| batches.taken_over.load(Relaxed) >= number;
            let is_finished =
                !is_taken_over(Duration::ZERO) && self.play(&mut [&mut second], is_taken_over);
            drop(second);
            if is_finished {
                batches.finished.store(number, Release);
            }
        }
    }

    /// Calls the second thread to a batch, and returns the batch's number.
    fn call(&self, follower: &Thread) -> u64 {
        let number = self.batches.begun.fetch_add(1, Release) + 1;
        follower.unpark();
        number
    }

    /// Waits until the second thread has finished a batch. Returns false if it is late or has
    /// failed.
    fn wait_for(&self, number: u64) -> bool {
        let mut wait = Wait::default();
        while self.batches.finished.load(Acquire) != number {
            if wait.pause() > PATIENCE || self.has_failed.load(Relaxed) {
                return false;
            }
        }
        true
    }

    /// Plays one or both sides to the end of the batch. Returns false if it stopped earlier:
    /// because the other thread has failed, or because `gives_up` returned true for the time that
    /// the sides have now waited for another side.
    fn play(&self, sides: &mut [&mut Side<'a, R>], gives_up: impl Fn(Duration) -> bool) -> bool {
        let (mut wait, mut waited) = (Wait::default(), Duration::ZERO);
        while sides.iter().any(|side| side.moves_left > 0) {
            let mut has_advanced = false;
            for side in sides.iter_mut().filter(|side| side.moves_left > 0) {
                has_advanced |= self.advance(side);
            }
            if has_advanced {
                (wait, waited) = (Wait::default(), Duration::ZERO);
            }
            if gives_up(waited) || (!has_advanced && self.has_failed.load(Relaxed)) {
                return false;
            }
            if !has_advanced {
                waited = wait.pause();
            }
        }
        true
    }

    /// Hands over the next group of a side, or, if two groups are handed over, makes the moves of
    /// the first. Returns false if this needs sums or starts of the other side that are not there
    /// yet.
    fn advance(&self, side: &mut Side<'a, R>) -> bool {
        match (&side.current, &side.following) {
            (None, _) => side.current = Some(self.hand_over(side, side.moves_left)),
            (Some(group), None) => {
                let in_group = group.games.len() as u64;
                side.following = Some(self.hand_over(side, side.moves_left - in_group));
            }
            (Some(group), Some(_)) => {
                let slot_of_other = self.slot(1 - side.number, group);
                let has_starts =
                    side.number == 0 || group.over == 0 || locked(&self.starts).len() >= group.over;
                if slot_of_other.group.load(Acquire) != group.number || !has_starts {
                    return false;
                }
                self.make_moves(side);
            }
        }
        true
    }

    fn slot(&self, side: usize, group: &Group) -> &Slot {
        &self.slots[side][group.number as usize % SLOTS]
    }

    /// Computes the sums of the next group of games of a side, at most `max_games`, and hands them
    /// over. The group may have no game, at the end of a batch.
    fn hand_over(&self, side: &mut Side<'a, R>, max_games: u64) -> Group {
        let size = max_games.min(GROUP as u64) as usize;
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

    /// Makes one move in each game of a side's current group, whose sums both sides have handed
    /// over. The group after it becomes the current one.
    fn make_moves(&self, side: &mut Side<'a, R>) {
        let group = side.current.take().expect("it was handed over");
        side.current = side.following.take();
        let (training, context) = (self.training, side.context);
        let entrances = (side.number == 0).then_some(&training.starts.entrances);
        let halves = [0, 1].map(|number| &self.slot(number, &group).sums);
        let half = |sums: &[AtomicU32; SUMS], at: usize| f32::from_bits(sums[at].load(Relaxed));
        // `at` counts the sums of all games.
        let (mut at, mut moves) = (0, 0);
        let count = side.games.len();
        for place in group.games.clone() {
            let game = &mut side.games[place % count];
            if !game.under_way {
                continue;
            }
            let actions = game.successors.len();
            let mut sums = [0.0; MAX_ACTIONS + 1];
            for sum in &mut sums[..=actions] {
                *sum = half(halves[0], at) + half(halves[1], at);
                at += 1;
            }
            let (values, last_value) = (&sums[..actions], sums[actions]);
            if actions > 0 {
                training.make_move_with_values(game, &context, entrances, values, last_value);
                moves += 1;
            } else {
                training.update_for_end(game, &context, Some(last_value));
                let next = self.next_start(side.number, game);
                game.replace(next, training.game, &context);
            }
        }
        side.moves_left -= moves;
        side.idle_turns = if moves > 0 { 0 } else { side.idle_turns + group.games.len() as u64 };
        if side.idle_turns >= OVER_AT_START {
            let state = side.games[group.games.start % count].state;
            over_at_start(training.game, state, OVER_AT_START).raise()
        }
        if moves < group.games.len() as u64 && side.games.iter().all(|game| !game.under_way) {
            side.not_made = std::mem::take(&mut side.moves_left);
        }
    }

    /// Returns the start of the game after `ended`. Side 0 counts `ended` and chooses the start;
    /// side 1 takes the start that side 0 has chosen.
    #[cold]
    fn next_start(&self, side: usize, ended: &TrainingGame) -> Option<NewGame> {
        let mut starts = locked(&self.starts);
        if side == 0 {
            let new = self.training.count_and_choose_next(ended);
            starts.push_back(new.clone());
            return new;
        }
        starts.pop_front().expect("side 0 has chosen it")
    }
}

#[derive(Default)]
struct Wait {
    pauses: u32,
    since: Option<Instant>,
}

impl Wait {
    /// Waits a moment. Returns how long the wait has lasted, or zero for the first [`SPINS`]
    /// pauses.
    fn pause(&mut self) -> Duration {
        self.pauses += 1;
        if self.pauses < SPINS {
            spin_loop();
            return Duration::ZERO;
        }
        let since = *self.since.get_or_insert_with(Instant::now);
        thread::yield_now();
        since.elapsed()
    }
}

/// Decides how many batches the first thread plays alone after a batch for which the second thread
/// was late: twice as many each time, from [`MIN`](Self::MIN) to [`MAX`](Self::MAX).
#[derive(Default)]
struct AloneBatches {
    /// Number of batches that are still to be played alone.
    left: u32,
    /// Number of batches to play alone the next time.
    next: u32,
    /// Number of batches in a row for which the second thread was not late.
    in_time: u64,
}

impl AloneBatches {
    const MIN: u32 = 2;
    const MAX: u32 = 1024;
    /// Number of batches in time after which `next` is the least number again.
    const IN_TIME: u64 = 64;

    /// Returns true if the next batch is to be played alone, and counts it.
    fn take_one(&mut self) -> bool {
        let is_left = self.left > 0;
        self.left -= u32::from(is_left);
        is_left
    }

    /// Notes whether the second thread was in time for a batch of both threads.
    fn add_result(&mut self, is_in_time: bool) {
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
