//! A call of a plugin that never returns is named, and time limits and interrupts end the program.

use crate::harness::place::Place;
use crate::harness::signals::signal;
use crate::harness::{Ran, library, text};
use std::fs::File;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Time after which a program that should have ended is reported.
const TIMEOUT: Duration = Duration::from_secs(90);

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
fn rule_that_never_returns_is_named_when_its_game_is_built() {
    let began = Instant::now();
    let ran = faulty().sh(eval("faulty(at: loop)", "random"));
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert_names(&ran, &["game `faulty` (FILE): `successors` does not return", "plugins doctor"]);
    assert!(began.elapsed() < TIMEOUT);
}

/// The handler of a signal names the call, on a worker thread (`eval`) and on the first thread (`think`).
#[test]
fn stack_overflow_ends_the_program_with_the_name_of_the_call() {
    let state = "2,0/0,2";
    for line in [
        format!("{} --games 1", eval(SMALL, "faulty-agent(at: overflow)")),
        format!("think --game '{SMALL}' --agent 'faulty-agent(at: overflow)' --state {state}"),
    ] {
        let ran = Ran::from(faulty().line(&line).output().unwrap());
        assert_eq!(ran.code, None, "{ran:?}");
        let err = ran.err.replace(text(&library("test_faulty")), "FILE");
        assert!(err.contains("the program crashed during these calls of plugins"), "{err}");
        assert!(
            err.lines().any(|line| line.starts_with("agent `faulty-agent` (FILE): `a")),
            "{err}"
        );
    }
}

/// Games of the first two players end, until each thread plays one that does not.
#[test]
fn time_limit_holds_the_call_is_named_and_finished_games_are_reported() {
    let cases = [
        ("faulty(at: rare_loop)", "random", "game `faulty` (FILE): `spawn` has not returned", true),
        ("faulty(at: rare_loop)", "greedy", "game `faulty` (FILE): `spawn` has not returned", true),
        ("faulty", "faulty-agent(at: endless)", "agent `faulty-agent` (FILE): `act` has", false),
        // The agent has the rules as tables, and plays on its side of the boundary.
        (SMALL, "faulty-agent(at: endless)", "agent `faulty-agent` (FILE): `act` has", false),
        (SMALL, "faulty-value(at: endless)", "value `faulty-value` (FILE): `evaluate` has", false),
    ];
    std::thread::scope(|scope| {
        for (game, agent, expected, finishes) in cases {
            scope.spawn(move || {
                let place = faulty();
                let more = "--games 1M --for 1s --threads 2 --json --records games.rec";
                let ran = place.sh(format!("{} {more}", eval(game, agent)));
                assert_eq!((ran.code, ran.out.is_empty()), (Some(1), !finishes), "{ran:?}");
                assert_names(&ran, &["the time is over, ", expected]);
                let games = if finishes { ran.json()["games"].as_u64().unwrap() } else { 0 };
                assert_eq!(games > 0, finishes);
                let verified = place.done("replay verify games.rec").out;
                assert!(verified.contains(&format!("{games} game")), "{games}: {verified}");
            });
        }
    });
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

/// The first long move takes more time than other calls may. It ends before games are given up.
#[test]
fn slow_player_without_a_time_limit_loses_no_game() {
    let more = "--games 1M --for 11s --threads 1 --json";
    let ran = faulty().sh(format!("{} {more}", eval(SMALL, "faulty-agent(at: slow)")));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let games = ran.json()["games"].as_u64().unwrap();
    assert!(games > 1 && !ran.err.contains("given up"), "{ran:?}");
}

/// A running program whose standard error is a file.
struct Running {
    child: Child,
    folder: tempfile::TempDir,
}

impl Running {
    fn start(mut command: Command) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let errors = File::create(folder.path().join("errors")).unwrap();
        let child = command.stdout(Stdio::null()).stderr(errors).spawn().unwrap();
        Self { child, folder }
    }

    fn errors(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("errors")).unwrap()
    }

    /// Waits for a text on standard error.
    #[track_caller]
    fn wait_for(&self, text: &str) {
        let began = Instant::now();
        while !self.errors().contains(text) {
            assert!(began.elapsed() < TIMEOUT, "{text:?} is wanted: {}", self.errors());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits for the end. Returns the exit code.
    #[track_caller]
    fn end(&mut self) -> Option<i32> {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(began.elapsed() < TIMEOUT, "the program does not end: {}", self.errors());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

/// A call that may only be slow is named, and the first signal ends the program.
#[test]
fn slow_calls_of_every_command_are_named() {
    let limited = |agent: &str| format!("{} --games 1", eval(SMALL, agent));
    let cases = [
        (eval("faulty(at: endless_new)", "random"), "game `faulty` (FILE): `constructor`"),
        (limited("faulty-agent(at: endless_new)"), "agent `faulty-agent` (FILE): `constructor`"),
        (limited("faulty-value(at: endless_new)"), "value `faulty-value` (FILE): `constructor`"),
        (
            limited("expectimax(depth: 1, value: faulty-value(at: endless_new))"),
            "value `faulty-value` (FILE): `constructor`",
        ),
        (
            format!("think --game '{SMALL}' --agent 'faulty-agent(at: endless)'"),
            "agent `faulty-agent` (FILE): `analyse`",
        ),
        (
            "solve --game 'faulty(at: rare_loop)' --state '9 fate=0'".into(),
            "game `faulty` (FILE): `solve`",
        ),
        (
            format!("train --game '{SMALL}' --agent 'faulty-learner(at: endless_train)'"),
            "value `faulty-learner` (FILE): `train`",
        ),
    ];
    std::thread::scope(|scope| {
        for (line, call) in cases {
            scope.spawn(move || {
                let place = faulty();
                let mut running = Running::start(place.line(line));
                let call = call.replace("FILE", text(&library("test_faulty")));
                running.wait_for(&format!("{call} has not returned yet; Ctrl-C ends the program"));
                signal(&running.child, "TERM");
                // Until a command listens to signals, they end it as any program.
                let code = running.end();
                assert!(matches!(code, None | Some(143)), "{code:?}: {}", running.errors());
            });
        }
    });
}

/// A rule that does not return ends a command that calls nothing else, and a time limit those that wait
/// for a constructor or a training.
#[test]
fn endless_calls_end_the_program() {
    let train = |game: &str, agent: &str| format!("train --game '{game}' --agent '{agent}'");
    let cases = [
        (
            "perft --depth 4 --game 'faulty(at: rare_loop)' --state '9 fate=0'".into(),
            "game `faulty` (FILE): `perft`",
        ),
        (
            train(SMALL, "faulty-learner(at: endless_train)") + " --for 1s",
            "value `faulty-learner` (FILE): `train`",
        ),
        (
            eval(SMALL, "faulty-agent(at: endless_new)") + " --for 1s",
            "agent `faulty-agent` (FILE): `constructor`",
        ),
        (
            format!("--for 1s --game '{SMALL}' --agent 'faulty-value(at: endless_new)'"),
            "value `faulty-value` (FILE): `constructor`",
        ),
        (
            "--for 1s --game 'faulty(at: endless_new)' --agent random".into(),
            "game `faulty` (FILE): `constructor`",
        ),
    ];
    std::thread::scope(|scope| {
        for (line, call) in cases {
            scope.spawn(move || {
                let ran = faulty().sh(line);
                assert_eq!(ran.code, Some(1), "{ran:?}");
                assert_names(&ran, &[&format!("{call} does not return")]);
            });
        }
    });
}

#[test]
fn first_signal_ends_a_run_whose_call_does_not_return() {
    std::thread::scope(|scope| {
        for name in ["TERM", "INT"] {
            scope.spawn(move || {
                let place = faulty();
                let endless = eval(SMALL, "faulty-agent(at: endless)");
                let mut running = Running::start(place.line(endless));
                running.wait_for("`act` has not returned yet; Ctrl-C ends the program");
                signal(&running.child, name);
                assert_eq!(running.end(), Some(130), "{}", running.errors());
                assert!(running.errors().contains("interrupted: 0 of 1,000 games are over"));
            });
        }
    });
}
