//! Games that end in a fault of their agent: they are forfeited, and the others are played.

use super::RESUME;
use crate::harness::place::Place;
use serde_json::Value;
use std::fs;

fn row(report: &Value, agent: &str) -> Value {
    let rows = report["rows"].as_array().unwrap();
    rows.iter().find(|row| row["agent"] == agent).unwrap().clone()
}

#[test]
fn faulty_agents_forfeit_their_games_and_the_others_play_on() {
    let place = Place::with_library("test_faulty");
    let ran =
        place.sh("tournament --out t --game '2048(rows: 2, cols: 3)' --games 50 --agent random \
         'panics=faulty-agent(at: act)' 'illegal=faulty-agent(at: illegal)' \
         'copied=faulty-agent(at: copy)'");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("games forfeited"), "{}", ran.err);
    let refused = "`copied` forfeited all 50 games of 2048(rows: 2, cols: 3): ";
    assert!(ran.error().starts_with(refused), "{}", ran.err);
    let report = place.report("t");
    let row = |agent: &str| row(&report, agent);
    for (agent, cause) in [
        ("panics", "the decision went wrong"),
        ("illegal", "not legal"),
        ("copied", "copying the agent went wrong"),
    ] {
        let row = row(agent);
        let faults = row["faults"].as_u64().unwrap();
        assert!(faults > 0 && faults + row["games"].as_u64().unwrap() == 50, "{row}");
        assert!(row["causes"].to_string().contains(cause), "{row}");
        assert!(place.text("t/report.md").contains(cause) && ran.out.contains(agent));
    }
    // An agent without a score has the last rank, as its forfeited games count 0.
    let copied = row("copied");
    assert_eq!((&copied["games"], &copied["mean_with_forfeits"]), (&0.into(), &0.0.into()));
    assert!(copied["rank"].as_u64() > row("random")["rank"].as_u64(), "{copied}");
    assert!(copied["score"]["mean"].is_null(), "{copied}");
    assert_eq!((&row("random")["games"], &row("random")["faults"]), (&50.into(), &0.into()));
    // Forfeited games are lost.
    let pairs = report["pairs"].as_array().unwrap();
    let lost = pairs.iter().find(|pair| pair["a"] == "random" && pair["b"] == "copied").unwrap();
    assert_eq!(lost["p_a_wins"], 1.0);
    // They are over, and not played again.
    let before = place.text("t/results.jsonl");
    let resumed = place.sh(RESUME);
    assert_eq!(resumed.code, Some(1), "{resumed:?}");
    assert!(resumed.err.contains("games forfeited"), "{resumed:?}");
    assert_eq!(place.text("t/results.jsonl"), before);
    assert!(ran.out.lines().all(|line| line.chars().count() <= 80), "{}", ran.out);
}

#[test]
fn forfeited_games_count_as_lost_in_rates_and_ranks() {
    let place = Place::with_library("test_faulty");
    let file = r#"(
        game: [(label: "board", game: 2048(rows: 2, cols: 3))],
        agent: [random, (label: "half", agent: faulty-agent(at: illegal, once_in: 40))],
    )"#;
    fs::write(place.path("t.ron"), file).unwrap();
    let ran = place.done("tournament t.ron --out t");
    let report = place.report("t");
    let (random, half) = (row(&report, "random"), row(&report, "half"));
    let number = |value: &Value| value.as_f64().unwrap();
    let (games, faults) = (number(&half["games"]), number(&half["faults"]));
    assert!(games > 20.0 && faults > 20.0 && games + faults == 100.0, "{half}");
    // The mean is that of the games with a score, and the rank that of all.
    let mean = number(&half["score"]["mean"]);
    let of_all = number(&half["mean_with_forfeits"]);
    assert!((of_all - mean * games / 100.0).abs() < 1e-9 * mean, "{half}");
    assert_eq!(random["mean_with_forfeits"], random["score"]["mean"]);
    let of_random = number(&random["score"]["mean"]);
    assert!(of_all < of_random && of_random < mean, "{random} {half}");
    assert_eq!((&half["rank"], &random["rank"]), (&Value::from(2), &Value::from(1)));
    // `eval` has the same rates for the same games.
    let results = place.text("t/results.jsonl");
    let line = results.lines().find(|line| line.contains("\"half\"")).unwrap();
    let seed = &serde_json::from_str::<Value>(line).unwrap()["seed"];
    let agent = "faulty-agent(at: illegal, once_in: 40)";
    let eval = place.sh(format!(
        "eval --json --game '2048(rows: 2, cols: 3)' --agent '{agent}' --seed {seed} --games 100"
    ));
    assert_eq!(eval.code, Some(1), "{eval:?}");
    let eval = eval.json();
    assert_eq!(
        (&eval["tiles"], &eval["faults"], &eval["score"]),
        (&half["tiles"], &half["faults"], &half["score"])
    );
    // Its games ended in other positions, all for the same reason.
    let causes = half["causes"].as_array().unwrap();
    assert!(causes.len() == 1 && number(&causes[0]["games"]) == faults, "{causes:?}");
    assert!(ran.out.contains("forfeited"));
    let markdown = place.text("t/report.md");
    assert!(markdown.contains("| mean with forfeits |"), "{markdown}");
    // Of the tiles that all games with a score reached, the smaller ones have no row.
    assert!(
        !markdown.contains("| half | 2 | 0 |") && markdown.contains("| half | 16 |"),
        "{markdown}"
    );
}
