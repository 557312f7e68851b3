//! Tests of `runner experiment`: the table, continuing, and models that are refused.
//! The learner of the tests is deterministic, so an experiment in pieces is compared with one
//! in a single run.

use crate::harness::place::Place;
use crate::harness::transcript::{assert_snapshot, timeless};
use serde_json::Value;
use std::fs;

/// Two configurations. The agent `follow` plays as its value does.
const EXPERIMENT: &str = include_str!("experiment/two-rates.ron");

const GAME: &str = "2048(rows: 3, cols: 3)";

/// The model of the first configuration.
const MODEL: &str = "e/models/slow-0-1-seed1.model";

const ONE_SEED: (&str, &str) = ("seeds: 2", "seeds: 1");

/// Another evaluation before the second one.
const MORE: (&str, &str) =
    ("(name: \"followed\"", "(name: \"more\", games: 5), (name: \"followed\"");

impl Place {
    /// Returns a folder with the experiment in `e.ron`, after some replacements.
    fn of_experiment(replaced: &[(&str, &str)]) -> Self {
        let place = Self::with_library("test_working");
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

    /// Runs the experiment to its end.
    #[track_caller]
    fn complete(&self) -> Value {
        let report = self.json("experiment e.ron");
        assert_eq!((&report["complete"], &report["interrupted"]), (&true.into(), &false.into()));
        report
    }

    /// Trains a learner.
    #[track_caller]
    fn train_model(&self, game: &str, agent: &str, more: &str) {
        self.done(format!("train --game '{game}' --agent '{agent}' --force {more}"));
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
    let table = place.done("experiment e.ron --threads 2").out;
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    assert_snapshot!(timeless(&table));
    // A line for each training and each evaluation.
    let records = place.records();
    let count = |kind: &str| records.iter().filter(|record| record["kind"] == kind).count();
    assert_eq!((count("training"), count("evaluation")), (4, 8));
    assert_eq!(records[0]["model"], "models/slow-0-1-seed1.model");
    assert!(records.iter().all(|record| record["agent"].as_str().unwrap().contains("size: 12")));

    // The document has the same figures. All is done, so nothing is done again.
    let json = place.complete();
    assert_eq!(place.records(), records);
    let slow = &json["configurations"][0];
    let [alone, followed] = &slow["evaluations"].as_array().unwrap()[..] else { panic!("{slow}") };
    assert_eq!(alone["mean"], followed["mean"], "the agent plays as its value does");
    let interval = (&alone["interval"], &alone["paper"]["mean"]);
    assert_eq!(interval, (&"trainings".into(), &1234.0.into()));
    let seeds = alone["seeds"].as_array().unwrap();
    let means: Vec<_> = seeds.iter().map(|s| s["score"]["mean"].as_f64().unwrap()).collect();
    assert_eq!(alone["mean"], (means[0] + means[1]) / 2.0);
    let [low, high] = [0, 1].map(|end| alone["ci95"][end].as_f64().unwrap());
    // Student's t with one degree of freedom.
    let half = 12.706_205 * (means[0] - means[1]).abs() / 2.0;
    assert!((high - low - 2.0 * half).abs() < 1e-3 * half.max(1.0), "{alone}");
    assert!(json["configurations"][1]["game"].as_str().unwrap().contains("goal: 64"), "{json}");

    // `train` and `eval` give the same model and the same games.
    place.train_model(GAME, "table", "--seed 2 --moves 20k --model a.model");
    place.done("model convert e/models/slow-0-1-seed2.model own.text");
    place.done("model convert a.model a.text");
    assert_eq!(place.text("a.text"), place.text("own.text"));
    let seed = 1u64 << 32;
    let agent = "table(model: \"a.model\")";
    let eval = format!("eval --game '{GAME}' --agent '{agent}' --games 30 --seed {seed}");
    assert_eq!(place.json(eval)["score"]["mean"], means[1]);
}

#[test]
fn experiment_in_pieces_equals_one_run() {
    let whole = Place::of_experiment(&[]);
    whole.complete();
    let place = Place::of_experiment(&[]);
    // One configuration, then one seed of all, then everything.
    let one = place.json("experiment e.ron --only fast --seeds 1");
    assert_eq!(one["complete"], false);
    place.json("experiment e.ron --seeds 1 --resume");
    // A run that was killed while it wrote a line, and before it wrote another one.
    let text = place.text("e/results.jsonl");
    let last = text.trim_end().rfind('\n').unwrap();
    let killed = format!("{}\n{{\"kind\":\"evalu", &text[..last]);
    fs::write(place.path("e/results.jsonl"), killed).unwrap();
    // A training that was killed after its model was saved, and before its line.
    let model = "--moves 20k --seed 2 --model e/models/slow-0-1-seed2.model";
    place.train_model(GAME, "table", model);
    place.complete();
    let sorted = |mut records: Vec<Value>| {
        records.sort_by_key(Value::to_string);
        records
    };
    assert_eq!(sorted(place.records()), sorted(whole.records()));
}

#[test]
fn dry_run_prints_the_results_so_far_and_changes_nothing() {
    let place = Place::of_experiment(&[]);
    let cut = "experiment e.ron --scale 0.5 --max-games 7";
    let nothing = place.done(format!("{cut} --dry-run"));
    assert!(nothing.out.contains("training: 0 of 2 done"), "{nothing:?}");
    assert_eq!(place.names(), ["e.ron"]);
    let one = place.json(format!("{cut} --only fast"));
    assert_eq!(one["configurations"].as_array().unwrap().len(), 1);
    assert_eq!(one["configurations"][0]["trainings"][0]["moves"], 10_000);
    assert_eq!(one["configurations"][0]["evaluations"][0]["seeds"][0]["games"], 7);
    let so_far = place.json(format!("{cut} --dry-run"));
    assert_eq!(so_far["configurations"][1], one["configurations"][0]);
    // The resolved file is an experiment with the same results.
    fs::copy(place.path("e/experiment.ron"), place.path("e.ron")).unwrap();
    assert_eq!(place.json("experiment e.ron --dry-run"), so_far);
}

#[test]
fn models_are_deleted_after_their_evaluations_on_request() {
    let place = Place::of_experiment(&[ONE_SEED]);
    // Models of parts that an earlier run has finished are removed too.
    place.json("experiment e.ron --only fast");
    place.json("experiment e.ron --delete-models");
    let names = place.names_in("e/models");
    assert!(names.iter().all(|name| !name.ends_with(".model")), "{names:?}");
    assert!(names.iter().any(|name| name.ends_with(".curve.jsonl")), "{names:?}");
    // With one training the interval is that of its games.
    let table = place.done("experiment e.ron").out;
    assert!(table.contains("Intervals of one training: over its games"), "{table}");
    // Another evaluation needs the model.
    place.write_experiment(&[ONE_SEED, MORE]);
    assert!(place.sh("experiment e.ron").error().contains("slow-0-1-seed1.model is gone"));
}

#[test]
fn model_that_was_replaced_in_the_folder_is_not_evaluated() {
    let place = Place::of_experiment(&[ONE_SEED]);
    place.complete();
    let (own, results) = (fs::read(place.path(MODEL)).unwrap(), place.text("e/results.jsonl"));
    place.write_experiment(&[ONE_SEED, MORE]);
    for (game, agent, training, reason) in [
        (GAME, "table", "--seed 2 --moves 20k", "its seed is 2, not 1"),
        (GAME, "table", "--seed 1 --moves 10k", "it was trained for 10,000 moves, not 20,000"),
        (GAME, "table(alpha: 0.2)", "--seed 1 --moves 20k", "its learner is table(alpha: 0.2)"),
        ("2048(rows: 3)", "table", "--seed 1 --moves 20k", "its game is 2048(rows: 3), not"),
    ] {
        place.train_model(game, agent, &format!("{training} --model {MODEL}"));
        let refused = place.sh("experiment e.ron");
        assert!(refused.error().contains(reason), "{reason}: {refused:?}");
        assert_eq!(place.text("e/results.jsonl"), results);
    }
    assert_snapshot!(place.transcript("experiment e.ron"));
    fs::write(place.path(MODEL), own).unwrap();
    place.complete();
}

#[test]
fn parts_without_results_may_be_changed() {
    let place = Place::of_experiment(&[ONE_SEED]);
    place.json("experiment e.ron --only fast");
    let before = place.records();
    // The other configuration and a new evaluation have no result yet.
    place.write_experiment(&[("moves: \"20k\"", "moves: \"1k\""), MORE]);
    fs::remove_file(place.path("e/models/fast-seed1.model")).unwrap();
    let refused = place.sh("experiment e.ron");
    assert!(refused.error().contains("fast-seed1.model is gone"), "{refused:?}");
    // Without the evaluation that could not be played, and without the other configuration.
    place.write_experiment(&[ONE_SEED, ("name: \"slow, 0.1\"", "name: \"slower\"")]);
    place.json("experiment e.ron --only fast");
    assert_eq!(place.records(), before);
}

#[test]
fn games_of_an_experiment_begin_at_the_positions_of_its_files() {
    let place = Place::of_experiment(&[
        ("agent: table,", "agent: td-ntuple, starts: \"train.txt\","),
        ("\"1-ply\", games: 30", "\"1-ply\", games: 30, starts: \"test.txt\""),
        ONE_SEED,
    ]);
    let refused = place.sh("experiment e.ron");
    assert!(refused.code == Some(2) && refused.error().contains("train.txt"), "{refused:?}");
    fs::write(place.path("train.txt"), "512,2,4/0,0,0/0,0,2\n").unwrap();
    fs::write(place.path("test.txt"), "# A comment.\n1024,2,4/0,0,0/0,0,2\n").unwrap();
    let report = place.complete();
    let slow = &report["configurations"][0];
    assert!(slow["trainings"][0]["max_tile"].as_u64() >= Some(512), "{slow}");
    let rate = |evaluation: usize, tile: u64| {
        let tiles = slow["evaluations"][evaluation]["tiles"].as_array().unwrap();
        tiles.iter().find(|rate| rate["tile"] == tile).and_then(|rate| rate["rate"].as_f64())
    };
    assert_eq!((rate(0, 1024), rate(1, 1024)), (Some(1.0), None), "{slow}");
    // The results depend on the positions.
    fs::write(place.path("test.txt"), "1024,2,4/0,0,0/0,0,4\n").unwrap();
    let refused = place.sh("experiment e.ron");
    assert!(refused.error().contains("its test.txt was replaced"), "{refused:?}");
    fs::write(place.path("train.txt"), "512,x\n").unwrap();
    let refused = place.sh("experiment e.ron");
    assert!(refused.error().contains("train.txt, line 1: "), "{refused:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn interrupted_experiment_is_completed_by_the_command_that_it_names() {
    use crate::harness::finish;
    use crate::harness::signals::{await_listening, interrupt};

    let place = Place::of_experiment(&[ONE_SEED, ("\"20k\"", "\"3M\"")]);
    let child = place.start("experiment e.ron --json");
    let curve = place.path("e/models/slow-0-1-seed1.model.curve.jsonl");
    await_listening(&child, || fs::metadata(&curve).is_ok_and(|curve| curve.len() > 0));
    // Meanwhile the folder is locked.
    let second = place.sh("experiment e.ron");
    assert!(second.code == Some(1) && second.error().contains("in use"), "{second:?}");
    interrupt(&child);
    let stopped = finish(child);
    assert_eq!(stopped.json()["interrupted"], true);
    let done = place.shell(stopped.continuation()).success().json();
    assert_eq!((&done["complete"], &done["interrupted"]), (&true.into(), &false.into()));
    assert_eq!(done["configurations"][0]["trainings"][0]["moves"], 3_000_000);
}

#[test]
fn parts_in_folders_of_their_own_are_joined_by_copying() {
    let place = Place::of_experiment(&[("20k", "3k"), ("20000", "3000")]);
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
    let whole = place.complete();
    place.done("experiment e.ron --only fast --out a");
    place.done("experiment e.ron --only 'slow, 0.1' --out b");
    place.shell("cat b/results.jsonl >> a/results.jsonl; cp b/models/* a/models").success();
    let joined = place.done("experiment e.ron --out a --json");
    assert!(!joined.err.contains("training"), "{joined:?}");
    assert_eq!(without_times(joined.json()), without_times(whole));
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
