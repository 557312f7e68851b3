//! Parameters by path.

use super::spec;
use crate::SpecValue;

#[test]
fn paths_reach_into_groups_lists_tuples_and_nested_specs() {
    let mean = spec(
        "mean(values: [rows, Some(alpha(a: (from: 1, to: 2)))], w: (1.5, 2), \
         m: {1: 2}, name: \"3\", none: None)",
    );
    let numbers: Vec<_> =
        mean.numbers().into_iter().map(|n| (n.path, n.value, n.is_whole)).collect();
    let number = |path: &str, value, is_whole| (path.to_owned(), value, is_whole);
    assert_eq!(
        numbers,
        [
            number("values.1.a.from", 1.0, true),
            number("values.1.a.to", 2.0, true),
            number("w.0", 1.5, false),
            number("w.1", 2.0, true),
        ]
    );
    let rest = "w: (1.5, 2), m: {1: 2}, name: \"3\", none: None)";
    for (path, values) in [
        ("values.0.b", "rows(b: 7), alpha(a: (from: 1, to: 2))"),
        ("values.1.a.to", "rows, alpha(a: (from: 1, to: 7))"),
        ("values.1.a", "rows, alpha(a: 7)"),
        ("values.1.b", "rows, alpha(a: (from: 1, to: 2), b: 7)"),
    ] {
        let changed = mean.with(path, SpecValue::number("7".to_owned())).unwrap();
        assert_eq!(changed.to_string(), format!("mean(values: [{values}], {rest}"));
        assert_eq!(changed.get(path).map(SpecValue::to_string).as_deref(), Some("7"));
    }
    let edited = spec("2048").with("rows", "3").unwrap().with("x", SpecValue::NONE).unwrap();
    assert_eq!(edited.to_string(), "2048(rows: \"3\", x: None)");
    assert_eq!(edited.without(&["rows", "x"]).to_string(), "2048");
}

/// The keys and values of a map are listed too, because they may be the names of files.
#[test]
fn texts_are_listed_except_those_of_nested_specs() {
    let spec = spec("a(rows: [\"x\"], m: {\"k\": [\"v\"]}, value: b(model: \"y\"), time: \"1s\")");
    let texts: Vec<_> = spec.texts().into_iter().map(|(path, text)| path + "=" + &text).collect();
    assert_eq!(texts, ["rows.0=x", "m=k", "m.0=v", "time=1s"]);
}

#[test]
fn missing_path_is_rejected_with_the_value_that_lacks_it() {
    let mean = spec("mean(values: [rows], depth: 2)");
    let error = |path| mean.with(path, "7").unwrap_err().to_string();
    assert_eq!(
        error("depth.x"),
        "the number 2 has no parameter `x` (at character 29 of `mean(values: [rows], depth: 2)`)"
    );
    assert!(error("values.1").starts_with("a list has no parameter `1`"));
    assert!(error("values.first").starts_with("a list has no parameter `first`"));
    assert!(error("value.empty").starts_with("`mean(...)` has no parameter `value`"));
    assert_eq!(mean.get("values.1"), None);
}
