//! Parameters that are declared by a configuration.

use super::{Entry, spec};
use crate::{Kind, Parameter, Parameters, Probability, Spec, TimeLimit, parameters};

parameters! {
    /// Parameters of all kinds.
    struct Config {
        /// Search depth,
        /// in plies.
        depth: u8 = 3, range(1..=32).unit("plies");
        /// A share
        share: f32 = 0.1, above(0.0).below(0.99);
        /// A probability
        four: Probability = Probability::new(0.5).unwrap();
        /// A time
        time: TimeLimit = TimeLimit::seconds(10);
        /// A table
        table: String = "16M".to_owned(), size_or_none(1024);
        /// A choice
        entry: Entry = Entry::FarEdge, variants::<Entry>();
        /// A model
        model: Option<String> = None, file();
        /// A game
        game: Spec = spec("2048"), game();
        /// Weights
        weights: Vec<Vec<f64>> = vec![vec![1.0]], list(list(range(-1e12..=1e12)));
        /// A text
        text: Option<String> = None, text("a condition").unset("that of the model");
    }
}

#[test]
fn values_that_are_not_allowed_are_refused_at_their_place() {
    for (text, message) in [
        ("depth: 33", "33 is not from 1 to 32 plies"),
        ("share: 0.0", "0 is not above 0, below 0.99"),
        ("share: 0.99", "0.99 is not above 0, below 0.99"),
        ("share: NaN", "NaN is not above 0, below 0.99"),
        ("four: 1.5", "not a probability"),
        ("time: \"2d\"", "2d is not from 1ms to 1d"),
        ("table: \"1023\"", "1023 bytes are too few: \"1k\" at least, or \"none\""),
        ("table: \"many\"", "not a size"),
        ("entry: here", "unknown choice `here`"),
        ("weights: [[1, 2], [3, inf]]", "inf is not from -1e12 to 1e12"),
    ] {
        let (name, value) = text.split_once(": ").unwrap();
        let error = spec(&format!("a(model: \"x\", {text})")).read::<Config>().unwrap_err();
        assert!(error.message.starts_with(&format!("parameter `{name}`: ")), "{error}");
        assert!(error.message.contains(message), "{error}");
        assert!(value.contains(&error.text[error.span.clone()]), "{error}");
    }
    let error = spec("a(dept: 3)").read::<Config>().unwrap_err();
    assert!(error.to_string().ends_with("did you mean `depth`?"), "{error}");
    for text in ["share: 0.98999", "table: \"none\"", "table: \"1k\"", "depth: 32"] {
        spec(&format!("a({text})")).read::<Config>().unwrap();
    }
}

parameters! {
    /// A parameter of the first version, and one that was added.
    struct Grown {
        /// Sides
        rows: u8 = 4;
        /// Cells with stones
        walls: Vec<u8> = Vec::new(), any::<Vec<u8>>().omit_default();
    }
}

#[test]
fn resolved_specs_lack_added_parameters_at_their_default() {
    for (text, resolved) in [
        ("a", "a(rows: 4)"),
        ("a(walls: [], rows: 3)", "a(rows: 3)"),
        ("a(walls: [5])", "a(rows: 4, walls: [5])"),
    ] {
        let config: Grown = spec(text).read().unwrap();
        let written = Spec::resolved("a", &config).unwrap();
        assert_eq!(written.to_string(), resolved);
        assert_eq!(written.read::<Grown>().unwrap(), config);
    }
    assert_eq!(Grown::parameters()[1].default(), "[]");
}

#[test]
fn descriptions_name_what_is_allowed_and_the_defaults() {
    let parameters = Config::parameters();
    let described: Vec<_> =
        parameters.iter().map(|p| [p.name.clone(), p.allowed(), p.default().to_owned()]).collect();
    let expected = [
        ["depth", "1 to 32 plies", "3"],
        ["share", "above 0, below 0.99", "0.1"],
        ["four", "0 to 1", "0.5"],
        ["time", "\"1ms\" to \"1d\"", "\"10s\""],
        ["table", "\"1k\" and more, or \"none\"", "\"16M\""],
        ["entry", "moved_lines, far-edge or 1st-cell", "far-edge"],
        ["model", "a file in quotes", "None"],
        ["game", "a game", "2048"],
        ["weights", "a list, each item a list of numbers, each -1e12 to 1e12", "[[1.0]]"],
        ["text", "a condition", "that of the model"],
    ];
    assert_eq!(described, expected);
    assert_eq!(parameters[0].about, "Search depth, in plies");
    let text = ron::to_string(&parameters).unwrap();
    assert_eq!(ron::from_str::<Vec<Parameter>>(&text).unwrap(), parameters);
}

crate::words! {
    enum Rule {
        Uct = "uct",
        ThreeStage = "3-stage",
    }
}

parameters! {
    struct Choices {
        /// Words
        rules: Vec<Rule> = Vec::new();
        /// A variant
        entry: Entry = Entry::MovedLines, variants::<Entry>();
        /// A file
        model: Option<String> = None, file();
    }
}

#[test]
fn words_need_no_quotes_where_only_words_are_allowed() {
    let expected = Choices {
        rules: vec![Rule::Uct, Rule::ThreeStage],
        entry: Entry::FirstCell,
        model: Some("uct".into()),
    };
    for text in ["[uct, 3-stage], entry: 1st-cell", "[\"uct\", \"3-stage\"], entry: \"1st-cell\""] {
        let read = spec(&format!("a(rules: {text}, model: \"uct\")")).read::<Choices>();
        assert_eq!(read.unwrap(), expected, "{text}");
    }
    for wrong in ["rules: [puct]", "rules: [3]", "entry: near", "model: uct"] {
        assert!(spec(&format!("a({wrong})")).read::<Choices>().is_err(), "{wrong}");
    }
}

/// The page decides by this which texts a browser may send.
#[test]
fn texts_that_may_be_names_of_files_are_told_from_others() {
    let kind_of = |name: &str| {
        let mut parameters = Config::parameters().into_iter();
        parameters.find(|parameter| parameter.name == name).unwrap().allowed.kind
    };
    let list = |kind| Kind::List(Box::new(kind));
    for (kind, text, allowed) in [
        (kind_of("model"), "a.model", false),
        (list(kind_of("model")), "a.model", false),
        (Kind::Other, "a.model", false),
        (kind_of("depth"), "3", false),
        (kind_of("game"), "2048", false),
        (kind_of("text"), "16384", true),
        (list(kind_of("text")), "16384", true),
        (kind_of("time"), "1h30m", true),
        (kind_of("time"), "a.model", false),
        (kind_of("table"), "16M", true),
        (kind_of("table"), "none", true),
        (kind_of("table"), "../5M", false),
        (Kind::Words(vec!["\"uct\"".to_owned()]), "uct", true),
        (Kind::Words(vec!["\"uct\"".to_owned()]), "puct", false),
    ] {
        assert_eq!(kind.allows_without_files(text), allowed, "{kind:?}: {text}");
    }
}

parameters! {
    /// Parameters that others share.
    struct Shared {
        /// A model
        model: Option<String> = None, file();
        /// A share
        share: f32 = 0.5, above(0.0).below(1.0);
    }
}

parameters! {
    /// Shared parameters before others.
    struct Sharing {
        ..shared: Shared;
        /// Search depth
        depth: u8 = 3;
    }
}

#[test]
fn shared_parameters_stand_before_the_others_under_their_own_names() {
    let names: Vec<_> = Sharing::parameters().into_iter().map(|p| (p.name, p.default)).collect();
    let expected = [("model", "None"), ("share", "0.5"), ("depth", "3")];
    assert_eq!(names, expected.map(|(name, default)| (name.to_owned(), default.to_owned())));
    let config: Sharing = spec("a(depth: 4, share: 0.25)").read().unwrap();
    let shared = Shared { share: 0.25, ..Shared::default() };
    assert_eq!(config, Sharing { shared, depth: 4 });
    assert_eq!(
        Spec::resolved("a", &config).unwrap().to_string(),
        "a(model: None, share: 0.25, depth: 4)"
    );
    let error = spec("a(share: 1.5)").read::<Sharing>().unwrap_err();
    assert_eq!(error.message, "parameter `share`: 1.5 is not above 0, below 1");
    assert!(spec("a(shared: 1)").read::<Sharing>().is_err());
}
