//! Tests of `runner compare`: the four answers, and that they do not depend on threads.

use crate::harness::place::Place;
use crate::harness::transcript::assert_snapshot;
use crate::harness::{Ran, expect_json};

const GAME: [&str; 3] = ["compare", "--game", "2048(rows: 3, cols: 3)"];

fn compare(a: &str, b: &str, more: &[&str]) -> Ran {
    Place::new().run(&[&GAME, &["--a", a, "--b", b][..], more].concat())
}

#[test]
fn better_player_is_named_and_fewer_games_suffice_for_larger_differences() {
    let b = expect_json(&compare("random", "rows", &["--json"]));
    assert_eq!(b["verdict"], "b");
    let [low, high] = [0, 1].map(|end| b["difference"]["ci95"][end].as_f64().unwrap());
    let mean = b["difference"]["mean"].as_f64().unwrap();
    assert!(low < mean && mean < high && high < 0.0, "{b}");
    assert!(b["a"] == "random" && b["b"].as_str().unwrap().starts_with("rows("), "{b}");
    assert!(b["game"].as_str().unwrap().contains("rows: 3"), "{b}");
    let a = expect_json(&compare("greedy", "greedy-merges", &["--json", "--margin", "0.5%"]));
    assert!(a["games"].as_u64() > b["games"].as_u64(), "{a}");
    let text = compare("rows", "random", &[]);
    assert!(text.code == Some(0) && text.out.contains("A scores more"), "{text:?}");
    assert!(text.out.lines().all(|line| line.chars().count() <= 80), "{text:?}");
}

#[test]
fn equal_players_are_found_equal_and_the_number_of_games_is_said() {
    let equal = compare("greedy", "greedy", &["--json", "--margin", "4%"]);
    assert_eq!(expect_json(&equal)["verdict"], "equal", "{equal:?}");
    assert!(equal.err.contains("a margin of 4% takes at most about "), "{equal:?}");
    let text = compare("greedy", "greedy", &["--margin", "0.04"]);
    assert!(text.out.contains("differ by less than 4%"), "{text:?}");
    let few = compare("greedy", "greedy", &["--games", "200", "--json"]);
    let few = expect_json(&few);
    assert_eq!((&few["verdict"], &few["games"]), (&"undecided".into(), &200.into()));
    // No more games than allowed, in batches of eight.
    let one = expect_json(&compare("greedy", "random", &["--games", "15", "--json"]));
    assert_eq!((&one["verdict"], &one["games"]), (&"undecided".into(), &8.into()));
    assert!(one["difference"]["ci95"].is_null());
    let most = u64::MAX.to_string();
    let many = expect_json(&compare("rows", "random", &["--games", &most, "--json"]));
    assert_eq!(many["verdict"], "a");
}

#[test]
fn margins_are_read_and_printed_as_percentages() {
    for (margin, expected) in [("50%", "50%"), ("0.5", "50%"), ("7 %", "7%"), ("0.25%", "0.25%")] {
        let few = compare("greedy", "greedy", &["--games", "160", "--margin", margin]);
        let printed = format!("{}{}", few.out, few.err);
        assert!(printed.contains(expected) && !printed.contains("500%"), "{few:?}");
        assert_eq!(
            printed.contains("if they differ by"),
            expected == "7%" || expected == "0.25%",
            "{few:?}"
        );
    }
}

#[test]
fn fault_ends_a_comparison_in_its_batch_whatever_the_number_of_threads() {
    let place = Place::with_library("test_faulty");
    let mut codes = Vec::new();
    for seed in ["1", "2", "3", "4", "5", "6"] {
        let run = |threads: &str| {
            let a = "faulty-agent(at: act, once_in: 20000)";
            let more = ["--a", a, "--b", "rows", "--json", "--seed", seed, "--threads", threads];
            let ran = place.run(&[&GAME[..], &more].concat());
            let is_result =
                |line: &&str| line.starts_with("error: ") || line.starts_with("a difference of");
            let lines: Vec<_> = ran.err.lines().filter(is_result).map(str::to_owned).collect();
            (ran.code, ran.out.clone(), lines)
        };
        let one = run("1");
        assert_eq!(one, run("2"));
        assert_eq!(one, run("5"));
        codes.push(one.0);
    }
    // Some are decided before a fault, and some are not.
    assert!(codes.contains(&Some(0)) && codes.contains(&Some(1)), "{codes:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn interrupted_comparison_names_the_interrupt() {
    use crate::harness::signals::{await_listening, interrupt};
    use std::process::Stdio;

    let place = Place::new();
    let more = ["--a", "greedy", "--b", "greedy", "--margin", "0.001%", "--games", "1G"];
    let mut command = place.command(&[&GAME[..], &more].concat());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    await_listening(&child, || true);
    std::thread::sleep(std::time::Duration::from_millis(300));
    interrupt(&child);
    let stopped = Ran::from(child.wait_with_output().unwrap()).without_a_panic();
    assert_eq!(stopped.code, Some(130), "{stopped:?}");
    let text = stopped.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("the comparison was interrupted"), "{stopped:?}");
    assert!(!text.contains("--games"), "{stopped:?}");
}

#[test]
fn answer_does_not_depend_on_the_number_of_threads() {
    let with = |threads: &str| {
        let more = ["--json", "--threads", threads, "--seed", "3"];
        expect_json(&compare("greedy", "greedy-merges", &more))
    };
    let one = with("1");
    assert_eq!(one, with("2"));
    assert_eq!(one, with("5"));
}

#[test]
fn faults_and_wrong_arguments_are_named() {
    let place = Place::with_library("test_faulty");
    let faulty =
        place.run(&[&GAME, &["--a", "faulty-agent(at: act)", "--b", "random"][..]].concat());
    assert_eq!(faulty.code, Some(1), "{faulty:?}");
    let error = faulty.error();
    assert!(
        error.contains("game 0 of A (seed ") && error.contains("the decision went wrong"),
        "{error}"
    );
    let mut told = place.transcript(
        "compare --game 2048 --a gredy --b random
        compare --game 2048 --a gredy --b rowz
        compare --game 2048 --a random --b tc-ntuple
        compare --game 2048 --a random --b greedy --games 7",
    );
    for margin in ["0", "150%", "-1", "much", "1e-300", "0.0009%", "99.1%", "NaN", "2"] {
        told += &place.printed(&compare("random", "random", &["--margin", margin]));
    }
    assert_snapshot!(told);
    // The game that ended in a fault is played again by the command that the message names.
    let (_, seed) = error.split_once("(seed ").unwrap();
    let (seed, _) = seed.split_once(')').unwrap();
    let (_, games) = error.split_once(&format!("`--seed {seed} --games ")).unwrap();
    let (games, _) = games.split_once('`').unwrap();
    let eval = |games: &str| {
        let words = ["eval", "--json", "--agent", "faulty-agent(at: act)", "--seed", seed];
        place.run(&[&words[..], &["--games", games], &GAME[1..]].concat())
    };
    let faults = |games: u64| eval(&games.to_string()).json()["faults"].as_u64().unwrap();
    let games: u64 = games.parse().unwrap();
    assert_eq!(faults(games), 1, "{error}");
    assert!(games == 1 || faults(games - 1) == 0, "{error}");
    for margin in ["0.001%", "99%"] {
        compare("random", "random", &["--games", "8", "--margin", margin]).success();
    }
}
