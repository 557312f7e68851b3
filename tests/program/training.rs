//! Tests of `runner train` and of the training of the main job: resumed, interrupted, killed,
//! locked, and on full disks. The learner of the tests is deterministic, so a training in
//! pieces is compared with one in a single run.

#[cfg(target_os = "linux")]
mod display;
#[cfg(target_os = "linux")]
mod signals;

use crate::harness::place::Place;
use crate::harness::transcript::assert_snapshot;
use serde_json::Value;
use std::fs;

const GAME: &str = "2048(rows: 3, cols: 3)";

/// Trains `a.model`.
const TRAIN: &str = "train --game '2048(rows: 3, cols: 3)' --agent table --model a.model";

impl Place {
    /// Returns an empty folder in which the program has the learner of the tests.
    fn of_models() -> Self {
        Self::with_library("test_working")
    }

    /// Trains `a.model`, and returns the document.
    #[track_caller]
    fn train(&self, more: &str) -> Value {
        self.json(format!("{TRAIN} {more}"))
    }

    /// Returns the table in a model as text.
    #[track_caller]
    fn table(&self, model: &str) -> String {
        self.done(format!("model convert {model} table.text --force"));
        self.text("table.text")
    }

    /// Returns the training moves of a valid model.
    #[track_caller]
    fn moves(&self, model: &str) -> u64 {
        self.done(format!("model verify '{model}'"));
        let info = self.json(format!("model info '{model}'"));
        info[0]["facts"]["moves"].as_str().unwrap().parse().unwrap()
    }

    fn curve(&self, name: &str) -> Vec<Value> {
        self.text(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Runs the main command; it saves models in the folder `data`.
    #[track_caller]
    fn play(&self, agent: &str, time: &str) -> Value {
        self.json(play(agent, time))
    }

    /// Returns the saved models of the main command.
    fn saved(&self) -> Vec<String> {
        let mut names = self.names_in("data/runner/models");
        names.retain(|name| name.ends_with(".model"));
        names
    }

    /// Returns the training moves of the only saved model.
    #[track_caller]
    fn saved_moves(&self) -> u64 {
        self.moves(&format!("data/runner/models/{}", self.saved()[0]))
    }
}

fn play(agent: &str, time: &str) -> String {
    format!("--game '{GAME}' --agent '{agent}' --for {time} --games 20")
}

fn ascending(points: &[Value]) -> bool {
    points.is_sorted_by_key(|point| point["moves"].as_u64().unwrap())
}

#[test]
fn training_writes_a_model_a_curve_and_a_chart() {
    let place = Place::of_models();
    let trained = place.done(format!("{TRAIN} --moves 100k --json --threads 2"));
    assert_eq!(trained.err, "", "no progress lines beside the document");
    let result = trained.json();
    for field in ["game", "agent", "seed", "threads", "moves", "episodes", "seconds", "model"] {
        assert!(!result[field].is_null(), "{field} is missing: {result}");
    }
    assert_eq!((&result["moves"], &result["seed"]), (&100_000.into(), &1.into()));
    assert_eq!((&result["model"], &result["threads"]), (&"a.model".into(), &2.into()));
    assert_eq!(result["last"]["episodes"], 1000);
    assert!(result["last"]["mean"].as_f64().unwrap() > 100.0, "{result}");
    assert!(result["last"]["max_tile"].as_u64().unwrap() >= 32, "{result}");
    assert!(result["agent"].as_str().unwrap().contains("alpha: 0.1"), "{result}");
    assert_eq!(place.names(), ["a.model", "a.model.curve.jsonl"]);
    assert_eq!(place.moves("a.model"), 100_000);
    let curve = place.curve("a.model.curve.jsonl");
    let last = &curve[curve.len() - 1];
    assert_eq!(last["moves"], 100_000);
    assert_eq!(last["reached"]["4"], 1.0, "{last}");
    assert_eq!((&last["window"], &last["mean"]), (&1000.into(), &result["last"]["mean"]));

    let resumed = place.done(format!("{TRAIN} --resume --moves 101k"));
    for part in ["101,000 moves", "model: a.model, ", "KiB"] {
        assert!(resumed.out.contains(part), "{part:?}: {resumed:?}");
    }
}

/// Cut at checkpoints and evaluations, ended and resumed.
#[test]
fn training_in_pieces_equals_one_run() {
    let place = Place::of_models();
    place.train("--moves 60k --seed 7");
    let single = place.table("a.model");
    let cut = "--checkpoint 1ms --evaluate 7k --evaluate-games 9";
    place.train(&format!("{cut} --force --moves 25k --seed 7"));
    // Game, learner and seed are those of the model; limits count from its start.
    let result = place.json(format!("train --resume --model a.model --moves 60k {cut}"));
    assert_eq!((&result["seed"], &result["moves"]), (&7.into(), &35_000.into()));
    assert_eq!(result["total"]["moves"], 60_000);
    assert!(place.table("a.model") == single, "the tables differ");
    let curve = place.curve("a.model.curve.jsonl");
    assert!(ascending(&curve));
    let evaluations = curve.iter().filter(|point| !point["evaluation"].is_null());
    let at: Vec<_> = evaluations.map(|point| point["moves"].as_u64().unwrap()).collect();
    // Every 7,000 moves, and at the end of each run.
    assert_eq!(at, [7_000, 14_000, 21_000, 25_000, 28_000, 35_000, 42_000, 49_000, 56_000, 60_000]);
}

#[test]
fn another_training_is_not_resumed() {
    let place = Place::of_models();
    place.train("--moves 5k --seed 3");
    let resume = "train --resume --model a.model --moves 6k";
    let mut told = place.transcript(&format!(
        "{resume} --game 2048
        {resume} --agent 'table(size: 9)'
        {resume} --seed 4"
    ));
    place.done(format!("{resume} --game '{GAME}' --agent table --seed 3"));
    // A damaged model is refused and stays as it is.
    let mut bytes = fs::read(place.path("a.model")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(place.path("a.model"), &bytes).unwrap();
    told += &place.transcript(resume);
    assert!(fs::read(place.path("a.model")).unwrap() == bytes);
    assert_snapshot!(told);
}

/// The other model stays, and the learning state comes along.
#[test]
fn another_training_begins_with_a_model_and_other_parameters() {
    let place = Place::new();
    let train = |learner: &str, more: &str| {
        format!("train --game '{GAME}' --agent 'tc-ntuple(network: \"0145\"{learner})' {more}")
    };
    let other = |more: &str| train(", beta: 0.5", more);
    place.json(train("", "--model a.model --moves 2k"));
    let first = fs::read(place.path("a.model")).unwrap();
    let mut told = place.transcript(&other("--model a.model --resume --moves 3k"));
    let begun = place.done(other("--from a.model --model b.model --moves 3k --json"));
    assert_eq!(begun.err, "");
    assert!((1_000..2_000).contains(&begun.json()["moves"].as_u64().unwrap()));
    assert_eq!(fs::read(place.path("a.model")).unwrap(), first);
    assert!(place.moves("b.model") >= 3_000);
    assert_eq!(place.done(other("--model b.model --resume --moves 4k --json")).err, "");
    // Game and learner are those of the model unless others are named.
    place.done("train --from b.model --model c.model --moves 5k");
    let info = place.done("model info c.model --json");
    assert!(info.out.contains("beta: 0.5"), "{info:?}");
    // The curve of an overwritten model is not continued, although the new model has more moves.
    place.done(other("--from a.model --model c.model --moves 9k --force --json"));
    let began = &place.curve("c.model.curve.jsonl")[0];
    assert!(began["moves"].as_u64() > Some(2_000), "{began}");

    told += &place.transcript(
        "train --moves 9k --from a.model --model b.model --resume
        train --moves 9k --from a.model --model b.model
        train --moves 9k --from a.model --model ./a.model --force
        train --moves 1k --from b.model --model a.model --force
        train --moves 9k --from a.model --model d.model --game 2048
        train --moves 9k --from a.model --model d.model --agent 'tc-ntuple(network: \"01\")'",
    );
    assert_snapshot!(told);
    assert_eq!(fs::read(place.path("a.model")).unwrap(), first);
    assert!(!place.names().iter().any(|name| name.starts_with("d.model")), "{:?}", place.names());
}

#[test]
fn games_begin_at_positions_of_recorded_games() {
    let place = Place::new();
    let eval = format!("eval --game '{GAME}' --agent random --seed 4");
    place.json(format!("{eval} --games 100 --records a.rec"));
    let moves = place.done("replay export a.rec --per move").out;
    let moves = moves.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let states = moves.map(|made| made["state"].as_str().unwrap().to_owned());
    let found: Vec<_> = states.filter(|state| state.contains("16")).collect();
    fs::write(place.path("starts"), found.join("\n")).unwrap();

    let result = |threads: u32| {
        place.json(format!("{eval} --games 300 --starts starts --threads {threads} --scores"))
    };
    let (one, two) = (result(1), result(2));
    assert_eq!(one["scores"], two["scores"]);
    let games = one["scores"].as_array().unwrap();
    assert!(games.iter().all(|game| game["max_tile"].as_u64().unwrap() >= 16), "{one}");
    // The score counts from the position on.
    let whole = place.json(format!("{eval} --games 300"));
    let mean = |report: &Value| report["score"]["mean"].as_f64().unwrap();
    assert!(mean(&one) < mean(&whole), "{} {}", mean(&one), mean(&whole));

    let train = format!(
        "train --game '{GAME}' --agent 'tc-ntuple(network: \"01\")' --moves 3k --threads 1"
    );
    place.json(format!("{train} --model a.model --starts starts"));
    let last = place.curve("a.model.curve.jsonl").pop().unwrap();
    assert_eq!(last["reached"]["16"], 1.0, "{last}");
}

/// Such a model is not replaced by a checkpoint, and the loss is stated.
#[test]
fn model_without_learning_state_is_resumed_beside_it() {
    let place = Place::new();
    let train = format!("train --game '{GAME}' --agent 'tc-ntuple(network: \"01\")'");
    place.done(format!("{train} --model a.model --moves 2k"));
    place.done("model convert a.model b.player");
    let player = fs::read(place.path("b.player")).unwrap();
    let resumed = place.done(format!("{train} --model b.player --resume --moves 4k --json"));
    assert_eq!(resumed.json()["model"], "b.model");
    assert!(resumed.err.contains("b.player holds weights only"), "{resumed:?}");
    assert_eq!(fs::read(place.path("b.player")).unwrap(), player);
    assert!(place.moves("b.model") >= 4_000);
    assert_snapshot!(place.transcript(&format!("{train} --model b.player --resume --moves 5k")));
    // A checkpoint is resumed in place.
    let resumed = place.done(format!("{train} --model b.model --resume --moves 5k --json"));
    assert_eq!(resumed.err, "");
    assert!(place.moves("b.model") >= 5_000);
}

/// The agent asks the learner for each decision, so it plays as the learner does.
#[test]
fn agent_is_evaluated_with_the_learner_as_its_value() {
    let place = Place::of_models();
    let evaluate = "--evaluate 20k --evaluate-games 50 --evaluate-with follow";
    let result = place.train(&format!("{evaluate} --moves 30k"));
    let [alone, with] = &result["evaluations"].as_array().unwrap()[..] else {
        panic!("two players: {result}")
    };
    assert_eq!((&with["agent"], &with["games"]), (&"follow".into(), &50.into()));
    assert_eq!(with["mean"], alone["mean"]);
    // `eval` plays the same games with the model.
    let (player, seed) = ("table(model: \"a.model\")", &alone["seed"]);
    let eval = format!("eval --game '{GAME}' --agent '{player}' --games 50 --seed {seed} --json");
    let played = place.done(eval);
    let line = played.only_line("model: a.model, ");
    assert!(line.contains("trained for 30,000 moves"), "{line}");
    let score = &played.json()["score"];
    assert_eq!((&score["mean"], &score["ci95"]), (&alone["mean"], &alone["ci95"]));
}

#[test]
fn run_trains_once_and_plays_the_saved_model() {
    let place = Place::of_models();
    let [first, second] = [(); 2].map(|()| place.done(play("table", "1s") + " --json"));
    let (one, two) = (first.json(), second.json());
    assert_eq!((&one["score"], &one["agent"]), (&two["score"], &two["agent"]));
    for played in [&first, &second] {
        let line = played.only_line("model: ");
        assert!(line.contains("trained for "), "{line}");
    }
    // Nobody typed the name of the model, so a damaged one is no usage error.
    let model = format!("data/runner/models/{}", place.saved()[0]);
    let intact = fs::read(place.path(&model)).unwrap();
    fs::write(place.path(&model), &intact[..intact.len() - 4]).unwrap();
    let damaged = place.sh(play("table", "1s"));
    assert_eq!((damaged.code, damaged.out.as_str()), (Some(1), ""), "{damaged:?}");
    for part in [&model[..], "remove"] {
        assert!(damaged.error().contains(part), "{part:?}: {damaged:?}");
    }
    fs::write(place.path(&model), intact).unwrap();

    let agent = one["agent"].as_str().unwrap();
    assert!(agent.contains("model: \"") && agent.contains("data/runner/models/2048-"), "{agent}");
    let eval = place.json(format!("eval --game '{GAME}' --agent '{agent}' --games 20"));
    assert_eq!(eval["score"], one["score"]);
}

#[test]
fn run_resumes_a_model_that_is_trained_for_less_than_the_time() {
    let place = Place::of_models();
    place.play("table", "1ms");
    let short = place.saved_moves();
    place.play("table", "1500ms");
    let long = place.saved_moves();
    assert!(long > short, "{short} {long}");
    place.play("table", "500ms");
    assert_eq!(place.saved_moves(), long, "it is trained for longer than that");
    // The time limits the games of a player that has its model.
    let played = place.json(format!("--game '{GAME}' --agent table --for 1s --games 1G"));
    assert!(played["seconds"].as_f64().unwrap() < 20.0, "{played}");
}

/// A nested learner plays the saved model, as the learner alone does.
#[test]
fn run_never_plays_an_untrained_learner_inside_an_agent() {
    let place = Place::of_models();
    let nested = place.play("follow(value: table)", "300ms");
    assert_eq!(place.saved().len(), 1);
    let alone = place.play("table", "300ms");
    assert_eq!(place.saved().len(), 1, "both have the same model");
    assert_eq!(nested["score"], alone["score"]);
    let agent = nested["agent"].as_str().unwrap();
    assert!(agent.contains("model: \""), "{agent}");
    // In a list too.
    let both = place.play("alternate(agents: [table, table])", "300ms");
    assert_eq!(both["score"], alone["score"]);
}

/// The model that was saved before the first move has learned nothing, so nothing is resumed.
#[test]
fn training_that_diverges_before_its_first_checkpoint_is_not_to_be_resumed() {
    let place = Place::of_models();
    let agent = "td-ntuple(alpha: 1, lambda: 0.9, update: \"delayed\")";
    let game = "2048(rows: 2, cols: 3)";
    let train = format!("train --game '{game}' --agent '{agent}' --moves 200k --threads 1");
    let ran = place.sh(format!("{train} --model b.model"));
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let error = ran.only_line("error: ");
    assert!(error.contains("training has diverged"), "{error}");
    assert!(!error.contains("continue from"), "{error}");
    assert_eq!(place.moves("b.model"), 0);
}

#[cfg(unix)]
#[test]
fn full_disk_is_reported_and_the_old_model_stays() {
    let place = Place::of_models();
    // A curve fits, a table of 16 KiB does not.
    let train = format!("{TRAIN} --checkpoint 1ms --json --moves");
    let full = place.on_full_disk(16, &format!("{train} 50k"));
    assert_eq!((full.code, full.out.as_str()), (Some(1), ""), "{full:?}");
    assert!(full.error().contains("a.model") && full.error().contains("could not be"), "{full:?}");
    assert!(place.names().is_empty(), "{:?}", place.names());

    place.done(format!("{train} 50k"));
    let before = fs::read(place.path("a.model")).unwrap();
    let full = place.on_full_disk(16, &format!("{train} 100k --resume"));
    assert_eq!((full.code, full.out.as_str()), (Some(1), ""), "{full:?}");
    assert!(full.error().contains("a.model") && full.error().contains("continue from"), "{full:?}");
    assert_eq!(fs::read(place.path("a.model")).unwrap(), before);
    assert_eq!(place.names(), ["a.model", "a.model.curve.jsonl"]);
}
