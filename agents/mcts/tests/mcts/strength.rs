//! How well the search plays: against the optimum of solved games, with seeds that are
//! fixed.

use crate::support::{Optimum, board};
use agent_mcts::{FirstPlay, Mcts, Rule, SearchOptions};
use pig::{HOLD, Pig};
use runner_core::{
    Action, Agent, Fact, Game, GamePlugin, Outcomes, Random, Seed, SingleThread, Value, play,
    playouts,
};
use runner_laws::doubles::with_turn;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

type Plain = Mcts<Arc<dyn Value>>;

fn mean_regret<G: Game>(
    game: &G,
    optimum: &Arc<Optimum>,
    value: Option<Arc<dyn Value>>,
    options: &SearchOptions,
) -> f64 {
    let decisions = optimum.decisions(game);
    let positions = decisions.iter().step_by((decisions.len() / 100).max(1));
    let mut agent = Mcts::with_options(value, None, options.clone(), Arc::new(SingleThread));
    let mut count = 0;
    let loss = |&state| {
        count += 1;
        let best = with_turn(game, state, 7, |turn| agent.search(game, turn).best);
        optimum.regret(game, state, best.expect("there are actions"))
    };
    let sum: f64 = positions.map(loss).sum();
    sum / f64::from(count)
}

/// Simple averages of random games mislead, so only a search that deepens gets there.
#[test]
fn choices_approach_the_optimum_as_simulations_grow() {
    let game = board(2, 2);
    let optimum = Arc::new(Optimum::of(&game));
    type Change = fn(&mut SearchOptions);
    // Each with the share of the first regret that may remain.
    let variants: [(&str, f64, Change); 4] = [
        ("defaults", 0.15, |_| ()),
        ("puct", 0.3, |options| {
            options.selection.rule = Rule::Puct;
            options.selection.first_play = FirstPlay::Parent;
        }),
        ("puct from zero", 1.0, |options| {
            options.selection.rule = Rule::Puct;
            options.selection.first_play = FirstPlay::Zero;
        }),
        ("single leaves", 1.0, |options| options.batch = 1),
    ];
    for (name, share, change) in variants {
        let regret = |simulations| {
            let mut options = SearchOptions::simulations(simulations);
            change(&mut options);
            mean_regret(&game, &optimum, None, &options)
        };
        let [few, many] = [4, 8192].map(regret);
        println!("{name}: {few:.2} {many:.3}");
        assert!(many < share * few, "{name}: {few} {many}");
    }
}

/// The line begins with the choice. Its first moves are nearly optimal, and its first tiles the
/// likeliest.
#[test]
fn line_has_good_moves_and_likely_tiles() {
    let game = board(2, 2);
    let optimum = Optimum::of(&game);
    let description = game.description();
    let mut outcomes = Outcomes::with_capacity(description.max_outcomes);
    let mut agent: Plain =
        Mcts::with_options(None, None, SearchOptions::simulations(8192), Arc::new(SingleThread));
    let decisions = optimum.decisions(&game);
    let (mut regret, mut moves) = (0.0, 0.0);
    for &start in decisions.iter().step_by(decisions.len() / 20) {
        let analysis = with_turn(&game, start, 7, |turn| agent.analyse(&game, turn));
        let line = analysis.facts.into_iter().find(|(name, _)| name == "line");
        // The game may end with the first move.
        let Some((_, Fact::Text(line))) = line else { continue };
        let (mut state, mut choice) = (start, analysis.choice);
        for step in line.split("; ").take(3) {
            let mut actions = (0..4).map(Action);
            let is_made = |action: &Action| step.starts_with(&description.action_name(*action));
            let action = actions.find(is_made).unwrap();
            assert_eq!(choice.take().unwrap_or(action), action, "{line}");
            regret += optimum.regret(&game, state, action) / optimum.state_value(state).max(1.0);
            moves += 1.0;
            let after = game.successor(state, action).unwrap().afterstate;
            game.outcomes(after, &mut outcomes);
            let is_next = |state| *step == description.step(action, Some((after, state)));
            let Some(next) = outcomes.iter().find(|outcome| is_next(outcome.state)) else { break };
            assert!(outcomes.iter().all(|other| other.probability <= next.probability), "{line}");
            state = next.state;
        }
    }
    assert!(moves > 40.0 && regret < 0.02 * moves, "{regret} in {moves} moves");
}

#[test]
fn value_of_the_root_converges_to_the_exact_value() {
    let game = board(2, 3);
    let optimum = Optimum::of(&game);
    let state = game.parse("8,16,32/2,4,0").unwrap();
    let exact = optimum.state_value(state).max(1.0);
    let error = |count| {
        let mut agent: Plain = Mcts::with_options(
            None,
            None,
            SearchOptions::of_small_game(count),
            Arc::new(SingleThread),
        );
        let found = with_turn(&game, state, 7, |turn| agent.search(&game, turn));
        let best = found.actions.iter().filter_map(|action| action.value).fold(f64::MIN, f64::max);
        (best - exact).abs() / exact
    };
    let [few, some, many] = [100, 3_000, 100_000].map(error);
    println!("{exact}: {few:.3} {some:.3} {many:.3}");
    assert!(many < some && some < few && many < 0.05, "{few} {some} {many}");
}

#[test]
fn exact_values_at_the_leaves_give_optimal_choices() {
    let game = board(2, 3);
    let optimum = Arc::new(Optimum::of(&game));
    let mut options = SearchOptions::by_value(20);
    options.selection.first_play = FirstPlay::Parent;
    let value: Arc<dyn Value> = optimum.clone();
    let exact = mean_regret(&game, &optimum, Some(value), &options);
    let playouts = mean_regret(&game, &optimum, None, &SearchOptions::simulations(20));
    println!("{exact} {playouts}");
    assert!(exact < 0.2 * playouts, "{exact} {playouts}");
}

#[test]
fn it_plays_a_game_without_a_board() {
    let game = Pig::alone(pig::Config { target: 50, faces: 6 }).unwrap();
    let random = playouts::totals(&game, game.start(0), 10_000, 1).score / 10_000.0;
    let options = SearchOptions::simulations(500);
    let mut agent = Plain::with_options(None, None, options, Arc::new(SingleThread));
    let score = |number| {
        let mut random = Random::stream(Seed(1), number);
        let episode = play(&game, &mut agent, &mut random, &AtomicBool::new(false));
        assert!(episode.finished);
        episode.score
    };
    let mean = (0..40).map(score).sum::<f64>() / 40.0;
    println!("{mean} against {random}");
    assert!(mean > 0.9 * random, "{mean} against {random} of random play");
    // Holding all points that are needed ends the game for one point.
    let state = game.parse("banked=40 turn=11").unwrap();
    let best = with_turn(&game, state, 1, |turn| agent.act(&game, turn));
    assert_eq!(best, Some(HOLD));
}
