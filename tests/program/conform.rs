//! `runner conform`: implementations of games, compared with the rules.

use crate::harness::place::Place;
use std::fs;

/// A transition of 2048 that follows the rules.
const RIGHT: &str = r#"{"state": [[2,2,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0]], "start": true, "action": "left", "reward": 4, "next": [[4,0,0,0],[0,0,0,0],[0,2,0,0],[0,0,0,0]], "terminal": false}"#;

#[test]
fn transitions_of_a_file_are_judged_and_named_by_their_line() {
    let place = Place::new();
    let judge = |lines: &[&str]| {
        fs::write(place.path("a.jsonl"), lines.join("\n")).unwrap();
        place.sh("conform --game 2048 a.jsonl")
    };
    let right = judge(&[RIGHT, RIGHT]);
    assert_eq!(right.code, Some(0), "{right:?}");
    let says = "`a.jsonl` conforms to 2048 in what was tested, 2 transitions; not tested:";
    assert!(right.out.starts_with(says), "{right:?}");
    let no_tile = RIGHT.replace("[0,2,0,0]", "[0,0,0,0]");
    let wrong = judge(&[RIGHT, &no_tile, RIGHT]);
    assert_eq!(wrong.code, Some(1));
    insta::assert_snapshot!(wrong.out.split("\n\n").take(2).collect::<Vec<_>>().join("\n\n"), @r"
    `a.jsonl` is not 2048

    chance outcomes, at 2: no tile entered after `left`
      before   after the action  observed
      2 2 . .  4 . . .           4 . . .
      . . . .  . . . .           . . . .
      . . . .  . . . .           . . . .
      . . . .  . . . .           . . . .
    ");
    assert_eq!(wrong.err, "error: `a.jsonl` is not 2048\n");
    let broken = judge(&[RIGHT, "{\"state\": [[2]]}", RIGHT]);
    assert_eq!(broken.code, Some(1));
    let says = "line 2: `next`, the position after the action and chance, is missing";
    assert_eq!(broken.err, format!("error: `a.jsonl`: {says}\n"));
    assert!(broken.out.contains("1  moves"), "the count so far: {broken:?}");
}

/// Judges a program of shell, which answers each line by `answer`.
fn judge(place: &Place, answer: &str) -> (String, String) {
    fs::write(place.path("game.sh"), format!("while read -r line; do {answer}; done\n")).unwrap();
    let ran = place.sh("conform --game 2048 --steps 100 --timeout 300ms -- /bin/sh game.sh");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    (ran.out, ran.err)
}

#[test]
fn programs_that_hang_end_or_write_no_position_are_named() {
    let place = Place::new();
    for (answer, says) in [
        ("sleep 60", "did not answer within 300ms"),
        (
            "echo trouble >&2; exit 3",
            "ended without an answer (exit status: 3); its standard error ends with: trouble",
        ),
        ("echo hello", "`hello` is no JSON object"),
        ("echo '{}'", "null is no position: neither text nor cells"),
        ("echo '{\"state\": [[2, 2], [0, 0]]}'", "the board has 4 rows of 4 cells"),
        ("echo '{\"state\": \"2,2/0,0\", \"reward\": 0}'", "is no position"),
        ("echo '{\"type\": \"error\", \"message\": \"no\"}'", "no game starts: no"),
    ] {
        let (out, err) = judge(&place, answer);
        assert!(err.contains(says), "{err}, not {says}");
        assert!(out.contains("was not judged to the end"), "{out}");
    }
}

#[test]
fn what_cannot_be_judged_is_refused() {
    let place = Place::new();
    fs::write(place.path("empty.jsonl"), "").unwrap();
    for (code, line, says) in [
        (2, "conform", "name a file of transitions, or a program after `--`"),
        (2, "conform missing.jsonl", "missing.jsonl"),
        (1, "conform empty.jsonl", "no transitions in this file"),
        (2, "conform empty.jsonl --actions up,up", "names each of up, right, down, left once"),
        (2, "conform --game nothing empty.jsonl", "nothing"),
        (1, "conform -- ./missing-program", "cannot be started"),
    ] {
        let ran = place.sh(line);
        assert_eq!(ran.code, Some(code), "{line}: {ran:?}");
        assert!(ran.err.contains(says), "{line}: {}", ran.err);
    }
}
