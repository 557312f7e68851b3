//! Presets.

use super::{Search, spec};
use crate::{Preset, Spec, SpecError};

/// The presets of a plugin with the parameters of [`Search`].
fn presets() -> Vec<Preset> {
    let deep = "// Searches deeply.\n// More about it.\n(\n    \
                depth: 5, // plies\n    value: tc-ntuple(lambda: 0.5),\n    limits: (1, 2),\n)\n";
    vec![
        Preset::new("deep", deep),
        Preset::new("plain", "// Sets nothing.\n()"),
        Preset::new("wrong", "(depth: \"three\")"),
        Preset::new("damaged", "// Is no group.\n[1, 2]"),
    ]
}

/// Returns the configuration of a spec with its preset.
fn complete(text: &str) -> Result<Search, SpecError> {
    text.parse::<Spec>()?.with_preset(&presets())?.read()
}

#[test]
fn parameters_of_the_spec_take_precedence_over_those_of_the_preset() {
    let deep = Search {
        depth: 5,
        value: Some("tc-ntuple(lambda: 0.5)".parse().unwrap()),
        limits: Some((1, 2)),
        ..Search::default()
    };
    for (text, expected) in [
        ("search(preset: \"deep\")", deep.clone()),
        ("search(preset: Some(\"deep\"),)", deep.clone()),
        ("search( // a, b\n preset: \"deep\" // c)\n)", deep.clone()),
        ("search(depth: 7, preset: \"deep\")", Search { depth: 7, ..deep.clone() }),
        ("search(preset: \"deep\", depth: 7, )", Search { depth: 7, ..deep.clone() }),
        (
            "search(rate: 0.5, // half\n preset: \"deep\", value: None,\n)",
            Search { rate: 0.5, value: None, ..deep },
        ),
        ("search(preset: \"plain\")", Search::default()),
        ("search(rate: 2.0, preset: None)", Search { rate: 2.0, ..Search::default() }),
    ] {
        assert_eq!(complete(text), Ok(expected), "{text}");
    }
}

#[test]
fn spec_without_a_preset_stays_as_it_is() {
    for text in ["search", "search(depth: 3)", "search(value: tc-ntuple(preset: \"deep\"))"] {
        assert_eq!(spec(text).with_preset(&presets()).unwrap(), spec(text));
    }
    let spec = spec("search(preset: \"deep\")");
    assert_eq!(spec.with_preset(&[]).unwrap(), spec);
}

#[test]
fn unknown_preset_lists_the_presets_and_the_most_similar_one() {
    let error = complete("search(depth: 1, preset: \"deap\")").unwrap_err();
    let line = error.to_string();
    assert!(line.contains("no preset `deap`") && line.contains("deep, plain"), "{line}");
    assert!(line.contains("did you mean `deep`"), "{line}");
    assert!(error.caret().ends_with(&format!("\n{}^^^^", " ".repeat(26))), "{}", error.caret());
    let error = complete("search(preset: deep)").unwrap_err();
    assert!(error.message.contains("expected a string, found the name `deep`"), "{error}");
}

#[test]
fn errors_keep_their_place_in_the_typed_text() {
    // The places of errors are those in the printed spec, as the plugin reads it.
    let refused = |typed: &str| {
        let completed = spec(typed).with_preset(&presets()).unwrap();
        let error = spec(&completed.to_string()).read::<Search>().unwrap_err();
        completed.in_typed_text(error)
    };
    for (typed, place, message) in [
        ("search(preset: \"deep\",depth:  \"three\")", "\"three\"", "parameter `depth`: expected"),
        ("search( depht: 3, preset: \"deep\")", "depht", "unknown parameter `depht`"),
        ("search(rate:1.0,preset: \"wrong\")", "\"wrong\"", "preset `wrong`: parameter `depth`: "),
    ] {
        let error = refused(typed);
        assert_eq!((&error.text[error.span.clone()], error.text.as_str()), (place, typed));
        assert!(error.message.starts_with(message), "{error}");
    }
    let error = complete("search(preset: \"damaged\")").unwrap_err();
    assert!(error.message.contains("expected parameters in parentheses, found a list"), "{error}");
}

#[test]
fn description_of_a_preset_is_its_first_comment_line() {
    let presets = presets();
    let about = presets.iter().map(Preset::about).collect::<Vec<_>>();
    assert_eq!(about, ["Searches deeply.", "Sets nothing.", "", "Is no group."]);
    assert_eq!(presets[0].parameters().unwrap(), ["depth", "value", "limits"]);
    assert!(presets[3].parameters().is_err());
}
