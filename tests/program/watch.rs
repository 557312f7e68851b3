//! Tests of `runner watch`: sessions on a terminal of the system.

use crate::harness::place::Place;

/// Sessions on a terminal that the program `script` provides.
#[cfg(target_os = "linux")]
mod terminal {
    use super::*;
    use crate::harness::terminal::{on_terminal, script};
    use crate::harness::{is_missing, library, text};
    use std::io::Read;
    use std::path::Path;
    use std::time::{Duration, Instant};

    /// Leaves the second screen of the terminal.
    const LEAVE: &str = "\x1b[?1049l";

    #[test]
    fn calls_that_never_return_do_not_keep_the_terminal() {
        if is_missing("script") {
            return;
        }
        let library = library("test_faulty");
        let watch = |game: &str, keys: &str| {
            let words = format!("watch --plugin-path {} --game {game}", text(&library));
            on_terminal(80, 24, &words, keys)
        };
        // The player thinks on another thread than the screen.
        let player = "faulty --agent 'faulty-agent(at: endless)'";
        let (code, out) = watch(player, "        qqqqqqqqqqqqqqqqqqqqqqqqqqqqqq");
        assert!(code == Some(0) && out.contains("by faulty-agent"), "{out}");
        let (code, out) = watch("'faulty(at: over)' --agent random", "qqqqqqqqqqqqqqqqqqqqqqqqqqq");
        assert!(code == Some(0) && out.contains("game over"), "{out}");
        // The screen waits for the rules.
        let rule = "'faulty(at: rare_loop)' --agent random --state '10 fate=0'";
        let (code, out) = watch(rule, "");
        assert_eq!(code, Some(1), "{out}");
        let (_, after) = out.rsplit_once(LEAVE).expect("it leaves the second screen");
        assert!(after.contains("`spawn` does not return"), "{after}");
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
    fn session_ends_when_its_terminal_is_closed() {
        if is_missing("script") {
            return;
        }
        let place = Place::new();
        let mut script =
            script(80, 24, "watch --game 2048 --agent greedy", &place).spawn().unwrap();
        // Input that ends would end the session too.
        let _input = script.stdin.take().unwrap();
        let began = Instant::now();
        let wait = || {
            assert!(began.elapsed() < Duration::from_secs(60), "the program still runs");
            std::thread::sleep(Duration::from_millis(50));
        };
        let mut shown = [0; 2048];
        script.stdout.as_mut().unwrap().read_exact(&mut shown).expect("the screen is drawn");
        script.kill().unwrap();
        script.wait().unwrap();
        let process = format!("/proc/{}", place.text("pid").trim());
        while Path::new(&process).exists() {
            wait();
        }
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
