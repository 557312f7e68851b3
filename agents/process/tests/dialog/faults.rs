//! Programs that break the protocol: each is a fault of its game, which says why, and the next
//! game is played.

use super::*;
use std::time::{Duration, Instant};

/// Plays a game with a program whose turns are answered by these commands, and returns the
/// message of its fault.
#[track_caller]
fn fault_of_turn(commands: &str) -> String {
    let turn = format!(r#"*'"type":"turn"'*) {commands};;"#);
    fault(&mut agent_with_limits(&script(&[READY, &turn]), 300, 20_000))
}

#[track_caller]
fn fault(agent: &mut Process) -> String {
    let began = Instant::now();
    let message = play_game(agent, 1).unwrap_err().to_string();
    assert!(began.elapsed() < Duration::from_secs(15), "{message}");
    assert!(message.starts_with("agent `process`: `/bin/sh -c "), "{message}");
    println!("{message}");
    message
}

#[test]
fn program_that_dies_is_a_fault_with_its_status_and_last_words() {
    let message = fault_of_turn("echo one >&2; echo two >&2; exit 3");
    assert!(message.contains("exit status: 3") && message.contains("at turn 1"), "{message}");
    assert!(message.contains("standard error ends with: one / two"), "{message}");
    assert!(fault_of_turn("kill -9 $$").contains("SIGKILL"));
    assert!(fault_of_turn("exec >&-; sleep 100").contains("closed its standard output"));
}

#[test]
fn program_that_hangs_or_is_late_is_killed_at_its_limit() {
    for commands in ["sleep 100", "sleep 1; echo '{\"action\":0}'", "while :; do :; done"] {
        let message = fault_of_turn(commands);
        assert!(message.contains("did not answer within 300ms and was killed; it must flush"));
    }
    let mut slow_start = agent_with_limits("sleep 100", 20_000, 100);
    let message = fault(&mut slow_start);
    assert!(message.contains("100ms") && message.contains("at the start"), "{message}");
}

#[test]
fn flooding_output_is_bounded() {
    let endless_line =
        "while :; do printf xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done";
    let line = script(&[READY, &format!(r#"*'"type":"turn"'*) {endless_line};;"#)]);
    let message = fault(&mut agent(&line));
    assert!(message.contains("more than 65,536 bytes"), "{message}");
    let lines = fault_of_turn("echo '{\"action\":0}'; while :; do echo more; done");
    // Whether more lines than one arrive at once is a matter of time.
    assert!(lines.contains("beside its answer") || lines.contains("illegal"), "{lines}");
    let errors = fault_of_turn("while :; do echo many words of an error >&2; done");
    assert!(errors.contains("300ms") && errors.contains("many words"), "{errors}");
    assert!(errors.len() < 600, "{errors}");
}

#[test]
fn garbage_is_quoted_with_what_is_expected() {
    let garbage = fault_of_turn("printf 'garb\\033[31mage\\n'");
    assert!(garbage.contains("`garb\\u{1b}[31mage`"), "{garbage}");
    assert!(garbage.contains("not a line of JSON"), "{garbage}");
    assert!(fault_of_turn("echo").contains("not a line of JSON"));
    assert!(fault_of_turn("echo '{}'").contains("`action` is missing"));
    let unknown = fault_of_turn("echo '{\"action\":\"north\"}'");
    assert!(unknown.contains("north") && unknown.contains("up, right, down, left"), "{unknown}");
    assert!(fault_of_turn("printf '\\377\\n'").contains("not a line of JSON"));
}

#[test]
fn illegal_action_is_named_with_the_legal_ones() {
    // Repeated often enough, any action is illegal.
    let message = fault_of_turn("echo '{\"action\":0}'");
    assert!(message.contains("illegal in ") && message.contains("right"), "{message}");
}

#[test]
fn wrong_values_and_information_are_named() {
    for (answer, expected) in [
        (r#""values":[1,2]"#, "`values` must be an object"),
        (r#""values":{"right":"much"}"#, "that of `right` is no number"),
        (r#""values":{"right":1e99}"#, "that of `right` is no number"),
        (r#""values":{"north":1}"#, "names an action that is illegal"),
        (r#""info":7"#, "`info` must be a string"),
    ] {
        let message = fault_of_turn(&format!("echo '{{\"action\":\"right\",{answer}}}'"));
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn wrong_start_is_refused() {
    let start = |hello: &str| {
        let hello = format!(r#"*'"type":"hello"'*) echo '{hello}';;"#);
        fault(&mut agent(&script(&[&hello])))
    };
    assert!(start(r#"{"type":"ready","protocol":2}"#).contains("`protocol` must be 1"));
    assert!(start(r#"{"type":"ready"}"#).contains("`protocol` must be 1"));
    assert!(start(r#"{"protocol":1}"#).contains("ready"));
    assert!(start("Python 3.11").contains("not a line of JSON"));
}

#[test]
fn output_before_a_question_is_a_fault() {
    let mut early = agent("echo 'agent 1.0'; sleep 0.2; cat");
    let message = fault(&mut early);
    assert!(message.contains("`agent 1.0`"), "{message}");
}

#[test]
fn next_game_after_a_fault_is_played() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("mark");
    let turn = format!(
        r#"*'"type":"turn"'*) if [ -e {0} ]; then :; else touch {0}; exit 1; fi
        index=${{line#*'"index":'}}; echo "{{\"action\":${{index%%,*}}}}";;"#,
        mark.display()
    );
    let mut once = agent(&script(&[READY, &turn]));
    assert!(play_game(&mut once, 0).is_err());
    let mut good = agent(&script(&[READY, FIRST]));
    for number in 0..3 {
        assert_eq!(play_game(&mut once, number), play_game(&mut good, number));
    }
}

#[test]
fn program_that_never_starts_is_not_started_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let mut dies = agent(&format!("echo start >>{}; exit 1", log.display()));
    // A clone, which another thread plays with, does not begin to count again.
    let mut messages: Vec<_> = (0..2).map(|_| fault(&mut dies)).collect();
    let mut clone = dies.clone();
    drop(dies);
    messages.extend((0..4).map(|_| fault(&mut clone)));
    assert!(messages[2].contains("exit status: 1"), "{messages:?}");
    assert!(messages[5].contains("did not start 3 times in a row"), "{messages:?}");
    assert_eq!(std::fs::read_to_string(log).unwrap().lines().count(), 3);
}
