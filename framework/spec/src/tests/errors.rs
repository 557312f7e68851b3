//! Errors: their messages and their places.

use super::{Board, Needs, Search, error_of, read, spec};
use crate::{Spec, SpecError, nearest, one_line, printable, read_document};

/// Lines of an invalid text, a part of the message and the part of the text that it points at.
const INVALID: &str = include_str!("invalid.txt");

#[test]
fn invalid_text_is_rejected_at_its_place() {
    for line in INVALID.lines() {
        let [text, message, place] = line.split('|').collect::<Vec<_>>()[..] else {
            panic!("three columns are expected: {line}");
        };
        let error = text.parse::<Spec>().expect_err(text);
        assert!(error.message.contains(message), "{text}: {error}");
        assert_eq!(&text[error.span.clone()], place, "{text}: {error}");
    }
}

/// Checks the parts of an error's message and the part of the text that it points at.
#[track_caller]
fn check(error: &SpecError, place: &str, parts: &[&str]) {
    let line = error.to_string();
    assert_eq!(&error.text[error.span.clone()], place, "{line}");
    for part in parts {
        assert!(line.contains(part), "{part:?} is missing in: {line}");
    }
}

#[test]
fn unknown_parameter_is_rejected_with_the_known_ones() {
    let error = error_of::<Board>("2048(rowz: 3)");
    assert_eq!(
        error.to_string(),
        "unknown parameter `rowz` (at character 6 of `2048(rowz: 3)`); allowed: rows, cols, \
         four, goal, start_tiles; did you mean `rows`?"
    );
    let far = error_of::<Board>("2048(depth: 3)");
    check(&far, "depth", &["unknown parameter", "allowed: rows"]);
    assert!(!far.to_string().contains("did you mean"), "{far}");
}

#[test]
fn wrong_values_are_rejected_with_what_is_expected() {
    for line in include_str!("wrong.txt").lines().filter(|line| !line.starts_with('#')) {
        let row: Vec<&str> = line.split(" | ").collect();
        let error = match row[0] {
            "board" => error_of::<Board>(row[1]),
            "search" => error_of::<Search>(row[1]),
            "none" => error_of::<()>(row[1]),
            _ => spec(row[1]).deserialize::<Needs>().unwrap_err(),
        };
        check(&error, row[2], &row[3..]);
    }
    let error = error_of::<Board>("2048(four: 1, // 木\n rows: [1])");
    check(&error, "[1]", &["`rows`", "expected an unsigned integer", "line 2, character 8"]);
}

#[test]
fn error_in_a_document_has_line_and_character() {
    let error = read_document::<Vec<Spec>>("[\n  2048,\n  2048(rowz: 3),\n]").unwrap()[1]
        .read::<Board>()
        .unwrap_err();
    check(&error, "rowz", &["line 3, character 8", "did you mean `rows`?"]);
    assert_eq!(error.caret(), "  2048(rowz: 3),\n       ^^^^");
    let error = read_document::<Needs>("game(value: x)").unwrap_err();
    check(&error, "game(value: x)", &["expected a group in parentheses", "`game(...)`"]);
}

#[test]
fn error_in_a_nested_spec_points_into_the_outer_text() {
    let outer = spec("expectimax(depth: 3, value: 2048(rowz: 3))");
    let inner = outer.read::<Search>().unwrap().value.unwrap();
    let error = inner.read::<Board>().unwrap_err();
    assert_eq!(error.text, outer.to_string());
    assert_eq!(&error.text[error.span.clone()], "rowz");
    assert_eq!(
        error.caret(),
        "expectimax(depth: 3, value: 2048(rowz: 3))\n                                 ^^^^"
    );
    let error = inner.refused(Some("rowz"), "3 is too many");
    assert_eq!(
        error.to_string(),
        "parameter `rowz`: 3 is too many (at character 40 of \
         `expectimax(depth: 3, value: 2048(rowz: 3))`)"
    );
    // Without a value to point at, the error points at the name.
    for (parameter, message) in [(Some("cols"), "4 is odd"), (None, "no")] {
        assert_eq!(inner.refused(parameter, message).span, 28..32);
    }
}

#[test]
fn long_line_is_clipped_around_the_error() {
    let text = format!("a(file: \"{}\", rowz: \"{}\")", "é".repeat(200), "木".repeat(200));
    let error = error_of::<Search>(&text);
    assert_eq!(&text[error.span.clone()], "rowz");
    let caret = error.caret();
    let (shown, marks) = caret.split_once('\n').unwrap();
    assert_eq!(shown.chars().count(), 80);
    assert!(shown.starts_with('…') && shown.ends_with('…'));
    let at = marks.chars().take_while(|&c| c == ' ').count();
    assert_eq!(shown.chars().skip(at).take(4).collect::<String>(), "rowz");
    assert_eq!(marks.trim_start(), "^^^^");
    // `a(file: "` has 9 characters, the text 200, and `", ` three.
    assert!(error.to_string().contains("(at character 213 of `…"), "{error}");
    assert!(!error.to_string().contains('\n'));

    // Behind the end of a long line, and behind space that is not shown.
    for text in [format!("{}(x:", "a".repeat(90)), format!("a(x:{}", " ".repeat(90))] {
        let caret = text.parse::<Spec>().unwrap_err().caret();
        assert!(caret.lines().all(|line| line.chars().count() <= 80), "{caret}");
    }

    let whole = SpecError::new(&"x".repeat(300), 0..300, "long");
    assert_eq!(whole.caret().lines().nth(1).unwrap().len(), 80);
}

#[test]
fn displaying_an_error_with_an_invalid_span_does_not_panic() {
    // `SpecError::new` accepts any span.
    for (start, end) in [(0, 99), (2, 1), (98, 99), (1, 2)] {
        let error = SpecError::new("木\u{1b}\n", start..end, "odd");
        assert!(!error.to_string().contains(char::is_control));
        error.caret();
    }
}

#[test]
fn deep_nesting_is_rejected_and_long_lists_are_read() {
    for (open, close) in [("a(x:", ")"), ("(", ")"), ("[", "]"), ("{1:", "}")] {
        let text = format!("a(x:{}{})", open.repeat(10_000), close.repeat(10_000));
        assert!(text.parse::<Spec>().is_err());
        assert!(format!("a(x:{}", open.repeat(10_000)).parse::<Spec>().is_err());
    }
    let deep = |depth| format!("{}b{}", "a(value: ".repeat(depth), ")".repeat(depth));
    let config: Search = spec(&deep(50)).read().unwrap();
    assert_eq!(config.value, Some(spec(&deep(49))));
    let error = deep(51).parse::<Spec>().unwrap_err();
    assert!(error.message.contains("deeper than 50"), "{error}");
    // One level less, because `ron` writes a `Some` around the value.
    let config: Search = spec(&deep(49)).read().unwrap();
    let resolved = Spec::resolved("a", &config).unwrap();
    assert_eq!(resolved.read::<Search>().unwrap(), config);

    let many = format!("a(others: [{}])", "random, 2048(rows: 3), ".repeat(10_000));
    assert_eq!(read::<Search>(&many).others.len(), 20_000);
}

#[test]
fn similar_names_are_found_and_others_are_not() {
    let names = ["tc-ntuple", "td-ntuple", "rows", "random", "2048"];
    assert_eq!(nearest("tc_ntuple", names), Some("tc-ntuple"));
    assert_eq!(nearest("td-ntupel", names), Some("td-ntuple"));
    assert_eq!(nearest("Random", names), Some("random"));
    assert_eq!(nearest("2084", names), Some("2048"));
    assert_eq!(nearest("cols", names), None);
    assert_eq!(nearest("", names), None);
    assert_eq!(nearest("x", []), None);
}

#[test]
fn printed_text_cannot_turn_the_direction_of_writing() {
    let outside = "a\u{202e}b\u{1b}[31m\u{2028}c\u{2066}";
    assert_eq!(printable(outside), "a\\u{202e}b\\u{1b}[31m\\u{2028}c\\u{2066}");
    assert_eq!(one_line(outside), "a b [31m c");
    // Letters of other scripts and joined signs stay.
    assert_eq!(printable("שלום é 👩‍💻"), "שלום é 👩‍💻");
}
