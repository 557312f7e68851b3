//! Interrupted, killed and concurrent trainings.

use super::*;
use crate::harness::signals::{await_listening, interrupt, signal};
use crate::harness::{finish, prepare};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Starts a training that lasts for minutes unless it is stopped: the first point of its curve is
/// that of a share of them.
fn start(place: &Place, more: &str) -> Child {
    place.start(format!("{TRAIN} --for 3m {more}"))
}

/// Waits until a training has written the points of a curve.
fn await_progress(place: &Place, curve: &str) {
    let start = Instant::now();
    let path = place.path(curve);
    while fs::metadata(&path).map_or(0, |metadata| metadata.len()) == 0 {
        assert!(start.elapsed() < Duration::from_secs(120), "the curve stays empty");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn interrupted_training_is_completed_by_the_command_that_it_names() {
    let place = Place::of_models();
    let train =
        format!("train --game '{GAME}' --agent table --model 'a b.model' --moves 2M --json");
    let child = place.start(train);
    await_progress(&place, "a b.model.curve.jsonl");
    interrupt(&child);
    let stopped = finish(child);
    assert_eq!(stopped.json()["interrupted"], true);
    let learned = place.moves("a b.model");
    assert!((1..2_000_000).contains(&learned), "{learned}");
    let rest = place.shell(stopped.continuation()).success().json();
    assert_eq!(rest["moves"], 2_000_000 - learned);
    assert_eq!(place.moves("a b.model"), 2_000_000);
    assert!(ascending(&place.curve("a b.model.curve.jsonl")));
}

/// Returns true if this process ignores SIGHUP, on systems that tell.
fn hang_up_is_ignored() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap() & 1 != 0)
}

/// `nohup` starts a program with SIGHUP ignored: it survives the end of its session.
#[test]
fn ignored_hang_up_does_not_stop_a_training() {
    let place = Place::of_models();
    let command = place.line(format!("{TRAIN} --for 3m --json"));
    let mut shell = Command::new("sh");
    prepare(&mut shell).args(["-c", "trap '' HUP; exec \"$0\" \"$@\""]);
    shell.arg(command.get_program()).args(command.get_args()).current_dir(place.folder());
    let mut child = shell.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    await_progress(&place, "a.model.curve.jsonl");
    signal(&child, "HUP");
    std::thread::sleep(Duration::from_secs(1));
    assert!(child.try_wait().unwrap().is_none(), "it has stopped");
    interrupt(&child);
    assert_eq!(finish(child).code, Some(130));
    // Otherwise it stops the training. A program inherits the ignored signals of the one that
    // starts it.
    assert!(!hang_up_is_ignored(), "SIGHUP is ignored here: run this test without nohup");
    let child = start(&place, "--json --resume");
    await_listening(&child, || true);
    signal(&child, "HUP");
    assert_eq!(finish(child).code, Some(130));
}

/// A signal may also come after the first move, when the old model is replaced.
#[test]
fn training_that_is_interrupted_before_its_first_move_leaves_the_old_model() {
    let is_kept = || {
        let place = Place::of_models();
        place.train("--moves 5k");
        let before = fs::read(place.path("a.model")).unwrap();
        let child = start(&place, "--force");
        await_listening(&child, || true);
        interrupt(&child);
        let stopped = finish(child);
        assert_eq!(stopped.code, Some(130), "{stopped:?}");
        let is_kept = stopped.err.contains("a.model stays as it was");
        assert_eq!(is_kept, fs::read(place.path("a.model")).unwrap() == before, "{stopped:?}");
        is_kept
    };
    assert!((0..20).any(|_| is_kept()));
}

#[test]
fn second_training_of_a_model_is_refused_until_the_first_ends() {
    let place = Place::of_models();
    let mut child = start(&place, "--json");
    await_progress(&place, "a.model.curve.jsonl");
    let second = place.sh(format!("{TRAIN} --resume --moves 1G"));
    assert_eq!((second.code, second.out.as_str()), (Some(1), ""), "{second:?}");
    assert!(second.error().contains("a.model is in use"), "{second:?}");
    // The system releases the lock of a killed process.
    child.kill().unwrap();
    child.wait().unwrap();
    place.train("--resume --moves 1k");
    assert!(!place.path("a.model.lock").exists());
}

#[test]
fn interrupted_run_continues_its_training() {
    let place = Place::of_models();
    let child = place.start(play("table", "1h"));
    await_listening(&child, || true);
    std::thread::sleep(Duration::from_millis(50));
    interrupt(&child);
    let stopped = finish(child);
    assert_eq!(stopped.code, Some(130), "{stopped:?}");
    let before = place.saved_moves();
    place.play("table", "2s");
    assert!(place.saved_moves() > before);
}

#[test]
fn training_that_is_killed_before_its_first_checkpoint_leaves_the_old_model() {
    let place = Place::of_models();
    place.train("--moves 20k");
    let names = ["a.model", "a.model.curve.jsonl"];
    let files = || names.map(|name| fs::read(place.path(name)).unwrap());
    let before = files();
    let mut child = start(&place, "--force --evaluate 2k --evaluate-games 3");
    await_listening(&child, || place.path("a.model.lock").exists());
    std::thread::sleep(Duration::from_millis(300));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(files() == before, "model and curve are the old ones");
    assert_eq!(place.moves("a.model"), 20_000);
}
