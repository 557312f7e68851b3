//! Tests of `runner tune`: its result, resumed and interrupted tunings, and errors.

use crate::harness::place::Place;
use serde_json::Value;
use std::fs;

const GAME: &str = "2048(rows: 2, cols: 3)";

/// Tunes two numbers of a player that prefers full boards, so that tuning improves it; the result
/// is `a.ron`.
const TUNE: &str = "tune --game '2048(rows: 2, cols: 3)' \
                    --agent 'rows(empty: -1000, merges: -500)' --parameter empty \
                    --parameter merges --games 20 --evaluate-games 100 --out a.ron";

impl Place {
    /// Returns the definition and the generations without their times.
    fn generations(&self) -> Vec<String> {
        let text = self.text("a.ron.jsonl");
        let lines = text.lines().map(|line| line.split(",\"seconds\"").next().unwrap().to_owned());
        lines.collect()
    }
}

#[test]
fn tuning_improves_a_bad_player_and_writes_it() {
    let place = Place::new();
    let result = place.json(format!("{TUNE} --generations 10"));
    assert_eq!((&result["generations"], &result["population"]), (&10.into(), &6.into()));
    assert_eq!(result["games"], 10 * 6 * 20);
    assert_eq!((&result["interrupted"], &result["out"]), (&false.into(), &"a.ron".into()));
    let (before, after) = (&result["start_score"], &result["score"]);
    let end = |score: &Value, end: usize| score["ci95"][end].as_f64().unwrap();
    assert!(end(before, 1) < end(after, 0), "{before} {after}");
    let parameters = result["parameters"].as_array().unwrap();
    let starts: Vec<_> = parameters.iter().map(|p| (&p["path"], p["start"].as_f64())).collect();
    assert_eq!(starts, [(&"empty".into(), Some(-1000.0)), (&"merges".into(), Some(-500.0))]);

    // The file is the spec of an agent, with its scores as comments.
    let file = place.text("a.ron");
    assert!(file.contains("// mean score ") && file.contains("in 100 fresh games"), "{file}");
    let played = place.run(&["eval", "--game", GAME, "--agent", &file, "--games", "5", "--json"]);
    assert_eq!(played.success().json()["agent"], result["tuned"]);
    let tuned = result["tuned"].as_str().unwrap();
    for parameter in parameters {
        let (path, value) = (parameter["path"].as_str().unwrap(), parameter["tuned"].as_f64());
        assert!(tuned.contains(&format!("{path}: {:?}", value.unwrap())), "{tuned}");
    }
}

#[test]
fn tuning_in_pieces_on_other_threads_equals_one_run() {
    let (single, pieces) = (Place::new(), Place::new());
    single.done(format!("{TUNE} --generations 5 --threads 1"));
    pieces.done(format!("{TUNE} --generations 2 --threads 2"));
    assert_ne!(pieces.text("a.ron"), single.text("a.ron"));
    // The file has all other options.
    pieces.done("tune --resume --out a.ron --generations 5 --evaluate-games 100");
    assert_eq!(pieces.text("a.ron"), single.text("a.ron"));
    assert_eq!(pieces.generations(), single.generations());
    // Another seed gives another result.
    let other = Place::new();
    other.done(format!("{TUNE} --generations 5 --seed 2"));
    assert_ne!(other.text("a.ron"), single.text("a.ron"));
}

#[test]
fn nested_numbers_are_tuned_within_their_bounds() {
    let result = Place::with_library("test_working").json(format!(
        "tune --game '{GAME}' --parameter agents.0.value.empty=3:2..4:log --parameter agents.0.depth:1..2 \
         --agent 'alternate(agents: [expectimax(depth: 1, value: rows, table: \"none\")])' \
         --generations 3 --games 5 --evaluate-games 5 --out n.ron"
    ));
    let [empty, depth] = [0, 1].map(|i| result["parameters"][i]["tuned"].as_f64().unwrap());
    assert!((2.0..=4.0).contains(&empty) && [1.0, 2.0].contains(&depth), "{result}");
    assert_eq!(result["parameters"][0]["scale"], "log");
    let tuned = result["tuned"].as_str().unwrap();
    assert!(tuned.contains(&format!("value: rows(empty: {empty:?}, merges: ")), "{tuned}");
    assert!(tuned.contains(&format!("depth: {depth:.0},")), "{tuned}");
}

#[test]
fn limit_of_time_ends_a_tuning_between_generations() {
    let result = Place::new().json(format!("{TUNE} --for 1ms"));
    assert!(result["generations"].as_u64().unwrap() <= 1, "{result}");
}

#[test]
fn damaged_generations_are_refused_and_stay() {
    let place = Place::new();
    let resume = "tune --resume --out a.ron --generations 3";
    place.done(format!("{TUNE} --generations 2"));
    let (file, tuned) = (place.text("a.ron.jsonl"), place.text("a.ron"));
    for (from, to, why) in [
        ("{\"game\"", "{\"gama\"", "a.ron.jsonl is not a tuning file: "),
        ("\"games\":20", "\"games\":0", "its numbers are inconsistent"),
        ("\"means\":[", "\"means\":[1.0,", "line 2 is damaged: it has 7 means of 6 candidates"),
        ("{\"generation\"", "\"generation\"", "line 2 is damaged: "),
        ("\"generation\":0", "\"generation\":7", "it is generation 7 in the place of 0"),
    ] {
        let broken = file.replacen(from, to, 1);
        assert_ne!(broken, file);
        fs::write(place.path("a.ron.jsonl"), &broken).unwrap();
        let refused = place.sh(resume);
        let error = refused.error();
        assert!(error.starts_with("a.ron.jsonl") && error.contains(why), "{error}");
        assert_eq!((place.text("a.ron.jsonl"), place.text("a.ron")), (broken, tuned.clone()));
    }
    fs::write(place.path("a.ron.jsonl"), &file[..file.len() - 9]).unwrap();
    place.done(resume);
    assert!(place.text("a.ron.jsonl").lines().count() == 4);
}

/// A run that is killed at its start may have written nothing, or a part of the first line.
#[test]
fn tuning_without_its_first_line_begins_again() {
    let place = Place::new();
    let tune = format!("{TUNE} --generations 1");
    place.done(&tune);
    let (file, whole) = (place.text("a.ron.jsonl"), place.generations());
    for written in ["", &file[..20]] {
        fs::write(place.path("a.ron.jsonl"), written).unwrap();
        place.done(format!("{tune} --resume"));
        assert_eq!(place.generations(), whole);
        fs::write(place.path("a.ron.jsonl"), written).unwrap();
        let refused = place.sh("tune --resume --out a.ron");
        assert_eq!(refused.code, Some(2));
        let says = "a.ron.jsonl: it does not say what is tuned: give --agent and --parameter, too";
        assert_eq!(refused.error(), says);
    }
}

/// The result is that of a tuning without the interrupt.
#[cfg(target_os = "linux")]
#[test]
fn interrupted_tuning_is_completed_by_the_command_that_it_names() {
    use crate::harness::finish;
    use crate::harness::signals::{await_listening, interrupt};

    let (place, single) = (Place::new(), Place::new());
    let tune = format!("{TUNE} --generations 20 --json");
    let child = place.start(&tune);
    await_listening(&child, || place.path("a.ron.jsonl").exists());
    interrupt(&child);
    let stopped = finish(child);
    let result = stopped.json();
    assert_eq!((&result["interrupted"], &result["score"]), (&true.into(), &Value::Null));
    assert!(result["generations"].as_u64().unwrap() < 20, "{result}");
    let resumed = place.shell(stopped.continuation()).success();
    assert_eq!(resumed.json()["generations"], 20);
    single.done(&tune);
    assert_eq!(place.text("a.ron"), single.text("a.ron"));
    assert_eq!(place.generations(), single.generations());
}
