//! `runner plugins doctor`: sound plugins pass, and endless calls are named. Transcripts have the
//! other defects.

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

/// It is found in some of the games only: transcripts have the other defects.
#[test]
fn an_agent_with_random_numbers_of_its_own_is_found() {
    let ran = examine("faulty-agent(at: own)");
    assert!(bad(&ran).iter().any(|line| line.contains("differently a second time")), "{ran:?}");
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
