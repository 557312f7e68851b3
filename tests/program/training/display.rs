//! The display of a training, on a terminal and elsewhere.

use super::*;
use crate::harness::is_missing;
use crate::harness::terminal::on_terminal;

const WORDS: &str =
    "train --game 2048 --agent 'tc-ntuple(network: \"012 345\")' --for 1500ms --model a.model";

#[test]
fn training_shows_its_curve_in_a_line_and_ends_with_its_report() {
    if is_missing("script") {
        return;
    }
    for (columns, lines, parts) in
        [(80, 24, &["left, ", "mean ", "▁", "model: a.model"][..]), (30, 8, &["left"])]
    {
        let (code, out) = on_terminal(columns, lines, WORDS, "");
        assert_eq!(code, Some(0), "{out}");
        for part in parts {
            assert!(out.contains(part), "{part} is missing at {columns} x {lines}: {out}");
        }
        // No mode of the terminal is changed.
        assert!(!out.contains("\x1b[?"), "{out}");
        let report = out.rsplit("mean score of the last").next().unwrap();
        assert!(!report.contains("s left"), "the line is cleared: {out}");
    }
}

#[test]
#[ignore = "lines are ten seconds apart"]
fn training_without_a_terminal_prints_plain_lines() {
    let place = Place::new();
    let trained = place.done(WORDS.replace("1500ms", "11s"));
    assert!(trained.err.contains("left, ") && trained.err.contains(", mean "), "{trained:?}");
    assert!(!trained.err.contains('\x1b'), "{trained:?}");
}
