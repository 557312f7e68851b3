//! Tests of `runner tournament`: report, resume, additions, refused input and forfeits.

use crate::harness::place::Place;
use crate::harness::{Ran, expect_json, expect_usage_error};
use serde_json::Value;
use std::fs;

/// Three agents in two games.
const WORDS: [&str; 10] = [
    "tournament",
    "--games",
    "2048(rows: 3, cols: 3)",
    "t=threes(rows: 3, cols: 3)",
    "--agents",
    "random",
    "greedy",
    "best=rows",
    "--out",
    "t",
];

impl Place {
    fn tournament(&self, more: &[&str]) -> Ran {
        self.run(&[&WORDS, more].concat())
    }

    /// Returns the results without times, sorted.
    fn results(&self, folder: &str) -> Vec<String> {
        let text = self.text(&format!("{folder}/results.jsonl"));
        assert!(text.is_empty() || text.ends_with('\n'));
        let mut lines: Vec<_> = text.lines().map(without_time).collect();
        lines.sort();
        lines
    }

    /// Returns the report without times.
    fn report(&self, folder: &str) -> Value {
        let mut report: Value =
            serde_json::from_str(&self.text(&format!("{folder}/report.json"))).unwrap();
        for row in report["rows"].as_array_mut().unwrap() {
            row["moves_per_second"] = Value::Null;
            row["seconds_per_move"] = Value::Null;
        }
        report
    }
}

fn without_time(line: &str) -> String {
    let mut game: Value = serde_json::from_str(line).unwrap();
    game["seconds"] = Value::Null;
    game.to_string()
}

#[test]
fn report_has_the_same_figures_in_every_form() {
    let place = Place::new();
    let ran = place.tournament(&["--rounds", "200"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.lines().all(|line| line.chars().count() <= 80), "{}", ran.out);
    for expected in ["1,200 games of 3 agents", "95% interval", "P(A > B)", "rating"] {
        assert!(ran.out.contains(expected), "{expected}: {}", ran.out);
    }
    // The fields of a line, in their order.
    let line = place.text("t/results.jsonl").lines().next().unwrap().to_owned();
    let fields = ["game", "agent", "number", "seed", "score", "max_tile", "moves", "seconds"];
    let mut at = 0;
    for field in fields.iter().chain(&["fault"]) {
        let found = line[at..].find(&format!("\"{field}\":")).unwrap_or_else(|| panic!("{line}"));
        at += found;
    }
    assert_eq!(serde_json::from_str::<Value>(&line).unwrap().as_object().unwrap().len(), 9);

    let report: Value = serde_json::from_str(&place.text("t/report.json")).unwrap();
    let rows = report["rows"].as_array().unwrap();
    assert_eq!((rows.len(), report["pairs"].as_array().unwrap().len()), (6, 6));
    let markdown = place.text("t/report.md");
    let html = place.text("t/report.html");
    let csv = place.text("t/report.csv");
    assert_eq!(csv.lines().count(), 7);
    for row in rows {
        assert_eq!((&row["games"], &row["faults"]), (&200.into(), &0.into()));
        let mean = row["score"]["mean"].as_f64().unwrap();
        let [low, high] = [0, 1].map(|end| row["score"]["ci95"][end].as_f64().unwrap());
        assert!(low < mean && mean < high, "{row}");
        // All digits but the last, which the parser of JSON may miss.
        let digits = mean.to_string();
        assert!(csv.contains(&format!(",{}", &digits[..digits.len() - 1])), "{csv}");
        let shown = runner_spec::quantity::number(mean);
        assert!(markdown.contains(&format!("| {shown} |")), "{shown}: {markdown}");
        assert!(html.contains(&format!("<td>{shown}</td>")), "{shown}");
        assert!(row["seconds_per_move"]["p99"].as_f64().unwrap() > 0.0);
        assert!(row["maximum"]["blocks"] == 2 && row["tiles"].as_array().unwrap().len() > 2);
    }
    // `rows` is the best of each game, and of all.
    let firsts: Vec<_> = rows.iter().filter(|row| row["rank"] == 1).collect();
    assert!(firsts.len() == 2 && firsts.iter().all(|row| row["agent"] == "best"), "{rows:?}");
    assert_eq!(report["ratings"][0]["agent"], "best");
    let beats = report["pairs"].as_array().unwrap().iter().filter(|pair| pair["b"] == "best");
    assert!(
        beats.clone().count() == 4
            && beats.clone().all(|pair| {
                pair["p_a_wins"].as_f64().unwrap() < 0.5 && pair["ci95"][1].as_f64().unwrap() < 0.5
            })
    );
    // One page without other resources.
    assert_eq!(html.matches("<svg").count(), 6);
    for outside in ["src=", "href=", "url(", "@import", "<script"] {
        assert!(!html.contains(outside), "{outside}");
    }
    assert!(html.contains("prefers-color-scheme: dark"));
    assert_eq!(fs::read_dir(place.path("t")).unwrap().count(), 6);
}

#[test]
fn results_do_not_depend_on_threads_and_are_those_of_eval() {
    let place = Place::new();
    let threads = |threads: &str, out: &str| {
        let words = [&WORDS[..8], &["--out", out, "--threads", threads, "--rounds", "150"]];
        assert_eq!(place.run(&words.concat()).code, Some(0));
        place.results(out)
    };
    let one = threads("1", "one");
    assert_eq!(one.len(), 900);
    assert_eq!(one, threads("2", "two"));
    assert_eq!(one, threads("3", "three"));
    assert_eq!(place.report("one"), place.report("two"));
    // Every row is an evaluation with the seed that its games name.
    let report = place.report("one");
    let games: Vec<Value> = place
        .text("one/results.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for row in report["rows"].as_array().unwrap() {
        let own = games.iter().find(|g| g["game"] == row["game"] && g["agent"] == row["agent"]);
        let seed = own.unwrap()["seed"].to_string();
        let game = row["game"].as_str().unwrap();
        let game = if game == "t" { "threes(rows: 3, cols: 3)" } else { game };
        let agent = row["spec"].as_str().unwrap();
        let words = ["eval", "--game", game, "--agent", agent, "--seed", &seed, "--json"];
        let eval = expect_json(&place.run(&[&words[..], &["--games", "150"]].concat()));
        assert_eq!((&eval["score"], &eval["tiles"]), (&row["score"], &row["tiles"]));
    }
}

#[test]
fn agents_games_and_rounds_that_are_added_are_all_that_is_played() {
    let whole = Place::new();
    assert_eq!(whole.tournament(&["--rounds", "60"]).code, Some(0));

    let place = Place::new();
    let run = |words: &[&str]| {
        let ran = place.run(&[&["tournament", "--out", "t"], words].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        place.text("t/results.jsonl")
    };
    let game = ["--games", "2048(rows: 3, cols: 3)"];
    let first = run(&[&game[..], &["--agents", "random", "--rounds", "40"]].concat());
    assert_eq!(first.lines().count(), 40);
    let refused = place.run(&["tournament", "--out", "t", "--rounds", "60"]);
    expect_usage_error(&refused, &["t holds a tournament already", "--resume"]);
    // The folder names games and agents if nothing else does.
    let second = run(&["--resume", "--rounds", "60"]);
    assert!(second.starts_with(&first) && second.lines().count() == 60);
    let agents = ["--agents", "random", "greedy", "best=rows", "--resume"];
    let third = run(&[&game[..], &agents].concat());
    assert!(third.starts_with(&second) && third.lines().count() == 300, "100 rounds are default");
}

#[test]
fn tournament_in_pieces_equals_one_run() {
    let whole = Place::new();
    assert_eq!(whole.tournament(&["--rounds", "60"]).code, Some(0));

    let place = Place::new();
    assert_eq!(place.tournament(&["--rounds", "20"]).code, Some(0));
    assert_eq!(place.tournament(&["--rounds", "60", "--resume"]).code, Some(0));
    assert_eq!(place.results("t"), whole.results("t"));
    assert_eq!(place.report("t"), whole.report("t"));
    // Nothing is left, and the same report is written again, to the byte.
    let before = place.text("t/report.json");
    let again = place.run(&["tournament", "--out", "t", "--resume"]);
    assert!(again.code == Some(0) && again.err.contains("360 games were played before"));
    assert_eq!(place.text("t/report.json"), before);
    // A run that was killed while it wrote a line.
    let results = place.path("t/results.jsonl");
    let text = fs::read_to_string(&results).unwrap();
    fs::write(&results, &text[..text.len() - 30]).unwrap();
    let resumed = place.run(&["tournament", "--out", "t", "--resume"]);
    assert!(resumed.err.contains("the last line of t/results.jsonl is incomplete"), "{resumed:?}");
    assert_eq!(place.results("t"), whole.results("t"));
}

#[test]
fn folder_of_another_tournament_is_refused() {
    let place = Place::new();
    assert_eq!(place.tournament(&["--rounds", "5"]).code, Some(0));
    let before = place.text("t/results.jsonl");
    let base = ["tournament", "--out", "t", "--resume"];
    for (words, expected) in [
        (&["--games", "threes", "--agents", "random"][..], "it has the game `2048(rows: 3"),
        (&["--seed", "2"], "its seed is 1, not 2"),
        (&["--rounds", "4"], "it has 5 rounds, not 4"),
        (&["--move-limit", "50"], "has other limits"),
        (&["--precision", "0.1"], "no `precision`"),
    ] {
        let refused = place.run(&[&base, words].concat());
        expect_usage_error(&refused, &["t holds another tournament", expected, "--out"]);
    }
    let other = [&WORDS[..5], &["random=greedy", "greedy", "best=rows", "--out", "t", "--resume"]];
    expect_usage_error(&place.run(&other.concat()), &["its agent `random` is random"]);
    let fewer = [&WORDS[..7], &["--out", "t", "--resume"]];
    expect_usage_error(&place.run(&fewer.concat()), &["it has the agent `best`"]);
    assert_eq!(place.text("t/results.jsonl"), before);

    let none = place.run(&["tournament", "--out", "none", "--resume"]);
    expect_usage_error(&none, &["none holds no tournament", "leave out --resume"]);
    fs::create_dir(place.path("other")).unwrap();
    fs::write(place.path("other/notes.txt"), "a shopping list").unwrap();
    let words = [&WORDS[..8], &["--out", "other"]].concat();
    expect_usage_error(&place.run(&words), &["other holds other files", "--out"]);
    assert_eq!(fs::read_dir(place.path("other")).unwrap().count(), 1);
}

#[test]
fn damaged_results_are_named_with_their_line() {
    let place = Place::new();
    assert_eq!(place.tournament(&["--rounds", "5"]).code, Some(0));
    let results = place.path("t/results.jsonl");
    let text = fs::read_to_string(&results).unwrap();
    let line = text.lines().nth(6).unwrap();
    let field = |name: &str| serde_json::from_str::<Value>(line).unwrap()[name].to_string();
    let replaced = |name: &str, value: &str| {
        let old = format!("\"{name}\":{}", field(name));
        assert!(line.contains(&old));
        line.replace(&old, &format!("\"{name}\":{value}"))
    };
    for (damage, expected) in [
        ("{\"game\":7".to_owned(), "invalid type"),
        (String::new(), "EOF"),
        (line.replacen("\"number\"", "\"numbers\"", 1), "unknown field"),
        (replaced("agent", "\"absent\""), "`absent` does not play"),
        (replaced("seed", "7"), "its seed is 7"),
        (replaced("number", "5"), "there are 5 rounds"),
        (replaced("score", "null"), "either a score or a fault"),
        (replaced("seconds", "-1.0"), "its time is negative"),
    ] {
        let damaged = text.replacen(line, &damage, 1);
        fs::write(&results, &damaged).unwrap();
        for threads in ["1", "3"] {
            let words = ["tournament", "--out", "t", "--resume", "--threads", threads];
            let refused = place.run(&words);
            assert_eq!(refused.code, Some(1), "{refused:?}");
            for part in ["results.jsonl: line 7 is damaged", expected, "remove the line"] {
                assert!(refused.error().contains(part), "{part}: {refused:?}");
            }
            assert_eq!(fs::read_to_string(&results).unwrap(), damaged, "nothing is overwritten");
        }
    }
    fs::write(&results, format!("{text}{line}\n")).unwrap();
    let twice = place.run(&["tournament", "--out", "t", "--resume"]);
    assert!(twice.code == Some(1) && twice.error().contains("is there twice"), "{twice:?}");
}

#[test]
fn everything_that_is_wrong_is_named_before_the_first_game() {
    let place = Place::new();
    let games = ["--games", "2048", "2084", "threes(rows: 99)"];
    let agents = ["--agents", "random", "gredy", "expectimax(dept: 2)", "tc-ntuple"];
    let words = [&["tournament"], &games[..], &agents, &["--out", "t"]].concat();
    expect_usage_error(
        &place.run(&words),
        &["`2084`", "`threes(rows: 99)`", "`gredy`", "did you mean `greedy`", "dept", "tc-ntuple"],
    );
    let run = |words: &[&str]| place.run(&[&["tournament"], words].concat());
    let game = "2048(rows: 2, cols: 2)";
    expect_usage_error(&run(&["--games", game]), &["--agents is missing"]);
    expect_usage_error(&run(&["--agents", "random"]), &["--games is missing"]);
    let twice = run(&["--games", game, "--agents", "random", "random"]);
    expect_usage_error(&twice, &["two agents have the label `random`", "second=random"]);
    let preset = run(&["--games", game, "--agents", "random", "--preset", "chess"]);
    assert!(preset.code == Some(2) && preset.err.contains("bot-contest"), "{preset:?}");
    for (file, expected) in [
        ("(games: [2048], agents: [(label: \"a\", agent: random, games: [\"x\"])])", "plays the"),
        ("(games: [2048], agents: [])", "at least one agent"),
        ("(games: [2048], agents: [(label: \"a\")])", "agent"),
        ("(games: [2048], agents: [random], round: 5)", "did you mean `rounds`"),
        ("(games: [(game: 2048, win: 7)], agents: [random])", "`win` is 7"),
        ("(games: [2048], agents: [random], rounds: 0)", "at least 1"),
    ] {
        fs::write(place.path("t.ron"), file).unwrap();
        expect_usage_error(&place.run(&["tournament", "t.ron"]), &[expected]);
    }
    let both = place.run(&["tournament", "t.ron", "--agents", "random"]);
    assert!(both.code == Some(2) && both.err.contains("cannot be used with"), "{both:?}");
    assert_eq!(place.names(), ["t.ron"]);
}

#[test]
fn file_sets_labels_limits_and_the_games_of_an_agent() {
    let place = Place::new();
    let file = r#"(
        title: "Two boards",
        games: [(label: "small", game: 2048(rows: 2, cols: 2), win: 16), 2048(rows: 2, cols: 3)],
        agents: [
            greedy,
            (label: "short", agent: random, games: ["small"], move_limit: 3),
        ],
        rounds: 20,
        seed: 5,
    )"#;
    fs::write(place.path("t.ron"), file).unwrap();
    let report = expect_json(&place.run(&["tournament", "t.ron", "--out", "t", "--json"]));
    let rows = report["rows"].as_array().unwrap();
    let names: Vec<_> = rows.iter().map(|row| (&row["game"], &row["agent"])).collect();
    assert_eq!(names.len(), 3, "{names:?}");
    let short = rows.iter().find(|row| row["agent"] == "short").unwrap();
    let moves = short["moves"].as_u64().unwrap();
    assert!(short["game"] == "small" && (40..=60).contains(&moves), "{short}");
    assert_eq!((&short["win"]["tile"], &report["title"]), (&16.into(), &"Two boards".into()));
    // The resolved file is a tournament with the same results.
    fs::copy(place.path("t/config.ron"), place.path("again.ron")).unwrap();
    expect_json(&place.run(&["tournament", "again.ron", "--out", "again", "--json"]));
    assert_eq!(place.results("again"), place.results("t"));
}

#[test]
fn bot_contest_plays_100_games_and_reports_wins() {
    let place = Place::new();
    let words = ["tournament", "--games", "2048", "threes", "--agents", "rows", "random"];
    let words = [&words[..], &["--preset", "bot-contest", "--out", "t"]].concat();
    let ran = place.run(&words);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.contains("2,048 (win)") && ran.out.contains("192 (win)"), "{}", ran.out);
    let report = place.report("t");
    for row in report["rows"].as_array().unwrap() {
        let tile = if row["game"] == "2048" { 2048 } else { 192 };
        assert_eq!((&row["games"], &row["win"]["tile"]), (&100.into(), &tile.into()));
    }
    assert!(place.text("t/report.md").contains("threes: contest"));
    fs::write(
        place.path("t.ron"),
        "(games: [2048(rows: 2, cols: 2)], agents: [random], preset: bot-contest, rounds: 5)",
    )
    .unwrap();
    let own = expect_json(&place.run(&["tournament", "t.ron", "--json"]));
    // The fields of the file take precedence over the preset.
    assert_eq!((&own["rows"][0]["games"], &own["rounds"]), (&5.into(), &5.into()));
}

#[test]
fn agents_play_until_their_means_are_precise() {
    let place = Place::new();
    let play = |threads: &str, out: &str| {
        let more = ["--precision", "0.05", "--rounds", "5k", "--threads", threads, "--out", out];
        let ran = place.run(&[&WORDS[..8], &more].concat());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        place.results(out)
    };
    assert_eq!(play("1", "one"), play("3", "three"));
    let report = place.report("one");
    let mut counts = Vec::new();
    for row in report["rows"].as_array().unwrap() {
        let mean = row["score"]["mean"].as_f64().unwrap();
        let half = (row["score"]["ci95"][1].as_f64().unwrap() - mean).abs();
        counts.push(row["games"].as_u64().unwrap());
        assert!(half < 0.06 * mean, "{row}");
    }
    assert!(counts.iter().all(|&count| (100..5000).contains(&count)), "{counts:?}");
}

#[test]
fn faulty_agents_forfeit_their_games_and_the_others_play_on() {
    let place = Place::with_library("test_faulty");
    let game = "2048(rows: 2, cols: 3)";
    let agents = [
        "random",
        "panics=faulty-agent(at: act)",
        "illegal=faulty-agent(at: illegal)",
        "copied=faulty-agent(at: copy)",
    ];
    let words = [&["tournament", "--out", "t", "--games", game, "--agents"], &agents[..]].concat();
    let ran = place.run(&[&words[..], &["--rounds", "50"]].concat());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.err.contains("games forfeited"), "{}", ran.err);
    let report = place.report("t");
    let row = |agent: &str| {
        let rows = report["rows"].as_array().unwrap();
        rows.iter().find(|row| row["agent"] == agent).unwrap().clone()
    };
    for (agent, cause) in [
        ("panics", "the decision went wrong"),
        ("illegal", "not legal"),
        ("copied", "copying the agent went wrong"),
    ] {
        let row = row(agent);
        let faults = row["faults"].as_u64().unwrap();
        assert!(faults > 0 && faults + row["games"].as_u64().unwrap() == 50, "{row}");
        assert!(row["causes"].to_string().contains(cause), "{row}");
        assert!(place.text("t/report.md").contains(cause) && ran.out.contains(agent));
    }
    assert_eq!(row("copied")["rank"], Value::Null);
    assert_eq!((&row("random")["games"], &row("random")["faults"]), (&50.into(), &0.into()));
    // Forfeited games are lost.
    let pairs = report["pairs"].as_array().unwrap();
    let lost = pairs.iter().find(|pair| pair["a"] == "random" && pair["b"] == "copied").unwrap();
    assert_eq!(lost["p_a_wins"], 1.0);
    // They are over, and not played again.
    let before = place.text("t/results.jsonl");
    assert_eq!(place.run(&["tournament", "--out", "t", "--resume"]).code, Some(0));
    assert_eq!(place.text("t/results.jsonl"), before);
}

/// 10,000 short games must take less than 5 MB.
#[test]
fn results_of_short_games_are_small() {
    let place = Place::new();
    let words = ["tournament", "--out", "t", "--games", "2048(rows: 2, cols: 3)", "--agents"];
    let ran = place.run(&[&words[..], &["greedy", "random", "--rounds", "5k"]].concat());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let size = fs::metadata(place.path("t/results.jsonl")).unwrap().len();
    assert!(size < 5_000_000, "{size} bytes");
}

#[cfg(target_os = "linux")]
mod interrupted {
    use super::*;
    use crate::harness::signals::{await_listening, interrupt, signal};
    use crate::harness::{prepare, ran};
    use std::process::{Child, Command, Stdio};
    use std::time::Duration;

    /// A tournament of about a second.
    const LONG: [&str; 8] =
        ["tournament", "--games", "2048", "threes", "--agents", "greedy-merges", "rows", "random"];
    const ROUNDS: [&str; 4] = ["--rounds", "700", "--out", "t"];

    fn start(place: &Place, more: &[&str]) -> Child {
        let mut command = place.command(&[&LONG, more].concat());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    fn shell(place: &Place, line: &str) -> Ran {
        let mut shell = Command::new("sh");
        ran(prepare(&mut shell).args(["-c", line]).current_dir(place.folder()))
    }

    #[test]
    fn interrupt_finishes_the_games_and_names_the_command_that_continues() {
        let place = Place::new();
        let more = ["--rounds", "200k", "--out", "t"];
        let child = start(&place, &more);
        let results = place.path("t/results.jsonl");
        await_listening(&child, || fs::metadata(&results).is_ok_and(|file| file.len() > 0));
        // Meanwhile the folder is locked.
        let second = place.run(&[&LONG[..], &more, &["--resume"]].concat());
        assert!(second.code == Some(1) && second.error().contains("in use"), "{second:?}");
        interrupt(&child);
        let stopped = Ran::from(child.wait_with_output().unwrap()).without_a_panic();
        assert_eq!(stopped.code, Some(130), "{stopped:?}");
        assert_eq!(place.report("t")["complete"], false);
        let (_, resume) = stopped.err.trim().split_once("continue with: ").unwrap();
        assert!(resume.ends_with("--resume"), "{resume}");
        let before = place.text("t/results.jsonl");
        // Few rounds more than were played, so that the test ends.
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
    fn interrupt_without_a_folder_names_the_flag() {
        let place = Place::new();
        let child = start(&place, &["--rounds", "200k"]);
        await_listening(&child, || true);
        std::thread::sleep(Duration::from_millis(300));
        interrupt(&child);
        let stopped = Ran::from(child.wait_with_output().unwrap()).without_a_panic();
        assert_eq!(stopped.code, Some(130), "{stopped:?}");
        assert!(stopped.err.contains("--out DIR"), "{stopped:?}");
    }

    /// Kills a tournament at moments until it is done, and compares it with an undisturbed one.
    fn killed_tournament_equals_an_undisturbed_one(kills: u64) {
        let whole = Place::new();
        assert_eq!(whole.run(&[&LONG[..], &ROUNDS].concat()).code, Some(0));
        let mut random = runner_core::Random::from_word(kills);
        let mut left = kills;
        while left > 0 {
            let place = Place::new();
            for attempt in 0.. {
                let resume: &[&str] =
                    if place.path("t/config.ron").exists() { &["--resume"] } else { &[] };
                let mut child = start(&place, &[&ROUNDS, resume].concat());
                let is_last = left == 0 || attempt > 20;
                if !is_last {
                    std::thread::sleep(Duration::from_millis(u64::from(random.below(400))));
                    signal(&child, "KILL");
                    left -= 1;
                }
                if child.wait().unwrap().success() {
                    break;
                }
                assert!(!is_last, "{:?}", child.wait_with_output());
            }
            assert_eq!(place.results("t"), whole.results("t"));
            assert_eq!(place.report("t"), whole.report("t"));
            let names: Vec<_> = fs::read_dir(place.path("t")).unwrap().collect();
            assert!(names.len() <= 8, "{names:?}");
        }
    }

    #[test]
    fn killed_at_5_moments_it_equals_an_undisturbed_one() {
        killed_tournament_equals_an_undisturbed_one(5);
    }

    #[test]
    #[ignore = "takes half a minute"]
    fn killed_at_50_moments_it_equals_an_undisturbed_one() {
        killed_tournament_equals_an_undisturbed_one(50);
    }

    #[test]
    fn command_of_an_interrupted_tournament_completes_it() {
        let whole = Place::new();
        assert_eq!(whole.run(&[&LONG[..], &ROUNDS].concat()).code, Some(0));
        let place = Place::new();
        let child = start(&place, &ROUNDS);
        let results = place.path("t/results.jsonl");
        await_listening(&child, || fs::metadata(&results).is_ok_and(|file| file.len() > 0));
        interrupt(&child);
        let stopped = Ran::from(child.wait_with_output().unwrap()).without_a_panic();
        if let Some((_, resume)) = stopped.err.trim().split_once("continue with: ") {
            let done = shell(&place, resume);
            assert_eq!(done.code, Some(0), "{done:?}");
        }
        assert_eq!(place.results("t"), whole.results("t"));
    }
}
