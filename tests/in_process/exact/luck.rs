//! The luck of games, measured by values.

use super::play::solve_to_file;
use crate::plays::{game, linked};
use runner_core::{Seed, Spec};
use runner_play::evaluation::{Plan, Played, play};
use runner_play::luck::Luck;
use runner_play::player::NamedPlayer;
use runner_play::threads::{Services, Threads};
use runner_stats::LessLuck;
use std::sync::atomic::AtomicBool;

/// Plays games by the exact value of the game, whose luck the values measure.
fn played(spec: &str, lucks: &[&str], games: u64) -> (Vec<Played>, f64) {
    let folder = tempfile::tempdir().unwrap();
    let registry = linked();
    let game = game(&registry, spec);
    let threads = Threads::new(Some(2)).unwrap();
    let services = Services::new(&threads, &registry, &game);
    let (exact, value) = solve_to_file(&game, &services, folder.path());
    let exact: Spec = exact.parse().unwrap();
    let player = NamedPlayer::build(&registry, &exact, &game, &services).unwrap();
    let of = |luck: &&str| {
        let luck = if luck.is_empty() { exact.clone() } else { luck.parse().unwrap() };
        let luck = Luck::new(&registry, &luck, &game, &[], &[&player], &threads).unwrap();
        let plan = Plan { luck: Some(luck), ..Plan::new(&game, games, Seed(1), &threads) };
        let played = play(&plan, &player, None, &AtomicBool::new(false), &mut |_| {}).unwrap();
        assert_eq!(played.faults.first(), None, "{spec}");
        played
    };
    (lucks.iter().map(of).collect(), value)
}

#[test]
fn score_less_luck_by_the_exact_value_of_the_player_is_a_constant() {
    // Threes gives points for chance and for its first position.
    for spec in ["2048(rows: 2, cols: 3)", "threes(rows: 2, cols: 3, bag: 1, bonus: false)"] {
        let (played, value) = played(spec, &[""], 500);
        for game in played[0].results.games() {
            let adjusted = game.score - game.luck.unwrap();
            assert!(
                (adjusted - value).abs() < 1e-3 * value.abs(),
                "{spec}: {adjusted}, not {value}"
            );
        }
        let LessLuck { saving, .. } = played[0].results.less_luck().unwrap();
        assert!(saving.is_none_or(|saving| saving > 1e5), "{spec}: {saving:?}");
    }
}

#[test]
fn mean_of_luck_is_0_for_any_value() {
    let spec = "2048(rows: 2, cols: 3)";
    // A rating on another scale, and a value that knows a little.
    let (played, value) = played(spec, &["rows", "alpha"], 20_000);
    for played in played {
        let lucks: Vec<f64> = played.results.games().iter().filter_map(|game| game.luck).collect();
        let n = lucks.len() as f64;
        let mean = lucks.iter().sum::<f64>() / n;
        let variance = lucks.iter().map(|luck| (luck - mean).powi(2)).sum::<f64>() / (n - 1.0);
        let error = (variance / n).sqrt();
        assert!(error > 0.0 && mean.abs() < 3.29 * error, "mean {mean} +- {error}");
        let LessLuck { mean, ci95, .. } = played.results.less_luck().unwrap();
        let [low, high] = ci95.unwrap();
        let half = (high - low) / 2.0;
        assert!((mean.unwrap() - value).abs() < 1.7 * half, "{mean:?} +- {half}, not {value}");
    }
}
