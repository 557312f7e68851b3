//! What specs and documents mean.

use super::{Board, Entry, Needs, Search, Seed, read, spec};
use crate::{Spec, read_document};

#[test]
fn name_alone_is_a_spec_without_fields() {
    for name in ["threes", "2048", "tc-ntuple", "1024", "snake_exp", "4x6-patt", "1e5"] {
        let spec = spec(name);
        assert_eq!((spec.name(), spec.has_fields()), (name, false));
        assert_eq!(spec.to_string(), name);
        spec.read::<()>().unwrap();
        assert_eq!(spec.read::<Board>().unwrap(), Board::default());
    }
    assert_eq!(spec("threes()"), spec("threes"));
}

#[test]
fn spec_is_printed_on_one_line_and_equality_ignores_spacing_and_comments() {
    let typed = spec(" \t2048( rows:3,  // )\n cols : 0x3, goal:Some(8),)  // wide\n");
    assert_eq!(typed.to_string(), "2048(rows: 3, cols: 0x3, goal: 8)");
    assert_eq!((typed.name(), typed.has_fields()), ("2048", true));
    let expected = Board { rows: 3, cols: 3, goal: 8, ..Board::default() };
    assert_eq!(typed.read::<Board>().unwrap(), expected);
    assert_eq!(typed, spec("2048(rows: 3, cols: 0x3, goal: 8)"));
    assert_ne!(spec("2048(rows: 3)"), spec("2048(rows: 4)"));
    assert_ne!(spec("2048"), spec("1024"));
}

#[test]
fn specs_nest_in_every_kind_of_field() {
    let search: Search = read(
        "expectimax(depth: -3, value: tc-ntuple(model: \"x.model\", inner: [2048(rows: 3)]), \
         others: [random, 2048, tc-ntuple(lambda: 0.5), td-ntuple], entry: far-edge)",
    );
    let value = search.value.unwrap();
    assert_eq!(value.to_string(), "tc-ntuple(model: \"x.model\", inner: [2048(rows: 3)])");
    let names: Vec<&str> = search.others.iter().map(Spec::name).collect();
    assert_eq!(names, ["random", "2048", "tc-ntuple", "td-ntuple"]);
    assert_eq!((search.depth, search.entry), (-3, Entry::FarEdge));

    let needs: Needs = spec("a(value: 2048, inner: None)").deserialize().unwrap();
    assert_eq!((needs.value, needs.inner), (spec("2048"), None));
    let some: Search = read("a(value: Some(rows))");
    assert_eq!(some.value, Some(spec("rows")));
    assert_eq!(spec("a(value: Some(rows))"), spec("a(value: rows)"));
    assert_eq!(read::<Search>("a(value: None)").value, None);
}

#[test]
fn strings_may_contain_syntax_and_escapes() {
    let cases = [
        (r#""a-b(c) r#d // e /* f""#, "a-b(c) r#d // e /* f"),
        (r#""\"\\)""#, "\"\\)"),
        ("\"größe 木\"", "größe 木"),
        ("\"two\nlines\"", "two\nlines"),
        (r#""\u{6728}\x41\t""#, "木A\t"),
    ];
    for (typed, meant) in cases {
        let search: Search = read(&format!("a(file: {typed}, exact: true)"));
        assert_eq!((search.file.as_str(), search.exact), (meant, true));
        let resolved = Spec::resolved("a", &search).unwrap();
        assert!(!resolved.to_string().contains('\n'), "{resolved}");
        assert_eq!(resolved.read::<Search>().unwrap(), search);
    }
}

#[test]
fn numbers_and_names_with_hyphens_are_distinguished() {
    let numbers: Vec<f64> = read_document("[1e-5, -3, +2, 1_000, .5, 5., 1E+2, -inf]").unwrap();
    assert_eq!(numbers, [1e-5, -3.0, 2.0, 1000.0, 0.5, 5.0, 100.0, f64::NEG_INFINITY]);
    let names: Vec<Spec> = read_document("[a-3, 3-a, 1-2, 1e-x, 0x1f, 1e-5, a-1e-5]").unwrap();
    let names: Vec<&str> = names.iter().map(Spec::name).collect();
    assert_eq!(names, ["a-3", "3-a", "1-2", "1e-x", "0x1f", "1e-5", "a-1e-5"]);
}

#[test]
fn specs_in_documents_may_be_strings() {
    let specs: Vec<Spec> = read_document(r#"["2048", "2048(rows: 3)", "a(file: \"b\")"]"#).unwrap();
    let bare: Vec<Spec> = read_document("[2048, 2048(rows: 3), a(file: \"b\")]").unwrap();
    assert_eq!(specs, bare);
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

#[test]
fn values_read_as_in_ron() {
    let search: Search = read("a(limits: (1, 2), seed: 7, entry: 1st-cell)");
    let expected = (Some((1, 2)), Seed(7), Entry::FirstCell);
    assert_eq!((search.limits, search.seed, search.entry), expected);
    assert_eq!(read::<Search>("a(limits: Some((1, 2)))").limits, Some((1, 2)));
    assert_eq!(read_document::<u8>("0b11").unwrap(), 3);
    assert_eq!(
        read_document::<ron::Value>("[1, -1, \"a\"]")
            .unwrap()
            .into_rust::<(u8, i8, String)>()
            .unwrap()
            .2,
        "a"
    );
}

#[test]
fn resolved_spec_sets_every_field_on_one_line() {
    let board = Spec::resolved("2048", &Board::default()).unwrap();
    assert_eq!(board.to_string(), "2048(rows: 4, cols: 4, four: 0.1, goal: 2048, start_tiles: 2)");
    assert_eq!(Spec::resolved("random", &()).unwrap().to_string(), "random");

    let search = Search {
        value: Some(spec(
            "tc-ntuple( // half\n lambda:0.5, of: tc-x(n: [ 1 ,2 ], m: { 1:\"x\" }))",
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
         m: {1: \"x\"})), others: [2048, 2048(rows: 3), rows], entry: far-edge, file: \"\", limits: None, seed: 0, exact: false)"
    );
    assert_eq!(resolved.read::<Search>().unwrap(), search);
    assert!(Spec::resolved("No", &()).is_err());
}

/// `ron` writes the text of a spec as it is, and not in quotes.
#[test]
fn spec_is_written_to_files_as_it_is_typed() {
    let typed = spec("tc-ntuple(of: 2048, n: 2048(rows: 3), x: [snake-exp, 60s])");
    let text = ron::to_string(&vec![Some(&typed)]).unwrap();
    assert_eq!(text, format!("[Some({typed})]"));
    assert_eq!(read_document::<Vec<Spec>>(&text).unwrap(), [typed]);
}
