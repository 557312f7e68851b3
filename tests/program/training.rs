//! Trainings as their users meet them: cut, stopped, killed, gone on with, and on
//! disks that are full. The learner of the tests always learns the same, so what
//! came out of a training in pieces is held against one in a whole.

use crate::harness::place::Place;
use crate::harness::{self, Ran, done, library, misused, ran, text};
use serde_json::Value;
use std::fs;
use std::process::{Command, Stdio};

const GAME: &str = "2048(rows: 3, cols: 3)";

impl Place {
    /// A folder with models in it: the program has the learner there.
    fn of_models() -> Self {
        Self::with_library("test_learner")
    }

    /// Trains `a.model`.
    fn train(&self, more: &[&str]) -> Ran {
        let words = ["train", "--game", GAME, "--agent", "table", "--model", "a.model"];
        self.run(&[&words[..], more].concat())
    }

    /// The table in a model, as text.
    #[track_caller]
    fn table(&self, model: &str) -> String {
        let made = self.run(&["model", "convert", model, "table.text", "--force"]);
        assert_eq!(made.code, Some(0), "{made:?}");
        self.text("table.text")
    }

    /// The moves of which a whole model tells.
    #[track_caller]
    fn moves(&self, model: &str) -> u64 {
        let verified = self.run(&["model", "verify", model]);
        assert_eq!(verified.code, Some(0), "{verified:?}");
        let told = self.run(&["model", "info", model, "--json"]).json();
        told[0]["facts"]["moves"].as_str().unwrap().parse().unwrap()
    }

    fn curve(&self, name: &str) -> Vec<Value> {
        self.text(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn ascending(points: &[Value]) -> bool {
    points.is_sorted_by_key(|point| point["moves"].as_u64().unwrap())
}

#[test]
fn a_training_leaves_a_model_a_curve_and_a_chart() {
    let place = Place::of_models();
    let trained = place.train(&["--moves", "100k", "--json", "--threads", "2"]);
    assert_eq!(trained.err, "", "no line of progress beside the document");
    let result = done(&trained);
    for field in ["game", "agent", "seed", "threads", "moves", "episodes", "seconds", "model"] {
        assert!(!result[field].is_null(), "{field} is missing: {result}");
    }
    assert_eq!((&result["moves"], &result["seed"]), (&100_000.into(), &1.into()));
    assert_eq!((&result["model"], &result["threads"]), (&"a.model".into(), &2.into()));
    assert_eq!(result["last"]["episodes"], 1000);
    assert!(result["last"]["mean"].as_f64().unwrap() > 100.0, "{result}");
    assert!(result["last"]["max_tile"].as_u64().unwrap() >= 32, "{result}");
    assert!(result["agent"].as_str().unwrap().contains("alpha: 0.1"), "{result}");
    assert_eq!(place.names(), ["a.model", "a.model.curve.jsonl", "a.model.curve.svg"]);
    assert_eq!(place.moves("a.model"), 100_000);
    let curve = place.curve("a.model.curve.jsonl");
    let last = &curve[curve.len() - 1];
    assert_eq!(last["moves"], 100_000);
    assert_eq!(last["reached"]["4"], 1.0, "{last}");
    assert_eq!((&last["window"], &last["mean"]), (&1000.into(), &result["last"]["mean"]));
    let svg = fs::read_to_string(place.path("a.model.curve.svg")).unwrap();
    assert!(svg.contains("rows: 3") && svg.contains("seed 1"), "{svg}");

    let told = place.train(&["--resume", "--moves", "1k"]);
    assert!(told.out.contains("101,000 moves") && told.out.contains("model: a.model"), "{told:?}");
}

#[test]
fn without_a_budget_or_a_model_it_says_what_it_does() {
    let place = Place::of_models();
    let words = ["train", "--game", GAME, "--agent", "table", "--moves", "1k"];
    let named = place.run(&words);
    assert!(named.err.contains("2048-table.model") && named.err.contains("--model"), "{named:?}");
    assert!(place.path("2048-table.model").exists());
    let again = place.run(&[&words[..], &["--resume"]].concat());
    assert_eq!(again.code, Some(0), "the same name is found again: {again:?}");
    // It would take ten minutes, and says so before it begins.
    let unlimited = place.run(&["train", "--resume", "--agent", "table", "--seed", "5"]);
    misused(&unlimited, &["--resume", "--model"]);
}

#[test]
fn what_is_there_is_written_over_only_if_that_was_said() {
    let place = Place::of_models();
    done(&place.train(&["--moves", "5k", "--json"]));
    let before = fs::read(place.path("a.model")).unwrap();
    misused(&place.train(&["--moves", "5k"]), &["a.model is there", "--resume", "--force"]);
    misused(&place.train(&["--resume", "--force"]), &["--resume", "--force"]);
    assert_eq!(fs::read(place.path("a.model")).unwrap(), before);
    done(&place.train(&["--moves", "2k", "--json", "--force"]));
    assert_eq!(place.moves("a.model"), 2_000);
    fs::remove_file(place.path("a.model")).unwrap();
    misused(&place.train(&["--moves", "5k"]), &["a.model.curve", "--force"]);
    misused(&place.train(&["--moves", "5k", "--resume"]), &["no model a.model", "--resume"]);
}

#[test]
fn what_cannot_be_trained_is_refused_with_what_can() {
    let place = Place::of_models();
    let train = |agent: &str, more: &[&str]| {
        place.run(&[&["train", "--game", GAME, "--moves", "1k", "--agent", agent], more].concat())
    };
    misused(&train("random", &[]), &["`random` does not learn", "table"]);
    misused(&train("tabel", &[]), &["no agent `tabel`", "did you mean `table`"]);
    misused(&train("table(sise: 4)", &[]), &["`sise`", "did you mean `size`"]);
    done(&train("table", &["--model", "m", "--json"]));
    misused(&train("table(model: \"m\")", &[]), &["--model FILE --resume"]);
    misused(&train("table", &["--checkpoint", "0s"]), &["--checkpoint"]);
    misused(&train("table", &["--evaluate", "0"]), &["--evaluate"]);
    misused(&train("table", &["--evaluate-games", "5"]), &["need --evaluate MOVES"]);
    misused(&train("table", &["--seeds", "0"]), &["--seeds"]);
    let with =
        |agent| train("table", &["--model", "n", "--evaluate", "1k", "--evaluate-with", agent]);
    misused(&with("random"), &["`random` cannot look further", "`value`"]);
    misused(&with("follow(values: 3)"), &["`values`", "did you mean `value`"]);
    let nowhere = train("table", &["--model", "no/folder/x.model"]);
    assert_eq!(nowhere.code, Some(1));
    assert!(nowhere.error().contains("no/folder/x.model"), "{nowhere:?}");
}

/// Cut at checkpoints and examinations, stopped and gone on with: the same table.
#[test]
fn a_training_in_pieces_is_the_same_as_one_in_a_whole() {
    let place = Place::of_models();
    done(&place.train(&["--moves", "60k", "--json", "--seed", "7"]));
    let whole = place.table("a.model");
    let cut = ["--json", "--checkpoint", "1ms", "--evaluate", "7k", "--evaluate-games", "9"];
    let pieces = |more: &[&str]| place.train(&[&cut[..], more].concat());
    done(&pieces(&["--force", "--moves", "25k", "--seed", "7"]));
    // Game, learner and seed are those of the model.
    let rest = ["train", "--resume", "--model", "a.model", "--moves", "35k"];
    let result = done(&place.run(&[&rest[..], &cut].concat()));
    assert_eq!((&result["seed"], &result["moves"]), (&7.into(), &35_000.into()));
    assert_eq!(result["total"]["moves"], 60_000);
    assert!(place.table("a.model") == whole, "another table than in one piece");
    let curve = place.curve("a.model.curve.jsonl");
    assert!(ascending(&curve));
    let evaluations = curve.iter().filter(|point| !point["evaluation"].is_null());
    let at: Vec<_> = evaluations.map(|point| point["moves"].as_u64().unwrap()).collect();
    // Every 7,000 moves of its life, and at the end of each training.
    assert_eq!(at, [7_000, 14_000, 21_000, 25_000, 28_000, 35_000, 42_000, 49_000, 56_000, 60_000]);
}

#[test]
fn only_the_same_training_is_gone_on_with() {
    let place = Place::of_models();
    done(&place.train(&["--moves", "5k", "--json", "--seed", "3"]));
    let resume = |more: &[&str]| {
        let words = ["train", "--resume", "--model", "a.model", "--moves", "1k", "--json"];
        place.run(&[&words[..], more].concat())
    };
    misused(&resume(&["--game", "2048"]), &["a.model", "rows: 3", "rows: 4", "--game"]);
    misused(&resume(&["--agent", "table(size: 9)"]), &["size: 12", "size: 9", "--agent"]);
    misused(&resume(&["--seed", "4"]), &["seed of a.model is 3", "4", "--seed"]);
    done(&resume(&["--game", GAME, "--agent", "table", "--seed", "3"]));
    // A damaged model is refused and left alone.
    let mut bytes = fs::read(place.path("a.model")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(place.path("a.model"), &bytes).unwrap();
    let damaged = resume(&[]);
    assert_eq!(damaged.code, Some(1));
    assert!(damaged.error().contains("a.model is damaged: checksum mismatch"), "{damaged:?}");
    assert_eq!(fs::read(place.path("a.model")).unwrap(), bytes);
    fs::write(place.path("a.model"), &bytes[..middle]).unwrap();
    assert!(resume(&[]).error().contains("a.model is cut off"));
}

/// The agent that is given the learner plays as the learner alone does, as it asks
/// it for each decision; on games that no training has seen.
#[test]
fn an_agent_is_examined_with_the_learner_as_its_value() {
    let place = Place::of_models();
    let words = ["--evaluate", "20k", "--evaluate-games", "50", "--evaluate-with", "follow"];
    let result = done(&place.train(&[&words[..], &["--moves", "30k", "--json"]].concat()));
    let [alone, with] = &result["evaluations"].as_array().unwrap()[..] else {
        panic!("two players are wanted: {result}")
    };
    assert_eq!((&with["agent"], &with["games"]), (&"follow".into(), &50.into()));
    assert_eq!(with["mean"], alone["mean"]);
    // `eval` plays the same games with the model.
    let player = "table(model: \"a.model\")";
    let seed = alone["seed"].to_string();
    let eval = ["eval", "--game", GAME, "--agent", player, "--games", "50", "--seed", &seed];
    let played = done(&place.run(&[&eval[..], &["--json"]].concat()));
    assert_eq!(played["score"]["mean"], alone["mean"]);
    assert_eq!(played["score"]["ci95"], alone["ci95"]);
}

#[test]
fn several_seeds_have_a_model_each_and_an_interval_together() {
    let place = Place::of_models();
    let train = |seeds: &str, more: &[&str]| {
        let words = ["--seeds", seeds, "--seed", "4", "--moves", "10k", "--evaluate", "1M"];
        place.train(&[&words[..], &["--evaluate-games", "40"], more].concat())
    };
    let two = done(&train("2", &["--json"]));
    assert_eq!(two["seeds"].as_array().unwrap().len(), 2);
    let first = fs::read(place.path("a-seed4.model")).unwrap();
    misused(&train("3", &[]), &["a-seed4.model is there already"]);
    // Those that have had their moves are left as they are.
    let three = done(&train("3", &["--json", "--resume"]));
    assert_eq!(place.table("a-seed4.model"), {
        fs::write(place.path("old.model"), first).unwrap();
        place.table("old.model")
    });
    let seeds = three["seeds"].as_array().unwrap();
    let totals: Vec<_> = seeds.iter().map(|seed| &seed["total"]["moves"]).collect();
    assert_eq!(totals, [10_000, 10_000, 10_000]);
    assert_eq!((&three["moves"], &seeds[2]["seed"]), (&10_000.into(), &6.into()));
    let means: Vec<_> = seeds.iter().filter_map(|seed| seed["last"]["mean"].as_f64()).collect();
    // Those that were not trained now have no last games to tell of.
    assert_eq!(means.len(), 1, "{three}");

    let all = train("3", &["--force"]);
    assert_eq!(all.code, Some(0), "{all:?}");
    assert!(all.out.contains("over the seeds") && all.out.contains("95% interval"), "{all:?}");
    let json = done(&train("3", &["--force", "--json"]));
    let mean = |of: &Value| of["mean"].as_f64().unwrap();
    let means: Vec<_> =
        json["seeds"].as_array().unwrap().iter().map(|seed| mean(&seed["last"])).collect();
    let over = &json["over_seeds"]["last"];
    assert!((mean(over) - means.iter().sum::<f64>() / 3.0).abs() < 1e-9, "{json}");
    assert_eq!(json["over_seeds"]["evaluations"].as_array().unwrap().len(), 1);
    for file in ["a-seed5.model.curve.jsonl", "a-seed6.model.curve.svg", "a.model.curve.svg"] {
        assert!(place.path(file).exists(), "{file} in {:?}", place.names());
    }
}

#[test]
fn a_file_of_settings_is_read_and_flags_win_over_it() {
    let place = Place::of_models();
    let file = "(game: 2048(rows: 2, cols: 2), agent: table(size: 6), model: \"f.model\",
        moves: \"3k\", seed: 5, evaluate: 1000, evaluate_games: 7, evaluate_with: [follow],
        checkpoint: \"2s\", json: true)";
    fs::write(place.path("train.ron"), file).unwrap();
    let result = done(&place.run(&["train", "--config", "train.ron", "--seed", "6"]));
    assert_eq!((&result["moves"], &result["seed"]), (&3000.into(), &6.into()));
    assert_eq!(
        (&result["model"], &result["evaluations"][1]["games"]),
        (&"f.model".into(), &7.into())
    );
    let more = ["train", "--config", "train.ron", "--seed", "6", "--episodes", "10", "--resume"];
    assert_eq!(done(&place.run(&more))["episodes"], 10);
    for (file, expected) in [
        ("(moves: \"many\")", ["`moves: many`", "20M"]),
        ("(for: 60)", ["`for: 60`", "unit"]),
        ("(modle: \"x\")", ["`modle`", "did you mean `model`"]),
        ("(resume: true, force: true)", ["--resume", "--force"]),
    ] {
        fs::write(place.path("train.ron"), file).unwrap();
        misused(&place.run(&["train", "--config", "train.ron"]), &expected);
    }
}

#[test]
fn the_curve_is_where_it_was_wanted() {
    let place = Place::of_models();
    done(&place.train(&["--moves", "5k", "--json", "--curve", "c.svg"]));
    assert_eq!(place.names(), ["a.model", "c.jsonl", "c.svg"]);
    fs::write(place.path("c.jsonl"), "a shopping list\n").unwrap();
    let refused = place.train(&["--moves", "5k", "--curve", "c.jsonl", "--resume"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.error().contains("c.jsonl: line 1"), "{refused:?}");
    assert_eq!(fs::read_to_string(place.path("c.jsonl")).unwrap(), "a shopping list\n");
}

/// A player with a model is built to play it: the result names the model, and the
/// second run, which finds it, plays the same games.
#[test]
fn a_run_learns_once_and_plays_its_model() {
    let place = Place::of_models();
    let play = || {
        let words = ["--game", GAME, "--agent", "table", "--for", "300ms", "--json"];
        let mut command = place.command(&words);
        ran(command.env("XDG_DATA_HOME", place.path("data")))
    };
    let (first, second) = (play(), play());
    assert!(first.err.contains("learned for") && !second.err.contains("learned"), "{second:?}");
    let (one, two) = (done(&first), done(&second));
    assert_eq!((&one["score"], &one["agent"]), (&two["score"], &two["agent"]));
    // What nobody typed is no wrong command line.
    let models = place.path("data/runner/models");
    let model = fs::read_dir(&models).unwrap().next().unwrap().unwrap().path();
    let whole = fs::read(&model).unwrap();
    fs::write(&model, &whole[..whole.len() - 4]).unwrap();
    let damaged = play();
    assert_eq!((damaged.code, damaged.out.as_str()), (Some(1), ""), "{damaged:?}");
    for part in [text(&model), "is cut off", "remove"] {
        assert!(damaged.error().contains(part), "{part:?} is wanted: {damaged:?}");
    }
    fs::write(&model, whole).unwrap();

    let agent = one["agent"].as_str().unwrap();
    assert!(agent.contains("model: \"") && agent.contains("data/runner/models/2048-"), "{agent}");
    assert_eq!(
        place.run(&["eval", "--game", GAME, "--agent", agent, "--json"]).json()["score"],
        one["score"]
    );
}

/// A limit on the length of files stands in for a full disk.
#[cfg(unix)]
#[test]
fn a_full_disk_is_told_and_the_old_model_stays() {
    let place = Place::of_models();
    let limited = |words: &[&str]| {
        let mut shell = Command::new("sh");
        // 16 blocks of 512 bytes: a curve fits, a table of 16 KiB does not.
        let limit = "ulimit -f 16; trap '' XFSZ; exec \"$0\" \"$@\"";
        let plugins = library("test_learner");
        harness::prepare(&mut shell).args(["-c", limit, env!("CARGO_BIN_EXE_runner")]);
        ran(shell.args(words).args(["--plugin-path", text(&plugins)]).current_dir(place.folder()))
    };
    let words = ["train", "--game", GAME, "--agent", "table", "--model", "a.model"];
    let words = [&words[..], &["--moves", "50k", "--checkpoint", "1ms", "--json"]].concat();
    let full = limited(&words);
    assert_eq!((full.code, full.out.as_str()), (Some(1), ""), "{full:?}");
    assert!(full.error().contains("a.model") && full.error().contains("could not be"), "{full:?}");
    assert!(place.names().is_empty(), "{:?}", place.names());

    done(&place.run(&words));
    let before = fs::read(place.path("a.model")).unwrap();
    let full = limited(&[&words[..], &["--resume"]].concat());
    assert_eq!((full.code, full.out.as_str()), (Some(1), ""), "{full:?}");
    println!("{}", full.error());
    assert!(full.error().contains("a.model") && full.error().contains("go on from"), "{full:?}");
    assert_eq!(fs::read(place.path("a.model")).unwrap(), before);
    assert_eq!(place.names(), ["a.model", "a.model.curve.jsonl", "a.model.curve.svg"]);
}

#[cfg(target_os = "linux")]
mod signals {
    use super::*;
    use crate::harness::signals::{await_listening, interrupt};
    use runner_core::Random;
    use std::time::Duration;

    /// The command that the message names does what is left, and no more.
    #[test]
    fn an_interrupted_training_goes_on_with_the_command_that_it_names() {
        let place = Place::of_models();
        let words = ["train", "--game", GAME, "--agent", "table", "--model", "a b.model"];
        let mut command = place.command(&[&words[..], &["--moves", "5M", "--json"]].concat());
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        await_listening(&child, || true);
        std::thread::sleep(Duration::from_millis(50));
        interrupt(&child);
        let stopped = Ran::from(child.wait_with_output().unwrap()).without_a_panic();
        assert_eq!(stopped.code, Some(130), "{stopped:?}");
        assert_eq!(stopped.json()["interrupted"], true);
        let learned = place.moves("a b.model");
        assert!((1..5_000_000).contains(&learned), "{learned}");
        let line = stopped.only_line("interrupted: ");
        println!("{line}");
        let (_, go_on) = line.split_once("go on with: ").unwrap();
        let mut shell = Command::new("sh");
        harness::prepare(&mut shell).args(["-c", go_on]).current_dir(place.folder());
        let rest = done(&ran(&mut shell));
        assert_eq!(rest["moves"], 5_000_000 - learned);
        assert_eq!(place.moves("a b.model"), 5_000_000);
        assert!(ascending(&place.curve("a b.model.curve.jsonl")));
    }

    /// What is to be replaced is there until there is something in its place.
    #[test]
    fn a_training_that_is_killed_before_its_first_checkpoint_leaves_the_old_model() {
        let place = Place::of_models();
        done(&place.train(&["--moves", "20k", "--json"]));
        let files = || place.names().into_iter().map(|name| fs::read(place.path(&name)).unwrap());
        let before: Vec<_> = files().collect();
        let words = ["train", "--game", GAME, "--agent", "table", "--model", "a.model"];
        let flags = ["--force", "--for", "1h", "--evaluate", "2k", "--evaluate-games", "3"];
        let mut command = place.command(&[&words[..], &flags].concat());
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        await_listening(&child, || true);
        std::thread::sleep(Duration::from_millis(300));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(files().eq(before), "model, curve and chart are those of before");
        assert_eq!(place.moves("a.model"), 20_000);
    }

    /// A training that is killed again and again, and its last checkpoint gone on
    /// with, learns what an undisturbed one does. `RUNNER_KILLS` says how often.
    #[test]
    fn a_killed_training_goes_on_from_its_last_checkpoint() {
        let place = Place::of_models();
        let kills = std::env::var("RUNNER_KILLS").map_or(8, |n| n.parse().unwrap());
        let mut random = Random::from_word(kills);
        let words = ["train", "--game", GAME, "--agent", "table", "--model", "a.model"];
        let (mut last, mut advanced) = (0, 0);
        for kill in 0..kills {
            let resume = place.path("a.model").exists().then_some("--resume");
            let more = ["--for", "1h", "--checkpoint", "10ms", "--evaluate", "50k"];
            let flags = [&words[..], &more, &["--evaluate-games", "3"], resume.as_slice()];
            let mut command = place.command(&flags.concat());
            let null = || Stdio::null();
            let mut child = command.stdout(null()).stderr(null()).spawn().unwrap();
            // Every other one may die on its way there.
            if kill % 2 == 0 {
                await_listening(&child, || true);
            }
            std::thread::sleep(Duration::from_millis(20 + u64::from(random.below(250))));
            child.kill().unwrap();
            child.wait().unwrap();
            if place.path("a.model").exists() {
                let moves = place.moves("a.model");
                assert!(moves >= last, "kill {kill}: {moves} moves, {last} before");
                advanced += u64::from(moves > last);
                last = moves;
            }
        }
        assert!(advanced >= kills / 4, "{advanced} of {kills} trainings came to a checkpoint");
        let end = last + 1000;
        done(&place.run(
            &[&words[..], &["--resume", "--moves", "1k", "--json", "--evaluate", "50k"]].concat(),
        ));
        assert_eq!(place.moves("a.model"), end);
        let curve = place.curve("a.model.curve.jsonl");
        assert!(ascending(&curve), "{curve:?}");
        let killed = place.table("a.model");
        done(&place.train(&["--force", "--json", "--moves", &end.to_string()]));
        assert!(place.table("a.model") == killed, "another table than that of a quiet training");
    }
}
