//! Tournaments that are interrupted or killed, and continued.

use crate::harness::place::Place;
use crate::harness::signals::{await_listening, interrupt};
use crate::harness::{finish, library};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const LONG: &str = "tournament --game 2048 threes --agent greedy-merges rows random";

/// Starts the tournament of three agents.
fn start(place: &Place, more: &str) -> Child {
    place.start(format!("{LONG} {more}"))
}

#[test]
fn interrupt_finishes_the_games_and_names_the_command_that_continues() {
    let place = Place::new();
    let child = start(&place, "--games 200k --out t");
    let results = place.path("t/results.jsonl");
    await_listening(&child, || fs::metadata(&results).is_ok_and(|file| file.len() > 0));
    // Meanwhile the folder is locked.
    let second = place.sh(format!("{LONG} --games 200k --out t --resume"));
    assert!(second.code == Some(1) && second.error().contains("in use"), "{second:?}");
    interrupt(&child);
    let stopped = finish(child);
    assert_eq!(place.report("t")["complete"], false);
    let resume = stopped.continuation();
    assert!(resume.ends_with("--resume"), "{resume}");
    let before = place.text("t/results.jsonl");
    // Few games more than were played, so that the test ends.
    let child = Command::new("sh")
        .args(["-c", &format!("exec {resume}")])
        .current_dir(place.folder())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    await_listening(&child, || {
        fs::metadata(&results).is_ok_and(|file| file.len() > before.len() as u64)
    });
    // The second request ends the program at once.
    interrupt(&child);
    std::thread::sleep(Duration::from_millis(600));
    let mut child = child;
    if child.try_wait().unwrap().is_none() {
        interrupt(&child);
    }
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(place.text("t/results.jsonl").starts_with(&before));
}

#[test]
fn interrupt_waits_for_no_more_than_the_games_under_way() {
    let place = Place::new();
    // A game of about half a second: few are over when the test ends.
    let child = place.start(
        "tournament --game '2048(rows: 3, cols: 3)' --agent 'mcts(time: \"5ms\")' --games 100k \
         --threads 2 --out t",
    );
    let results = place.path("t/results.jsonl");
    let games = || fs::read_to_string(&results).map_or(0, |text| text.lines().count());
    await_listening(&child, || games() > 0);
    interrupt(&child);
    let before = games();
    let stopped = finish(child);
    assert_eq!(stopped.code, Some(130), "{stopped:?}");
    // Each thread ends its game; another may have begun before the signal arrived.
    assert!(games() <= before + 4, "{} games after {before}", games());
}

#[test]
fn interrupt_without_a_folder_names_the_flag() {
    let place = Place::new();
    let child = start(&place, "--games 200k");
    await_listening(&child, || true);
    std::thread::sleep(Duration::from_millis(300));
    interrupt(&child);
    let stopped = finish(child);
    assert_eq!(stopped.code, Some(130), "{stopped:?}");
    assert!(stopped.err.contains("note: nothing is kept of this tournament; "), "{stopped:?}");
    assert!(stopped.err.lines().last().unwrap().contains("--out DIR"), "{stopped:?}");
}

#[test]
fn a_replaced_plugin_is_refused_until_it_is_accepted() {
    let place = Place::new();
    let copy = copied(&place);
    let line = format!(
        "tournament --game '2048(rows: 2, cols: 2)' --agent 'follow(value: rows)' --games 3 --out t \
         --plugin-path {}",
        copy.display()
    );
    place.done(&line);
    place.done(format!("{line} --resume"));
    change(&copy);
    let refused = place.sh(format!("{line} --resume"));
    assert_eq!(refused.code, Some(2), "{refused:?}");
    for part in ["its agent `follow` was replaced", "version", "or add --accept-changes"] {
        assert!(refused.error().contains(part), "{refused:?}");
    }
    place.done(format!("{line} --resume --accept-changes"));
    place.done(format!("{line} --resume"));
}

/// The main job continues the training of a model that was not trained for long enough.
#[test]
fn the_main_job_does_not_continue_a_training_of_a_replaced_plugin() {
    let place = Place::new();
    let copy = copied(&place);
    let main = |time: &str| {
        let game = "--game '2048(rows: 2, cols: 2)' --agent table --games 3";
        place.sh(format!("{game} --for {time} --plugin-path {}", copy.display()))
    };
    main("100ms").success();
    change(&copy);
    let refused = main("200ms");
    assert_eq!(refused.code, Some(2), "{refused:?}");
    for part in ["its value `table` was replaced", "or remove /", "to train another model"] {
        assert!(refused.error().contains(part), "{refused:?}");
    }
}

/// Returns a copy of a library of plugins.
fn copied(place: &Place) -> PathBuf {
    let library = library("test_working");
    let copy = place.path(library.file_name().unwrap().to_str().unwrap());
    fs::copy(&library, &copy).unwrap();
    copy
}

/// Replaces the library by another one, which works alike.
fn change(library: &Path) {
    let other = [fs::read(library).unwrap(), vec![0]].concat();
    fs::remove_file(library).unwrap();
    fs::write(library, other).unwrap();
}
