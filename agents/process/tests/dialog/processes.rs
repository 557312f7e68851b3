//! No process is left, whatever a program starts.
#![cfg(target_os = "linux")]

use super::*;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

fn exists(id: &str) -> bool {
    Path::new("/proc").join(id).exists()
}

/// Returns the ids that a script has written, once there are as many.
fn ids(file: &Path, count: usize) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let ids: Vec<_> = text.lines().map(String::from).collect();
    assert_eq!(ids.len(), count, "{text}");
    ids
}

#[track_caller]
fn assert_gone(ids: &[String]) {
    // Init reaps orphans in its own time.
    let began = Instant::now();
    while ids.iter().any(|id| exists(id)) {
        assert!(began.elapsed() < Duration::from_secs(20), "{ids:?} are left");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn program_that_ends_by_itself_is_reaped() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ids");
    let mut program = agent(&format!("echo $$ >{}; {}", file.display(), script(&[READY, FIRST])));
    play_game(&mut program, 0).unwrap();
    let ids = ids(&file, 1);
    assert!(exists(&ids[0]));
    drop(program);
    // Its parent has reaped it: there is no zombie.
    assert!(!exists(&ids[0]));
}

#[test]
fn children_of_a_program_are_killed_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ids");
    let start = format!("trap '' HUP INT TERM; sleep 1000 & echo $! >{}; ", file.display());
    for (turn, has_fault) in [(FIRST, false), (r#"*'"type":"turn"'*) sleep 1000;;"#, true)] {
        let script = format!("{start}echo $$ >>{}; {}", file.display(), script(&[READY, turn]));
        let mut program = agent_with_limits(&script, 300, 20_000);
        assert_eq!(play_game(&mut program, 0).is_err(), has_fault);
        let ids = ids(&file, 2);
        if !has_fault {
            assert!(ids.iter().all(|id| exists(id)));
            drop(program);
        }
        assert_gone(&ids);
    }
}

#[test]
fn program_that_ignores_the_end_of_its_input_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ids");
    let mut program = agent(&format!(
        "echo $$ >{}; {}; while :; do sleep 1000; done",
        file.display(),
        script(&[READY, FIRST])
    ));
    play_game(&mut program, 0).unwrap();
    let began = Instant::now();
    drop(program);
    assert!(began.elapsed() < Duration::from_secs(10));
    assert_gone(&ids(&file, 1));
}
