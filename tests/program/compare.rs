//! Tests of `runner compare`: the four answers, and that they do not depend on threads.

use crate::harness::place::Place;
use serde_json::Value;

const COMPARE: &str = "compare --game '2048(rows: 3, cols: 3)'";

#[track_caller]
fn compare(a: &str, b: &str, more: &str) -> Value {
    Place::new().sh(format!("{COMPARE} --a {a} --b {b} {more} --json")).json()
}

/// Checks that a comparison ends with this code and prints a line with this text, and no long
/// lines.
#[track_caller]
fn assert_printed(players: &str, code: i32, expected: &str) {
    let ran = Place::new().sh(format!("{COMPARE} {players}"));
    assert_eq!(ran.code, Some(code), "{ran:?}");
    let printed = ran.out;
    assert!(printed.contains(expected), "{printed}");
    assert!(printed.lines().all(|line| line.chars().count() <= 80), "{printed}");
}

#[test]
fn better_player_is_named_and_fewer_games_suffice_for_larger_differences() {
    let b = compare("random", "rows", "");
    assert_eq!(b["verdict"], "b");
    let [low, high] = [0, 1].map(|end| b["difference"]["ci95"][end].as_f64().unwrap());
    let mean = b["difference"]["mean"].as_f64().unwrap();
    assert!(low < mean && mean < high && high < 0.0, "{b}");
    assert!(b["a"] == "random" && b["b"].as_str().unwrap().starts_with("rows("), "{b}");
    assert!(b["game"].as_str().unwrap().contains("rows: 3"), "{b}");
    let a = compare("greedy", "greedy-merges", "--margin 0.5%");
    assert!(a["games"].as_u64() > b["games"].as_u64(), "{a}");
    assert_printed("--a rows --b random", 0, "A scores more");
}

#[test]
fn equal_players_are_found_equal_and_the_number_of_games_is_said() {
    let line = format!("{COMPARE} --a greedy --b greedy --margin 4% --json");
    let equal = Place::new().done(line);
    assert_eq!(equal.json()["verdict"], "equal", "{equal:?}");
    assert!(equal.err.contains("a margin of 4% takes at most about "), "{equal:?}");
    assert_printed("--a greedy --b greedy --margin 0.04", 0, "differ by less than 4%");
    let few = Place::new().sh(format!("{COMPARE} --a greedy --b greedy --games 200 --json"));
    assert_eq!(few.code, Some(3), "{few:?}");
    let document = few.json();
    assert_eq!((&document["verdict"], &document["games"]), (&"undecided".into(), &200.into()));
    // More games are needed than the command may play.
    let (_, needed) = few.only_line("an answer for").split_once("takes at most about ").unwrap();
    let (needed, rest) = needed.split_once(" games").unwrap();
    assert!(needed.replace(',', "").parse::<u64>().unwrap() > 200, "{few:?}");
    assert!(rest.ends_with("; --games stops at 200"), "{few:?}");
    assert_printed("--a greedy --b greedy --games 200", 3, "--games stops at 200.");
    // No more games than allowed, in batches of eight.
    let one = compare("greedy", "random", "--games 15");
    assert_eq!((&one["verdict"], &one["games"]), (&"undecided".into(), &8.into()));
    assert!(one["difference"]["ci95"].is_null());
    let many = compare("rows", "random", &format!("--games {}", u64::MAX));
    assert_eq!(many["verdict"], "a");
}

#[test]
fn both_players_are_refused_together_before_one_of_them_is_loaded() {
    let players = "--a 'tc-ntuple(model: \"a.model\")' --b 'expectimax(value: tc-ntuple(model: \"b.model\"))'";
    for game in ["", "--game 2048"] {
        let refused = Place::new().sh(format!("compare {game} {players}"));
        assert_eq!(refused.code, Some(2), "{refused:?}");
        for part in ["--a: cannot read a.model", "--b: cannot read b.model"] {
            assert!(refused.error().contains(part), "{part}: {refused:?}");
        }
    }
    // The network that comes with the program would be loaded first.
    let refused = Place::new().sh("compare --a trained --b rowz");
    assert!(refused.error().starts_with("--b: there is no agent `rowz`"), "{refused:?}");
}

#[test]
fn fault_ends_a_comparison_in_its_batch_whatever_the_number_of_threads() {
    let place = Place::with_library("test_faulty");
    let mut codes = Vec::new();
    for seed in 1..=6 {
        let run = |threads: u32| {
            let players = "--a 'faulty-agent(at: act, once_in: 20000)' --b rows";
            let more = format!("--json --seed {seed} --threads {threads}");
            let ran = place.sh(format!("{COMPARE} {players} {more}"));
            let is_result =
                |line: &&str| line.starts_with("error: ") || line.starts_with("a difference of");
            let lines: Vec<_> = ran.err.lines().filter(is_result).map(str::to_owned).collect();
            (ran.code, ran.out.clone(), lines)
        };
        let one = run(1);
        assert_eq!(one, run(2));
        assert_eq!(one, run(5));
        codes.push(one.0);
    }
    // Some are decided before a fault, and some are not.
    assert!(codes.contains(&Some(0)) && codes.contains(&Some(1)), "{codes:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn interrupted_comparison_names_the_interrupt() {
    use crate::harness::finish;
    use crate::harness::signals::{await_listening, interrupt};

    let players = "--a greedy --b greedy --margin 0.001% --games 1G";
    let child = Place::new().start(format!("{COMPARE} {players}"));
    await_listening(&child, || true);
    std::thread::sleep(std::time::Duration::from_millis(300));
    interrupt(&child);
    let stopped = finish(child);
    assert_eq!(stopped.code, Some(130), "{stopped:?}");
    let text = stopped.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("the comparison was interrupted"), "{stopped:?}");
    assert!(!text.contains("--games"), "{stopped:?}");
}

#[test]
fn evaluation_and_comparison_continue_from_their_files() {
    let place = Place::new();
    let eval = "eval --game '2048(rows: 3, cols: 3)' --agent greedy";
    let compare = format!("{COMPARE} --a greedy --b greedy-merges --tile 64");
    for (command, part, fields) in [
        (eval, "--games 30", &["scores", "score", "tiles", "games"][..]),
        (&compare, "--games 80", &["difference", "games", "verdict", "tile", "mean_of_a"]),
    ] {
        let scores = if command.starts_with("eval") { "--scores" } else { "" };
        // A comparison of few games may have no answer.
        let ended = |line: String| {
            let ran = place.sh(line);
            assert!(matches!(ran.code, Some(0 | 3)), "{ran:?}");
            ran
        };
        let whole = ended(format!("{command} {scores} --games 400 --json")).json();
        ended(format!("{command} {part} --out games"));
        let exists = place.sh(format!("{command} {part} --out games"));
        assert!(exists.error().contains("games exists already; --resume continues"), "{exists:?}");
        // A game in the middle is lost.
        let text = place.text("games");
        let lines: Vec<_> = text.lines().enumerate().filter(|(k, _)| *k != 5).collect();
        let text: String = lines.iter().map(|(_, line)| format!("{line}\n")).collect();
        std::fs::write(place.path("games"), text).unwrap();
        let other = place.sh(format!("{command} --games 400 --out games --resume --seed 2"));
        assert!(other.error().contains("its seed is `1`, and now `2`"), "{other:?}");
        let again = format!("{command} {scores} --games 400 --out games --resume --json");
        let resumed = ended(again).json();
        for field in fields {
            assert_eq!(resumed[field], whole[field], "{command}: {field}");
        }
        std::fs::remove_file(place.path("games")).unwrap();
    }
}

#[test]
fn luck_narrows_the_interval_and_never_widens_it() {
    let place = Place::new();
    place.done("solve --game '2048(rows: 2, cols: 3)' --out table");
    let exact = "'exact(model: \"table\")'";
    let eval = "eval --game '2048(rows: 2, cols: 3)' --games 500";
    let document = place.json(format!("{eval} --agent {exact} --luck {exact}"));
    // The score less luck by the value of the player itself is a constant, but for rounding.
    let saving = &document["less_luck"]["saving"];
    assert!(saving.is_null() || saving.as_f64().unwrap() > 1e6, "{document}");
    // Ratings on another scale cost no games.
    for value in ["rows", "smooth", "alpha"] {
        let unfit = place.json(format!("{eval} --agent {exact} --luck {value}"));
        let width = |of: &str| {
            let [low, high] = [0, 1].map(|end| unfit[of]["ci95"][end].as_f64().unwrap());
            high - low
        };
        assert!(width("less_luck") < 1.02 * width("score"), "{unfit}");
    }
    let b = "'expectimax(depth: 3)'";
    let compare = format!("compare --game '2048(rows: 2, cols: 3)' --a {exact} --b {b}");
    let plain = place.json(&compare);
    let lucky = place.json(format!("{compare} --luck {exact}"));
    assert_eq!([&plain["verdict"], &lucky["verdict"]], ["a", "a"]);
    assert!(lucky["games"].as_u64() < plain["games"].as_u64(), "{plain} {lucky}");
}

#[test]
fn fault_is_named_with_the_command_that_plays_its_game_again() {
    let place = Place::with_library("test_faulty");
    let faulty = place.sh(format!("{COMPARE} --a 'faulty-agent(at: act)' --b random"));
    assert_eq!(faulty.code, Some(1), "{faulty:?}");
    let error = faulty.error();
    assert!(
        error.contains("game 0 of A (seed ") && error.contains("the decision went wrong"),
        "{error}"
    );
    // The game that ended in a fault is played again by the command that the message names.
    let (_, seed) = error.split_once("(seed ").unwrap();
    let (seed, _) = seed.split_once(')').unwrap();
    let (_, games) = error.split_once(&format!("`--seed {seed} --games ")).unwrap();
    let (games, _) = games.split_once('`').unwrap();
    let faults = |games: u64| {
        let game = "--game '2048(rows: 3, cols: 3)' --agent 'faulty-agent(at: act)'";
        let ran = place.sh(format!("eval --json {game} --seed {seed} --games {games}"));
        ran.json()["faults"].as_u64().unwrap()
    };
    let games: u64 = games.parse().unwrap();
    assert_eq!(faults(games), 1, "{error}");
    assert!(games == 1 || faults(games - 1) == 0, "{error}");
}
