//! Presets.

use super::{Search, error_of};
use crate::{Preset, Spec, SpecError};

/// The presets of a plugin with the parameters of [`Search`].
fn presets() -> Vec<Preset> {
    let deep = "// Searches deeply.\n// More about it.\n#![enable(implicit_some)]\n(\n    \
                depth: 5, // plies\n    value: tc-ntuple(lambda: 0.5),\n    limits: (1, 2),\n)\n";
    vec![
        Preset::new("deep", deep),
        Preset::new("plain", "// Sets nothing.\n()"),
        Preset::new("wrong", "/* No line. */ (depth: \"three\")"),
        Preset::new("damaged", "// Is no group.\n[1, 2]"),
    ]
}

/// Returns the configuration of a spec with its preset.
fn complete(text: &str) -> Result<Search, SpecError> {
    let spec: Spec = text.parse()?;
    let completed = spec.with_preset(&presets())?.expect("it names a preset");
    completed.spec.read().map_err(|error| completed.in_typed_text(error))
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
        ("search( /* a, b */ r#preset: \"deep\" // c)\n)", deep.clone()),
        ("search(depth: 7, preset: \"deep\")", Search { depth: 7, ..deep.clone() }),
        ("search(preset: \"deep\", depth: 7, /* ) */ )", Search { depth: 7, ..deep.clone() }),
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
        assert!(text.parse::<Spec>().unwrap().with_preset(&presets()).unwrap().is_none());
    }
    let spec: Spec = "search(preset: \"deep\")".parse().unwrap();
    assert!(spec.with_preset(&[]).unwrap().is_none());
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
    // An error in a typed parameter is the same as without the preset.
    let typed = "search(preset: \"deep\", depth: \"three\")";
    let error = complete(typed).unwrap_err();
    let plain = error_of::<Search>("search(                depth: \"three\")");
    assert_eq!((&error.message, &error.span), (&plain.message, &plain.span));
    assert_eq!(error.text, typed);
    // An error in the preset points at its name.
    let error = complete("search(rate: 1.0, preset: \"wrong\")").unwrap_err();
    assert!(error.message.contains("preset `wrong`") && error.message.contains("`depth`"));
    assert_eq!(&error.text[error.span], "\"wrong\"");
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
