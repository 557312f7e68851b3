//! `runner plugins doctor`: every kind of defect is reported in one line that names the
//! plugin, and sound plugins pass.

use crate::harness::Ran;
use crate::harness::place::Place;

/// Examines a plugin of the defective library.
#[track_caller]
fn examine(spec: &str) -> Ran {
    let place = Place::with_library("test-faulty");
    let ran = place.sh(format!("plugins doctor --timeout 5s '{spec}'"));
    assert_eq!(ran.code, Some(1), "{spec}: {ran:?}");
    ran
}

/// Returns the lines about this plugin that report a defect.
fn bad(ran: &Ran) -> Vec<&str> {
    ran.out.lines().filter(|line| line.starts_with("BAD ")).collect()
}

/// Checks that each defect is reported in a line that names the plugin.
#[track_caller]
fn assert_found(name: &str, defects: &[(&str, &str)]) {
    for (parameters, expected) in defects {
        let ran = examine(&format!("{name}{parameters}"));
        let lines = bad(&ran);
        let found = lines.iter().any(|line| line.contains(expected));
        assert!(found, "{parameters}, {expected}: {ran:?}");
        assert!(lines.iter().all(|line| line.contains(name)), "{parameters}: {ran:?}");
        assert!(!ran.out.contains('\u{1b}'), "control characters are escaped: {ran:?}");
    }
}

#[test]
fn defects_of_agents_are_found() {
    assert_found(
        "faulty-agent",
        &[
            ("(at: stop)", "stops every game"),
            ("(at: own)", "differently a second time"),
            ("(at: memory)", "after other games"),
            ("(at: act, once_in: 1)", "the decision went wrong"),
            ("(at: illegal, once_in: 1)", "63"),
        ],
    );
}

#[test]
fn defects_of_values_are_found() {
    let defects = [("(at: nan)", "NaN"), ("(at: new)", "building the value went wrong")];
    assert_found("faulty-value", &defects);
}

#[test]
fn defects_of_learners_are_found() {
    assert_found(
        "faulty-learner",
        &[
            ("(at: train)", "the training went wrong"),
            ("(at: unbounded)", "budget"),
            ("(at: idle)", "made 0 moves"),
            ("(at: save_nothing)", "save"),
            ("(at: load)", "loading went wrong"),
            ("(at: no_formats)", "formats"),
            ("(at: ignore_model)", "`model`"),
            // Its models have no checksum.
            ("", "half of a model file"),
        ],
    );
}

#[test]
fn defects_of_games_are_found() {
    assert_found(
        "faulty",
        &[
            ("(at: successors)", "the list of actions"),
            ("(at: half_outcomes)", "law"),
            ("(at: endless)", "ended within"),
            ("(at: new)", "building the game went wrong"),
        ],
    );
}

/// Every command that plays a game says that its rules are wrong.
#[test]
fn wrong_rules_of_a_foreign_plugin_are_noted_when_a_game_is_built() {
    let place = Place::with_library("test-faulty");
    let played =
        |game: &str| place.sh(format!("eval --game '{game}' --agent random --games 1")).err;
    let wrong = played("faulty(at: half_outcomes)");
    for expected in ["game `faulty`", "breaks law 1 (outcomes)", "plugins doctor faulty"] {
        assert!(wrong.contains(expected), "{wrong}");
    }
    assert!(!played("faulty").contains("breaks law"));
}

/// An endless loop cannot be stopped; the program says where it is and ends.
#[test]
fn endless_calls_are_named() {
    for (name, at, call) in [("faulty-agent", "endless", "act"), ("faulty", "loop", "successors")] {
        let ran = examine(&format!("{name}(at: {at})"));
        let line = bad(&ran).pop().unwrap_or_default();
        assert!(line.contains(name) && line.contains(call), "{ran:?}");
        assert!(ran.error().contains("does not return"), "{ran:?}");
    }
}

/// The learner has formats that cannot hold a network for every game.
#[test]
fn sound_plugins_pass() {
    let ran = Place::new().done("plugins doctor 2048 greedy rows random td-ntuple");
    assert!(ran.out.lines().all(|line| line.starts_with("ok ")), "{}", ran.out);
    for passed in ["agent greedy on 2048", "learner td-ntuple on 1024"] {
        assert!(ran.out.contains(passed), "{}", ran.out);
    }
}

#[test]
fn a_new_plugin_with_a_taken_name_is_noted() {
    let place = Place::new();
    let new =
        |kind, name: &str| place.done(format!("plugins new {kind} {name} --out {kind}-{name}"));
    for (kind, name) in [("game", "2048"), ("agent", "greedy"), ("agent", "rows")] {
        let created = new(kind, name);
        assert!(created.err.contains("exists already"), "{created:?}");
    }
    assert_eq!(new("game", "greedy").err, "", "games and players have names of their own");
}
