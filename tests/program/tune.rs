//! Tunings as their users meet them: what they come to, that pieces are the same as a
//! whole, and what is refused.

use crate::harness::place::Place;
use crate::harness::{Ran, done, misused, ran};
use runner_files::sealed;
use serde_json::Value;
use std::fs;
use std::process::Command;

const GAME: &str = "2048(rows: 2, cols: 3)";

/// A player that seeks full boards, and so has much to learn.
const BAD: &str = "rows(empty: -1000, merges: -500)";

impl Place {
    /// Tunes two numbers of the bad player to `a.ron`.
    fn tune(&self, more: &[&str]) -> Ran {
        self.run(&[&TUNE[..], more].concat())
    }

    /// The checkpoint, but for how long it took.
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
fn a_bad_player_is_made_a_better_one_that_can_be_played() {
    let place = Place::new();
    let told = done(&place.tune(&["--generations", "10", "--json"]));
    assert_eq!((&told["generations"], &told["population"]), (&10.into(), &6.into()));
    assert_eq!(told["games"], 10 * 6 * 20);
    assert_eq!((&told["interrupted"], &told["out"]), (&false.into(), &"a.ron".into()));
    let (before, after) = (&told["start_score"], &told["score"]);
    let end = |score: &Value, end: usize| score["ci95"][end].as_f64().unwrap();
    assert!(end(before, 1) < end(after, 0), "{before} {after}");
    let parameters = told["parameters"].as_array().unwrap();
    let starts: Vec<_> = parameters.iter().map(|p| (&p["path"], p["start"].as_f64())).collect();
    assert_eq!(starts, [(&"empty".into(), Some(-1000.0)), (&"merges".into(), Some(-500.0))]);

    // The file is an agent as it stands, with what it is worth.
    let file = place.text("a.ron");
    assert!(file.contains("// mean score ") && file.contains("of 100 fresh games"), "{file}");
    let played = place.run(&["eval", "--game", GAME, "--agent", &file, "--games", "5", "--json"]);
    assert_eq!(done(&played)["agent"], told["tuned"]);
    let tuned = told["tuned"].as_str().unwrap();
    for parameter in parameters {
        let (path, value) = (parameter["path"].as_str().unwrap(), parameter["tuned"].as_f64());
        assert!(tuned.contains(&format!("{path}: {:?}", value.unwrap())), "{tuned}");
    }
}

#[test]
fn a_tuning_in_pieces_on_other_threads_is_the_same_as_one_in_a_whole() {
    let (whole, pieces) = (Place::new(), Place::new());
    let long = whole.tune(&["--generations", "5", "--threads", "1"]);
    assert_eq!(long.code, Some(0), "{long:?}");
    assert_eq!(pieces.tune(&["--generations", "2", "--threads", "2"]).code, Some(0));
    assert_ne!(pieces.text("a.ron"), whole.text("a.ron"));
    // All is in the checkpoint: nothing else needs to be said.
    let rest = ["tune", "--resume", "--out", "a.ron", "--generations", "5"];
    let rest = pieces.run(&[&rest[..], &["--evaluate-games", "100"]].concat());
    assert_eq!(rest.code, Some(0), "{rest:?}");
    assert_eq!(pieces.text("a.ron"), whole.text("a.ron"));
    assert_eq!(pieces.checkpoint(), whole.checkpoint());
    // Another seed is another tuning.
    let other = Place::new();
    assert_eq!(other.tune(&["--generations", "5", "--seed", "2"]).code, Some(0));
    assert_ne!(other.text("a.ron"), whole.text("a.ron"));
}

#[test]
fn numbers_of_what_is_nested_are_tuned_within_their_bounds() {
    let place = Place::new();
    let agent = "expectimax(depth: 1, value: mean(values: [rows, smooth]), table: \"none\")";
    let told = done(&place.run(&[
        "tune",
        "--game",
        GAME,
        "--agent",
        agent,
        "--parameter",
        "value.values.0.empty=3:2..4:log",
        "--parameter",
        "depth:1..2",
        "--generations",
        "3",
        "--population",
        "4",
        "--games",
        "5",
        "--evaluate-games",
        "5",
        "--out",
        "n.ron",
        "--json",
    ]));
    let [empty, depth] = [0, 1].map(|i| told["parameters"][i]["tuned"].as_f64().unwrap());
    assert!((2.0..=4.0).contains(&empty) && [1.0, 2.0].contains(&depth), "{told}");
    assert_eq!(told["parameters"][0]["scale"], "log");
    let tuned = told["tuned"].as_str().unwrap();
    assert!(tuned.contains(&format!("values: [rows(empty: {empty:?}, merges: ")), "{tuned}");
    assert!(tuned.contains(&format!("depth: {depth:.0},")), "{tuned}");
}

#[test]
fn a_budget_of_games_or_of_time_ends_it_between_generations() {
    let place = Place::new();
    let told = done(&place.tune(&["--budget", "400", "--json"]));
    // Six candidates play 120 games a generation.
    assert_eq!((&told["generations"], &told["games"]), (&3.into(), &360.into()));
    let told = done(&place.tune(&["--for", "1ms", "--force", "--json"]));
    assert!(told["generations"].as_u64().unwrap() <= 1, "{told}");
}

#[test]
fn what_a_plugin_refuses_is_the_worst_and_nothing_else_is_no_generation() {
    let place = Place::new();
    let rows = ["tune", "--game", GAME, "--agent", "rows", "--games", "5", "--out", "r.ron"];
    let some = ["--parameter", "order_power=9", "--generations", "3", "--evaluate-games", "5"];
    let some = place.run(&[&rows[..], &some].concat());
    assert_eq!(some.code, Some(0), "{some:?}");
    some.only_line("note: a candidate counts as the worst, for value `rows`");
    let all = ["--parameter", "order_power=1e3", "--generations", "3", "--force"];
    let all = place.run(&[&rows[..], &all].concat());
    assert_eq!(all.code, Some(1), "{all:?}");
    assert!(all.error().contains("a power from 0 to 10 is allowed"), "{all:?}");
    assert!(all.error().contains("--parameter PATH:LOW..HIGH"), "{all:?}");
}

#[test]
fn what_cannot_be_tuned_is_refused_with_what_can() {
    let place = Place::new();
    let rows = ["tune", "--game", GAME, "--agent", "expectimax(value: rows)", "--out", "a.ron"];
    let with = |more: &[&str]| place.run(&[&rows[..], more].concat());
    misused(&with(&[]), &["--parameter is missing", "value.empty, value.merges, value.order"]);
    misused(
        &with(&["--parameter", "value.emty"]),
        &["no number `value.emty`", "did you mean `value.empty`?"],
    );
    misused(&with(&["--parameter", "table"]), &["`table` of `expectimax` is", "no number"]);
    let twice = ["--parameter", "value.empty", "--parameter", "value.empty=3"];
    misused(&with(&twice), &["value.empty is given twice"]);
    misused(&with(&["--parameter", "value.empty:9..1"]), &["lower bound 9 is not below"]);
    let random = ["tune", "--game", GAME, "--agent", "random", "--out", "a.ron"];
    misused(&place.run(&random), &["`random` has no numbers to tune"]);
    misused(&place.run(&rows[..5]), &["--out is missing"]);
    assert!(place.names().is_empty(), "nothing was written");
}

#[test]
fn only_the_same_tuning_is_gone_on_with_and_nothing_is_written_over() {
    let place = Place::new();
    misused(&place.tune(&["--resume"]), &["there is no checkpoint a.ron.checkpoint"]);
    assert_eq!(place.tune(&["--generations", "1"]).code, Some(0));
    misused(&place.tune(&[]), &["a.ron.checkpoint is there already", "--resume", "--force"]);
    let resume = |more: &[&str]| {
        let words = ["tune", "--resume", "--out", "a.ron", "--generations", "2"];
        place.run(&[&words[..], &["--evaluate-games", "5"], more].concat())
    };
    for (flag, value) in [
        ("--game", "2048(rows: 2, cols: 2)"),
        ("--agent", "rows"),
        ("--parameter", "empty"),
        ("--games", "21"),
        ("--step", "0.2"),
        ("--population", "7"),
        ("--seed", "2"),
    ] {
        let wanted = format!("a.ron.checkpoint is of a tuning with another {flag}");
        misused(&resume(&[flag, value]), &[&wanted]);
    }
    assert_eq!(resume(&["--games", "20", "--agent", BAD]).code, Some(0));
}

#[test]
fn a_checkpoint_that_is_cut_off_or_changed_is_refused_and_left_as_it_is() {
    let place = Place::new();
    assert_eq!(place.tune(&["--generations", "1"]).code, Some(0));
    let file = place.text("a.ron.checkpoint");
    let (good, tuned) = (file.as_bytes(), place.text("a.ron"));
    let refused = |broken: &[u8], why: &str| {
        fs::write(place.path("a.ron.checkpoint"), broken).unwrap();
        let words = ["tune", "--resume", "--out", "a.ron", "--generations", "2"];
        let ran = place.run(&words);
        assert_eq!((ran.code, ran.out.as_str()), (Some(1), ""), "{ran:?}");
        let begins = "a.ron.checkpoint is no whole checkpoint of a tuning: ";
        assert!(ran.error().starts_with(begins) && ran.error().contains(why), "{why:?}: {ran:?}");
        assert_eq!(fs::read(place.path("a.ron.checkpoint")).unwrap(), broken);
        assert_eq!(place.text("a.ron"), tuned);
    };
    // Here so many places are enough: the seal's own tests try all. What a digit of a
    // number becomes is a number too.
    let digit = file.find("mean: [").unwrap() + "mean: [".len();
    assert!(good[digit..].starts_with(b"-") || good[digit].is_ascii_digit());
    let number = digit + file[digit..].find('.').unwrap() + 2;
    for at in [0, number, good.len() / 2, good.len() - 2] {
        let mut flipped = good.to_vec();
        flipped[at] ^= 1;
        refused(&flipped, "checksum mismatch");
    }
    for cut in [0, 1, good.len() / 2, good.len() - 1] {
        refused(&good[..cut], "it is cut off");
    }
    refused(file.replace("seed: 1", "seed: 2").as_bytes(), "edited");
    // Whole, and yet no checkpoint that makes sense.
    let whole = sealed::open(good).unwrap();
    for (from, to, why) in [
        ("format: 2", "format: 3", "its format is 3"),
        ("population: 6", "population: 0", "do not fit together"),
        ("step_path: [", "step_path: [0.0, ", "do not fit together"),
    ] {
        assert!(whole.contains(from), "{from}");
        refused(sealed::seal(&whole.replace(from, to)).as_bytes(), why);
    }
    // And the good one is gone on with.
    fs::write(place.path("a.ron.checkpoint"), good).unwrap();
    assert_eq!(
        place.run(&["tune", "--resume", "--out", "a.ron", "--generations", "2"]).code,
        Some(0)
    );
}

#[test]
fn a_file_of_settings_is_read_and_flags_win_over_it() {
    let place = Place::new();
    let config = format!(
        "(game: {GAME}, agent: {BAD}, parameter: [\"empty:-2k..2k\"], out: \"c.ron\", games: 10, \
         generations: 2, population: 4, evaluate_games: \"5\", json: true)"
    );
    fs::write(place.path("tune.ron"), config).unwrap();
    let told = done(&place.run(&["tune", "--config", "tune.ron", "--games", "5"]));
    assert_eq!((&told["games"], &told["generations"]), (&40.into(), &2.into()));
    assert_eq!(told["parameters"][0]["lower"], -2000.0);
    assert!(place.path("c.ron").exists());
    fs::write(place.path("tune.ron"), "(population: 1)").unwrap();
    misused(&place.run(&["tune", "--config", "tune.ron"]), &["`population`", "from 2 to 10000"]);
}

#[cfg(target_os = "linux")]
mod stopped {
    use super::*;
    use crate::harness::signals::{await_listening, interrupt};
    use std::process::Stdio;

    /// The command that the message names comes to what the whole would have.
    #[test]
    fn an_interrupted_tuning_goes_on_with_the_command_that_it_names() {
        let (place, whole) = (Place::new(), Place::new());
        let more = ["--generations", "20", "--json"];
        let mut command = place.command(&[&TUNE[..], &more].concat());
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        await_listening(&child, || place.path("a.ron.checkpoint").exists());
        interrupt(&child);
        let stopped = Ran::from(child.wait_with_output().unwrap()).without_a_panic();
        assert_eq!(stopped.code, Some(130), "{stopped:?}");
        let told = stopped.json();
        assert_eq!((&told["interrupted"], &told["score"]), (&true.into(), &Value::Null));
        assert!(told["generations"].as_u64().unwrap() < 20, "{told}");
        let line = stopped.only_line("interrupted: ");
        let (_, go_on) = line.split_once("go on with: ").unwrap();
        let mut shell = Command::new("sh");
        crate::harness::prepare(&mut shell).args(["-c", go_on]).current_dir(place.folder());
        assert_eq!(done(&ran(&mut shell))["generations"], 20);
        assert_eq!(whole.tune(&more).code, Some(0));
        assert_eq!(place.text("a.ron"), whole.text("a.ron"));
        assert_eq!(place.checkpoint(), whole.checkpoint());
    }
}
