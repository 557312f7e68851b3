//! Which chance outcomes are the worst ones, and how often they are drawn.

use crate::host::game;
use runner_core::{Action, Afterstate, Game, Outcomes, Random, Seed, State, Successors};
use std::collections::HashMap;

fn outcomes(game: &impl Game, afterstate: Afterstate) -> HashMap<String, f64> {
    let mut out = Outcomes::with_capacity(game.description().max_outcomes);
    game.outcomes(afterstate, &mut out);
    out.iter().map(|outcome| (game.write(outcome.state), outcome.probability)).collect()
}

fn after(game: &impl Game, state: &str, action: u8) -> Afterstate {
    game.successor(game.parse(state).unwrap(), Action(action)).unwrap().afterstate
}

/// Plays games of random actions, and calls `visit` with every afterstate.
fn random_games(game: &impl Game, games: u64, mut visit: impl FnMut(Afterstate)) {
    let mut successors = Successors::new();
    for number in 0..games {
        let mut random = Random::stream(Seed(3), number);
        let mut state = game.start(random.word());
        loop {
            game.successors(state, &mut successors);
            if successors.is_empty() {
                break;
            }
            let chosen = successors[random.below(successors.len() as u32) as usize];
            visit(chosen.afterstate);
            state = game.spawn(chosen.afterstate, random.word());
        }
    }
}

#[test]
fn the_distribution_is_the_mixture_of_the_fair_and_the_worst_one() {
    for inner in ["2048(rows: 2, cols: 3)", "threes(rows: 2, cols: 3)"] {
        let fair = game(inner);
        let worst = game(&format!("evil(game: {inner}, probability: 1)"));
        let mixed = game(&format!("evil(game: {inner}, probability: 0.3)"));
        random_games(&fair, 50, |afterstate| {
            let (fair, worst) = (outcomes(&fair, afterstate), outcomes(&worst, afterstate));
            assert!(worst.keys().all(|state| fair.contains_key(state)));
            let mixed = outcomes(&mixed, afterstate);
            assert_eq!(fair.len(), mixed.len(), "each outcome remains possible");
            for (state, probability) in &mixed {
                let expected = 0.7 * fair[state] + 0.3 * worst.get(state).unwrap_or(&0.0);
                assert!((probability - expected).abs() < 1e-12, "{state}");
            }
        });
    }
}

#[test]
fn the_worst_outcome_ends_the_game_if_one_can() {
    let evil = game("evil(game: 2048(rows: 2, cols: 2))");
    // On the last empty cell, below the 2, a 2 could merge and a 4 cannot.
    let left = after(&evil, "4,2/16,16", 3);
    assert_eq!(outcomes(&evil, left), HashMap::from([("4,2/32,4".to_owned(), 1.0)]));
}

#[test]
fn equally_bad_outcomes_keep_their_ratios() {
    let (fair, evil) = (game("2048(rows: 2, cols: 2)"), game("evil(game: 2048(rows: 2, cols: 2))"));
    random_games(&fair, 50, |afterstate| {
        let (fair, evil) = (outcomes(&fair, afterstate), outcomes(&evil, afterstate));
        let ratios: Vec<f64> = evil.iter().map(|(state, p)| p / fair[state]).collect();
        assert!(ratios.iter().all(|ratio| (ratio - ratios[0]).abs() < 1e-9), "{evil:?}");
    });
}

#[test]
fn without_probability_it_is_the_other_game_draw_by_draw() {
    let (fair, evil) = (game("threes"), game("evil(game: threes, probability: 0)"));
    let mut random = Random::from_word(5);
    random_games(&fair, 5, |afterstate| {
        let word = random.word();
        assert_eq!(fair.spawn(afterstate, word), evil.spawn(afterstate, word));
        assert_eq!(outcomes(&fair, afterstate), outcomes(&evil, afterstate));
    });
}

#[test]
fn random_play_scores_less_with_the_worst_outcomes() {
    for (inner, games) in [("2048(rows: 3, cols: 3)", 400), ("threes", 400)] {
        let score = |probability: f64| {
            let game = game(&format!("evil(game: {inner}, probability: {probability})"));
            let starts: Vec<State> =
                (0..games).map(|n| game.start(Random::stream(Seed(4), n).word())).collect();
            let mut results = vec![runner_core::Playout::default(); starts.len()];
            game.playouts(&starts, 6, &mut results);
            results.iter().map(|result| result.score).sum::<f64>() / games as f64
        };
        let (fair, evil) = (score(0.0), score(1.0));
        assert!(evil < 0.9 * fair, "{inner}: {fair}, {evil}");
    }
}
