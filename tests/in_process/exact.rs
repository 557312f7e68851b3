//! The solver against a slow reference, on games with and without layers and symmetries.

mod games;
mod luck;
mod play;
mod reference;

use crate::plays::{game, linked};
use game_2048::{Config, Game2048};
use game_reference::Scattered;
use games::{Reduced, Variant, Walk, small_2048, small_threes};
use runner_core::{Control, Game, Host, Outcomes, Probability, SingleThread, State, Successors};
use runner_play::registry::LoadedGame;
use runner_play::threads::{Services, Threads};
use runner_solver::{
    Solution, SolveError, SolveOptions, SolveProgress, SolveResources, StateValue, at_least, save,
    solve,
};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// Solved games: the spec, the number of states and the expected score of optimal play.
const VALUES: &str = include_str!("exact/values.txt");

/// Memory limit in bytes, sufficient for all games here.
const MEMORY: u64 = 4 << 30;

fn resources(host: &dyn Host) -> SolveResources<'_> {
    SolveResources { host, memory: MEMORY, report: &|_| Control::Continue }
}

/// Solves a game as the program does: over its row tables, if it has them.
fn solution(game: &LoadedGame, options: &SolveOptions, host: &dyn Host) -> Solution {
    let resources = resources(host);
    match game.rules.with_tables() {
        Some(table) => solve(&table, options, &resources),
        None => solve(&*game.rules, options, &resources),
    }
    .unwrap()
}

fn value_of<G: Game>(game: &G) -> f64 {
    let options = SolveOptions::default();
    solve(game, &options, &resources(&SingleThread)).unwrap().value.unwrap()
}

fn state_value<G: Game>(game: &G, state: State) -> StateValue {
    let options = SolveOptions { state: Some(state), keep_afterstates: false };
    solve(game, &options, &resources(&SingleThread)).unwrap().state_value.unwrap()
}

#[track_caller]
fn assert_close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{found} instead of {expected}");
}

/// Returns the solved games of up to a number of states.
fn solved_games(max_states: u64) -> Vec<(&'static str, u64, f64)> {
    let lines = VALUES.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let read = |line: &'static str| {
        let [game, states, value] = line.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("three columns are expected: {line}");
        };
        (game, states.parse().unwrap(), value.parse().unwrap())
    };
    lines.map(read).filter(|&(_, states, _)| states <= max_states).collect()
}

#[test]
fn values_equal_those_of_plain_value_iteration() {
    let registry = linked();
    let small = solved_games(60_000);
    assert!(small.len() >= 8, "{small:?}");
    for (spec, states, value) in small {
        let game = game(&registry, spec);
        let solved = solution(&game, &SolveOptions::default(), &SingleThread);
        println!("{spec} | {} | {}", solved.states, solved.value.unwrap());
        assert_eq!(solved.states, states, "{spec}");
        assert_close(solved.value.unwrap(), value);
        let played = Cell::new(0);
        let progress = || played.set(played.get() + 1);
        let least = at_least(&*game.rules, None, u64::MAX, progress).unwrap();
        assert!(least.is_none_or(|least| (1..=states).contains(&least)), "{spec}: {least:?}");
        assert!(least.is_none() || played.get() > 1000, "{spec}: {} games", played.get());
        match game.rules.with_tables() {
            Some(table) => assert_close(reference::game_value(&table, &table), value),
            None => assert_close(reference::game_value(&*game.rules, &*game.rules), value),
        }
    }
}

/// The reference rules are a second implementation, so an error in the rules is found too.
#[test]
fn values_equal_those_of_the_reference_rules() {
    let game = Game2048::new(Config { rows: 2, cols: 2, ..Config::default() }).unwrap();
    let doubled = |a, b| (a == b).then_some(2 * a);
    let slow = Scattered::of(&game, doubled, &[(2, 0.9), (4, 0.1)]);
    assert_close(value_of(&game), reference::game_value(&game, &slow));

    let config = game_1024::Config { rows: 2, cols: 2, ..Default::default() };
    let game = game_1024::Game1024::new(config).unwrap();
    let slow = Scattered::of(&game, doubled, &[(1, 0.9), (2, 0.1)]);
    assert_close(value_of(&game), reference::game_value(&game, &slow));

    let capped = |a, b| (a == b && a < 16).then_some(2 * a);
    let entries = [(2, 0.8), (4, 0.15), (8, 0.05)];
    let spawn = entries.map(|(tile, share)| (tile, Probability::new(share).unwrap())).to_vec();
    let config = Config { rows: 2, cols: 3, spawn, cap: 16, goal: 16, ..Config::default() };
    let game = Game2048::new(Config { walls: vec![1], ..config }).unwrap();
    let slow = Scattered { blocked: vec![1], ..Scattered::of(&game, capped, &entries) };
    assert_close(value_of(&game), reference::game_value(&game, &slow));
}

#[test]
fn values_do_not_depend_on_symmetry_or_layers() {
    fn check<G: Game>(new: fn() -> G) {
        let expected = value_of(&new());
        assert_close(value_of(&Reduced::without_layers(new())), expected);
        assert_close(value_of(&Reduced::without_symmetry(new())), expected);
    }
    check(small_2048);
    check(small_threes);
}

#[test]
fn result_is_bit_identical_on_any_number_of_threads() {
    let registry = linked();
    let folder = tempfile::tempdir().unwrap();
    for spec in ["2048(rows: 2, cols: 3)", "threes(rows: 2, cols: 3, bag: 1, bonus: false)"] {
        let game = game(&registry, spec);
        let result = |threads: usize| {
            let threads = Threads::new(Some(threads)).unwrap();
            let host = Services::new(&threads, &registry, &game);
            let start = game.rules.starts().unwrap()[0].state;
            let options = SolveOptions { state: Some(start), keep_afterstates: true };
            let solved = solution(&game, &options, &host);
            let path = folder.path().join("table");
            save(&path, spec, &[], solved.afterstate_values.as_ref().unwrap()).unwrap();
            let StateValue { value, best_action } = solved.state_value.unwrap();
            let numbers = (solved.states, solved.value.map(f64::to_bits), value.to_bits());
            (numbers, best_action, std::fs::read(&path).unwrap())
        };
        let one = result(1);
        for threads in [2, 3, 5] {
            assert!(result(threads) == one, "{spec} on {threads} threads");
        }
    }
}

#[test]
fn state_value_and_best_action_agree_with_the_reference() {
    let game = small_2048();
    let state = game.parse("2,0,2/4,0,0").unwrap();
    let found = state_value(&game, state);
    let values = reference::values(&game, [state].into_iter());
    assert_close(found.value, values[&state]);
    let mut successors = Successors::new();
    let mut outcomes = Outcomes::with_capacity(game.description().max_outcomes);
    game.successors(state, &mut successors);
    let chosen = successors.of(found.best_action.unwrap()).unwrap();
    game.outcomes(chosen.afterstate, &mut outcomes);
    let mean: f64 = outcomes.iter().map(|o| o.probability * values[&o.state]).sum();
    assert_close(f64::from(chosen.reward) + mean, found.value);

    let over = game.parse("2,4,2/4,2,4").unwrap();
    assert_eq!(state_value(&game, over), StateValue { value: 0.0, best_action: None });
}

#[test]
fn games_that_cannot_be_solved_are_rejected_with_the_reason() {
    let options = SolveOptions::default();
    let try_solve = |variant| solve(&Walk::new(variant), &options, &resources(&SingleThread));
    let regular = try_solve(Variant::Regular).unwrap();
    assert_eq!((regular.states, regular.value), (Walk::PLACES + 1, Some(Walk::PLACES as f64)));

    let error = try_solve(Variant::Endless).unwrap_err();
    assert!(matches!(error, SolveError::Unsettled { states: 501, .. }), "{error}");
    let error = try_solve(Variant::FallingLayers).unwrap_err().to_string();
    assert!(error.contains("layer 500") && error.contains("layer 499"), "{error}");
    let error = try_solve(Variant::NanReward).unwrap_err().to_string();
    assert!(error.contains("`500`") || error.contains("`499`"), "{error}");
    assert_eq!(try_solve(Variant::WithoutStarts).unwrap_err(), SolveError::NoStarts);
}

#[test]
fn a_given_state_replaces_missing_start_states() {
    let options = SolveOptions { state: Some(State::new(490, 0)), keep_afterstates: false };
    let game = Walk::new(Variant::WithoutStarts);
    let solved = solve(&game, &options, &resources(&SingleThread)).unwrap();
    assert_eq!((solved.states, solved.value), (11, None));
    assert_eq!(solved.state_value.unwrap().value, 10.0);
}

#[test]
fn game_that_exceeds_the_memory_limit_is_rejected_with_the_states_found() {
    let options = SolveOptions::default();
    let game = Game2048::new(Config::default()).unwrap();
    let resources = SolveResources { memory: 8 << 20, ..resources(&SingleThread) };
    let error = solve(&game, &options, &resources).unwrap_err();
    let SolveError::TooLarge { states, layer, needed, limit } = error else { panic!("{error}") };
    assert!(states > 10_000 && layer.is_some_and(|layer| layer > 10), "{error}");
    assert!(limit == 8 << 20 && (limit..2 * limit).contains(&needed), "{error}");
    let unlayered = Reduced::without_layers(game);
    let error = solve(&unlayered, &options, &resources).unwrap_err();
    let SolveError::TooLarge { states, layer: None, .. } = error else { panic!("{error}") };
    assert!(states > 10_000, "{error}");
}

#[test]
fn solve_stops_when_the_report_asks_for_it() {
    let reports = AtomicU64::new(0);
    let report = |progress: SolveProgress| {
        reports.fetch_add(1, Ordering::Relaxed);
        match progress {
            SolveProgress::Evaluating { .. } => Control::Stop,
            _ => Control::Continue,
        }
    };
    let resources = SolveResources { report: &report, ..resources(&SingleThread) };
    let stopped = solve(&small_2048(), &SolveOptions::default(), &resources).unwrap_err();
    assert_eq!(stopped, SolveError::Interrupted);
    assert!(reports.load(Ordering::Relaxed) > 10);
}

/// Takes minutes: `cargo test --release --test in_process -- --ignored`.
#[test]
#[ignore = "long"]
fn all_listed_values_are_found() {
    let registry = linked();
    for (spec, states, value) in solved_games(u64::MAX) {
        let game = game(&registry, spec);
        for threads in [1, 2] {
            let threads = Threads::new(Some(threads)).unwrap();
            let host = Services::new(&threads, &registry, &game);
            let solved = solution(&game, &SolveOptions::default(), &host);
            assert_eq!(solved.states, states, "{spec}");
            assert_close(solved.value.unwrap(), value);
        }
    }
}
