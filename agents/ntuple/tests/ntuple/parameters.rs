//! Parameters that are refused, and presets.

use super::support::*;

/// Checks that parameters are refused, each with the name of the wrong one and a part of the
/// message.
fn refuse<P: ValuePlugin>(rows: &[(&str, &str, &str)]) {
    for (parameters, parameter, expected) in rows {
        let built = setting(2, 3).read::<P>(parameters);
        let error = built.err().unwrap_or_else(|| panic!("{parameters} is refused"));
        let names_it = error.starts_with(&format!("parameter `{parameter}`"));
        assert!(names_it && error.contains(expected), "{parameters}: {error}");
    }
}

fn accept<P: ValuePlugin>(parameters: &[&str]) {
    for parameters in parameters {
        let built = setting(2, 3).read::<P>(parameters);
        built.unwrap_or_else(|error| panic!("{parameters}: {error}"));
    }
}

#[test]
fn update_schemes_are_refused_with_options_that_they_do_not_have() {
    refuse::<TdNtuple>(&[
        ("update: \"sideways\"", "update", "\"mean-return\" or \"backward\""),
        ("lambda: 1.0", "lambda", "not including, 1"),
        ("steps: 0", "steps", "1 to 64"),
        ("update: \"n-step\", lambda: 0.5", "lambda", "no trace"),
        ("update: \"mean-return\", lambda: 0.5", "lambda", "no trace"),
        ("update: \"forward\", lambda: 0.99", "lambda", "64"),
        ("update: \"delayed\", lambda: 0.97", "lambda", "64"),
        ("steps: 5", "steps", "no effect"),
        ("steps: 5, update: \"delayed\", lambda: 0.5", "steps", "no effect"),
    ]);
    accept::<TdNtuple>(&[
        "update: \"delayed\", lambda: 0.965",
        "update: \"backward\", lambda: 0.99",
        "update: \"n-step\", steps: 5",
        "update: \"mean-return\", steps: 3",
    ]);
    // Autostep is defined for one step.
    refuse::<AutostepNtuple>(&[("lambda: 0.5", "lambda", "`lambda: 0` only")]);
    accept::<AutostepNtuple>(&["lambda: 0.0"]);
}

#[test]
fn parameters_out_of_range_or_without_effect_are_refused() {
    refuse::<TdNtuple>(&[
        ("optimism: -1.0", "optimism", "from 0"),
        ("promotion: \"none\"", "promotion", "no effect"),
    ]);
    accept::<TdNtuple>(&["", "optimism: 320000.0", "steps: 3"]);
}

#[test]
fn wrong_schedules_are_refused() {
    let (size, order) = ("above 0", "ascending shares");
    let nine: Vec<_> = (0..9).map(|k| format!("({}, 0.1)", f64::from(k) / 9.0)).collect();
    refuse::<TdNtuple>(&[
        ("alpha: 0.0", "alpha", size),
        ("alpha: 1.1", "alpha", size),
        ("alpha: NaN", "alpha", size),
        ("alpha: (from: 0.1, to: 1.1)", "alpha", size),
        ("alpha: [(0.0, 1.0), (0.5, inf)]", "alpha", size),
        ("alpha: []", "alpha", order),
        (&format!("alpha: [{}]", nine.join(", ")), "alpha", order),
        ("alpha: [(0.0, 0.1), (0.5, 0.1), (0.5, 0.2)]", "alpha", order),
        ("alpha: [(0.5, 0.1)]", "alpha", order),
        ("alpha: [(0.0, 0.1), (1.0, 0.1)]", "alpha", order),
        ("alpha: [(NaN, 0.1)]", "alpha", order),
        ("alpha: (from: 1.0)", "alpha", "expected"),
        ("alpha: (from: 1.0, to: 0.1, by: 2)", "alpha", "expected"),
        ("alpha: [0.1]", "alpha", "expected"),
    ]);
    accept::<TdNtuple>(&[
        "alpha: 1",
        "alpha: 0.5",
        "alpha: [(0.0, 1.0), (0.5, 0.1)]",
        "alpha: (from: 1.0, to: 0.1)",
    ]);
}

#[test]
fn wrong_restarts_are_refused() {
    for (restarts, expected) in [
        ("sideways", "`sideways`"),
        ("none(keep: 1)", "no parameters"),
        ("carousel(keep: 1000)", "no parameters"),
        ("middle(longer_than: 0)", "1 move or more"),
        ("middle(longer_than_later: 0)", "1 move or more"),
        ("middle(entrances: -0.5)", "0 to 0.99"),
        ("middle(entrances: [(0.0, 0.5), (0.5, 1.0)])", "0 to 0.99"),
        ("middle(entrances: [(0.5, 0.5)])", "ascending shares"),
        ("middle(entrances: (from: 0.0, to: 0.5))", "above 0"),
        ("middle(longer_than: 10, longer_than_mean: 1.0)", "exclude each other"),
        ("middle(longer_than_mean: 0.0)", "above 0"),
        ("middle(longer_than_mean: NaN)", "above 0"),
        ("middle(fresh: 1.5)", "0 to 1"),
    ] {
        let parameters = format!("stages: \"16\", restarts: {restarts}");
        refuse::<TdNtuple>(&[(&parameters, "restarts", expected)]);
    }
    refuse::<TdNtuple>(&[
        ("restarts: carousel", "restarts", "needs a second stage"),
        ("restarts: middle(longer_than_later: 10)", "restarts", "need a second stage"),
        ("restarts: middle(entrances: 0.5)", "restarts", "need a second stage"),
        ("restarts: middle(entrances: [(0.0, 0.0), (0.5, 0.5)])", "restarts", "a second stage"),
    ]);
}

#[test]
fn wrong_parameters_of_ms_td_are_refused() {
    let two = "stages: \"16 32\"";
    refuse::<MsTd>(&[
        ("stages: \"32 16\"", "stages", "does not follow"),
        ("stages: \"\"", "stages", "second stage"),
        ("stages: \"3000\"", "stages", "not a tile"),
        ("stages: \"2^2\"", "stages", "leave"),
        ("stages: \"2x16 3x16\"", "stages", "leave"),
        (&format!("{two}, strategy: 3"), "stages", "one of the two"),
        ("strategy: 5", "strategy", "`3-stage`"),
        (&format!("{two}, restarts: carousel"), "restarts", "`ms-td`"),
        (&format!("{two}, restarts: middle(entrances: 0.5)"), "restarts", "`ms-td`"),
        ("boards: 0", "boards", "1 to"),
        (&format!("{two}, alpha: 0.0"), "alpha", "above 0"),
    ]);
    // A share of 0 needs no stages.
    accept::<MsTd>(&[&format!("{two}, restarts: middle(entrances: 0.0)")]);
    let other = Fixture::<Game2584>::of(Default::default());
    let error = other.read::<MsTd>("").err().unwrap();
    assert!(error.contains("give `stages`"), "{error}");
    // The default network counts tiles that it distinguishes.
    other.read::<MsTd>("stages: \"6765 10946\"").unwrap();
}
