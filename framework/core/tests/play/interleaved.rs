//! The games of [`play_interleaved`] equal those of [`play`].

use crate::line::Line;
use runner_core::{
    Afterstate, Episode, Game, GreedyPolicy, Random, Seed, State, Value, forward_game, play,
    play_interleaved,
};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

const GAMES: u64 = 40;

/// The line, which records every chance event: the afterstate and the random word. Each word
/// belongs to one move of one game, so equal events mean equal games.
struct Recorded {
    line: Line,
    chance_rewards: bool,
    events: Mutex<Vec<(Afterstate, u64)>>,
}

impl Recorded {
    fn new(chance_rewards: bool) -> Self {
        Self { line: Line::new(), chance_rewards, events: Mutex::default() }
    }

    fn sorted_events(self) -> Vec<(Afterstate, u64)> {
        let mut events = self.events.into_inner().unwrap();
        events.sort();
        events
    }
}

impl Game for Recorded {
    forward_game!(|this| this.line;
        description, start, successors, outcomes, write, write_afterstate, parse
    );

    fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        self.events.lock().unwrap().push((afterstate, random));
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

/// A value that is arbitrary, and sets the flag `stop` in call number `last` of `evaluate`.
struct AnyValue<'a> {
    calls: AtomicU64,
    last: u64,
    stop: &'a AtomicBool,
}

impl<'a> AnyValue<'a> {
    fn stopping_after(last: u64, stop: &'a AtomicBool) -> GreedyPolicy<Self> {
        GreedyPolicy(Self { calls: AtomicU64::new(0), last, stop })
    }
}

impl Value for AnyValue<'_> {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        assert_eq!(afterstates.len(), values.len());
        for (value, afterstate) in values.iter_mut().zip(afterstates) {
            *value = Random::from_word(afterstate.lo).below(64) as f32;
        }
        if self.calls.fetch_add(1, Ordering::Relaxed) + 1 == self.last {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

fn stream(number: u64) -> Random {
    Random::stream(Seed(1), number)
}

/// Returns the episodes with their numbers of games that are played `count` at once. The games stop
/// after `last` decisions.
fn at_once(game: &Recorded, count: usize, games: u64, last: u64) -> Vec<(u64, Episode)> {
    let stop = AtomicBool::new(false);
    let mut numbers = 0..games;
    let mut ended = Vec::new();
    play_interleaved(
        game,
        &AnyValue::stopping_after(last, &stop),
        count,
        || numbers.next().map(|number| (number, stream(number))),
        |number, episode| ended.push((number, episode)),
        &stop,
    );
    ended.sort_by_key(|&(number, _)| number);
    ended
}

/// Plays the same games one after the other.
fn alone(game: &Recorded, games: u64, last: u64) -> Vec<(u64, Episode)> {
    let one = |number| {
        let stop = AtomicBool::new(false);
        let mut player = AnyValue::stopping_after(last, &stop);
        (number, play(game, &mut player, &mut stream(number), &stop))
    };
    (0..games).map(one).collect()
}

#[test]
fn any_number_at_once_plays_the_same_games_move_for_move() {
    for chance_rewards in [true, false] {
        let game = Recorded::new(chance_rewards);
        let expected = alone(&game, GAMES, u64::MAX);
        let events = game.sorted_events();
        let moves: u64 = expected.iter().map(|(_, episode)| episode.moves).sum();
        assert!(moves > 2 * GAMES && events.len() as u64 == moves, "{moves} moves");
        assert!(expected.iter().all(|(_, episode)| episode.finished));
        // One, some, all, and more than there are.
        for count in [1, 2, 3, 8, GAMES as usize, 100] {
            let game = Recorded::new(chance_rewards);
            assert_eq!(at_once(&game, count, GAMES, u64::MAX), expected, "{count} at once");
            assert_eq!(game.sorted_events(), events, "{count} at once");
        }
    }
}

#[test]
fn stop_flag_ends_all_games_after_the_current_move() {
    for count in [1, 3, 8] {
        for last in 1..6 {
            let stopped = at_once(&Recorded::new(true), count, count as u64, last);
            assert_eq!(stopped, alone(&Recorded::new(true), count as u64, last), "after {last}");
            for (_, episode) in &stopped {
                assert!(episode.finished || episode.moves == last, "{episode:?}");
            }
        }
    }
}

#[test]
fn no_game_begins_after_the_stop_flag_is_set() {
    let started = at_once(&Recorded::new(true), 8, GAMES, 1);
    assert!(started.iter().map(|&(number, _)| number).eq(0..8), "{started:?}");
    // If the flag is set before, no move is made, and the score is that of the start.
    let (stop, mut numbers, mut ended) = (AtomicBool::new(true), 0..GAMES, Vec::new());
    let player = AnyValue::stopping_after(u64::MAX, &stop);
    let next = || numbers.next().map(|number| (number, stream(number)));
    play_interleaved(&Recorded::new(true), &player, 3, next, |_, e| ended.push(e), &stop);
    assert_eq!(ended.len(), 3);
    let unplayed = |e: &Episode| e.moves == 0 && !e.finished && e.score >= 2.0;
    assert!(ended.iter().all(unplayed), "{ended:?}");
}
