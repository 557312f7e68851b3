//! `runner model`: descriptions, verification, averages, folding and conversion.

use crate::harness::place::Place;
use crate::harness::{command, ran};
use std::fs;

const GAME: &str = "2048(rows: 2, cols: 3)";

impl Place {
    /// Creates a folder with two models for one game, and one for another game.
    fn with_models() -> Self {
        let place = Self::with_library("test_learner");
        place.create_model("one.model", GAME, "1");
        place.create_model("two.model", GAME, "2");
        place.create_model("other.model", "2048(rows: 2, cols: 2)", "1");
        place
    }

    fn create_model(&self, model: &str, game: &str, seed: &str) {
        let words = ["train", "--game", game, "--agent", "table(size: 8)", "--seed", seed];
        let trained = self.run(&[&words[..], &["--model", model, "--moves", "20k"]].concat());
        assert_eq!(trained.code, Some(0), "{trained:?}");
    }

    /// Trains an n-tuple network for 2048 on 4 x 4.
    fn create_network(&self, model: &str, seed: &str) {
        let words = ["train", "--game", "2048", "--agent", "tc-ntuple(network: \"012 45\")"];
        let more = ["--seed", seed, "--model", model, "--moves", "20k"];
        let trained = self.run(&[&words[..], &more].concat());
        assert_eq!(trained.code, Some(0), "{trained:?}");
    }

    /// Trains a network in which the tuple 01 lies within 012.
    fn create_redundant(&self, model: &str) {
        let words = ["train", "--game", "2048", "--agent", "tc-ntuple(network: \"012 45 01\")"];
        let trained = self.run(&[&words[..], &["--model", model, "--moves", "20k"]].concat());
        assert_eq!(trained.code, Some(0), "{trained:?}");
    }

    /// Runs a command that succeeds without a message, and returns its output.
    #[track_caller]
    fn expect_success(&self, words: &[&str]) -> String {
        let ran = self.run(words);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{ran:?}");
        ran.out
    }

    /// Runs a command that fails with this code, and returns its error.
    #[track_caller]
    fn failed(&self, code: i32, words: &[&str]) -> String {
        let ran = self.run(words);
        assert_eq!((ran.code, ran.out.as_str()), (Some(code), ""), "{ran:?}");
        println!("{words:?}: {}", ran.error());
        ran.error().to_owned()
    }

    #[track_caller]
    fn fact(&self, model: &str, name: &str) -> String {
        let json = self.run(&["model", "info", model, "--json"]).json();
        json[0]["facts"][name].as_str().unwrap_or_else(|| panic!("{name} of {json}")).to_owned()
    }

    /// Returns all entries of a table.
    fn numbers(&self, model: &str) -> Vec<f64> {
        self.expect_success(&["model", "convert", model, "numbers.text", "--force"]);
        self.text("numbers.text").lines().map(|line| line.parse().unwrap()).collect()
    }
}

#[test]
fn a_container_is_described_without_its_plugin() {
    let place = Place::with_models();
    let info = |more: &[&str]| {
        let words = ["model", "info", "one.model"];
        ran(command(&[&words[..], more].concat()).current_dir(place.folder()))
    };
    let described = info(&[]).out;
    for line in [
        "file      one.model",
        "kind      model",
        "game      2048(rows: 2, cols: 3, four: 0.1, goal: 2048, start_tiles: 2)",
        "spec      table(alpha: 0.1, size: 8)",
        "network   2^8 entries",
        "seed      1",
        "moves     20000",
        "section   entries, 1,024 bytes",
    ] {
        assert!(described.lines().any(|found| found == line), "no {line:?} in\n{described}");
    }
    let json = info(&["two.model", "--json"]).json();
    assert_eq!((&json[0]["file"], &json[1]["file"]), (&"one.model".into(), &"two.model".into()));
    assert_eq!((&json[1]["facts"]["seed"], &json[1]["kind"]), (&"2".into(), &"model".into()));
    assert_eq!(json[0]["sections"][0]["bytes"], 1024);
    assert!(place.failed(1, &["model", "info", "none.model"]).contains("none.model"));
}

/// A format that only the learner can read is described by the learner, if it is named.
#[test]
fn a_file_in_a_format_of_the_learner_is_described_by_the_learner() {
    let place = Place::with_models();
    place.expect_success(&["model", "convert", "one.model", "one.text"]);
    for command in ["info", "verify"] {
        let error = place.failed(1, &["model", command, "one.text"]);
        for part in ["one.text", "unknown file type", "--game", "--agent"] {
            assert!(error.contains(part), "no {part:?} in {error:?}");
        }
        let words = ["model", command, "one.text", "--game", GAME, "--agent"];
        let described = place.expect_success(&[&words[..], &["table(size: 8)"]].concat());
        assert!(described.contains("table(alpha: 0.1, size: 8)"), "{described}");
        let error = place.failed(1, &[&words[..], &["table(size: 9)"]].concat());
        assert!(error.contains("one.text") && error.contains("512"), "{error}");
        assert!(place.failed(2, &[&words[..], &["random"]].concat()).contains("not a learner"));
    }
}

#[test]
fn intact_models_verify_in_one_line_and_damaged_ones_fail() {
    let place = Place::with_models();
    let line = place.expect_success(&["model", "verify", "one.model"]);
    for part in ["one.model: 2048(rows: 2, cols: 3,", "2^8 entries", "20,000 moves"] {
        assert!(line.contains(part), "no {part:?} in {line:?}");
    }
    assert_eq!(
        place.expect_success(&["model", "verify", "one.model", "two.model"]).lines().count(),
        2
    );
    let whole = fs::read(place.path("one.model")).unwrap();
    let refused = |bytes: &[u8]| {
        fs::write(place.path("bad.model"), bytes).unwrap();
        place.failed(1, &["model", "verify", "bad.model"])
    };
    // The tests of the container try every byte.
    for at in (0..whole.len()).step_by(97) {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x10;
        assert!(refused(&flipped).contains("bad.model"), "byte {at}");
        assert!(refused(&whole[..at]).contains("bad.model"), "truncated at {at}");
    }
    assert!(refused(b"a shopping list").contains("unknown file type"));
    // A damaged file does not hide the others.
    let all = place.run(&["model", "verify", "bad.model", "one.model", "none.model"]);
    assert_eq!(all.code, Some(1));
    assert_eq!(all.error_lines().len(), 2, "{all:?}");
    assert!(all.out.contains("one.model") && all.err.contains("none.model"), "{all:?}");
}

#[test]
fn an_average_has_the_mean_of_each_number() {
    let place = Place::with_models();
    let average = ["model", "average", "mean.model", "one.model", "two.model"];
    place.expect_success(&average);
    let (one, two) = (place.numbers("one.model"), place.numbers("two.model"));
    assert_ne!(one, two);
    for ((one, two), mean) in one.iter().zip(&two).zip(place.numbers("mean.model")) {
        assert!(((one + two) / 2.0 - mean).abs() < 1e-3, "{one} and {two} have {mean}");
    }
    assert!(place.failed(2, &average).contains("--force"));
    place.expect_success(&[&average[..], &["--force"]].concat());
    let before = fs::read(place.path("mean.model")).unwrap();
    let words = ["model", "average", "mean.model", "one.model", "other.model", "--force"];
    let error = place.failed(1, &words);
    for part in ["other.model", "cols: 2", "cols: 3"] {
        assert!(error.contains(part), "no {part:?} in {error:?}");
    }
    assert_eq!(fs::read(place.path("mean.model")).unwrap(), before);
    assert_eq!(place.run(&["model", "average", "x.model", "one.model"]).code, Some(2));
}

/// Every format averages, also the one whose files do not name their learner.
#[test]
fn models_of_tdl2048_are_averaged_with_and_without_named_learners() {
    let place = Place::new();
    place.create_network("a.model", "1");
    place.create_network("b.model", "2");
    for (from, to) in [("a.model", "a.w"), ("b.model", "b.w"), ("b.model", "b.compact")] {
        place.expect_success(&["model", "convert", from, to]);
    }
    place.expect_success(&["model", "average", "m.w", "a.w", "b.w"]);
    place.expect_success(&["model", "average", "mixed.w", "a.w", "b.compact"]);
    place.expect_success(&["model", "average", "swapped.w", "b.compact", "a.w"]);
    let named = ["--game", "2048", "--agent", "td-ntuple(network: \"012 45\")"];
    place.expect_success(&[&["model", "average", "td.w", "a.w", "b.w"][..], &named].concat());
    for file in ["m.w", "mixed.w", "swapped.w", "td.w"] {
        place.expect_success(&["model", "convert", file, "m.player", "--force"]);
        let verified = place.expect_success(&["model", "verify", "m.player"]);
        assert!(verified.contains("012 45"), "{verified}");
    }
    // The values of m.w begin at byte 24: entry k of the mean is the mean of both.
    let first = |file: &str| {
        let bytes = fs::read(place.path(file)).unwrap();
        f32::from_le_bytes(bytes[24 + 4 * 0x111..][..4].try_into().unwrap())
    };
    let (a, b) = (first("a.w"), first("b.w"));
    assert!((first("m.w") - (a + b) / 2.0).abs() <= 1e-3 * a.abs().max(1.0));
}

#[test]
fn a_model_is_converted_to_other_formats_and_back() {
    let place = Place::with_models();
    let line = place.expect_success(&["model", "convert", "one.model", "one.text"]);
    assert!(line.starts_with("one.text: format `text`, "), "{line}");
    let of = ["--game", GAME, "--agent", "table(size: 8)"];
    let back = ["model", "convert", "one.text", "back.model"];
    let error = place.failed(2, &back);
    assert!(error.contains("--game") && error.contains("--agent"), "{error}");
    place.expect_success(&[&back[..], &of].concat());
    assert_eq!(place.numbers("back.model"), place.numbers("one.model"));
    let score = |model: &str| {
        let player = format!("table(size: 8, model: \"{model}\")");
        let words = ["eval", "--game", GAME, "--agent", &player, "--games", "50", "--json"];
        place.run(&words).json()["score"].clone()
    };
    assert_eq!(score("one.text"), score("one.model"));
    place.expect_success(&["model", "convert", "one.model", "named.bin", "--format", "text"]);
    assert_eq!(
        fs::read(place.path("named.bin")).unwrap(),
        fs::read(place.path("one.text")).unwrap()
    );

    let error = place.failed(2, &["model", "convert", "one.model", "x.model", "--format", "f16"]);
    for part in ["unknown format `f16`", "`model` (", "`text` ("] {
        assert!(error.contains(part), "no {part:?} in {error:?}");
    }
    assert!(place.failed(2, &["model", "convert", "one.model", "two.model"]).contains("--force"));
    let words = ["model", "convert", "one.text", "x.model", "--game", GAME, "--agent"];
    assert!(place.failed(2, &[&words[..], &["random"]].concat()).contains("not a learner"));
    let error = place.failed(1, &[&words[..], &["table(size: 9)"]].concat());
    assert!(error.contains("one.text") && error.contains("512"), "{error}");
    fs::write(place.path("nan.text"), "1\nmany\n").unwrap();
    let words = ["model", "convert", "nan.text", "x.model"];
    assert!(place.failed(1, &[&words[..], &of].concat()).contains("`many` is no number"));
    assert!(!place.path("x.model").exists());
    assert!(place.failed(1, &["model", "convert", "none.model", "x.model"]).contains("none.model"));
}

/// Training and mean score are in the header of every format.
#[test]
fn a_converted_model_has_the_facts_of_the_original() {
    let place = Place::new();
    place.create_network("n.model", "1");
    let facts = ["moves", "episodes", "seconds", "seed", "mean", "network"];
    let of = |model: &str| facts.map(|name| place.fact(model, name));
    assert!(of("n.model")[4].parse::<f64>().unwrap() > 100.0);
    assert_eq!(place.fact("n.model", "holds"), "weights and learning state");
    for to in ["n.player", "n.compact", "n.compact8"] {
        place.expect_success(&["model", "convert", "n.model", to]);
        place.expect_success(&["model", "convert", to, "back.model", "--force"]);
        assert_eq!((of(to), of("back.model")), (of("n.model"), of("n.model")));
        assert_eq!(place.fact(to, "holds"), "weights only");
    }
    place.expect_success(&["model", "convert", "n.model", "n.safetensors"]);
    let words = ["model", "convert", "n.safetensors", "x.model"];
    let error = place.failed(1, &words);
    assert!(error.contains("n.safetensors") && error.contains("cannot be loaded"), "{error}");
}

#[test]
fn help_lists_the_formats_of_networks() {
    let place = Place::new();
    place.create_redundant("n.model");
    let error = place.failed(2, &["model", "convert", "n.model", "x", "--format", "unknown"]);
    let formats = error.split('`').skip(3).step_by(2).collect::<Vec<_>>();
    assert!(formats.len() > 5 && formats.contains(&"checkpoint"), "{error}");
    for command in ["convert", "average"] {
        let help = place.expect_success(&["model", command, "--help"]);
        let words: Vec<_> = help.split(|c: char| !c.is_alphanumeric()).collect();
        for format in &formats {
            assert!(words.contains(format), "no `{format}` in {help}");
        }
    }
}

#[test]
fn a_folded_model_plays_like_a_model_that_is_folded_on_load_and_is_not_resumed() {
    let place = Place::new();
    place.create_redundant("r.model");
    let line = place.expect_success(&["model", "fold", "r.model", "r.folded"]);
    for part in ["r.folded: ", "`012 45`", " bytes"] {
        assert!(line.contains(part), "no {part:?} in {line:?}");
    }
    let fold = ["model", "fold", "r.model", "r.folded"];
    assert!(place.failed(2, &fold).contains("--force"));
    let json = place.run(&[&fold[..], &["--force", "--json"]].concat()).json();
    assert_eq!(json["from"]["network"], "012 45 01");
    assert_eq!(
        (&json["to"]["network"], &json["to"]["file"]),
        (&"012 45".into(), &"r.folded".into())
    );
    assert_eq!(json["to"]["bytes"], fs::metadata(place.path("r.folded")).unwrap().len());
    assert_eq!(place.fact("r.folded", "moves"), place.fact("r.model", "moves"));
    // It is converted like any other model, and remains a folded one.
    place.expect_success(&["model", "convert", "r.folded", "r.compact"]);
    place.expect_success(&["model", "convert", "r.compact", "again.model"]);
    let score = |player: &str| {
        let words = ["eval", "--game", "2048", "--agent", player, "--games", "20", "--json"];
        place.run(&words).json()["score"].clone()
    };
    // Rounding differs from that of the unfolded network, so equal actions may differ too.
    let expected = score("tc-ntuple(model: \"r.model\")");
    assert_eq!(score("tc-ntuple(network: \"012 45 01\", model: \"r.model\")"), expected);
    assert!(score("tc-ntuple(model: \"r.model\", fold: false)")["mean"].as_f64().unwrap() > 0.0);
    for model in ["r.folded", "r.compact", "again.model"] {
        assert_eq!(score(&format!("tc-ntuple(model: \"{model}\")")), expected, "{model}");
    }
    for model in ["r.folded", "r.compact", "again.model"] {
        assert_eq!(place.fact(model, "holds"), "folded weights");
        let before = place.names();
        let words = ["train", "--resume", "--model", model, "--moves", "30k"];
        let error = place.failed(1, &words);
        assert!(error.contains(model) && error.contains("only evaluate"), "{error}");
        assert_eq!(place.names(), before);
        assert!(place.failed(1, &["model", "fold", model, "x"]).contains("nothing to fold"));
    }
    place.create_network("n.model", "1");
    let error = place.failed(1, &["model", "fold", "n.model", "x"]);
    assert!(error.contains("n.model: there is nothing to fold") && error.contains("`012 45`"));
    // A learner of another network.
    let error = place.failed(1, &["model", "fold", "--agent", "tc-ntuple", "n.model", "x"]);
    assert!(error.contains("its network is `012 45`"), "{error}");
    assert!(!place.path("x").exists());
}

#[test]
fn saving_removes_the_temporary_files_of_killed_runs() {
    let place = Place::with_models();
    for left in ["x.model.runner-tmp", "x.model.2.runner-tmp"] {
        fs::write(place.path(left), "half a model").unwrap();
    }
    place.expect_success(&["model", "convert", "one.model", "x.model"]);
    assert_eq!(place.names().iter().filter(|name| name.starts_with("x.")).count(), 1);
}

/// A file of TDL2048+ has no header and no checksums: a learner that reads such files
/// describes it, and checks every number.
#[test]
fn a_model_of_tdl2048_is_described_and_verified() {
    let place = Place::with_models();
    place.create_network("n.model", "1");
    place.expect_success(&["model", "convert", "n.model", "n.w"]);
    let described = place.expect_success(&["model", "info", "n.w"]);
    for line in [
        "file     n.w",
        "game     2048",
        "spec     tc-ntuple(network: \"012 45\")",
        "network  012 45",
        "holds    weights and sums of errors",
        "weights  4352",
        "memory   sums of errors",
        "section  values of 012, 16,384 bytes",
        "section  sums of errors of 45, 2,048 bytes",
    ] {
        assert!(described.lines().any(|found| found == line), "no {line:?} in\n{described}");
    }
    let json = place.run(&["model", "info", "one.model", "n.w", "--json"]).json();
    assert_eq!(
        (&json[1]["facts"]["network"], &json[1]["game"]),
        (&"012 45".into(), &"2048".into())
    );
    let line = place.expect_success(&["model", "verify", "n.w"]);
    assert_eq!(line, "n.w: 2048, 012 45\n");
    // A model that was converted from it does not claim to be untrained.
    place.expect_success(&["model", "convert", "n.w", "from.model"]);
    let line = place.expect_success(&["model", "verify", "from.model"]);
    assert!(line.contains("no training recorded"), "{line}");
    let player = "tc-ntuple(model: \"from.model\")";
    let played = place.run(&["eval", "--game", "2048", "--agent", player, "--games", "2"]);
    assert!(played.err.contains("from.model") && !played.err.contains("untrained"), "{played:?}");
    // It names the game and the learner of a training that resumes from it.
    fs::copy(place.path("n.w"), place.path("old.w")).unwrap();
    let resumed = place.run(&["train", "--resume", "--model", "old.w", "--moves", "1k"]);
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    assert_eq!(place.fact("old.model", "moves"), "1000");
    let whole = fs::read(place.path("n.w")).unwrap();
    // Entry k of the first table is at byte 24 + 4 k.
    let mut bad = whole.clone();
    bad[24 + 4 * 100..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
    fs::write(place.path("bad.w"), bad).unwrap();
    place.expect_success(&["model", "info", "bad.w"]);
    let error = place.failed(1, &["model", "verify", "bad.w"]);
    assert!(error.contains("bad.w") && error.contains("entry 100 of the table `012` is NaN"));
    fs::write(place.path("bad.w"), &whole[..whole.len() - 1]).unwrap();
    for words in [["model", "info", "bad.w"], ["model", "verify", "bad.w"]] {
        assert!(place.failed(1, &words).contains("truncated"));
    }
}

/// A model states the parameters that its learner had when it was written.
#[test]
fn a_model_that_is_older_than_a_parameter_is_resumed() {
    let place = Place::new();
    place.create_network("n.model", "1");
    let bytes = fs::read(place.path("n.model")).unwrap();
    let container = runner_files::Container::new(bytes.as_slice(), "n.model").unwrap();
    let mut header = container.header().clone();
    let read = |s: &runner_files::container::Section| container.read_section(&s.name).unwrap();
    let sections: Vec<_> = header.sections.iter().map(read).collect();
    assert!(header.spec.contains(", fold: true"), "{}", header.spec);
    header.spec = header.spec.replace(", fold: true", "");
    let mut older = Vec::new();
    runner_files::container::write(&mut older, &header, |out| {
        sections.iter().try_for_each(|section| std::io::Write::write_all(out, section))
    })
    .unwrap();
    fs::write(place.path("older.model"), older).unwrap();
    let words = ["train", "--resume", "--model", "older.model", "--moves", "21k"];
    let resumed = place.run(&words);
    assert_eq!(resumed.code, Some(0), "{resumed:?}");
    assert_eq!(place.fact("older.model", "moves"), "21000");
}

/// Text of a header must not control the terminal.
#[test]
fn control_characters_of_a_header_are_not_printed() {
    let place = Place::with_models();
    let header = runner_files::Header {
        kind: "model\x1b[31m".into(),
        game: "a\x07b".into(),
        ..Default::default()
    };
    let mut bytes = Vec::new();
    let header = header.with("net\x1b]0;work", "x\ny");
    runner_files::container::write(&mut bytes, &header, |_| Ok(())).unwrap();
    fs::write(place.path("odd.model"), bytes).unwrap();
    for words in [["model", "info", "odd.model"], ["model", "verify", "odd.model"]] {
        let printed = place.expect_success(&words);
        assert!(printed.chars().all(|c| c == '\n' || !c.is_control()), "{printed:?}");
    }
}
