//! Play by the table of a solved game.

use super::solution;
use crate::plays::{game, linked};
use agent_expectimax::{Expectimax, SearchOptions};
use runner_core::{Afterstate, Game, Random, Seed, SingleThread, Successors, Turn, Value};
use runner_play::evaluation::{Plan, play};
use runner_play::player::NamedPlayer;
use runner_play::registry::LoadedGame;
use runner_play::threads::{Services, Threads};
use runner_plugin::PluginHost;
use runner_solver::{SolveOptions, save};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Solves a game, writes its table into a folder and returns the spec of the value that
/// reads it, and the expected score of optimal play.
pub fn solve_to_file(game: &LoadedGame, services: &Services, folder: &Path) -> (String, f64) {
    let options = SolveOptions { state: None, keep_afterstates: true };
    let solved = solution(game, &options, services);
    let path = folder.join("table");
    save(&path, &game.spec.to_string(), &[], solved.afterstate_values.as_ref().unwrap()).unwrap();
    (format!("exact(model: {:?})", path.to_str().unwrap()), solved.value.unwrap())
}

/// Checks that the mean score of greedy play by the table equals the game's value, to
/// within 3.29 standard errors (p = 0.001; the seed is fixed).
fn assert_mean_score_is_the_value(spec: &str, games: u64, folder: &Path) {
    let registry = linked();
    let game = game(&registry, spec);
    let threads = Threads::new(Some(2)).unwrap();
    let services = Services::new(&threads, &registry, &game);
    let (player, value) = solve_to_file(&game, &services, folder);
    let player = player.parse().unwrap();
    let player = NamedPlayer::build(&registry, &player, &game, &services).unwrap();
    let plan = Plan::new(&game, games, Seed(1), &threads);
    let played = play(&plan, &player, None, &AtomicBool::new(false), &mut |_| {}).unwrap();
    assert_eq!(played.faults.first(), None, "{spec}");
    let scores: Vec<f64> = played.results.games().iter().map(|game| game.score).collect();
    assert_eq!(scores.len() as u64, games);
    let mean = scores.iter().sum::<f64>() / games as f64;
    let variance = scores.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / (games - 1) as f64;
    let error = (variance / games as f64).sqrt();
    println!("{spec}: mean {mean:.3} +- {error:.3}, value {value:.3}");
    assert!((mean - value).abs() < 3.29 * error, "{spec}: {mean} +- {error} instead of {value}");
}

#[test]
fn mean_score_of_play_by_the_table_is_the_solved_value() {
    let folder = tempfile::tempdir().unwrap();
    for spec in [
        "2048(rows: 2, cols: 3)",
        "threes(rows: 2, cols: 3, bag: 1, bonus: false)",
        "1024(rows: 2, cols: 3, blocked: [1])",
        "2048(rows: 2, cols: 3, walls: [1], cap: 64, goal: 64, spawn: [(2, 0.8), (8, 0.2)])",
        "pig(target: 30)",
    ] {
        assert_mean_score_is_the_value(spec, 20_000, folder.path());
    }
}

#[test]
fn search_over_exact_values_is_exact_at_any_depth() {
    let folder = tempfile::tempdir().unwrap();
    let registry = linked();
    for spec in ["2048(rows: 2, cols: 3)", "threes(rows: 2, cols: 3, bag: 1, bonus: false)"] {
        let game = game(&registry, spec);
        let threads = Threads::new(Some(2)).unwrap();
        let services = Services::new(&threads, &registry, &game);
        let (exact, _) = solve_to_file(&game, &services, folder.path());
        let exact = services.value_object(&exact.parse().unwrap()).unwrap();
        let exact: Arc<dyn Value> = Arc::new(exact);
        // Leaves get a wrong value, and the search asks the table for exact values.
        let by_exact_values = |plies| {
            let wrong: Arc<dyn Value> = Arc::new(Wrong);
            let options = SearchOptions::plies(plies);
            Expectimax::with_options(wrong, options, Arc::new(SingleThread))
                .with_exact(exact.clone())
        };
        let by_leaves = |plies| {
            Expectimax::with_options(
                exact.clone(),
                SearchOptions::plies(plies),
                Arc::new(SingleThread),
            )
        };
        let mut random = Random::from_word(7);
        let mut successors = Successors::new();
        for _ in 0..20 {
            let mut state = game.rules.start(random.word());
            for _ in 0..random.below(30) {
                game.rules.successors(state, &mut successors);
                if successors.is_empty() {
                    break;
                }
                let chosen = successors[random.below(successors.len() as u32) as usize];
                state = game.rules.spawn(chosen.afterstate, random.word());
            }
            game.rules.successors(state, &mut successors);
            if successors.is_empty() {
                continue;
            }
            let turn = Turn { state, successors: &successors, random: 0 };
            let values = |mut player: Expectimax| -> Vec<f32> {
                let found = player.search(&*game.rules, &turn);
                found.action_values.into_iter().map(|(_, value)| value).collect()
            };
            let expected = values(by_leaves(1));
            for plies in 1..=4 {
                for found in [values(by_leaves(plies)), values(by_exact_values(plies))] {
                    for (found, expected) in found.iter().zip(&expected) {
                        assert!((found - expected).abs() < 0.01, "{spec}: {found} {expected}");
                    }
                }
            }
        }
    }
}

/// A value far from that of any position.
struct Wrong;

impl Value for Wrong {
    fn evaluate(&self, _: &[Afterstate], values: &mut [f32]) {
        values.fill(-1e6);
    }
}
