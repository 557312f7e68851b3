//! `runner plugins doctor`: every kind of defect is reported in one line that names the
//! plugin, and sound plugins pass.

use crate::harness::{Ran, library, run, text};

/// Examines plugins of the defective library.
#[track_caller]
fn examine(specs: &[&str]) -> Ran {
    let library = library("test-faulty");
    let words = [&["plugins", "doctor", "--timeout", "5s", "--plugin-path", text(&library)], specs];
    run(&words.concat())
}

/// Returns the lines about this plugin that report a defect.
fn bad(ran: &Ran) -> Vec<&str> {
    ran.out.lines().filter(|line| line.starts_with("BAD ")).collect()
}

#[track_caller]
fn assert_found(spec: &str, expected: &str) {
    let ran = examine(&[spec]);
    assert_eq!(ran.code, Some(1), "{spec}: {ran:?}");
    let lines = bad(&ran);
    assert!(lines.iter().any(|line| line.contains(expected)), "{spec}, {expected}: {ran:?}");
    let name = spec.split('(').next().unwrap();
    assert!(lines.iter().all(|line| line.contains(name)), "{spec}: {ran:?}");
    assert!(!ran.out.contains('\u{1b}'), "control characters are escaped: {ran:?}");
    println!("{}", lines.join("\n"));
}

#[test]
fn defects_of_agents_and_values_are_found() {
    for (spec, expected) in [
        ("faulty-agent(at: stop)", "stops every game"),
        ("faulty-agent(at: own)", "differently a second time"),
        ("faulty-agent(at: memory)", "after other games"),
        ("faulty-agent(at: act, once_in: 1)", "the decision went wrong"),
        ("faulty-agent(at: illegal, once_in: 1)", "63"),
        ("faulty-value(at: nan)", "NaN"),
        ("faulty-value(at: new)", "building the value went wrong"),
    ] {
        assert_found(spec, expected);
    }
}

#[test]
fn defects_of_learners_are_found() {
    for (spec, expected) in [
        ("faulty-learner(at: train)", "the training went wrong"),
        ("faulty-learner(at: unbounded)", "budget"),
        ("faulty-learner(at: idle)", "made 0 moves"),
        ("faulty-learner(at: save_nothing)", "save"),
        ("faulty-learner(at: load)", "loading went wrong"),
        ("faulty-learner(at: no_formats)", "formats"),
        ("faulty-learner(at: ignore_model)", "`model`"),
        // Its models have no checksum.
        ("faulty-learner", "half of a model file"),
    ] {
        assert_found(spec, expected);
    }
}

#[test]
fn defects_of_games_are_found() {
    for (spec, expected) in [
        ("faulty(at: successors)", "the list of actions"),
        ("faulty(at: half_outcomes)", "law"),
        ("faulty(at: endless)", "ended within"),
        ("faulty(at: new)", "building the game went wrong"),
    ] {
        assert_found(spec, expected);
    }
}

/// Every command that plays a game says that its rules are wrong.
#[test]
fn wrong_rules_of_a_foreign_plugin_are_noted_when_a_game_is_built() {
    let library = library("test-faulty");
    let played = |game: &str| {
        let words = ["eval", "--plugin-path", text(&library), "--game", game, "--agent", "random"];
        run(&[&words[..], &["--games", "1"]].concat())
    };
    let wrong = played("faulty(at: half_outcomes)");
    for expected in ["game `faulty`", "breaks law 1 (outcomes)", "plugins doctor faulty"] {
        assert!(wrong.err.contains(expected), "{wrong:?}");
    }
    assert!(!played("faulty").err.contains("breaks law"));
}

/// An endless loop cannot be stopped; the program says where it is and ends.
#[test]
fn endless_calls_are_named() {
    for (spec, call) in [("faulty-agent(at: endless)", "act"), ("faulty(at: loop)", "successors")] {
        let ran = examine(&[spec]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        let line = bad(&ran).pop().unwrap_or_default();
        assert!(line.contains(spec.split('(').next().unwrap()) && line.contains(call), "{ran:?}");
        assert!(ran.error().contains("does not return"), "{ran:?}");
    }
}

#[test]
fn sound_plugins_pass() {
    let ran = run(&["plugins", "doctor", "2048", "greedy", "rows", "random"]).success();
    assert!(ran.out.lines().all(|line| line.starts_with("ok ")), "{}", ran.out);
    assert!(ran.out.contains("agent greedy on 2048"), "{}", ran.out);
}

/// The learner has formats that cannot hold a network for every game.
#[test]
fn a_learner_passes_on_games_that_one_of_its_formats_refuses() {
    let ran = run(&["plugins", "doctor", "td-ntuple"]).success();
    assert!(ran.out.contains("ok  learner td-ntuple on 1024"), "{}", ran.out);
}

#[test]
fn a_new_plugin_with_a_taken_name_is_noted() {
    let folder = tempfile::tempdir().unwrap();
    let new = |kind, name: &str| {
        let path = folder.path().join(format!("{kind}-{name}"));
        run(&["plugins", "new", kind, name, "--out", text(&path)])
    };
    for (kind, name) in [("game", "2048"), ("agent", "greedy"), ("agent", "rows")] {
        let created = new(kind, name).success();
        assert!(created.err.contains("exists already"), "{created:?}");
    }
    assert_eq!(new("game", "greedy").err, "", "games and players have names of their own");
}
