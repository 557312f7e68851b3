//! Tests of `runner tournament`: report, resume, additions, refused input and forfeits.

mod forfeits;
#[cfg(target_os = "linux")]
mod interrupted;
mod names;
mod parts;
mod refused;

use crate::harness::Ran;
use crate::harness::place::Place;
use crate::harness::transcript::assert_snapshot;
use serde_json::Value;
use std::fs;

/// Three agents in two games.
const PLAYERS: &str = "tournament --game '2048(rows: 3, cols: 3)' 't=threes(rows: 3, cols: 3)' \
                       --agent random greedy best=rows";

/// Resumes the tournament in the folder `t`.
const RESUME: &str = "tournament --out t --resume";

impl Place {
    /// Runs the tournament in the folder `t`.
    #[track_caller]
    fn tournament(&self, more: &str) -> Ran {
        self.done(format!("{PLAYERS} --out t {more}"))
    }
}

#[test]
fn report_has_the_same_figures_in_every_form() {
    let place = Place::new();
    let ran = place.tournament("--games 200");
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
    let fields =
        |line: &str| serde_json::from_str::<Value>(line).unwrap().as_object().unwrap().len();
    // The times of moves are those of some games.
    let counts: Vec<_> = place.text("t/results.jsonl").lines().map(fields).collect();
    assert!(counts.contains(&9) && counts.contains(&10) && counts.len() == 1200);

    let report: Value = serde_json::from_str(&place.text("t/report.json")).unwrap();
    let rows = report["rows"].as_array().unwrap();
    assert_eq!((rows.len(), report["pairs"].as_array().unwrap().len()), (6, 6));
    let markdown = place.text("t/report.md");
    let html = place.text("t/report.html");
    for row in rows {
        assert_eq!((&row["games"], &row["faults"]), (&200.into(), &0.into()));
        let mean = row["score"]["mean"].as_f64().unwrap();
        let [low, high] = [0, 1].map(|end| row["score"]["ci95"][end].as_f64().unwrap());
        assert!(low < mean && mean < high, "{row}");
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
    assert_eq!(html.matches("<svg width").count(), 6);
    for outside in ["src=", "href=", "url(", "@import", "<script"] {
        assert!(!html.contains(outside), "{outside}");
    }
    assert!(html.contains("prefers-color-scheme: dark"));
    assert_eq!(fs::read_dir(place.path("t")).unwrap().count(), 6);
    // Each form says who played, and what wrote it.
    let version = format!("runner {}", env!("CARGO_PKG_VERSION"));
    assert_eq!(report["run"]["program"], version);
    let spec = rows[0]["spec"].as_str().unwrap();
    let csv = place.text("t/report.csv");
    assert_eq!(csv.lines().count(), 7);
    let fields = csv.lines().next().unwrap().matches(',').count();
    assert!(csv.contains(spec) && fields == 19, "{csv}");
    // Markdown escapes underscores.
    for text in [&markdown.replace('\\', ""), &html] {
        for part in [&*version, spec, "checksum", "difference of means", "command: "] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
    let difference = &report["pairs"][0]["difference"];
    let [low, high] = [0, 1].map(|end| difference["ci95"][end].as_f64().unwrap());
    let mean = difference["mean"].as_f64().unwrap();
    assert!(low < mean && mean < high, "{difference}");
}

#[test]
fn anchor_has_the_rating_0() {
    let place = Place::new();
    let game = "--game '2048(rows: 3, cols: 3)' --games 20";
    let run = |more: &str| {
        place.json(format!("tournament {game} --agent random greedy best=rows {more}"))
    };
    let rating = |report: &Value, agent: &str| {
        let ratings = report["ratings"].as_array().unwrap();
        let rated = ratings.iter().find(|rated| rated["agent"] == agent).unwrap();
        rated["rating"].as_f64().unwrap()
    };
    let weakest = run("");
    assert_eq!(rating(&weakest, "random"), 0.0);
    let named = run("--anchor best");
    assert_eq!(rating(&named, "best"), 0.0);
    let apart = |report| rating(report, "greedy") - rating(report, "random");
    assert!((apart(&weakest) - apart(&named)).abs() < 1e-6);
    // It is a setting of the folder, and may change.
    run("--anchor best --out t");
    assert_eq!(rating(&run("--out t --resume"), "best"), 0.0);
    assert_eq!(rating(&run("--out t --resume --anchor greedy"), "greedy"), 0.0);
    // Without it, the agents are named that have to play.
    let refused = place.sh("tournament --out t --resume --agent random greedy");
    let says = "t holds a tournament with the agents random; greedy; best: name all of them";
    assert!(refused.code == Some(2) && refused.error().starts_with(says), "{refused:?}");
    // Two agents have ratings in the tables only if one of them is named.
    let two =
        |more: &str| place.done(format!("tournament {game} --agent random greedy {more}")).out;
    assert!(!two("").contains("Over all games"));
    let ratings = two("--anchor greedy");
    assert!(ratings.contains("Over all games") && ratings.contains("rating"), "{ratings}");
    let refused = place.sh(format!("tournament {game} --agent random greedy --anchor gredy"));
    assert_eq!(refused.code, Some(2));
    let says = "no agent `gredy` plays (did you mean `greedy`?); agents: random; greedy";
    assert!(refused.error().contains(says), "{refused:?}");
}

#[test]
fn results_do_not_depend_on_threads_and_are_those_of_eval() {
    let place = Place::new();
    let threads = |threads: u32, out: &str| {
        place.done(format!("{PLAYERS} --out {out} --threads {threads} --games 150"));
        place.results(out)
    };
    let one = threads(1, "one");
    assert_eq!(one.len(), 900);
    assert_eq!(one, threads(2, "two"));
    assert_eq!(one, threads(3, "three"));
    assert_eq!(place.report("one"), place.report("two"));
    // Every row is an evaluation with the seed that its games name.
    let report = place.report("one");
    let games: Vec<Value> = one.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    for row in report["rows"].as_array().unwrap() {
        let own = games.iter().find(|g| g["game"] == row["game"] && g["agent"] == row["agent"]);
        let seed = &own.unwrap()["seed"];
        let game = row["game"].as_str().unwrap();
        let game = if game == "t" { "threes(rows: 3, cols: 3)" } else { game };
        let agent = row["spec"].as_str().unwrap();
        let eval =
            place.json(format!("eval --game '{game}' --agent '{agent}' --seed {seed} --games 150"));
        assert_eq!((&eval["score"], &eval["tiles"]), (&row["score"], &row["tiles"]));
    }
}

#[test]
fn agents_and_games_that_are_added_are_all_that_is_played() {
    let place = Place::new();
    let run = |line: &str| {
        place.done(format!("tournament --out t {line}"));
        place.text("t/results.jsonl")
    };
    let game = "--game '2048(rows: 3, cols: 3)'";
    let first = run(&format!("{game} --agent random --games 40 --seed 3"));
    assert_eq!(first.lines().count(), 40);
    assert_snapshot!(place.transcript("tournament --out t --games 60"));
    // The folder sets what the flags do not.
    let second = run("--resume --games 60");
    assert!(second.starts_with(&first) && second.lines().count() == 60);
    let third = run(&format!("{game} --agent random greedy best=rows --resume"));
    let is_added = third.starts_with(&second) && third.lines().count() == 180;
    assert!(is_added, "the number of games stays");
}

#[test]
fn resume_of_a_file_keeps_what_flags_set_before() {
    let place = Place::new();
    let file = "(game: [2048(rows: 3, cols: 3)], agent: [random, greedy]";
    fs::write(place.path("t.ron"), format!("{file})")).unwrap();
    let run = |more: &str| {
        place.done(format!("tournament t.ron --out t {more}"));
        place.text("t/results.jsonl")
    };
    let first = run("--seed 3 --move-limit 40 --games 20");
    assert_eq!(run("--resume"), first);
    let config = place.text("t/config.ron");
    for kept in ["games: 20,", "seed: 3", "move_limit: 40"] {
        assert!(config.contains(kept), "{kept}: {config}");
    }
    // Flags take precedence over the file, and the file over the folder.
    let more = run("--resume --games 30");
    assert!(more.starts_with(&first) && more.len() > first.len());
    fs::write(place.path("t.ron"), format!("{file}, seed: 4)")).unwrap();
    assert_snapshot!(place.transcript("tournament t.ron --out t --resume"));
}

#[test]
fn tournament_in_pieces_equals_one_run() {
    let whole = Place::new();
    whole.tournament("--games 60");
    let place = Place::new();
    place.tournament("--games 20");
    place.tournament("--games 60 --resume");
    assert_eq!(place.results("t"), whole.results("t"));
    assert_eq!(place.report("t"), whole.report("t"));
    // Nothing is left, and the same report is written again.
    let before = place.report("t");
    assert!(place.done(RESUME).err.contains("360 games were played before"));
    assert_eq!(place.report("t"), before);
    // A run that was killed while it wrote a line.
    let text = place.text("t/results.jsonl");
    fs::write(place.path("t/results.jsonl"), &text[..text.len() - 30]).unwrap();
    let resumed = place.done(RESUME);
    assert!(resumed.err.contains("the last line of t/results.jsonl is incomplete"), "{resumed:?}");
    assert_eq!(place.results("t"), whole.results("t"));
}

#[test]
fn file_sets_labels_and_limits() {
    let place = Place::new();
    let file = r#"(
        title: "Two boards",
        game: [(label: "small", game: 2048(rows: 2, cols: 2)), 2048(rows: 2, cols: 3)],
        agent: [greedy, (label: "short", agent: random)],
        games: 20,
        move_limit: 3,
        seed: 5,
    )"#;
    fs::write(place.path("t.ron"), file).unwrap();
    let report = place.json("tournament t.ron --out t");
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 4, "{report}");
    let short = rows.iter().find(|row| row["agent"] == "short" && row["game"] == "small").unwrap();
    let moves = short["moves"].as_u64().unwrap();
    assert!((40..=60).contains(&moves), "{short}");
    assert_eq!(report["title"], "Two boards");
    // The resolved file is a tournament with the same results.
    fs::copy(place.path("t/config.ron"), place.path("again.ron")).unwrap();
    place.json("tournament again.ron --out again");
    assert_eq!(place.results("again"), place.results("t"));
}
