//! A call of a plugin that never returns is named, and time limits and interrupts end the program.

use crate::harness::place::Place;
use crate::harness::signals::signal;
use crate::harness::{Ran, library, text};
use std::io::{BufRead, BufReader};
use std::process::Stdio;

const SMALL: &str = "2048(rows: 2, cols: 2)";

/// Returns a folder in which the program has the defective plugins.
fn faulty() -> Place {
    Place::with_library("test_faulty")
}

fn eval(game: &str, agent: &str) -> String {
    format!("eval --game '{game}' --agent '{agent}'")
}

#[track_caller]
fn assert_names(ran: &Ran, parts: &[&str]) {
    let message = ran.error().replace(text(&library("test_faulty")), "FILE");
    println!("{message}");
    for part in parts {
        assert!(message.contains(part), "{part:?} is wanted: {message}");
    }
}

#[test]
fn stack_overflow_ends_the_program_with_the_name_of_the_call() {
    let line = eval(SMALL, "faulty-agent(at: overflow)") + " --games 1";
    let ran = Ran::from(faulty().line(&line).output().unwrap());
    assert_eq!(ran.code, None, "{ran:?}");
    let err = ran.err.replace(text(&library("test_faulty")), "FILE");
    assert!(err.contains("the program crashed during these calls of plugins"), "{err}");
    assert!(err.contains("\nagent `faulty-agent` (FILE): `a"), "{err}");
}

/// Games end, until each thread plays one that does not.
#[test]
fn time_limit_holds_the_call_is_named_and_finished_games_are_reported() {
    let place = faulty();
    let line = eval("faulty(at: rare_loop)", "random");
    let ran = place.sh(line + " --games 1M --for 1s --threads 2 --json --records games.rec");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_names(&ran, &["the time is over, ", "game `faulty` (FILE): `spawn` has not returned"]);
    let games = ran.json()["games"].as_u64().unwrap();
    let verified = place.done("replay verify games.rec").out;
    assert!(games > 0 && verified.contains(&format!("{games} game")), "{games}: {verified}");
}

/// The program answers in time by its own limit, after longer than other calls may take.
#[test]
fn slow_player_within_its_own_time_limit_loses_no_game() {
    let place = Place::new();
    let script = r#"while read -r line; do case $line in
        *'"type":"hello"'*) echo '{"type":"ready","protocol":1}';;
        *'"type":"begin"'*) echo '{"type":"ready"}';;
        *'"type":"turn"'*)
            turns=$((turns + 1)); [ $turns = 200 ] && sleep 13
            index=${line#*'"index":'}; echo "{\"action\":${index%%,*}}";;
        esac; done"#;
    std::fs::write(place.path("agent.sh"), script).unwrap();
    let agent = r#"process(command: ["/bin/sh", "agent.sh"], time: "30s")"#;
    let ran = place.sh(format!("{} --games 1M --for 5s --threads 1 --json", eval(SMALL, agent)));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.json()["games"].as_u64().unwrap() > 1, "{ran:?}");
}

/// A rule that does not return ends a command that calls nothing else, and a time limit one that
/// waits for a constructor or a training.
#[test]
fn endless_calls_end_the_program() {
    let train = format!("train --game '{SMALL}' --agent 'faulty-learner(at: endless_train)'");
    let cases = [
        ("perft --depth 4 --game 'faulty(at: rare_loop)' --state '9 fate=0'".into(), "`perft`"),
        (train + " --for 1s", "`train`"),
        (eval(SMALL, "faulty-agent(at: endless_new)") + " --for 1s", "`constructor`"),
    ];
    std::thread::scope(|scope| {
        for (line, call) in cases {
            scope.spawn(move || {
                let ran = faulty().sh(line);
                assert_eq!(ran.code, Some(1), "{ran:?}");
                assert_names(&ran, &[&format!("(FILE): {call} does not return")]);
            });
        }
    });
}

/// A call that may only be slow is named, and the first signal ends the program.
#[test]
fn first_signal_ends_a_run_whose_call_does_not_return() {
    let cases = [
        (eval(SMALL, "faulty-agent(at: endless)"), "`act`", &[Some(130)][..]),
        // Until a command listens to signals, they end it as any program.
        (eval("faulty(at: endless_new)", "random"), "`constructor`", &[None, Some(143)]),
    ];
    for (line, call, codes) in cases {
        let place = faulty();
        let mut command = place.line(line);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut errors = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
        let note = format!("{call} has not returned yet; Ctrl-C ends the program");
        assert!(errors.any(|line| line.contains(&note)), "{note}");
        signal(&child, "TERM");
        let rest: Vec<_> = errors.collect();
        let code = child.wait().unwrap().code();
        assert!(codes.contains(&code), "{code:?}: {rest:?}");
    }
}
