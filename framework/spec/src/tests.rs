//! What a spec may look like, what it means, and what is said about a wrong one.

use crate::{Probability, Spec, SpecError, nearest, read_document};
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Board {
    rows: u8,
    cols: u8,
    four: Probability,
    goal: u64,
    start_tiles: u32,
}

impl Default for Board {
    fn default() -> Self {
        let four = Probability::new(0.1).unwrap();
        Self { rows: 4, cols: 4, four, goal: 2048, start_tiles: 2 }
    }
}

#[derive(Clone, Copy, Default, PartialEq, Debug, Serialize, Deserialize)]
enum Entry {
    #[default]
    #[serde(rename = "moved_lines")]
    MovedLines,
    #[serde(rename = "far-edge")]
    FarEdge,
    #[serde(rename = "cell")]
    Cell(u8),
    #[serde(rename = "box")]
    Box { rows: u8 },
}

#[derive(Clone, Copy, Default, PartialEq, Debug, Serialize, Deserialize)]
struct Seed(u64);

#[derive(Clone, Default, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Search {
    depth: i32,
    rate: f64,
    value: Option<Spec>,
    others: Vec<Spec>,
    entry: Entry,
    file: String,
    letter: char,
    limits: Option<(u8, u8)>,
    seed: Seed,
    exact: bool,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Needs {
    value: Spec,
    inner: Option<Board>,
}

fn spec(text: &str) -> Spec {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn read<T: DeserializeOwned>(text: &str) -> T {
    spec(text).read().unwrap_or_else(|error| panic!("{error}"))
}

fn refusal<T: DeserializeOwned + fmt::Debug>(text: &str) -> SpecError {
    match text.parse::<Spec>() {
        Ok(spec) => spec.read::<T>().expect_err(text),
        Err(error) => error,
    }
}

#[test]
fn a_name_alone_is_a_spec_without_fields() {
    for name in ["threes", "2048", "tc-ntuple", "1024", "snake_exp", "4x6-patt", "1e5", "true"] {
        let spec = spec(name);
        assert_eq!((spec.name(), spec.has_fields()), (name, false));
        assert_eq!(spec.to_string(), name);
        spec.read::<()>().unwrap();
        assert_eq!(spec.read::<Board>().unwrap(), Board::default());
    }
    assert_eq!(spec("threes()"), spec("threes"));
}

#[test]
fn a_spec_is_displayed_as_typed_without_the_space_around_it() {
    let typed = spec(" \t2048( rows:3, /* ) */ cols : 0x3,)  // wide\n");
    assert_eq!(typed.to_string(), "2048( rows:3, /* ) */ cols : 0x3,)");
    assert_eq!((typed.name(), typed.has_fields()), ("2048", true));
    assert_eq!(typed.read::<Board>().unwrap(), Board { rows: 3, cols: 3, ..Board::default() });
}

#[test]
fn specs_are_equal_however_they_are_spaced() {
    assert_eq!(spec("2048(rows:3)"), spec("r#2048 ( rows : 3, /* no more */ )"));
    assert_eq!(spec(r#"a(x: r"\")"#), spec(r#"a(x: "\\")"#));
    assert_ne!(spec("2048(rows: 3)"), spec("2048(rows: 4)"));
    assert_ne!(spec("2048"), spec("1024"));
}

#[test]
fn specs_nest_in_every_kind_of_field() {
    let search: Search = read(
        "expectimax(depth: -3, value: tc-ntuple(model: \"x.model\", inner: [2048(rows: 3)]), \
         others: [random, 2048, tc-ntuple(lambda: 0.5), r#td-ntuple], entry: far-edge)",
    );
    let value = search.value.unwrap();
    assert_eq!(value.to_string(), "tc-ntuple(model: \"x.model\", inner: [2048(rows: 3)])");
    let names: Vec<&str> = search.others.iter().map(Spec::name).collect();
    assert_eq!(names, ["random", "2048", "tc-ntuple", "td-ntuple"]);
    assert_eq!((search.depth, search.entry), (-3, Entry::FarEdge));

    let needs: Needs = read("a(value: Some, inner: None)".replace("Some", "2048").as_str());
    assert_eq!(needs.value, spec("2048"));
    let some: Search = read("a(value: Some(rows))");
    assert_eq!(some.value, Some(spec("rows")));
    assert_eq!(spec("a(value: Some(rows))"), spec("a(value: rows)"));
    assert_ne!(spec("a(value: Some(None))"), spec("a(value: None)"));
    assert_eq!(read::<Search>("a(value: None)").value, None);
}

#[test]
fn strings_hold_what_elsewhere_has_a_meaning() {
    let cases = [
        (r#""a-b(c) r#d // e /* f""#, "a-b(c) r#d // e /* f"),
        (r#""\"\\)""#, "\"\\)"),
        (r##"r#"say "2048(rows: 3)" \n"#"##, "say \"2048(rows: 3)\" \\n"),
        (r#"r"C:\x""#, r"C:\x"),
        ("\"größe 木\"", "größe 木"),
        ("\"two\nlines\"", "two\nlines"),
        (r#""\u{6728}\x41\t""#, "木A\t"),
    ];
    for (typed, meant) in cases {
        let spec = spec(&format!("a(file: {typed}, letter: ')', exact: true)"));
        let search: Search = spec.read().unwrap();
        assert_eq!((search.file.as_str(), search.letter, search.exact), (meant, ')', true));
        let resolved = Spec::resolved("a", &search).unwrap();
        assert!(!resolved.to_string().contains('\n'), "{resolved}");
        assert_eq!(resolved.read::<Search>().unwrap(), search);
    }
    assert_eq!(read::<Search>(r"a(letter: '\'')").letter, '\'');
    assert_eq!(read::<Search>("a(letter: '木')").letter, '木');
}

#[test]
fn numbers_and_names_with_hyphens_are_told_apart() {
    let numbers: Vec<f64> =
        read_document("[1e-5, -3, +2, 0x1f, 1_000, .5, 5., 1E+2, -inf]").unwrap();
    assert_eq!(numbers, [1e-5, -3.0, 2.0, 31.0, 1000.0, 0.5, 5.0, 100.0, f64::NEG_INFINITY]);
    let names: Vec<Spec> = read_document("[a-3, 3-a, 1-2, 1e-x, 0x1f, 1e-5, a-1e-5]").unwrap();
    let names: Vec<&str> = names.iter().map(Spec::name).collect();
    assert_eq!(names, ["a-3", "3-a", "1-2", "1e-x", "0x1f", "1e-5", "a-1e-5"]);
}

#[test]
fn a_document_holds_specs_as_they_are_typed() {
    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Tournament {
        games: Vec<Spec>,
        agents: std::collections::BTreeMap<String, Spec>,
        #[serde(default)]
        rounds: Option<u32>,
    }
    let text = "#![enable(implicit_some)]\n\
        // The whole field.\n\
        Tournament(\n  games: [2048, threes(bag: 1)],\n  agents: {\n    \
        \"ours\": tc-ntuple(lambda: 0.5),\n    \"theirs\": random,\n  },\n  rounds: 20,\n)\n";
    let tournament: Tournament = read_document(text).unwrap();
    assert_eq!(tournament.games, [spec("2048"), spec("threes(bag: 1)")]);
    assert_eq!(tournament.agents["ours"], spec("tc-ntuple(lambda: 0.5)"));
    assert_eq!(tournament.rounds, Some(20));

    let specs: Vec<Spec> = read_document("[tc-ntuple(lambda: 0.5), random, 2048]").unwrap();
    assert_eq!(specs[2].name(), "2048");
    // A nested spec's errors point into the document.
    let error = read_document::<Vec<Spec>>("[\n  2048,\n  2048(rowz: 3),\n]").unwrap()[1]
        .read::<Board>()
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown parameter `rowz` (at line 3, character 8: `  2048(rowz: 3),`); \
         allowed: rows, cols, four, goal, start_tiles; did you mean `rows`?"
    );
    assert_eq!(error.caret(), "  2048(rowz: 3),\n       ^^^^");
    let error = read_document::<Tournament>("Game(games: [])").unwrap_err();
    assert_eq!(
        error.to_string(),
        "expected `Tournament(...)` or `(...)`, found `Game(...)` (at character 1 of `Game(games: [])`)"
    );
}

#[test]
fn every_kind_of_value_reads_as_in_ron() {
    let search: Search = read("a(limits: (1, 2), seed: 7, entry: cell(3))");
    assert_eq!((search.limits, search.seed, search.entry), (Some((1, 2)), Seed(7), Entry::Cell(3)));
    let search: Search = read("a(limits: Some((1, 2)), seed: Seed(7), entry: box(rows: 2))");
    assert_eq!((search.limits, search.seed), (Some((1, 2)), Seed(7)));
    assert_eq!(search.entry, Entry::Box { rows: 2 });
    assert_eq!(read::<Search>("a(seed: (7))").seed, Seed(7));
    assert_eq!(read_document::<u8>("0b11").unwrap(), 3);
    assert_eq!(
        read_document::<ron::Value>("[1, -1, (), \"a\"]")
            .unwrap()
            .into_rust::<(u8, i8, (), String)>()
            .unwrap()
            .3,
        "a"
    );
}

#[test]
fn what_was_resolved_says_everything_on_one_line() {
    let board = Spec::resolved("2048", &Board::default()).unwrap();
    assert_eq!(board.to_string(), "2048(rows: 4, cols: 4, four: 0.1, goal: 2048, start_tiles: 2)");
    assert_eq!(Spec::resolved("random", &()).unwrap().to_string(), "random");
    #[derive(Serialize)]
    struct Nothing {}
    assert_eq!(Spec::resolved("random", &Nothing {}).unwrap().to_string(), "random");

    let search = Search {
        value: Some(spec(
            "tc-ntuple( // half\n lambda:0.5, of: r#tc-x(n: [ 1 ,2 ], m: { 1:'x' }))",
        )),
        others: vec![spec("2048"), spec("2048 (rows: 3)"), spec("rows()")],
        entry: Entry::FarEdge,
        rate: 1e-7,
        ..Search::default()
    };
    let resolved = Spec::resolved("deep", &search).unwrap();
    assert_eq!(
        resolved.to_string(),
        "deep(depth: 0, rate: 1e-7, value: tc-ntuple(lambda: 0.5, of: tc-x(n: [1, 2], \
         m: {1: 'x'})), others: [2048, 2048(rows: 3), rows], entry: far-edge, file: \"\", \
         letter: '\\0', limits: None, seed: 0, exact: false)"
    );
    assert_eq!(resolved.read::<Search>().unwrap(), search);
    assert!(Spec::resolved("No", &()).is_err());
    assert!(Spec::resolved("list", &[1, 2]).is_err());
}

#[test]
fn other_formats_hold_a_spec_as_a_string_of_plain_ron() {
    let typed = spec("tc-ntuple(of: 2048, x: [snake-exp])");
    let json = serde_json::to_string(&typed).unwrap();
    assert_eq!(json, r#""r#tc-ntuple(of: 2048, x: [r#snake-exp])""#);
    assert_eq!(serde_json::from_str::<Spec>(&json).unwrap(), typed);
    assert!(serde_json::from_str::<Spec>("null").is_err());
    assert!(serde_json::from_str::<Spec>("\"a(\"").is_err());
    assert!(ron::from_str::<ron::Value>(&ron::to_string(&typed).unwrap()).is_ok());
}

#[test]
fn a_bad_shape_is_refused_with_its_place() {
    let no_name = |name: &str| {
        format!(
            "`{name}` is no name: a name begins with a lower-case letter or a digit and holds \
             these, hyphens and underscores"
        )
    };
    let cases: &[(&str, &str, &str)] = &[
        ("", "expected a name, found nothing", ""),
        ("  ", "expected a name, found nothing", "  "),
        ("// none", "expected a value, found the end of the text", ""),
        ("Threes", &no_name("Threes"), "Threes"),
        ("-x", "`-x` is neither a number nor a name (text takes quotes)", "-x"),
        ("-3", &no_name("-3"), "-3"),
        ("1.5", &no_name("1.5"), "1.5"),
        ("1.2.3", "`1.2.3` is neither a number nor a name (text takes quotes)", "1.2.3"),
        ("-a(x: 1)", "`-a` is no name", "-a"),
        ("größe", "unexpected `ö` after the end", "ö"),
        ("木", "expected a value, found `木`", "木"),
        ("\"threes\"", "expected a name, found a string: leave out the quotes", "\"threes\""),
        ("(rows: 3)", "expected a name, found a group in parentheses", "(rows: 3)"),
        ("[threes]", "expected a name, found a list", "[threes]"),
        ("{1: 2}", "expected a name, found a map", "{1: 2}"),
        ("2048(rows: 3", "`(` is not closed", "("),
        ("2048(", "`(` is not closed", "("),
        ("2048)", "unexpected `)` after the end", ")"),
        ("2048(rows: 3) x", "unexpected `x` after the end", "x"),
        ("2048(rows: 3))", "unexpected `)` after the end", ")"),
        ("2048(rows: [3)", "expected `,` or `]`, found `)`", ")"),
        ("2048(3, 4)", "expected `parameter: value`, found the number 3", "3"),
        ("2048(rows: 3, 4)", "expected `parameter: value`, found the number 4", "4"),
        (
            "2048(3, rows: 4)",
            "a value without a name stands before this field: name all or none",
            "rows",
        ),
        ("2048(rows 3)", "expected `:` after `rows`, found `3`", "3"),
        ("2048(rows=3)", "expected `:` after `rows`, found `=`", "="),
        ("2048(rows: )", "expected a value, found `)`", ")"),
        ("2048(rows: 3 cols: 4)", "expected `,` or `)`, found `cols`", "cols"),
        ("2048(, rows: 3)", "expected a value, found `,`", ","),
        ("2048(\"rows\": 3)", "the name of a parameter takes no quotes", "\"rows\""),
        ("2048(rows: 3, rows: 4)", "`rows` is given twice", "rows"),
        ("2048(a: {1 2})", "expected `:`, found `2`", "2"),
        ("a(file: \"x)", "the string is not closed", "\""),
        ("a(file: r#\"x\")", "the string is not closed", "r#\""),
        ("a(file: \"\\q\")", "bad escape: unknown escape character", "\"\\q\""),
        ("a(value: None())", "`None` takes no parentheses", "None"),
        ("a(value: Some)", "`Some` takes one value", "Some"),
        ("a(value: Some(1, 2))", "`Some` takes one value", "Some"),
        ("a(letter: 'xy')", "expected one character between `'` and `'`", "'xy'"),
        ("a(letter: 'x", "the character is not closed", "'"),
        ("a(file: b\"x\")", "bytes are written as a list of numbers: [1, 2]", "b"),
        ("a /* x", "`/*` is not closed", "/*"),
        ("r#", "unexpected `#` after the end", "#"),
    ];
    for (text, message, blamed) in cases {
        let error = text.parse::<Spec>().expect_err(text);
        assert_eq!(
            (error.message.as_str(), &text[error.span.clone()]),
            (*message, *blamed),
            "{text}"
        );
    }
}

#[test]
fn a_bad_value_is_refused_by_the_name_of_its_parameter() {
    let on_board: &[(&str, &str)] = &[
        (
            "2048(rowz: 3)",
            "unknown parameter `rowz` (at character 6 of `2048(rowz: 3)`); allowed: rows, cols, \
             four, goal, start_tiles; did you mean `rows`?",
        ),
        (
            "2048(start-tiles: 3)",
            "unknown parameter `start-tiles` (at character 6 of `2048(start-tiles: 3)`); allowed: \
             rows, cols, four, goal, start_tiles; did you mean `start_tiles`?",
        ),
        (
            "2048(depth: 3)",
            "unknown parameter `depth` (at character 6 of `2048(depth: 3)`); allowed: rows, cols, \
             four, goal, start_tiles",
        ),
        (
            "2048(rows: \"3\")",
            "parameter `rows`: expected an unsigned integer, found a string (at character 12 of \
             `2048(rows: \"3\")`)",
        ),
        (
            "2048(rows: 3.5)",
            "parameter `rows`: expected an unsigned integer, found the number 3.5 (at character \
             12 of `2048(rows: 3.5)`)",
        ),
        (
            "2048(rows: 300)",
            "parameter `rows`: 300 is out of range: 0 to 255 (at character 12 of `2048(rows: 300)`)",
        ),
        (
            "2048(rows: -3)",
            "parameter `rows`: -3 is out of range: 0 to 255 (at character 12 of `2048(rows: -3)`)",
        ),
        (
            "2048(goal: 99999999999999999999)",
            "parameter `goal`: 99999999999999999999 is out of range: 0 to 18446744073709551615 \
             (at character 12 of `2048(goal: 99999999999999999999)`)",
        ),
        (
            "2048(rows: three)",
            "parameter `rows`: expected an unsigned integer, found the name `three` (at character \
             12 of `2048(rows: three)`)",
        ),
        (
            "2048(four: 1.5)",
            "parameter `four`: 1.5 is no probability: a number from 0 to 1 is (at character 12 of \
             `2048(four: 1.5)`)",
        ),
        (
            "2048(four: true)",
            "parameter `four`: expected a number, found `true` (at character 12 of \
             `2048(four: true)`)",
        ),
        (
            "2048(/* 木 */ rows: 'x')",
            "parameter `rows`: expected an unsigned integer, found a character (at character 20 \
             of `2048(/* 木 */ rows: 'x')`)",
        ),
    ];
    for (text, line) in on_board {
        assert_eq!(refusal::<Board>(text).to_string(), *line);
    }
    let in_search: &[(&str, &str)] = &[
        (
            "a(entry: far_edge)",
            "parameter `entry`: unknown choice `far_edge` (at character 10 of \
             `a(entry: far_edge)`); allowed: moved_lines, far-edge, cell, box; did you mean \
             `far-edge`?",
        ),
        (
            "a(entry: cell)",
            "parameter `entry`: expected `(` after `cell` (at character 10 of `a(entry: cell)`)",
        ),
        (
            "a(entry: far-edge(1))",
            "parameter `entry`: `far-edge` takes no parentheses (at character 10 of \
             `a(entry: far-edge(1))`)",
        ),
        (
            "a(file: x.model)",
            "`x.model` is neither a number nor a name (text takes quotes) (at character 9 of `a(file: x.model)`)",
        ),
        (
            "a(file: model)",
            "parameter `file`: expected a string in quotes, found the name `model` (at character \
             9 of `a(file: model)`)",
        ),
        (
            "a(exact: yes)",
            "parameter `exact`: expected `true` or `false`, found the name `yes` (at character 10 \
             of `a(exact: yes)`)",
        ),
        (
            "a(limits: (1))",
            "parameter `limits`: expected a tuple of size 2, found 1 element (at character 11 of \
             `a(limits: (1))`)",
        ),
        (
            "a(limits: (1, 2, 3))",
            "parameter `limits`: expected a tuple of size 2, found 3 elements (at character 18 of \
             `a(limits: (1, 2, 3))`)",
        ),
        (
            "a(others: random)",
            "parameter `others`: expected a list in `[` and `]`, found the name `random` (at \
             character 11 of `a(others: random)`)",
        ),
        (
            "a(others: [random, \"x(\"])",
            "parameter `others`: `(` is not closed (at character 20 of `a(others: [random, \
             \"x(\"])`)",
        ),
        (
            "a(value: Rows)",
            "parameter `value`: `Rows` is no name: a name begins with a lower-case letter or a \
             digit and holds these, hyphens and underscores (at character 10 of `a(value: Rows)`)",
        ),
    ];
    for (text, line) in in_search {
        assert_eq!(refusal::<Search>(text).to_string(), *line);
    }
    assert_eq!(
        refusal::<Needs>("a(inner: (rows: 3))").to_string(),
        "parameter `value` is missing (at character 1 of `a(inner: (rows: 3))`)"
    );
    assert_eq!(
        refusal::<Needs>("a(value: x, inner: (rows: no))").to_string(),
        "parameter `rows`: expected an unsigned integer, found the name `no` (at character 27 of \
         `a(value: x, inner: (rows: no))`)"
    );
    assert_eq!(
        refusal::<()>("random(seed: 3)").to_string(),
        "unknown parameter `seed`: there are no parameters here (at character 8 of \
         `random(seed: 3)`)"
    );
}

#[test]
fn a_nested_spec_blames_the_place_that_was_typed() {
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
    // A default is to blame, or no parameter at all: the name is pointed at.
    for (parameter, message) in [(Some("cols"), "4 is odd"), (None, "no")] {
        assert_eq!(inner.refused(parameter, message).span, 28..32);
    }
}

#[test]
fn a_long_line_is_clipped_around_the_fault() {
    let text = format!("2048(/* {} */ rowz: 3 /* {} */)", "é".repeat(200), "木".repeat(200));
    let error = refusal::<Board>(&text);
    assert_eq!(&text[error.span.clone()], "rowz");
    let caret = error.caret();
    let (shown, marks) = caret.split_once('\n').unwrap();
    assert_eq!(shown.chars().count(), 80);
    assert!(shown.starts_with('…') && shown.ends_with('…'));
    let at = marks.chars().take_while(|&c| c == ' ').count();
    assert_eq!(shown.chars().skip(at).take(4).collect::<String>(), "rowz");
    assert_eq!(marks.trim_start(), "^^^^");
    // 2048(, the comment of 206 characters, a space: `rowz` is the 213th.
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
fn the_fields_of_an_error_need_not_fit_its_text() {
    // Errors can be made by hand, and showing them must not fail.
    for (start, end) in [(0, 99), (2, 1), (98, 99), (1, 2)] {
        let error = SpecError::new("木\u{1b}\n", start..end, "odd");
        assert!(!error.to_string().contains(char::is_control));
        error.caret();
    }
}

#[test]
fn deep_and_long_texts_end_in_an_answer() {
    for (open, close) in [("a(x:", ")"), ("(", ")"), ("[", "]"), ("{1:", "}"), ("/*", "*/")] {
        let text = format!("a(x:{}{})", open.repeat(10_000), close.repeat(10_000));
        assert!(text.parse::<Spec>().is_err());
        assert!(format!("a(x:{}", open.repeat(10_000)).parse::<Spec>().is_err());
    }
    let deep = |depth| format!("{}b{}", "a(value: ".repeat(depth), ")".repeat(depth));
    let config: Search = spec(&deep(50)).read().unwrap();
    assert_eq!(config.value, Some(spec(&deep(49))));
    let error = deep(51).parse::<Spec>().unwrap_err();
    assert_eq!(error.message, "nested more than 50 deep");
    // Nested one less, for `ron` writes a `Some` around it.
    let config: Search = spec(&deep(49)).read().unwrap();
    let resolved = Spec::resolved("a", &config).unwrap();
    assert_eq!(resolved.read::<Search>().unwrap(), config);

    let many = format!("a(others: [{}])", "random, 2048(rows: 3), ".repeat(10_000));
    assert_eq!(read::<Search>(&many).others.len(), 20_000);
}

#[test]
fn a_near_name_is_found_and_a_far_one_is_not() {
    let names = ["tc-ntuple", "td-ntuple", "rows", "random", "2048"];
    assert_eq!(nearest("tc_ntuple", names), Some("tc-ntuple"));
    assert_eq!(nearest("td-ntupel", names), Some("td-ntuple"));
    assert_eq!(nearest("Random", names), Some("random"));
    assert_eq!(nearest("2084", names), Some("2048"));
    assert_eq!(nearest("cols", names), None);
    assert_eq!(nearest("", names), None);
    assert_eq!(nearest("x", []), None);
}

fn any_spec() -> impl Strategy<Value = Spec> {
    let name = "[a-z0-9][a-z0-9_-]{0,8}";
    let word = prop_oneof![
        name.prop_map(String::from),
        any::<f64>().prop_map(|x| format!("{x:?}")),
        any::<i64>().prop_map(|x| x.to_string()),
        any::<String>().prop_map(|x| ron::to_string(&x).unwrap()),
        any::<char>().prop_map(|x| ron::to_string(&x).unwrap()),
    ];
    let value = word.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|all| format!("[{}]", all.join(","))),
            (name, inner.clone()).prop_map(|(name, value)| format!("{name}( x:{value} , )")),
            (inner.clone(), inner).prop_map(|(a, b)| format!("{{ {a}: ( {b}, {a} ) }}")),
        ]
    });
    (name, prop::option::of(value)).prop_map(|(name, value)| match value {
        Some(value) => spec(&format!("{name}(a-1: {value})")),
        None => spec(&name),
    })
}

#[test]
fn a_path_leads_through_groups_lists_tuples_and_nested_specs() {
    let spec: Spec =
        "mean(values: [rows, /* two */ Some(alpha(a: (from: 1, to: 2)))], w: (1.5, 2), \
                      m: {1: 2}, name: \"3\", none: None)"
            .parse()
            .unwrap();
    let numbers: Vec<_> =
        spec.numbers().into_iter().map(|n| (n.path, n.value, n.is_whole)).collect();
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
        let changed = spec.with(path, "7").unwrap();
        assert_eq!(changed.to_string(), format!("mean(values: [{values}], {rest}"));
        assert_eq!(changed.get(path).as_deref(), Some("7"));
    }
    assert_eq!(
        "2048".parse::<Spec>().unwrap().with("rows", "3").unwrap().to_string(),
        "2048(rows: 3)"
    );
}

#[test]
fn a_path_that_leads_nowhere_is_refused_at_its_last_place() {
    let spec: Spec = "mean(values: [rows], depth: 2)".parse().unwrap();
    let refused = |path| spec.with(path, "7").unwrap_err().to_string();
    assert_eq!(
        refused("depth.x"),
        "the number 2 has no parameter `x` (at character 29 of `mean(values: [rows], depth: 2)`)"
    );
    assert!(refused("values.1").starts_with("a list has no parameter `1`"));
    assert!(refused("values.first").starts_with("a list has no parameter `first`"));
    assert!(refused("value.empty").starts_with("`mean(...)` has no parameter `value`"));
    assert_eq!(spec.get("values.1"), None);
}

proptest! {
    #[test]
    fn a_resolved_configuration_reads_back_equal(
        depth: i32, rate: f64, value in prop::option::of(any_spec()),
        others in prop::collection::vec(any_spec(), 0..3), file: String, letter: char,
        limits: Option<(u8, u8)>, seed: u64, exact: bool,
        entry in prop_oneof![
            Just(Entry::MovedLines), Just(Entry::FarEdge), any::<u8>().prop_map(Entry::Cell),
            any::<u8>().prop_map(|rows| Entry::Box { rows }),
        ],
    ) {
        let seed = Seed(seed);
        let config = Search { depth, rate, value, others, entry, file, letter, limits, seed, exact };
        let resolved = Spec::resolved("any-name", &config).unwrap();
        prop_assert!(!resolved.to_string().contains('\n'));
        prop_assert_eq!(resolved.read::<Search>().unwrap(), config);
        let again: Spec = resolved.to_string().parse().unwrap();
        prop_assert_eq!(&again, &resolved);
        // What a path leads to is there, and setting it to itself changes nothing.
        for number in resolved.numbers() {
            let text = resolved.get(&number.path).unwrap();
            prop_assert_eq!(&resolved.with(&number.path, &text).unwrap(), &resolved);
        }
        let json = serde_json::to_string(&resolved).unwrap();
        prop_assert_eq!(serde_json::from_str::<Spec>(&json).unwrap(), resolved);
    }

    #[test]
    fn any_text_is_parsed_or_refused_at_a_place_in_it(
        text in prop_oneof![any::<String>(), "[a-z0-9(){}\\[\\]:,\"'\\\\r#/* .\n木-]{0,24}"],
    ) {
        match text.parse::<Spec>() {
            Ok(spec) => prop_assert_eq!(spec.to_string().parse::<Spec>().unwrap(), spec),
            Err(error) => {
                prop_assert!(text.get(error.span.clone()).is_some());
                prop_assert!(!error.to_string().contains(char::is_control));
                error.caret();
            }
        }
    }
}

#[test]
fn specs_may_be_written_as_strings_inside_documents() {
    let specs: Vec<Spec> =
        read_document("[\"2048\", \"2048(rows: 3)\", r#\"a(file: \"b\")\"#]").unwrap();
    let bare: Vec<Spec> = read_document("[2048, 2048(rows: 3), a(file: \"b\")]").unwrap();
    assert_eq!(specs, bare);
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Inner {
    game: Option<Spec>,
    seed: u64,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Other {
    agents: Vec<Spec>,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Outer {
    #[serde(rename = "..inner")]
    inner: Inner,
    games: u64,
    #[serde(rename = "..other")]
    other: Other,
}

#[test]
fn groups_take_their_fields_from_the_struct_around_them() {
    let read = |text| read_document::<Outer>(text);
    let game: Spec = "2048(rows: 3)".parse().unwrap();
    let outer = read("(games: 7, game: 2048(rows: 3), agents: [a, b(c: 1)], seed: 5)").unwrap();
    assert_eq!(outer.inner, Inner { game: Some(game), seed: 5 });
    assert_eq!((outer.games, outer.other.agents.len()), (7, 2));
    assert_eq!(read("()"), Ok(Outer::default()));
}

#[test]
fn faults_in_groups_are_shown_at_their_place() {
    let refused = |text| read_document::<Outer>(text).unwrap_err();
    let unknown = refused("(\n  games: 7,\n  sed: 5,\n)");
    assert_eq!(unknown.allowed, ["game", "seed", "agents", "games"]);
    assert!(unknown.to_string().contains("line 3, character 3"), "{unknown}");
    assert!(unknown.to_string().contains("did you mean `seed`?"), "{unknown}");
    let wrong = refused("(seed: 5, game: [])");
    assert_eq!(&wrong.text[wrong.span.clone()], "[]");
    assert!(wrong.message.contains("`game`"), "{wrong}");
    // The sign of a group is no name of a field.
    assert!(read_document::<Outer>("(inner: (seed: 5))").is_err());
    assert!(read_document::<Outer>("(r#..inner: (seed: 5))").is_err());
}

#[test]
fn quantities_need_no_quotes() {
    let read = |text: &str| read_document::<Vec<ron::Value>>(text);
    let words = ["1k", "1.5k", "20M", "1_000k", "60s", "1h30m", "1.5GiB"];
    let strings = words.map(|word| ron::Value::String(word.into()));
    assert_eq!(read(&format!("[{}]", words.join(", "))).unwrap(), strings);
    for wrong in ["1.2.3", "1.5model", "1.5k-", "x.model", "1.5k.5"] {
        assert!(read(&format!("[{wrong}]")).is_err(), "{wrong}");
    }
}
