//! Parts of a tournament, which together equal the whole.

use crate::harness::place::Place;
use crate::harness::python_with;
use crate::harness::transcript::assert_snapshot;
use std::fs;

const TOURNAMENT: &str = r#"(
    game: [2048(rows: 3, cols: 3), (label: "t", game: threes(rows: 3, cols: 3))],
    agent: [random, greedy, (label: "best", agent: rows)],
    games: 50,
)"#;

const MERGE: &str = "tournament merge c a b --out merged";

impl Place {
    /// Returns a folder with the file `t.ron` of a tournament and its parts `a`, `b` and `c`.
    fn of_parts() -> Self {
        let place = Self::new();
        fs::write(place.path("t.ron"), TOURNAMENT).unwrap();
        for (part, rounds) in [("a", "1..=13"), ("b", "14..=40"), ("c", "41..=50")] {
            place.done(format!("tournament t.ron --rounds {rounds} --out {part}"));
        }
        place
    }
}

#[test]
fn merged_parts_equal_the_whole() {
    let place = Place::of_parts();
    place.done("tournament t.ron --out whole");
    place.done(MERGE);
    assert_eq!(place.text("merged/config.ron"), place.text("whole/config.ron"));
    assert_eq!(place.results("merged"), place.results("whole"));
    assert_eq!(place.report("merged"), place.report("whole"));
    // Nothing is left to do, and for the same results only the run differs.
    let files = || {
        ["results.jsonl", "report.json", "report.md", "report.csv", "report.html"]
            .map(|name| without_run(&place.text(&format!("merged/{name}"))))
    };
    let merged = files();
    place.done("tournament --out merged --resume");
    assert!(files() == merged);
    place.done(MERGE);
    assert!(files() == merged);
    // The first part becomes the whole.
    place.done("tournament --out a --resume --rounds 1..=50");
    assert_eq!(place.results("a"), place.results("whole"));
}

/// Returns a file of a report without the command that wrote it.
fn without_run(text: &str) -> String {
    let is_run = |line: &&str| line.contains("Written by runner") || line.contains("\"command\": ");
    text.lines().filter(|line| !is_run(line)).collect::<Vec<_>>().join("\n")
}

#[test]
fn parts_that_are_not_the_whole_are_refused() {
    let place = Place::of_parts();
    let text = place.text("b/results.jsonl");
    fs::write(place.path("b/results.jsonl"), &text[..text.len() - 200]).unwrap();
    place.done("tournament t.ron --seed 2 --rounds 14..=40 --out other");
    let refused = place.transcript(
        "tournament merge a b c --out merged
        tournament merge a c --out merged
        tournament merge a b --out merged
        tournament merge a b b c --out merged
        tournament merge a other c --out merged
        tournament merge a b c --out a
        tournament merge a missing --out merged
        tournament --out a --resume --rounds 1..=12
        tournament t.ron --rounds 1..=51 --out d
        tournament t.ron --rounds 0..=5 --out d",
    );
    assert!(!place.path("merged").exists() && !place.path("d").exists());
    assert_snapshot!(refused);
    place.done("tournament --out b --resume");
    place.done(MERGE);
}

/// The script of the guide is a task of a scheduler, and continues a part that was played before.
#[cfg(unix)]
#[test]
fn tasks_of_hyperqueue_play_the_parts() {
    let Some(python) = python_with("hyperqueue") else { return };
    let guide = include_str!("../../../framework/guide/src/clusters.md");
    let (_, script) = guide.split_once("```text,file=part.sh\n").expect("the guide has the script");
    let (script, _) = script.split_once("```").expect("a block has an end");
    let place = Place::new();
    fs::write(place.path("part.sh"), script).unwrap();
    fs::write(place.path("boards.ron"), TOURNAMENT.replace("games: 50", "games: 100")).unwrap();
    fs::create_dir(place.path("bin")).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_runner"), place.path("bin/runner")).unwrap();
    let path = format!("{}:{}", place.path("bin").display(), std::env::var("PATH").unwrap());
    place.done("tournament boards.ron --out whole");
    place.done("tournament boards.ron --rounds 26..=30 --out part-2");
    place.done("tournament --rounds 26..=50 --out part-2 --resume");
    let ran = std::process::Command::new(python)
        .args(["-c", include_str!("hyperqueue.py")])
        .current_dir(place.folder())
        .env("PATH", path)
        .output()
        .unwrap();
    assert!(ran.status.success(), "{ran:?}");
    place.done("tournament merge part-1 part-2 part-3 part-4 --out all");
    assert_eq!(place.results("all"), place.results("whole"));
}
