//! Tests of `runner shards`: shards together equal a tournament on one machine.

use crate::harness::place::Place;
use crate::harness::transcript::assert_snapshot;
use std::fs;
use std::time::Duration;

const TOURNAMENT: &str = r#"(
    game: [2048(rows: 3, cols: 3), (label: "t", game: threes(rows: 3, cols: 3))],
    agent: [random, greedy, (label: "best", agent: rows)],
    games: 50,
)"#;

const MERGE: &str = "shards merge t.json --out merged";

impl Place {
    /// Returns a folder with the plan `t.json` of a tournament.
    fn of_shards(count: u32) -> Self {
        let place = Self::new();
        fs::write(place.path("t.ron"), TOURNAMENT).unwrap();
        place.done(format!("shards plan t.ron --shards {count}"));
        place
    }

    /// Runs shards of the plan.
    #[track_caller]
    fn run_shards(&self, shards: impl IntoIterator<Item = u32>) {
        for shard in shards {
            self.done(format!("shards run t.json --shard {shard}"));
        }
    }
}

#[test]
fn seven_shards_equal_one_machine() {
    let place = Place::of_shards(7);
    place.done("tournament t.ron --out whole");
    place.run_shards([3, 1, 7, 2, 5, 6]);
    assert_snapshot!(place.transcript(MERGE));
    assert!(!place.path("merged").exists());
    place.run_shards([4]);
    // A shard is played once, however often it is run.
    let before = place.text("t.shards/shard-4.jsonl");
    place.run_shards([4]);
    assert_eq!(place.text("t.shards/shard-4.jsonl"), before);
    // A shard that was killed while it wrote a line.
    let text = place.text("t.shards/shard-2.jsonl");
    fs::write(place.path("t.shards/shard-2.jsonl"), &text[..text.len() - 200]).unwrap();
    place.run_shards([2]);

    place.done(MERGE);
    assert_eq!(place.results("merged"), place.results("whole"));
    // One machine writes the same report about these results, to the byte.
    let reports =
        || ["json", "md", "html"].map(|form| place.text(&format!("merged/report.{form}")));
    let merged = reports();
    place.done("tournament --out merged --resume");
    assert_eq!(reports(), merged);
}

#[test]
fn shard_that_is_killed_loses_and_doubles_no_game() {
    let place = Place::of_shards(2);
    place.done("tournament t.ron --out whole");
    let mut random = runner_core::Random::from_word(6);
    for _ in 0..5 {
        let mut child = place.start_silent("shards run t.json --shard 1");
        std::thread::sleep(Duration::from_millis(random.below(200).into()));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    place.run_shards(1..=2);
    place.done(MERGE);
    assert_eq!(place.results("merged"), place.results("whole"));
}

#[test]
fn merge_that_is_killed_is_run_again() {
    let place = Place::of_shards(3);
    place.run_shards(1..=3);
    place.done("shards merge t.json --out whole");
    let files = |folder: &str| {
        ["results.jsonl", "report.json"].map(|name| place.text(&format!("{folder}/{name}")))
    };
    let mut random = runner_core::Random::from_word(5);
    for _ in 0..20 {
        let mut child = place.start_silent(MERGE);
        std::thread::sleep(Duration::from_millis(random.below(60).into()));
        child.kill().unwrap();
        child.wait().unwrap();
        // The folder is complete, or is not there.
        if place.path("merged").exists() {
            assert!(files("merged") == files("whole"));
            fs::remove_dir_all(place.path("merged")).unwrap();
        }
    }
    place.done(MERGE);
    assert!(files("merged") == files("whole"));
    assert_eq!(place.names(), ["merged", "t.json", "t.ron", "t.shards", "whole"]);
    assert_snapshot!(place.transcript(&format!("{MERGE}\nshards merge t.json --out t.ron")));
}
