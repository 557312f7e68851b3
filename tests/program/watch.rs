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
    place.run(&[&eval[..], &["--records", "a.rec"]].concat()).success();
    let refused = place.run(&["watch", "--game", "2048", "--replay", "a.rec"]);
    expect_usage_error(&refused, &["a.rec is of the game", "leave out --game"]);
}

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
        assert!(code == Some(0) && out.contains("faulty by faulty-agent"), "{out}");
        // The screen waits for the rules.
        let rule = "'faulty(at: rare_loop)' --agent random --state '10 fate=0'";
        let (code, out) = watch(rule, "");
        assert_eq!(code, Some(1), "{out}");
        let (_, after) = out.rsplit_once(LEAVE).expect("it leaves the second screen");
        assert!(after.contains("a rule has not returned for 10 s"), "{after}");
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
    #[test]
    fn session_ends_while_the_player_thinks_for_minutes() {
        if is_missing("script") {
            return;
        }
        let words = "watch --game 2048 --agent 'mcts(time: \"10m\")'";
        // The keys that come after the end go nowhere.
        let began = Instant::now();
        let (code, out) = on_terminal(80, 24, words, "     qqqqqqqqqqqqqqq");
        assert_eq!(code, Some(0), "{out}");
        assert!(out.contains(LEAVE), "{out}");
        assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    }
}
