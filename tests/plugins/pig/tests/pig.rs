//! The rules of Pig, and the framework with a game that has no board.

use pig::{Config, HOLD, Pig, Position, ROLL};
use runner_core::{Action, Agent, Game, GamePlugin, Random, Seed, Turn, play};
use std::sync::atomic::AtomicBool;

fn pig(target: u32, faces: u32) -> Pig {
    Pig::alone(Config { target, faces }).unwrap()
}

/// The laws of the default game are checked with those of all games.
#[test]
fn the_laws_hold_for_the_smallest_and_for_a_large_die() {
    runner_laws::assert_holds(&pig(1, 2));
    runner_laws::assert_holds(&pig(500, 100));
}

/// Rolls until the turn's total reaches a bound.
#[derive(Clone)]
struct HoldAt(u32);

impl Agent for HoldAt {
    fn act<G: Game>(&mut self, _: &G, turn: &Turn<'_>) -> Option<Action> {
        let enough = Position::of(turn.state).turn >= self.0;
        let wished = if enough { HOLD } else { ROLL };
        let legal = turn.successors.of(wished).map(|s| s.action);
        legal.or_else(|| turn.successors.first().map(|s| s.action))
    }
}

/// The expected number of turns from each banked total on, with a die and nothing of the game's
/// code: E(b) = 1 + P(bust) E(b) + sum of P(t) E(b + t) over the totals t at which a turn is held.
fn expected_turns(target: usize, faces: usize, hold: usize) -> f64 {
    let mut expected = vec![0.0; target + faces];
    for banked in (0..target).rev() {
        let stop = hold.min(target - banked);
        // The probability that the turn reaches the total t.
        let mut reach = vec![0.0; stop + faces];
        reach[0] = 1.0;
        let mut bust = 0.0;
        for total in 0..stop {
            let share = reach[total] / faces as f64;
            bust += share;
            (2..=faces).for_each(|face| reach[total + face] += share);
        }
        let further: f64 = (stop..reach.len()).map(|t| reach[t] * expected[banked + t]).sum();
        expected[banked] = (1.0 + further) / (1.0 - bust);
    }
    expected[0]
}

#[test]
fn to_hold_at_20_takes_as_many_turns_as_an_independent_recursion_says() {
    let expected = expected_turns(100, 6, 20);
    // To know that the recursion itself is right: the published number is 12.637.
    assert!((expected - 12.637).abs() < 0.001, "{expected}");
    let (game, games) = (pig(100, 6), 20_000);
    let (mut sum, mut squares) = (0.0, 0.0);
    for index in 0..games {
        let mut random = Random::stream(Seed(1), index);
        let episode = play(&game, &mut HoldAt(20), &mut random, &AtomicBool::new(false));
        assert!(episode.finished);
        sum += -episode.score;
        squares += episode.score * episode.score;
    }
    let n = games as f64;
    let mean = sum / n;
    let error = ((squares / n - mean * mean) / n).sqrt();
    // Four standard errors are missed by one seed in 16,000; this seed is fixed.
    assert!((mean - expected).abs() < 4.0 * error, "{mean} against {expected} +- {error}");
}
