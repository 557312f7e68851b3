//! Interleaved games of a value equal the games that it plays one after the other.

use crate::line::Line;
use runner_core::{
    Afterstate, Episode, Game, GreedyPolicy, Random, Seed, State, Value, forward_game, play,
    play_interleaved,
};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

const GAMES: u64 = 40;

/// The line, with a note of every chance event. Each random word belongs to one move of one
/// game, so equal notes mean equal games.
struct Noted {
    line: Line,
    chance_rewards: bool,
    notes: Mutex<Vec<(Afterstate, u64)>>,
}

impl Noted {
    fn new(chance_rewards: bool) -> Self {
        Self { line: Line::new(), chance_rewards, notes: Mutex::default() }
    }

    fn notes(self) -> Vec<(Afterstate, u64)> {
        let mut notes = self.notes.into_inner().unwrap();
        notes.sort();
        notes
    }
}

impl Game for Noted {
    forward_game!(|this| this.line;
        description, start, successors, outcomes, write, write_afterstate, parse
    );

    fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        self.notes.lock().unwrap().push((afterstate, random));
        self.line.spawn(afterstate, random)
    }

    fn chance_reward(&self, from: Option<Afterstate>, to: State) -> f32 {
        // A game without chance rewards must not be asked for them.
        assert!(self.chance_rewards);
        self.line.chance_reward(from, to)
    }
    fn has_chance_rewards(&self) -> bool {
        self.chance_rewards
    }
}

/// Gives arbitrary values to afterstates, and sets a flag at call number `last`.
struct AnyWorth<'a> {
    asked: AtomicU64,
    last: u64,
    stop: &'a AtomicBool,
}

impl<'a> AnyWorth<'a> {
    fn stopping_after(last: u64, stop: &'a AtomicBool) -> GreedyPolicy<Self> {
        GreedyPolicy(Self { asked: AtomicU64::new(0), last, stop })
    }
}

impl Value for AnyWorth<'_> {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        assert_eq!(afterstates.len(), values.len());
        for (value, afterstate) in values.iter_mut().zip(afterstates) {
            *value = Random::from_word(afterstate.lo).below(64) as f32;
        }
        if self.asked.fetch_add(1, Ordering::Relaxed) + 1 == self.last {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

fn stream(number: u64) -> Random {
    Random::stream(Seed(1), number)
}

/// All games, in the order of their numbers.
fn at_once(game: &Noted, count: usize, games: u64, last: u64) -> Vec<(u64, Episode)> {
    let stop = AtomicBool::new(false);
    let mut numbers = 0..games;
    let mut ended = Vec::new();
    play_interleaved(
        game,
        &AnyWorth::stopping_after(last, &stop),
        count,
        || numbers.next().map(|number| (number, stream(number))),
        |number, episode| ended.push((number, episode)),
        &stop,
    );
    ended.sort_by_key(|&(number, _)| number);
    ended
}

/// The same, one by one.
fn alone(game: &Noted, games: u64, last: u64) -> Vec<(u64, Episode)> {
    let one = |number| {
        let stop = AtomicBool::new(false);
        let mut player = AnyWorth::stopping_after(last, &stop);
        (number, play(game, &mut player, &mut stream(number), &stop))
    };
    (0..games).map(one).collect()
}

#[test]
fn any_number_at_once_plays_the_same_games_move_for_move() {
    for chance_rewards in [true, false] {
        let game = Noted::new(chance_rewards);
        let expected = alone(&game, GAMES, u64::MAX);
        let notes = game.notes();
        let moves: u64 = expected.iter().map(|(_, episode)| episode.moves).sum();
        assert!(moves > 2 * GAMES && notes.len() as u64 == moves, "{moves} moves");
        assert!(expected.iter().all(|(_, episode)| episode.finished));
        // One, some, as many as there are, more.
        for count in [1, 2, 3, 8, GAMES as usize, 100] {
            let game = Noted::new(chance_rewards);
            assert_eq!(at_once(&game, count, GAMES, u64::MAX), expected, "{count} at once");
            assert_eq!(game.notes(), notes, "{count} at once");
        }
    }
}

/// Interleaved games that stop after a number of decisions have made as many moves as each
/// of them alone.
#[test]
fn stop_flag_ends_all_games_after_the_current_move() {
    for count in [1, 3, 8] {
        for last in 1..6 {
            let stopped = at_once(&Noted::new(true), count, count as u64, last);
            assert_eq!(stopped, alone(&Noted::new(true), count as u64, last), "after {last}");
            let over = |episode: &Episode| episode.finished || episode.moves == last;
            assert!(stopped.iter().all(|(_, episode)| over(episode)), "{stopped:?}");
        }
    }
}

#[test]
fn no_game_begins_after_the_stop_flag_is_set() {
    let started = at_once(&Noted::new(true), 8, GAMES, 1);
    assert!(started.iter().map(|&(number, _)| number).eq(0..8), "{started:?}");
    // If it is set before, no move is made, and the points of the start count.
    let (stop, mut numbers, mut ended) = (AtomicBool::new(true), 0..GAMES, Vec::new());
    let player = AnyWorth::stopping_after(u64::MAX, &stop);
    let next = || numbers.next().map(|number| (number, stream(number)));
    play_interleaved(&Noted::new(true), &player, 3, next, |_, e| ended.push(e), &stop);
    assert_eq!(ended.len(), 3);
    let unplayed = |e: &Episode| e.moves == 0 && !e.finished && e.score >= 2.0;
    assert!(ended.iter().all(unplayed), "{ended:?}");
}
