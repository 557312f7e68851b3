//! Tests of `runner watch`: refusals, and a session on a terminal of the system.

use crate::harness::place::Place;
use crate::harness::{expect_usage_error, run};

#[test]
fn wrong_options_are_refused() {
    let both = ["watch", "--game", "2048", "--state", "2", "--replay", "a.rec"];
    expect_usage_error(&run(&both), &["--replay"]);
    let number = run(&["watch", "--game", "2048", "--game-number", "3"]);
    assert!(number.code == Some(2) && number.err.contains("--replay"), "{number:?}");
    let speeds = ["watch", "--game", "2048", "--speed", "5", "--full-speed"];
    expect_usage_error(&run(&speeds), &["--full-speed"]);
    expect_usage_error(&run(&["watch"]), &["--game is missing", "2048"]);
    expect_usage_error(&run(&["watch", "--game", "2048", "--state", "x"]), &["position"]);
}

#[test]
fn output_that_is_no_terminal_is_refused_with_what_to_use_instead() {
    let refused = run(&["watch", "--game", "2048", "--agent", "greedy"]);
    assert_eq!((refused.code, refused.out.as_str()), (Some(1), ""), "{refused:?}");
    assert!(refused.error().contains("needs a terminal"), "{refused:?}");
    let missing = run(&["watch", "--replay", "no-such.rec"]);
    assert!(missing.error().contains("no-such.rec"), "{missing:?}");
}

#[test]
fn record_of_another_game_is_refused() {
    let place = Place::new();
    let eval = ["eval", "--game", "threes", "--agent", "random", "--games", "1", "--json"];
    let played = place.run(&[&eval[..], &["--records", "a.rec"]].concat());
    assert_eq!(played.code, Some(0), "{played:?}");
    let refused = place.run(&["watch", "--game", "2048", "--replay", "a.rec"]);
    expect_usage_error(&refused, &["a.rec is of the game", "leave out --game"]);
}

/// Sessions on a terminal that the program `script` provides.
#[cfg(target_os = "linux")]
mod terminal {
    use super::*;
    use crate::harness::{is_missing, prepare};
    use std::io::Write;
    use std::process::{Command, Stdio};
    use std::time::Duration;

    /// Leaves the second screen of the terminal.
    const LEAVE: &str = "\x1b[?1049l";

    /// Runs a command on a terminal of this size, types keys, and returns the exit code and the
    /// output.
    fn on_terminal(columns: u16, lines: u16, words: &str, keys: &str) -> (Option<i32>, String) {
        let place = Place::new();
        let program = env!("CARGO_BIN_EXE_runner");
        let line = format!("stty cols {columns} rows {lines}; exec {program} {words}");
        let mut script = Command::new("script");
        prepare(&mut script).env("TERM", "xterm-256color").env("LANG", "C.UTF-8");
        script.args(["-q", "-e", "-c", &line, "/dev/null"]).current_dir(place.folder());
        script.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = script.spawn().expect("the program `script` is installed");
        let mut input = child.stdin.take().unwrap();
        let keys = keys.to_owned();
        let typing = std::thread::spawn(move || {
            for key in keys.bytes() {
                std::thread::sleep(Duration::from_millis(300));
                // The program may have ended.
                let _ = input.write_all(&[key]).and_then(|()| input.flush());
            }
            // Standard input stays open until the session ends.
            input
        });
        let output = child.wait_with_output().unwrap();
        drop(typing.join());
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    }

    #[test]
    fn session_ends_with_q_and_leaves_the_terminal_as_it_was() {
        if is_missing("script") {
            return;
        }
        let words = "watch --game threes --agent greedy --speed 20";
        // Pause, step, take over, and `q` in the end, more than once: the program may start late.
        let (code, out) = on_terminal(80, 24, words, "  nntsqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq");
        assert_eq!(code, Some(0), "{out}");
        let (shown, after) = out.rsplit_once(LEAVE).expect("it leaves the second screen");
        assert!(shown.contains("greedy") && shown.contains("take over"), "{out}");
        assert!(!after.contains("error"), "{out}");
    }

    #[test]
    fn small_terminal_is_refused() {
        if is_missing("script") {
            return;
        }
        let (code, out) = on_terminal(40, 10, "watch --game 2048 --agent greedy", "");
        assert_eq!(code, Some(1), "{out}");
        assert!(out.contains("40 x 10") && out.contains("are needed"), "{out}");
        assert!(!out.contains(LEAVE), "{out}");
    }
}
