//! Models as files: what they say about themselves, whether they are whole, their
//! mean, and their other forms.

use crate::harness::place::Place;
use crate::harness::{command, ran};
use std::fs;

const GAME: &str = "2048(rows: 2, cols: 3)";

impl Place {
    /// A folder with two models of one shape, and one of another game.
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

    #[track_caller]
    fn done(&self, words: &[&str]) -> String {
        let ran = self.run(words);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{ran:?}");
        ran.out
    }

    /// The one error of a command that ends so.
    #[track_caller]
    fn failed(&self, code: i32, words: &[&str]) -> String {
        let ran = self.run(words);
        assert_eq!((ran.code, ran.out.as_str()), (Some(code), ""), "{ran:?}");
        println!("{words:?}: {}", ran.error());
        ran.error().to_owned()
    }

    fn numbers(&self, model: &str) -> Vec<f64> {
        self.done(&["model", "convert", model, "numbers.text", "--force"]);
        self.text("numbers.text").lines().map(|line| line.parse().unwrap()).collect()
    }
}

#[test]
fn a_model_says_what_it_is_without_its_plugin() {
    let place = Place::with_models();
    let info = |more: &[&str]| {
        let words = ["model", "info", "one.model"];
        ran(command(&[&words[..], more].concat()).current_dir(place.folder()))
    };
    let told = info(&[]).out;
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
        assert!(told.lines().any(|found| found == line), "{line:?} is wanted in\n{told}");
    }
    let json = info(&["two.model", "--json"]).json();
    assert_eq!((&json[0]["file"], &json[1]["file"]), (&"one.model".into(), &"two.model".into()));
    assert_eq!((&json[1]["facts"]["seed"], &json[1]["kind"]), (&"2".into(), &"model".into()));
    assert_eq!(json[0]["sections"][0]["bytes"], 1024);
    assert!(place.failed(1, &["model", "info", "none.model"]).contains("none.model"));
}

#[test]
fn a_whole_model_verifies_in_a_line_and_no_other_does() {
    let place = Place::with_models();
    let line = place.done(&["model", "verify", "one.model"]);
    for part in ["one.model: 2048(rows: 2, cols: 3,", "2^8 entries", "20,000 moves"] {
        assert!(line.contains(part), "{part:?} is wanted in {line:?}");
    }
    assert_eq!(place.done(&["model", "verify", "one.model", "two.model"]).lines().count(), 2);
    let whole = fs::read(place.path("one.model")).unwrap();
    let refused = |bytes: &[u8]| {
        fs::write(place.path("bad.model"), bytes).unwrap();
        place.failed(1, &["model", "verify", "bad.model"])
    };
    // Every so many bytes is enough here: the container's own tests try all.
    for at in (0..whole.len()).step_by(97) {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x10;
        assert!(refused(&flipped).contains("bad.model"), "byte {at}");
        assert!(refused(&whole[..at]).contains("bad.model"), "cut at {at}");
    }
    assert!(refused(b"a shopping list").contains("unknown file type"));
    // One that is bad does not hide another, or one that is good.
    let both = place.run(&["model", "verify", "bad.model", "one.model", "none.model"]);
    assert_eq!(both.code, Some(1));
    assert_eq!(both.told().len(), 2, "{both:?}");
    assert!(both.out.contains("one.model") && both.err.contains("none.model"), "{both:?}");
}

#[test]
fn the_average_of_models_is_that_of_each_of_their_numbers() {
    let place = Place::with_models();
    let average = ["model", "average", "mean.model", "one.model", "two.model"];
    place.done(&average);
    let (one, two) = (place.numbers("one.model"), place.numbers("two.model"));
    assert_ne!(one, two);
    for ((one, two), mean) in one.iter().zip(&two).zip(place.numbers("mean.model")) {
        assert!(((one + two) / 2.0 - mean).abs() < 1e-3, "{one} and {two}, and {mean}");
    }
    assert!(place.failed(2, &average).contains("--force"));
    place.done(&[&average[..], &["--force"]].concat());
    let before = fs::read(place.path("mean.model")).unwrap();
    let words = ["model", "average", "mean.model", "one.model", "other.model", "--force"];
    let error = place.failed(1, &words);
    for part in ["other.model", "cols: 2", "cols: 3"] {
        assert!(error.contains(part), "{part:?} is wanted in {error:?}");
    }
    assert_eq!(fs::read(place.path("mean.model")).unwrap(), before);
    assert_eq!(place.run(&["model", "average", "x.model", "one.model"]).code, Some(2));
}

/// To the foreign form and back: the same numbers, which play the same games.
#[test]
fn a_model_is_written_in_other_forms_and_read_from_them() {
    let place = Place::with_models();
    let told = place.done(&["model", "convert", "one.model", "one.text"]);
    assert!(told.starts_with("one.text: form `text`, "), "{told}");
    let of = ["--game", GAME, "--agent", "table(size: 8)"];
    let back = ["model", "convert", "one.text", "back.model"];
    let error = place.failed(2, &back);
    assert!(error.contains("--game") && error.contains("--agent"), "{error}");
    place.done(&[&back[..], &of].concat());
    assert_eq!(place.numbers("back.model"), place.numbers("one.model"));
    let score = |model: &str| {
        let player = format!("table(size: 8, model: \"{model}\")");
        let words = ["eval", "--game", GAME, "--agent", &player, "--games", "50", "--json"];
        place.run(&words).json()["score"].clone()
    };
    assert_eq!(score("one.text"), score("one.model"));
    place.done(&["model", "convert", "one.model", "named.bin", "--form", "text"]);
    assert_eq!(
        fs::read(place.path("named.bin")).unwrap(),
        fs::read(place.path("one.text")).unwrap()
    );

    let error = place.failed(2, &["model", "convert", "one.model", "x.model", "--form", "f16"]);
    for part in ["no form `f16`", "`model` (the table", "`text` (a number a line"] {
        assert!(error.contains(part), "{part:?} is wanted in {error:?}");
    }
    assert!(place.failed(2, &["model", "convert", "one.model", "two.model"]).contains("--force"));
    let words = ["model", "convert", "one.text", "x.model", "--game", GAME, "--agent"];
    assert!(place.failed(2, &[&words[..], &["random"]].concat()).contains("does not learn"));
    let error = place.failed(1, &[&words[..], &["table(size: 9)"]].concat());
    assert!(error.contains("one.text") && error.contains("512"), "{error}");
    fs::write(place.path("nan.text"), "1\nmany\n").unwrap();
    let words = ["model", "convert", "nan.text", "x.model"];
    assert!(place.failed(1, &[&words[..], &of].concat()).contains("`many` is no number"));
    assert!(!place.path("x.model").exists());
    assert!(place.failed(1, &["model", "convert", "none.model", "x.model"]).contains("none.model"));
}

/// A file of TDL2048+ names neither game nor learner, and holds no checksum: a learner
/// that reads such files tells of it, and looks at every number.
#[test]
fn a_model_of_another_program_is_told_and_verified() {
    let place = Place::with_models();
    let words = ["train", "--game", "2048", "--agent", "tc-ntuple(network: \"012 45\")"];
    let trained = place.run(&[&words[..], &["--model", "n.model", "--moves", "20k"]].concat());
    assert_eq!(trained.code, Some(0), "{trained:?}");
    place.done(&["model", "convert", "n.model", "n.w"]);
    let told = place.done(&["model", "info", "n.w"]);
    for line in [
        "file     n.w",
        "game     2048",
        "network  012 45",
        "weights  4352",
        "memory   sums of errors",
        "section  values of 012, 16,384 bytes",
        "section  sums of errors of 45, 2,048 bytes",
    ] {
        assert!(told.lines().any(|found| found == line), "{line:?} is wanted in\n{told}");
    }
    let json = place.run(&["model", "info", "one.model", "n.w", "--json"]).json();
    assert_eq!(
        (&json[1]["facts"]["network"], &json[1]["game"]),
        (&"012 45".into(), &"2048".into())
    );
    let line = place.done(&["model", "verify", "n.w"]);
    assert_eq!(line, "n.w: 2048, 012 45\n");
    let whole = fs::read(place.path("n.w")).unwrap();
    // The frame of the first table ends at byte 24: version, how many, layout, name,
    // width and length. Then entry k lies 4 k bytes on.
    let mut bad = whole.clone();
    bad[24 + 4 * 100..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
    fs::write(place.path("bad.w"), bad).unwrap();
    place.done(&["model", "info", "bad.w"]);
    let error = place.failed(1, &["model", "verify", "bad.w"]);
    assert!(error.contains("bad.w") && error.contains("entry 100 of the table `012` is NaN"));
    fs::write(place.path("bad.w"), &whole[..whole.len() - 1]).unwrap();
    for words in [["model", "info", "bad.w"], ["model", "verify", "bad.w"]] {
        assert!(place.failed(1, &words).contains("cut off"));
    }
}

/// Whatever a header says, it cannot steer the terminal.
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
        let told = place.done(&words);
        assert!(told.chars().all(|c| c == '\n' || !c.is_control()), "{told:?}");
    }
}
