//! Tests of `runner tune`: its result, resumed and interrupted tunings, and errors.

use crate::harness::place::Place;
use crate::harness::transcript::assert_snapshot;
use crate::harness::{Ran, expect_json, expect_usage_error, ran};
use runner_files::sealed;
use serde_json::Value;
use std::fs;
use std::process::Command;

const GAME: &str = "2048(rows: 2, cols: 3)";

/// A player that prefers full boards, so that tuning improves it.
const BAD: &str = "rows(empty: -1000, merges: -500)";

impl Place {
    /// Tunes two numbers of the bad player; the result is `a.ron`.
    fn tune(&self, more: &[&str]) -> Ran {
        self.run(&[&TUNE[..], more].concat())
    }

    /// Returns the checkpoint without its time.
    fn checkpoint(&self) -> String {
        let file = self.text("a.ron.checkpoint");
        let text = sealed::open(file.as_bytes()).unwrap();
        text.lines().filter(|line| !line.trim().starts_with("seconds:")).collect()
    }
}

const TUNE: [&str; 15] = [
    "tune",
    "--game",
    GAME,
    "--agent",
    BAD,
    "--parameter",
    "empty",
    "--parameter",
    "merges",
    "--games",
    "20",
    "--evaluate-games",
    "100",
    "--out",
    "a.ron",
];

#[test]
fn tuning_improves_a_bad_player_and_writes_it() {
    let place = Place::new();
    let result = expect_json(&place.tune(&["--generations", "10", "--json"]));
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
    assert_eq!(expect_json(&played)["agent"], result["tuned"]);
    let tuned = result["tuned"].as_str().unwrap();
    for parameter in parameters {
        let (path, value) = (parameter["path"].as_str().unwrap(), parameter["tuned"].as_f64());
        assert!(tuned.contains(&format!("{path}: {:?}", value.unwrap())), "{tuned}");
    }
}

#[test]
fn tuning_in_pieces_on_other_threads_equals_one_run() {
    let (single, pieces) = (Place::new(), Place::new());
    single.tune(&["--generations", "5", "--threads", "1"]).success();
    assert_eq!(pieces.tune(&["--generations", "2", "--threads", "2"]).code, Some(0));
    assert_ne!(pieces.text("a.ron"), single.text("a.ron"));
    // The checkpoint holds all other options.
    let rest = ["tune", "--resume", "--out", "a.ron", "--generations", "5"];
    pieces.run(&[&rest[..], &["--evaluate-games", "100"]].concat()).success();
    assert_eq!(pieces.text("a.ron"), single.text("a.ron"));
    assert_eq!(pieces.checkpoint(), single.checkpoint());
    // Another seed gives another result.
    let other = Place::new();
    assert_eq!(other.tune(&["--generations", "5", "--seed", "2"]).code, Some(0));
    assert_ne!(other.text("a.ron"), single.text("a.ron"));
}

#[test]
fn nested_numbers_are_tuned_within_their_bounds() {
    let place = Place::new();
    let result = place.done(&format!(
        "tune --game '{GAME}' --parameter value.values.0.empty=3:2..4:log --parameter depth:1..2 \
         --agent 'expectimax(depth: 1, value: mean(values: [rows, smooth]), table: \"none\")' \
         --generations 3 --population 4 --games 5 --evaluate-games 5 --out n.ron --json"
    ));
    let result = result.json();
    let [empty, depth] = [0, 1].map(|i| result["parameters"][i]["tuned"].as_f64().unwrap());
    assert!((2.0..=4.0).contains(&empty) && [1.0, 2.0].contains(&depth), "{result}");
    assert_eq!(result["parameters"][0]["scale"], "log");
    let tuned = result["tuned"].as_str().unwrap();
    assert!(tuned.contains(&format!("values: [rows(empty: {empty:?}, merges: ")), "{tuned}");
    assert!(tuned.contains(&format!("depth: {depth:.0},")), "{tuned}");
}

#[test]
fn title_names_only_parameters_that_differ_from_the_defaults() {
    let place = Place::new();
    let words = ["tune", "--game", GAME, "--agent", "expectimax(depth: 1, value: rows)"];
    let more = ["--generations", "0", "--evaluate-games", "2", "--out", "a.ron"];
    let one = ["--parameter", "value.empty"];
    let tuned = place.run(&[&words[..], &more, &one].concat());
    let title = "expectimax(value: rows, depth: 1) tuned on 2048(rows: 2, cols: 3), seed 1";
    assert!(tuned.out.starts_with(title) && !tuned.out.contains("None"), "{tuned:?}");
    assert!(place.text("a.ron").starts_with(&format!("// {title}")), "{}", place.text("a.ron"));
    let listed = place.run(&[&words[..], &more, &["--force"]].concat());
    expect_usage_error(
        &listed,
        &["the numbers of expectimax(value: rows, depth: 1) are value.empty"],
    );
}

/// Numbers that are good to begin with can only get worse by luck.
#[test]
fn result_that_is_no_better_than_the_start_is_announced() {
    let place = Place::new();
    let words = ["tune", "--game", GAME, "--agent", "rows(empty: 270)", "--parameter", "empty"];
    let more = ["--generations", "0", "--evaluate-games", "20", "--out", "a.ron", "--json"];
    let same = place.run(&[&words[..], &more].concat());
    assert_eq!(expect_json(&same)["score"], expect_json(&same)["start_score"]);
    same.only_line("warning: the tuned agent does not score more than the start");
}

#[test]
fn limits_of_games_and_time_end_a_tuning_between_generations() {
    let place = Place::new();
    let result = expect_json(&place.tune(&["--budget", "400", "--json"]));
    // Six candidates play 120 games per generation.
    assert_eq!((&result["generations"], &result["games"]), (&3.into(), &360.into()));
    let result = expect_json(&place.tune(&["--for", "1ms", "--force", "--json"]));
    assert!(result["generations"].as_u64().unwrap() <= 1, "{result}");
}

#[test]
fn refused_candidates_rank_last_unless_all_are_refused() {
    let place = Place::new();
    let rows = ["tune", "--game", GAME, "--agent", "rows", "--games", "5", "--out", "r.ron"];
    let some = ["--parameter", "order_power=9.9", "--generations", "6", "--evaluate-games", "5"];
    let some = place.run(&[&rows[..], &some].concat()).success();
    some.only_line("note: a candidate is refused and ranks last: value `rows`");
    let all = ["--parameter", "order_power=1e3", "--generations", "3", "--force"];
    let all = place.run(&[&rows[..], &all].concat());
    assert_eq!(all.code, Some(1), "{all:?}");
    assert!(all.error().contains("is not from 0 to 10"), "{all:?}");
    assert!(all.error().contains("--parameter PATH:LOW..HIGH"), "{all:?}");
    // Without a generation there is nothing to resume, and nothing in the way.
    assert!(!all.error().contains("--resume"), "{all:?}");
    assert!(!place.names().contains(&"r.ron.checkpoint".into()), "{:?}", place.names());
}

#[test]
fn wrong_parameters_are_refused_with_those_of_the_agent() {
    let place = Place::new();
    let tune = format!("tune --game '{GAME}' --agent");
    let rows = format!("{tune} 'expectimax(value: rows)' --out a.ron");
    assert_snapshot!(place.transcript(&format!(
        "{rows}
        {rows} --parameter value.emty
        {rows} --parameter table
        {rows} --parameter value.empty --parameter value.empty=3
        {rows} --parameter value.empty:9..1
        {tune} random --out a.ron
        {tune} rows
        {rows} --resume
        {rows} --resume --force"
    )));
    assert!(place.names().is_empty(), "nothing was written");
}

#[test]
fn another_tuning_is_not_resumed_and_files_are_not_overwritten() {
    let place = Place::new();
    assert_eq!(place.tune(&["--generations", "1"]).code, Some(0));
    let mut told = place.printed(&place.tune(&[]));
    let resume = "tune --resume --out a.ron --generations 2 --evaluate-games 5";
    for other in [
        "--game '2048(rows: 2, cols: 2)'",
        "--agent rows",
        "--parameter empty",
        "--games 21",
        "--step 0.2",
        "--population 7",
        "--seed 2",
    ] {
        told += &place.transcript(&format!("{resume} {other}"));
    }
    assert_snapshot!(told);
    place.done(&format!("{resume} --games 20 --agent '{BAD}'"));
}

#[test]
fn damaged_checkpoint_is_refused_and_stays() {
    let place = Place::new();
    assert_eq!(place.tune(&["--generations", "1"]).code, Some(0));
    let file = place.text("a.ron.checkpoint");
    let (good, tuned) = (file.as_bytes(), place.text("a.ron"));
    let refused = |broken: &[u8], why: &str| {
        fs::write(place.path("a.ron.checkpoint"), broken).unwrap();
        let words = ["tune", "--resume", "--out", "a.ron", "--generations", "2"];
        let ran = place.run(&words);
        assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{ran:?}");
        let begins = "a.ron.checkpoint is no valid tuning checkpoint: ";
        assert!(ran.error().starts_with(begins) && ran.error().contains(why), "{why:?}: {ran:?}");
        assert_eq!(fs::read(place.path("a.ron.checkpoint")).unwrap(), broken);
        assert_eq!(place.text("a.ron"), tuned);
    };
    // The tests of the seal try all positions. A changed digit is still a number.
    let digit = file.find("mean: [").unwrap() + "mean: [".len();
    assert!(good[digit..].starts_with(b"-") || good[digit].is_ascii_digit());
    let number = digit + file[digit..].find('.').unwrap() + 2;
    for at in [0, number, good.len() / 2, good.len() - 2] {
        let mut flipped = good.to_vec();
        flipped[at] ^= 1;
        refused(&flipped, "checksum mismatch");
    }
    for cut in [0, 1, good.len() / 2, good.len() - 1] {
        refused(&good[..cut], "it is truncated");
    }
    refused(file.replace("seed: 1", "seed: 2").as_bytes(), "edited");
    // Intact, but inconsistent.
    let intact = sealed::open(good).unwrap();
    for (from, to, why) in [
        ("format: 2", "format: 3", "its format is 3"),
        ("population: 6", "population: 0", "inconsistent"),
        ("step_path: [", "step_path: [0.0, ", "inconsistent"),
    ] {
        assert!(intact.contains(from), "{from}");
        refused(sealed::seal(&intact.replace(from, to)).as_bytes(), why);
    }
    // The intact one is resumed.
    fs::write(place.path("a.ron.checkpoint"), good).unwrap();
    assert_eq!(
        place.run(&["tune", "--resume", "--out", "a.ron", "--generations", "2"]).code,
        Some(0)
    );
}

#[cfg(target_os = "linux")]
mod stopped {
    use super::*;
    use crate::harness::signals::{await_listening, interrupt};
    use std::process::Stdio;

    /// The result is that of a tuning without the interrupt.
    #[test]
    fn interrupted_tuning_is_completed_by_the_command_that_it_names() {
        let (place, single) = (Place::new(), Place::new());
        let more = ["--generations", "20", "--json"];
        let mut command = place.command(&[&TUNE[..], &more].concat());
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        await_listening(&child, || place.path("a.ron.checkpoint").exists());
        interrupt(&child);
        let stopped = Ran::from(child.wait_with_output().unwrap()).without_a_panic();
        assert_eq!(stopped.code, Some(130), "{stopped:?}");
        let result = stopped.json();
        assert_eq!((&result["interrupted"], &result["score"]), (&true.into(), &Value::Null));
        assert!(result["generations"].as_u64().unwrap() < 20, "{result}");
        let line = stopped.only_line("interrupted: ");
        let (_, resume) = line.split_once("continue with: ").unwrap();
        let mut shell = Command::new("sh");
        crate::harness::prepare(&mut shell).args(["-c", resume]).current_dir(place.folder());
        assert_eq!(expect_json(&ran(&mut shell))["generations"], 20);
        assert_eq!(single.tune(&more).code, Some(0));
        assert_eq!(place.text("a.ron"), single.text("a.ron"));
        assert_eq!(place.checkpoint(), single.checkpoint());
    }
}
