//! Invalid parameters of the searching agents: each is refused before any game is played,
//! with its name, its place in the spec, and the allowed range.

use crate::harness::place::Place;
use crate::harness::{Ran, expect_json, expect_usage_error, library, run, text};

const GAME: &str = "2048(rows: 2, cols: 3)";

/// Agents that share the parameters `depth` and `value`.
const SEARCHES: [&str; 2] = ["expectimax", "minimax"];

/// Runs `think` on a position of the small board.
fn think(agent: &str) -> Ran {
    run(&["think", "--game", GAME, "--agent", agent, "--state", "2,0,0/0,2,0", "--json"])
}

/// Asserts that an agent refuses a parameter with a message that contains `expected`, and
/// that the message marks the value that was typed.
#[track_caller]
fn refused(agent: &str, parameter: &str, typed: &str, expected: &str) {
    let spec = format!("{agent}({parameter}: {typed})");
    let named = format!("agent `{agent}`: parameter `{parameter}`: ");
    let ran = think(&spec);
    expect_usage_error(&ran, &[&named, expected]);
    let mark = format!("{}^", " ".repeat(spec.find(": ").unwrap() + 2));
    assert!(ran.error_lines()[1] == spec && ran.error_lines()[2].starts_with(&mark), "{ran:?}");
}

#[test]
fn numbers_out_of_range_are_refused() {
    for agent in SEARCHES {
        for depth in ["0", "33", "60"] {
            refused(agent, "depth", depth, "1 to 32 plies");
        }
        refused(agent, "depth", "-1", "out of range");
        refused(agent, "depth", "2.5", "the number 2.5");
    }
    refused("minimax", "outcomes", "0", "1 and more");
    for time in ["\"0ms\"", "\"0s\"", "\"0.9ms\""] {
        refused("expectimax", "time", time, "is not from 1ms to 1d");
    }
    refused("expectimax", "time", "\"soon\"", "write a time such as 500ms");
    refused("expectimax", "time", "\"10\"", "a time needs a unit");
    refused("expectimax", "time", "10", "a string in quotes");
    for part in ["NaN", "inf", "-1", "-0.1", "1", "1.5"] {
        refused("expectimax", "min_probability", part, "is not from 0 up to, but not including, 1");
    }
    refused("expectimax", "full_plies", "33", "0 to 32 plies");
    for threads in ["0", "257", "1000"] {
        refused("expectimax", "threads", threads, "1 to 256");
    }
}

/// A time limit may exceed what the clock can represent.
#[test]
fn the_longest_time_and_the_smallest_table_are_allowed() {
    for allowed in ["time: \"24h\", depth: 2", "time: \"1ms\"", "table: \"1k\""] {
        let found = expect_json(&think(&format!("expectimax({allowed})")));
        assert_eq!(found["values"].as_array().unwrap().len(), 4, "{found}");
    }
}

#[test]
fn a_table_that_is_empty_or_exceeds_the_memory_is_refused() {
    for table in ["\"0\"", "\"-1\"", "\"lots\"", "\"1023\""] {
        refused("expectimax", "table", table, "\"none\"");
    }
    refused("expectimax", "table", "\"0\"", "a size cannot be 0");
    refused("expectimax", "table", "\"1023\"", "\"1k\" at least");
    // More than any machine has, but representable.
    refused("expectimax", "table", "\"10000T\"", "more memory than there is: \"");
    refused("expectimax", "table", "16", "a string in quotes");
}

#[test]
fn limits_on_tiles_and_empty_cells_depend_on_the_board() {
    refused("expectimax", "distinct", "17", "0 to 16");
    for plies in ["0", "33"] {
        let pairs = format!("[(5, 2), (4, {plies})]");
        refused("expectimax", "empty", &pairs, "1 to 32 plies");
    }
    let surplus = think("expectimax(empty: [(1, 2, 3)])");
    expect_usage_error(&surplus, &["parameter `empty`", "tuple of size 2", "3 elements"]);
    refused("expectimax", "empty", "[(6, 1)]", "0 to 5: the board has 6 cells");
    expect_json(&think("expectimax(empty: [(5, 1), (0, 2)], distinct: 16)"));

    let pig = library("pig");
    let at_pig = |agent: &str| {
        let words = ["eval", "--game", "pig", "--plugin-path", text(&pig), "--agent", agent];
        run(&words)
    };
    for (parameter, expected) in
        [("distinct: 2", "the game has no board"), ("empty: [(4, 2)]", "the game has no board")]
    {
        let name = parameter.split(':').next().unwrap();
        let named = format!("agent `expectimax`: parameter `{name}`");
        expect_usage_error(&at_pig(&format!("expectimax({parameter})")), &[&named, expected]);
    }
    for agent in SEARCHES {
        expect_usage_error(
            &at_pig(agent),
            &[agent, "parameter `value`", "a value is needed", "no board", "plays random games"],
        );
        let rows = format!("{agent}(value: rows)");
        expect_usage_error(
            &at_pig(&rows),
            &["parameter `value`: value `rows`", "needs a game with a board"],
        );
    }
}

#[test]
fn an_unusable_value_is_refused() {
    for agent in SEARCHES {
        refused(agent, "value", "random", "there is no value `random`; there are: alpha,");
        for (value, expected) in [
            ("alpha(weights: [])", "`weights`: the board needs 2 rows of 3 weights"),
            ("alpha(weights: [[1, 2, 3]])", "these rows have [3]"),
            ("beta(weights: [[1, 2, 3], [4, 5]])", "these rows have [3, 2]"),
            ("beta(weights: [[1, 2, 3], [4, 5, 6, 7]])", "these rows have [3, 4]"),
            ("beta(weights: [[1, 2, 3], [4, 5, NaN]])", "`weights`: NaN is not from -1e12 to 1e12"),
            ("rows(empty: inf)", "`empty`: inf is not from -1e12 to 1e12"),
            ("rows(lost: -1e300)", "`lost`: -1"),
            ("rows(sum_power: NaN)", "`sum_power`: NaN is not from 0 to 10"),
            ("smooth(order: 1e300)", "`order`: 1"),
            ("snake-paths(ratio: NaN)", "`ratio`: NaN is not above 0, up to 1"),
            ("rows(weight: 1)", "unknown parameter `weight`"),
        ] {
            refused(agent, "value", value, expected);
        }
    }
}

#[test]
fn a_value_that_estimates_actions_is_refused() {
    let place = Place::new();
    for learns in ["states", "actions"] {
        let learner = format!("tc-ntuple(network: \"01\", learns: \"{learns}\")");
        let words = ["train", "--game", GAME, "--agent", &learner, "--moves", "1k", "--json"];
        expect_json(&place.run(&[&words[..], &["--model", learns]].concat()));
        let value = format!("tc-ntuple(learns: \"{learns}\", model: \"{learns}\")");
        for (agent, parameter) in
            [("expectimax", "value"), ("minimax", "value"), ("expectimax", "exact")]
        {
            let spec = format!("{agent}({parameter}: {value})");
            let ran = place.run(&["think", "--game", GAME, "--agent", &spec, "--json"]);
            let named = format!("agent `{agent}`: parameter `{parameter}`: ");
            expect_usage_error(&ran, &[&named, "this one estimates actions"]);
        }
    }
}

/// Ratings are never exact.
#[test]
fn an_exact_value_without_effect_is_refused() {
    for value in ["rows", "smooth"] {
        let spec = format!("expectimax(depth: 1, exact: {value})");
        let ran = Place::new().run(&["think", "--game", GAME, "--agent", &spec, "--json"]);
        expect_usage_error(&ran, &["agent `expectimax`: parameter `exact`: ", "no effect"]);
    }
}

#[test]
fn a_model_of_another_game_is_refused_with_both_games() {
    let place = Place::new();
    for (model, game) in [
        ("small", "2048(rows: 2, cols: 2)"),
        ("large", "2048(rows: 3, cols: 3)"),
        ("other", "1024(rows: 2, cols: 3)"),
        ("odds", "2048(rows: 2, cols: 3, four: 0.2)"),
        ("same", GAME),
    ] {
        let network = if model == "large" { "678" } else { "012" };
        let learner = format!("tc-ntuple(network: \"{network}\")");
        let words = ["train", "--game", game, "--agent", &learner, "--moves", "1k", "--json"];
        expect_json(&place.run(&[&words[..], &["--model", model]].concat()));
    }
    for agent in SEARCHES {
        let plays = |model: &str| {
            let spec = format!("{agent}(value: tc-ntuple(model: \"{model}\"))");
            place.run(&["eval", "--game", GAME, "--agent", &spec, "--games", "2", "--json"])
        };
        expect_json(&plays("same"));
        for (model, theirs) in [
            ("small", "2048(rows: 2, cols: 2"),
            ("large", "2048(rows: 3, cols: 3"),
            ("other", "1024(rows: 2, cols: 3"),
            ("odds", "2048(rows: 2, cols: 3, four: 0.2"),
        ] {
            let named = format!("agent `{agent}`: parameter `value`: value `tc-ntuple`");
            let fits = format!("parameter `model`: {model} does not fit: its game is `{theirs}");
            let ours = "needed is `2048(rows: 2, cols: 3, four: 0.1";
            expect_usage_error(&plays(model), &[&named, &fits, ours]);
        }
        expect_usage_error(&plays("none"), &["parameter `model`: cannot read none"]);
    }
}

#[test]
fn sampling_searches_refuse_what_they_cannot_do() {
    refused("pure-monte-carlo", "playouts", "0", "1 to 10000000");
    refused("pure-monte-carlo", "min", "-1", "from 0");
    refused("pure-monte-carlo", "moves", "8", "1 to 7");
    refused("pure-monte-carlo", "deep_playouts", "100", "above `playouts`");
    refused("mcts", "simulations", "0", "1 to 1000000000");
    refused("mcts", "nodes", "0", "1 to 1000000000");
    refused("mcts", "time", "\"0.9ms\"", "is not from 1ms to 1d");
    refused("mcts", "exploration", "-0.5", "from 0");
    refused("mcts", "memory", "\"100\"", "hold no node");
    refused("mcts", "memory", "\"10000T\"", "more memory than there is");
    refused("mcts", "select", "\"best\"", "\"uct\", \"puct\"");
    refused("mcts", "value", "random", "there is no value `random`");
    expect_usage_error(&think("mcts(value: rows, playouts: 1)"), &["`playouts`", "rating"]);
}

/// The statistics of an action are its visits and its mean return.
#[test]
fn think_shows_what_a_sampling_search_found() {
    let found = expect_json(&think("mcts(simulations: 200, chance: \"open\")"));
    assert_eq!(found["values"].as_array().unwrap().len(), 4, "{found}");
    assert_eq!(found["facts"]["simulations"], 200, "{found}");
    assert!(found["facts"]["visits"].as_str().unwrap().contains("up "), "{found}");
    let found = expect_json(&think("pure-monte-carlo(playouts: 30)"));
    assert_eq!(found["facts"]["playouts"], 120, "{found}");
}
