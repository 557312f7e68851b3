//! Tests of `runner experiment`: the table, continuing, and folders and files that are refused.
//! The learner of the tests is deterministic, so an experiment in pieces is compared with one
//! in a single run.

use crate::harness::place::Place;
use crate::harness::results::sealed;
use crate::harness::transcript::assert_snapshot;
use crate::harness::{expect_json, expect_usage_error};
use serde_json::Value;
use std::fs;

/// Two configurations. The agent `follow` plays as its value does.
const EXPERIMENT: &str = r#"
// Two learning rates.
(
    title: "Two learning rates on 3 x 3 cells",
    source: "a paper, Table 1",
    game: 2048(rows: 3, cols: 3),
    seeds: 2,
    tiles: [32, 64, 128],
    evaluations: [
        (name: "1-ply", games: 30),
        (name: "followed", with: follow(value: learner), games: 30),
    ],
    configurations: [
        (
            name: "slow, 0.1",
            agent: table,
            moves: "20k",
            paper: {"1-ply": (mean: 1234, plus_minus: 56, rates: {64: 12.5})},
            paper_time: "2.5 days",
        ),
        (name: "fast", agent: table(alpha: 0.5), moves: 20000, game: 2048(rows: 3, cols: 3, goal: 64)),
    ],
)
"#;

impl Place {
    /// Returns a folder with the experiment in `e.ron`, after some replacements.
    fn of_experiment(replaced: &[(&str, &str)]) -> Self {
        let place = Self::with_library("test_learner");
        place.write_experiment(replaced);
        place
    }

    fn write_experiment(&self, replaced: &[(&str, &str)]) {
        let mut text = EXPERIMENT.to_owned();
        for (old, new) in replaced {
            assert!(text.contains(old), "{old}");
            text = text.replace(old, new);
        }
        fs::write(self.path("e.ron"), text).unwrap();
    }

    fn experiment(&self, more: &[&str]) -> crate::harness::Ran {
        self.run(&[&["experiment", "e.ron"], more].concat())
    }

    /// Returns the finished parts without their times, and without the last games of a training,
    /// which a model does not hold.
    fn records(&self) -> Vec<Value> {
        let lines = self.text("e/results.jsonl");
        let parse = |line: &str| {
            let mut record: Value = serde_json::from_str(line).unwrap();
            for field in ["seconds", "mean", "max_tile", "check"] {
                record[field] = Value::Null;
            }
            record
        };
        lines.lines().map(parse).collect()
    }
}

#[test]
fn experiment_trains_and_evaluates_all_seeds_and_prints_one_table() {
    let place = Place::of_experiment(&[]);
    let ran = place.experiment(&["--threads", "2"]).success();
    let table = &ran.out;
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    for expected in [
        "Two learning rates on 3 x 3 cells",
        "95% interval",
        "slow, 0.1",
        "1,178 to 1,290",
        "12.5%",
        "20,000 moves in",
        "paper: 2.5 days",
        "Student's t over the means of the trainings",
        "Paper: a paper, Table 1",
    ] {
        assert!(table.contains(expected), "{expected}: {table}");
    }
    // A line for each training and each evaluation.
    let records = place.records();
    let count = |kind: &str| records.iter().filter(|record| record["kind"] == kind).count();
    assert_eq!((count("training"), count("evaluation")), (4, 8));
    assert_eq!(records[0]["model"], "models/slow-0-1-seed1.model");
    assert!(records.iter().all(|record| record["agent"].as_str().unwrap().contains("size: 12")));

    // The document has the same figures. All is done, so nothing is done again.
    let json = expect_json(&place.experiment(&["--json"]));
    assert_eq!(place.records(), records);
    assert_eq!((&json["complete"], &json["interrupted"]), (&true.into(), &false.into()));
    let slow = &json["configurations"][0];
    let [alone, followed] = &slow["evaluations"].as_array().unwrap()[..] else { panic!("{slow}") };
    assert_eq!(alone["mean"], followed["mean"], "the agent plays as its value does");
    assert_eq!(
        (&alone["interval"], &alone["paper"]["mean"]),
        (&"trainings".into(), &1234.0.into())
    );
    let means: Vec<_> = alone["seeds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["score"]["mean"].as_f64().unwrap())
        .collect();
    assert_eq!(alone["mean"], (means[0] + means[1]) / 2.0);
    let [low, high] = [0, 1].map(|end| alone["ci95"][end].as_f64().unwrap());
    // Student's t with one degree of freedom.
    let half = 12.706_205 * (means[0] - means[1]).abs() / 2.0;
    assert!((high - low - 2.0 * half).abs() < 1e-3 * half.max(1.0), "{alone}");
    assert!(json["configurations"][1]["game"].as_str().unwrap().contains("goal: 64"), "{json}");

    // `train` and `eval` give the same model and the same games.
    let game = ["--game", "2048(rows: 3, cols: 3)"];
    let train =
        ["train", "--agent", "table", "--seed", "2", "--moves", "20k", "--model", "a.model"];
    expect_json(&place.run(&[&train[..], &game, &["--json"]].concat()));
    let convert = |model: &str, text: &str| {
        assert_eq!(place.run(&["model", "convert", model, text]).code, Some(0));
        place.text(text)
    };
    let own = convert("e/models/slow-0-1-seed2.model", "own.text");
    assert_eq!(convert("a.model", "a.text"), own);
    let eval = ["eval", "--agent", "table(model: \"a.model\")", "--games", "30", "--json"];
    let seed = (1u64 << 32).to_string();
    let played = expect_json(&place.run(&[&eval[..], &game, &["--seed", &seed]].concat()));
    assert_eq!(played["score"]["mean"], means[1]);
}

#[test]
fn experiment_in_pieces_equals_one_run() {
    let whole = Place::of_experiment(&[]);
    expect_json(&whole.experiment(&["--json"]));
    let expected = whole.records();

    let place = Place::of_experiment(&[]);
    // One configuration, then one seed of all, then everything.
    let one = expect_json(&place.experiment(&["--only", "fast", "--seeds", "1", "--json"]));
    assert_eq!(one["complete"], false);
    expect_json(&place.experiment(&["--seeds", "1", "--json", "--resume"]));
    // A run that was killed while it wrote a line, and before it wrote another one.
    let results = place.path("e/results.jsonl");
    let text = fs::read_to_string(&results).unwrap();
    let last = text.trim_end().rfind('\n').unwrap();
    fs::write(&results, format!("{}\n{{\"kind\":\"evalu", &text[..last])).unwrap();
    // A training that was killed after its model was saved, and before its line.
    let train = ["train", "--game", "2048(rows: 3, cols: 3)", "--agent", "table", "--seed", "2"];
    let model = ["--moves", "20k", "--model", "e/models/slow-0-1-seed2.model", "--json"];
    expect_json(&place.run(&[&train[..], &model].concat()));
    let all = expect_json(&place.experiment(&["--json"]));
    assert_eq!(all["complete"], true);
    let sorted = |mut records: Vec<Value>| {
        records.sort_by_key(Value::to_string);
        records
    };
    assert_eq!(sorted(place.records()), sorted(expected));
}

#[test]
fn plan_states_what_is_left_and_changes_nothing() {
    let place = Place::of_experiment(&[]);
    let plan = place.experiment(&["--dry-run", "--scale", "0.5", "--max-games", "7"]).success();
    assert_snapshot!(plan.out);
    assert!(plan.out.lines().all(|line| line.chars().count() <= 80), "{}", plan.out);
    assert_eq!(place.names(), ["e.ron"]);
    let cut = ["--scale", "0.5", "--max-games", "7"];
    let one = expect_json(&place.experiment(&[&cut[..], &["--only", "fast", "--json"]].concat()));
    assert_eq!(one["configurations"].as_array().unwrap().len(), 1);
    assert_eq!(one["configurations"][0]["trainings"][0]["moves"], 10_000);
    assert_eq!(one["configurations"][0]["evaluations"][0]["seeds"][0]["games"], 7);
    let plan = expect_json(&place.experiment(&[&cut[..], &["--list", "--json"]].concat()));
    assert_eq!((&plan["left"]["trainings"], &plan["left"]["games"]), (&2.into(), &28.into()));
    assert_eq!(plan["configurations"][1]["trained"], 2);
    // The resolved file is an experiment with the same results.
    fs::copy(place.path("e/experiment.ron"), place.path("e.ron")).unwrap();
    let again = expect_json(&place.experiment(&["--list", "--json"]));
    assert_eq!((&again["left"]["trainings"], &again["scale"]), (&2.into(), &0.5.into()));
}

#[test]
fn experiment_that_was_edited_in_its_folder_is_refused() {
    let place = Place::of_experiment(&[("seeds: 2", "seeds: 1")]);
    let only = ["--only", "fast", "--scale", "0.1", "--max-games", "5"];
    assert_eq!(place.experiment(&only).code, Some(0));
    let definition = place.text("e/experiment.ron");
    let edited = definition.replace("cols: 3", "cols: 4");
    assert_ne!(edited, definition);
    let (without, _) = edited.split_once("// checksum").unwrap();
    for (text, why) in [(edited.as_str(), "checksum mismatch"), (without, "checksum, is missing")] {
        fs::write(place.path("e/experiment.ron"), text).unwrap();
        let resumed = place.run(&["experiment", "e/experiment.ron", "--out", "e", "--resume"]);
        expect_usage_error(&resumed, &["e/experiment.ron: ", why, "undo the edit"]);
    }
}

#[test]
fn models_are_deleted_after_their_evaluations_on_request() {
    let place = Place::of_experiment(&[("seeds: 2", "seeds: 1")]);
    // Models of parts that an earlier run has finished are removed too.
    expect_json(&place.experiment(&["--only", "fast", "--json"]));
    expect_json(&place.experiment(&["--delete-models", "--json"]));
    let files = fs::read_dir(place.path("e/models")).unwrap();
    let names: Vec<_> = files.map(|f| f.unwrap().file_name().into_string().unwrap()).collect();
    assert!(names.iter().all(|name| !name.ends_with(".model")), "{names:?}");
    assert!(names.iter().any(|name| name.ends_with(".curve.jsonl")), "{names:?}");
    // With one training the interval is that of its games.
    let table = place.experiment(&[]);
    assert!(table.out.contains("bootstrap over its games"), "{}", table.out);
    // Another evaluation needs the model.
    let more = "(name: \"more\", games: 5), (name: \"followed\"";
    place.write_experiment(&[("seeds: 2", "seeds: 1"), ("(name: \"followed\"", more)]);
    let gone = place.experiment(&[]);
    assert_eq!(gone.code, Some(1));
    assert!(gone.error().contains("slow-0-1-seed1.model is gone"), "{gone:?}");
    assert!(gone.error().contains("`more`"), "{gone:?}");
}

/// The game and the agent of the first configuration.
const SLOW: [&str; 2] = ["2048(rows: 3, cols: 3)", "table"];

/// Writes another model in place of that of the first configuration.
#[track_caller]
fn replace_model(place: &Place, [game, agent]: [&str; 2], seed: &str, moves: &str) {
    let train = ["train", "--game", game, "--agent", agent, "--seed", seed, "--moves", moves];
    let model = ["--model", "e/models/slow-0-1-seed1.model", "--force"];
    place.run(&[&train[..], &model].concat()).success();
}

#[test]
fn model_that_was_replaced_in_the_folder_is_not_evaluated() {
    let one_seed = ("seeds: 2", "seeds: 1");
    let place = Place::of_experiment(&[one_seed]);
    expect_json(&place.experiment(&["--json"]));
    let model = place.path("e/models/slow-0-1-seed1.model");
    let (own, results) = (fs::read(&model).unwrap(), place.text("e/results.jsonl"));
    let more = "(name: \"more\", games: 5), (name: \"followed\"";
    place.write_experiment(&[one_seed, ("(name: \"followed\"", more)]);
    let [game, agent] = SLOW;
    for (players, seed, moves, difference) in [
        (SLOW, "2", "20k", "its seed is 2, not 1"),
        (SLOW, "1", "10k", "it was trained for 10,000 moves, not 20,000"),
        ([game, "table(alpha: 0.2)"], "1", "20k", "its learner is table(alpha: 0.2), not table"),
        (["2048(rows: 3)", agent], "1", "20k", "its game is 2048(rows: 3), not 2048("),
    ] {
        replace_model(&place, players, seed, moves);
        let refused = place.experiment(&[]);
        assert_eq!(refused.code, Some(1), "{refused:?}");
        for part in [
            "e/models/slow-0-1-seed1.model was replaced",
            difference,
            "the evaluation `more` of slow, 0.1, seed 1 cannot be played",
            "restore it, or start again in another folder",
        ] {
            assert!(refused.error().contains(part), "{part}: {refused:?}");
        }
        // It would be refused again.
        assert!(!refused.error().contains("continue with"), "{refused:?}");
        assert_eq!(place.text("e/results.jsonl"), results);
    }
    fs::write(&model, own).unwrap();
    assert_eq!(expect_json(&place.experiment(&["--json"]))["complete"], true);
}

#[test]
fn model_of_another_training_is_not_resumed() {
    let place = Place::of_experiment(&[("seeds: 2", "seeds: 1")]);
    expect_json(&place.experiment(&["--only", "fast", "--json"]));
    replace_model(&place, SLOW, "2", "1k");
    let refused = place.experiment(&[]);
    assert_eq!(refused.code, Some(1), "{refused:?}");
    for part in [
        "e/models/slow-0-1-seed1.model was replaced (its seed is 2, not 1)",
        "the training of slow, 0.1, seed 1 cannot be resumed",
        "remove it to begin the training again",
    ] {
        assert!(refused.error().contains(part), "{part}: {refused:?}");
    }
    // `experiment` has no such flag.
    assert!(!refused.error().contains("--seed"), "{refused:?}");
    fs::remove_file(place.path("e/models/slow-0-1-seed1.model")).unwrap();
    assert_eq!(expect_json(&place.experiment(&["--json"]))["complete"], true);
}

#[test]
fn experiment_begins_in_a_folder_that_a_killed_start_has_left() {
    let small = ["--only", "fast", "--scale", "0.1", "--max-games", "5", "--json"];
    let place = Place::of_experiment(&[("seeds: 2", "seeds: 1")]);
    fs::create_dir_all(place.path("e/models")).unwrap();
    place.experiment(&["--dry-run"]).success();
    fs::write(place.path("e/results.jsonl.lock"), "").unwrap();
    fs::write(place.path("e/experiment.ron.runner-tmp"), "// What `runn").unwrap();
    expect_json(&place.experiment(&small));

    // A model may be somebody's.
    fs::create_dir_all(place.path("other/models")).unwrap();
    fs::write(place.path("other/models/a.model"), "kept").unwrap();
    let other = place.experiment(&[&small[..], &["--out", "other"]].concat());
    expect_usage_error(&other, &["other holds other files", "such as models", "another folder"]);
}

#[test]
fn failed_experiment_states_what_helps() {
    // A plugin that fails in a training fails again.
    let place = Place::with_library("test_faulty");
    let write = |game: &str, agent: &str| {
        let configuration = format!("(name: \"plain\", agent: {agent}, moves: 10)");
        let evaluation = "(name: \"1-ply\", games: 40)";
        let text = format!(
            "(title: \"Faults\", game: {game}, evaluations: [{evaluation}], \
             configurations: [{configuration}])"
        );
        fs::write(place.path("e.ron"), text).unwrap();
    };
    write("faulty", "faulty-learner(at: train)");
    let fault = place.experiment(&[]);
    assert_eq!(fault.code, Some(1), "{fault:?}");
    for part in [
        "plain, seed 1: value `faulty-learner`",
        "panicked: the training went wrong",
        "when the cause is removed, continue with: ",
    ] {
        assert!(fault.error().contains(part), "{part}: {fault:?}");
    }
    // Games that ended in a fault are results, which the same command does not play again.
    write("faulty(at: successors)", "faulty-learner");
    let games = place.experiment(&["--out", "games", "--delete-models"]);
    assert_eq!(games.code, Some(1), "{games:?}");
    let error = games.error();
    assert!(error.contains("games of the evaluations ended in a fault"), "{error}");
    assert!(error.contains("remove its line from games/results.jsonl"), "{error}");
    assert!(!error.contains("continue with"), "{error}");
    assert!(place.text("games/results.jsonl").contains("\"evaluation\":\"1-ply\""));
    // They can only be played again with the model, which is therefore kept.
    assert!(place.path("games/models/plain-seed1.model").exists());
}

#[test]
fn damaged_checkpoint_of_an_experiment_is_named_with_what_helps() {
    let place = Place::of_experiment(&[("seeds: 2", "seeds: 1")]);
    expect_json(&place.experiment(&["--only", "fast", "--json"]));
    replace_model(&place, SLOW, "1", "1k");
    let model = place.path("e/models/slow-0-1-seed1.model");
    let mut bytes = fs::read(&model).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&model, &bytes).unwrap();
    let damaged = place.experiment(&[]);
    bytes.truncate(middle);
    fs::write(&model, &bytes).unwrap();
    for refused in [damaged, place.experiment(&[])] {
        assert_eq!(refused.code, Some(1), "{refused:?}");
        let error = refused.error();
        assert!(error.contains("e/models/slow-0-1-seed1.model"), "{error}");
        let advice =
            ["when the cause is removed, continue with: ", "remove it to begin the training again"];
        assert!(advice.iter().any(|advice| error.contains(advice)), "{error}");
    }
    fs::remove_file(&model).unwrap();
    assert_eq!(expect_json(&place.experiment(&["--json"]))["complete"], true);
}

/// A limit on the size of files simulates a full disk.
#[cfg(unix)]
#[test]
fn experiment_continues_after_a_full_disk() {
    use crate::harness::{library, prepare, ran, text};
    use std::process::Command;

    let place = Place::of_experiment(&[("seeds: 2", "seeds: 1")]);
    // 16 blocks of 512 bytes: the experiment fits, a table of 16 KiB does not.
    let limit = "ulimit -f 16; trap '' XFSZ; exec \"$0\" \"$@\"";
    let mut shell = Command::new("sh");
    prepare(&mut shell).args(["-c", limit, env!("CARGO_BIN_EXE_runner")]);
    let plugins = library("test_learner");
    let words = ["experiment", "e.ron", "--plugin-path", text(&plugins)];
    let full = ran(shell.args(words).current_dir(place.folder()));
    assert_eq!(full.code, Some(1), "{full:?}");
    for part in [
        "slow, 0.1, seed 1: ",
        "could not be written",
        "when the cause is removed, continue with: ",
    ] {
        assert!(full.error().contains(part), "{part}: {full:?}");
    }
    assert_eq!(expect_json(&place.experiment(&["--json"]))["complete"], true);
}

#[test]
fn folder_of_another_experiment_is_refused() {
    let place = Place::of_experiment(&[("seeds: 2", "seeds: 1")]);
    expect_json(&place.experiment(&["--json"]));
    let before = place.records();
    let mut told = String::new();
    for (replaced, more) in [
        (("alpha: 0.5", "alpha: 0.4"), &[][..]),
        (("moves: \"20k\"", "moves: \"30k\""), &[]),
        (("goal: 64", "goal: 128"), &[]),
        (("games: 30),\n        (n", "games: 40),\n        (n"), &[]),
        (("name: \"fast\"", "name: \"rapid\""), &[]),
        (("alpha: 0.5", "alpha: 0.5"), &["--scale", "2"]),
        (("alpha: 0.5", "alpha: 0.5"), &["--max-games", "9"]),
    ] {
        place.write_experiment(&[replaced]);
        told += &place.printed(&place.experiment(more));
    }
    // Titles, the paper's figures and further seeds change no result.
    place.write_experiment(&[("1234", "1235"), ("Two learning", "Both learning")]);
    expect_json(&place.experiment(&["--only", "fast", "--json"]));
    assert!(place.records().starts_with(&before));

    fs::create_dir(place.path("other")).unwrap();
    fs::write(place.path("other/notes.txt"), "a shopping list").unwrap();
    told += &place.transcript(
        "experiment e.ron --out new --resume
        experiment e.ron --out new --resume --dry-run
        experiment e.ron --out other",
    );
    assert_snapshot!(told);
    assert_eq!(fs::read_dir(place.path("other")).unwrap().count(), 1);
}

#[test]
fn parts_without_results_may_be_changed() {
    let place = Place::of_experiment(&[("seeds: 2", "seeds: 1")]);
    expect_json(&place.experiment(&["--only", "fast", "--json"]));
    let before = place.records();
    // The other configuration and a new evaluation have no result yet.
    let added = (
        "games: 30),\n        (n",
        "games: 30),\n        (name: \"more\", games: 10),\n        (n",
    );
    place.write_experiment(&[("moves: \"20k\"", "moves: \"1k\""), added]);
    fs::remove_file(place.path("e/models/fast-seed1.model")).unwrap();
    let refused = place.experiment(&[]);
    assert!(refused.error().contains("fast-seed1.model is gone"), "{refused:?}");
    // Without the evaluation that could not be played, and without the other configuration.
    place
        .write_experiment(&[("seeds: 2", "seeds: 1"), ("name: \"slow, 0.1\"", "name: \"slower\"")]);
    expect_json(&place.experiment(&["--only", "fast", "--json"]));
    assert_eq!(place.records(), before);
}

/// The model is that of an agent that plays the learner together with it.
#[test]
fn replaced_model_is_named_by_a_folder_and_by_a_plan() {
    let place = Place::of_experiment(&[
        ("follow(value: learner)", "mean(values: [learner, table(model: \"b.model\")])"),
        ("20k", "1k"),
        ("20000", "1000"),
        ("seeds: 2", "seeds: 1"),
        ("goal: 64", "goal: 2048"),
    ]);
    let train = |seed: &str| {
        let words = ["train", "--game", "2048(rows: 3, cols: 3)", "--agent", "table", "--force"];
        let more = ["--moves", "1k", "--model", "b.model", "--seed", seed];
        place.run(&[&words[..], &more].concat()).success();
    };
    train("1");
    expect_json(&place.experiment(&["--json"]));
    assert_eq!(place.run(&["shards", "plan", "e.ron", "--shards", "2"]).code, Some(0));
    let model = fs::read(place.path("b.model")).unwrap();
    train("2");
    let parts = ["its model b.model was replaced", "restore the file"];
    expect_usage_error(&place.experiment(&[]), &parts);
    let shard = ["shards", "run", "e.json", "--shard", "1"];
    let elsewhere = place.run(&shard);
    assert_eq!(elsewhere.code, Some(1), "{elsewhere:?}");
    assert!(parts.iter().all(|part| elsewhere.error().contains(part)), "{elsewhere:?}");
    assert!(!place.path("e.shards").exists());
    fs::write(place.path("b.model"), model).unwrap();
    assert_eq!(place.run(&shard).code, Some(0));
    // There are no games to play again in a training.
    let replay = place.run(&[&shard[..], &["--replay-forfeits"]].concat());
    expect_usage_error(&replay, &["--replay-forfeits is for games", "experiment"]);
}

#[test]
fn damaged_results_are_named_with_their_line() {
    let place = Place::of_experiment(&[("seeds: 2", "seeds: 1")]);
    expect_json(&place.experiment(&["--json"]));
    let results = place.path("e/results.jsonl");
    let text = fs::read_to_string(&results).unwrap();
    let second = text.lines().nth(1).unwrap();
    let mut told = String::new();
    for damage in [
        &*sealed("{\"kind\":\"training\",\"seed\":1}"),
        &sealed("{\"kind\":\"game\"}"),
        "{\"kind\":\"game\"}",
        "",
        &second.replace("slow", "slaw"),
        &second.replacen("\"moves\":", "\"moves\":1", 1),
        &second.replacen(",\"check\":\"", ", \"check\": \"", 1),
        &sealed(&second.replace("slow", "slaw")),
        &sealed(&second.replace("1-ply", "9-ply")),
    ] {
        let damaged = text.replacen(second, damage, 1);
        fs::write(&results, &damaged).unwrap();
        told += &place.transcript("experiment e.ron");
        assert_eq!(fs::read_to_string(&results).unwrap(), damaged, "nothing is overwritten");
    }
    assert_snapshot!(told);
}

#[test]
fn results_with_line_ends_of_windows_are_read() {
    let place = Place::of_experiment(&[("seeds: 2", "seeds: 1")]);
    expect_json(&place.experiment(&["--json"]));
    let text = place.text("e/results.jsonl");
    fs::write(place.path("e/results.jsonl"), text.replace('\n', "\r\n")).unwrap();
    let same = expect_json(&place.experiment(&["--resume", "--json"]));
    assert_eq!(same["complete"], true);
    assert_eq!(place.text("e/results.jsonl").lines().count(), text.lines().count());
}

#[test]
fn wrong_files_are_refused_before_the_first_training() {
    let place = Place::of_experiment(&[]);
    let mut told = String::new();
    for replaced in [
        ("games: 30),\n        (n", "games: 0),\n        (n"),
        ("moves: \"20k\",", ""),
        ("game: 2048(rows: 3, cols: 3),\n", ""),
        ("agent: table,", "agent: random,"),
        ("agent: table,", "agent: table(model: \"x\"),"),
        ("agent: table,", "agent: tabel,"),
        ("follow(value: learner)", "random"),
        ("follow(value: learner)", "follow(value: rows)"),
        ("follow(value: learner)", "follow(vale: learner)"),
        ("{\"1-ply\":", "{\"2-ply\":"),
        ("rates: {64: 12.5}", "rates: {64: 101}"),
        ("\"fast\"", "\"slow 0 1\""),
        ("\"fast\"", "\"***\""),
        ("(name: \"followed\"", "(name: \"1-ply\""),
        ("seeds: 2", "seeds: 0"),
        ("seeds: 2", "scale: -1.0"),
        ("seeds: 2", "sedes: 2"),
        ("moves: 20000", "moves: 20000, evaluate_games: 5"),
    ] {
        place.write_experiment(&[replaced]);
        told += &place.printed(&place.experiment(&[]));
    }
    place.write_experiment(&[]);
    told += &place.transcript(
        "experiment e.ron --only fats
        experiment e.ron --max-games 0
        experiment e.ron --scale 0
        experiment none.ron",
    );
    // The second is the file of a training.
    let files = ["(title: \"x\", configurations: [])", "(game: 2048, agent: tc-ntuple, moves: 1k)"];
    assert_snapshot!(told + &place.transcript_of_files("e.ron", &files, "experiment e.ron"));
    assert_eq!(place.names(), ["e.ron"], "nothing was written");
}

#[cfg(target_os = "linux")]
#[test]
fn interrupted_experiment_is_completed_by_the_command_that_it_names() {
    use crate::harness::signals::{await_listening, interrupt};
    use crate::harness::{Ran, prepare, ran};
    use std::process::{Command, Stdio};

    let place = Place::of_experiment(&[("seeds: 2", "seeds: 1"), ("\"20k\"", "\"3M\"")]);
    let mut command = place.command(&["experiment", "e.ron", "--json"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let curve = place.path("e/models/slow-0-1-seed1.curve.jsonl");
    await_listening(&child, || fs::metadata(&curve).is_ok_and(|curve| curve.len() > 0));
    // Meanwhile the folder is locked.
    let second = place.experiment(&[]);
    assert!(second.code == Some(1) && second.error().contains("in use"), "{second:?}");
    interrupt(&child);
    let stopped = Ran::from(child.wait_with_output().unwrap()).without_a_panic();
    assert_eq!(stopped.code, Some(130), "{stopped:?}");
    assert_eq!(stopped.json()["interrupted"], true);
    let (_, resume) = stopped.err.trim().split_once("continue with: ").unwrap();
    let mut shell = Command::new("sh");
    prepare(&mut shell).args(["-c", resume]).current_dir(place.folder());
    let done = expect_json(&ran(&mut shell));
    assert_eq!((&done["complete"], &done["interrupted"]), (&true.into(), &false.into()));
    assert_eq!(done["configurations"][0]["trainings"][0]["moves"], 3_000_000);
}

#[test]
fn shards_of_an_experiment_equal_one_machine() {
    let place = Place::of_experiment(&[("20k", "3k"), ("20000", "3000")]);
    let run = |words: &[&str]| place.run(&[&["shards"], words].concat());
    let without_times = |mut report: Value| {
        for configuration in report["configurations"].as_array_mut().unwrap() {
            for field in ["seconds", "moves_per_second"] {
                configuration[field] = Value::Null;
            }
            let lists = ["trainings", "evaluations"].map(|list| configuration[list].take());
            let lines = lists.iter().flat_map(|list| list.as_array().unwrap().clone());
            configuration["lines"] = lines.map(without_speed).collect();
        }
        report
    };
    let whole = expect_json(&place.experiment(&["--json"]));
    assert_eq!(run(&["plan", "e.ron", "--shards", "3"]).code, Some(0));
    for shard in ["2", "1"] {
        let ran = run(&["run", "e.json", "--shard", shard]);
        assert!(ran.code == Some(0) && ran.err.contains("training"), "{ran:?}");
    }
    let missing = run(&["merge", "e.json", "--out", "merged"]);
    assert_eq!(missing.code, Some(1), "{missing:?}");
    assert!(missing.error().contains("results are missing in shard 3 (0 of 2 trainings)"));
    assert!(!place.path("merged").exists());
    assert_eq!(run(&["run", "e.json", "--shard", "3"]).code, Some(0));
    // A shard is run once, however often it is asked for.
    let results = place.text("e.shards/shard-3/results.jsonl");
    assert_eq!(run(&["run", "e.json", "--shard", "3"]).code, Some(0));
    assert_eq!(place.text("e.shards/shard-3/results.jsonl"), results);
    let merged = expect_json(&run(&["merge", "e.json", "--out", "merged", "--json"]));
    assert_eq!(without_times(merged), without_times(whole));
    // The folder is that of an experiment: nothing is left to do, and the models are there.
    let again = place.experiment(&["--out", "merged", "--resume"]);
    assert!(again.code == Some(0) && !again.err.contains("training"), "{again:?}");
    for model in ["slow-0-1-seed1", "slow-0-1-seed2", "fast-seed1", "fast-seed2"] {
        place.run(&["model", "verify", &format!("merged/models/{model}.model")]).success();
    }

    fs::remove_dir_all(place.path("e.shards/shard-2")).unwrap();
    fs::rename(place.path("e.shards/shard-3"), place.path("e.shards/shard-2")).unwrap();
    let other = run(&["merge", "e.json", "--out", "other"]);
    assert!(other.error().contains("not part of this shard"), "{other:?}");
    let many = ["plan", "e.ron", "--shards", "5", "--out", "many.json"];
    expect_usage_error(&run(&many), &["the experiment has 4 trainings"]);
}

/// Returns a result, and those of its seeds, without times.
fn without_speed(mut line: Value) -> Value {
    let fields = line.as_object_mut().unwrap();
    fields.retain(|name, _| name != "seconds" && name != "moves_per_second");
    if let Some(seeds) = fields.get_mut("seeds") {
        let seeds = seeds.as_array_mut().unwrap();
        seeds.iter_mut().for_each(|seed| *seed = without_speed(seed.take()));
    }
    line
}
