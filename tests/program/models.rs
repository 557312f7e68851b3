//! `runner model`: descriptions, verification, averages, folding and conversion.

#[cfg(target_os = "linux")]
use crate::harness::finish;
use crate::harness::place::Place;
use crate::harness::transcript::{assert_snapshot, timeless};
use runner_files::{Container, Header, container};
use serde_json::Value;
use std::fs;
use std::io::Write;
#[cfg(target_os = "linux")]
use std::process::Stdio;

const GAME: &str = "2048(rows: 2, cols: 3)";
/// A network in which the tuple 01 lies within 012.
const REDUNDANT: &str = "012 45 01";

impl Place {
    /// Creates a folder with two models for one game, and one for another game.
    fn with_models() -> Self {
        let place = Self::with_library("test_working");
        place.create_model("one.model", GAME, "1");
        place.create_model("two.model", GAME, "2");
        place.create_model("other.model", "2048(rows: 2, cols: 2)", "1");
        place
    }

    fn create_model(&self, model: &str, game: &str, seed: &str) {
        let learner = format!("--agent 'table(size: 8)' --seed {seed}");
        self.done(format!("train --game '{game}' {learner} --model {model} --moves 20k"));
    }

    /// Trains an n-tuple network for 2048 on 4 x 4.
    fn create_network(&self, model: &str, network: &str, seed: &str) {
        let learner = format!("--agent 'tc-ntuple(network: \"{network}\")' --seed {seed}");
        self.done(format!("train --game 2048 {learner} --model {model} --moves 20k"));
    }

    /// Runs a command that succeeds without a message, and returns its output.
    #[track_caller]
    fn silent(&self, line: impl AsRef<str>) -> String {
        let ran = self.done(line);
        assert_eq!(ran.err, "", "{ran:?}");
        ran.out
    }

    /// Returns the score of a player in games of a number.
    #[track_caller]
    fn score(&self, game: &str, player: &str, games: u32) -> Value {
        let eval = format!("eval --game '{game}' --agent '{player}' --games {games}");
        self.json(eval)["score"].clone()
    }

    #[track_caller]
    fn fact(&self, model: &str, name: &str) -> String {
        let json = self.json(format!("model info {model}"));
        json[0]["facts"][name].as_str().unwrap_or_else(|| panic!("{name} of {json}")).to_owned()
    }

    /// Writes a model with a changed header.
    fn forge(&self, from: &str, to: &str, change: impl FnOnce(&mut Header)) {
        let bytes = fs::read(self.path(from)).unwrap();
        let container = Container::new(bytes.as_slice(), from).unwrap();
        let mut header = container.header().clone();
        change(&mut header);
        let sections = &container.header().sections;
        let sections =
            sections.iter().map(|section| container.read_section(&section.name).unwrap());
        let (sections, mut forged): (Vec<_>, _) = (sections.collect(), Vec::new());
        let fill = |out: &mut container::Writer<_>| {
            sections.iter().try_for_each(|section| out.write_all(section))
        };
        container::write(&mut forged, &header, fill).unwrap();
        fs::write(self.path(to), forged).unwrap();
    }

    /// Returns all entries of a table.
    fn numbers(&self, model: &str) -> Vec<f64> {
        self.silent(format!("model convert {model} numbers.text --force"));
        self.text("numbers.text").lines().map(|line| line.parse().unwrap()).collect()
    }
}

#[test]
fn an_average_has_the_mean_of_each_number() {
    let place = Place::with_models();
    let average = "model average mean.model one.model two.model";
    place.silent(average);
    let (one, two) = (place.numbers("one.model"), place.numbers("two.model"));
    assert_ne!(one, two);
    for ((one, two), mean) in one.iter().zip(&two).zip(place.numbers("mean.model")) {
        assert!(((one + two) / 2.0 - mean).abs() < 1e-3, "{one} and {two} have {mean}");
    }
    // The learner is that of the first model that names one.
    place.silent("model convert one.model one.text");
    place.silent("model average other.mean one.text two.model");
    assert_eq!(place.numbers("other.mean"), place.numbers("mean.model"));
    let mut told = place.transcript(average);
    place.silent(format!("{average} --force"));
    let before = fs::read(place.path("mean.model")).unwrap();
    told += &place.transcript("model average mean.model one.model other.model --force");
    assert_snapshot!(timeless(&told));
    assert_eq!(fs::read(place.path("mean.model")).unwrap(), before);
}

#[test]
fn models_are_compared_in_their_game() {
    let place = Place::with_models();
    let [one, two] =
        ["one", "two"].map(|name| format!("'table(size: 8, model: \"{name}.model\")'"));
    let compared = place.sh(format!("compare --a {one} --b {two} --games 16 --json")).json();
    let game = compared["game"].as_str().unwrap();
    assert!(game.starts_with("2048(rows: 2, cols: 3"), "{game}");
}

#[test]
fn help_lists_the_formats_of_networks() {
    let place = Place::new();
    place.create_network("n.model", REDUNDANT, "1");
    let unknown = place.sh("model convert n.model x --format unknown");
    let formats = unknown.error().split('`').skip(3).step_by(2).collect::<Vec<_>>();
    assert!(formats.len() > 4 && formats.contains(&"checkpoint"), "{unknown:?}");
    for command in ["convert", "average"] {
        let help = place.silent(format!("model {command} --help"));
        let words: Vec<_> = help.split(|c: char| !c.is_alphanumeric()).collect();
        for format in &formats {
            assert!(words.contains(format), "no `{format}` in {help}");
        }
    }
}

#[test]
fn a_folded_model_plays_like_a_model_that_is_folded_on_load_and_is_not_resumed() {
    let place = Place::new();
    place.create_network("r.model", REDUNDANT, "1");
    let line = place.done("model fold r.model r.folded").out;
    assert!(line.starts_with("r.folded: network `012 45`, "), "{line}");
    let exists = place.sh("model fold r.model r.folded");
    assert!(exists.code == Some(2) && exists.error().contains("exists already"), "{exists:?}");
    let json = place.json("model fold r.model r.folded --force");
    let (from, to) = (&json["from"]["network"], &json["to"]);
    assert_eq!((from, &to["network"]), (&"012 45 01".into(), &"012 45".into()));
    assert_eq!(to["file"], "r.folded");
    assert_eq!(to["bytes"], fs::metadata(place.path("r.folded")).unwrap().len());
    assert_eq!(place.fact("r.folded", "moves"), place.fact("r.model", "moves"));
    // It is converted like any other model, and remains a folded one.
    place.silent("model convert r.folded r.player");
    place.silent("model convert r.player again.model");
    let score = |player: &str| place.score("2048", player, 20);
    let expected = score("tc-ntuple(model: \"r.model\")");
    assert_eq!(score("tc-ntuple(network: \"012 45 01\", model: \"r.model\")"), expected);
    place.create_network("n.model", "012 45", "1");
    let mut lines = vec!["model fold n.model x".to_owned()];
    for model in ["r.folded", "r.player", "again.model"] {
        assert_eq!(score(&format!("tc-ntuple(model: \"{model}\")")), expected, "{model}");
        assert_eq!(place.fact(model, "holds"), "folded weights");
        lines.push(format!("model fold {model} x"));
        lines.push(format!("train --resume --model {model} --moves 30k"));
    }
    let before = place.names();
    for line in lines {
        let refused = place.sh(&line);
        assert_eq!(refused.code, Some(1), "{line}: {refused:?}");
        let why = if line.starts_with("train") { "is folded, and" } else { "nothing to fold" };
        assert!(refused.error().contains(why), "{line}: {refused:?}");
    }
    assert_eq!(place.names(), before);
}

/// A file of TDL2048+ has no header and no checksums: a learner that reads such files
/// describes it, and checks every number.
#[test]
fn a_model_of_tdl2048_is_described_and_verified() {
    let place = Place::with_models();
    place.create_network("n.model", "012 45", "1");
    place.silent("model convert n.model n.w");
    assert_snapshot!(timeless(&place.transcript("model info n.w\nmodel verify n.w")));
    let json = &place.json("model info one.model n.w")[1];
    assert_eq!((&json["facts"]["network"], &json["game"]), (&"012 45".into(), &"2048".into()));
    // A model that was converted from it does not claim to be untrained.
    place.silent("model convert n.w from.model");
    let line = place.silent("model verify from.model");
    assert!(line.contains("no training recorded"), "{line}");
    let played =
        place.done("eval --game 2048 --agent 'tc-ntuple(model: \"from.model\")' --games 2");
    assert!(played.err.contains("from.model") && !played.err.contains("untrained"), "{played:?}");
    // It names the game and the learner of a training that resumes from it.
    fs::copy(place.path("n.w"), place.path("old.w")).unwrap();
    place.done("train --resume --model old.w --moves 1k");
    assert_eq!(place.fact("old.model", "moves"), "1000");
}

/// A header may leave out parameters that have their defaults, as those of the shipped models do.
#[test]
fn a_model_that_states_no_defaults_is_resumed() {
    let place = Place::new();
    place.create_network("n.model", "012 45", "1");
    place.forge("n.model", "short.model", |header| {
        assert!(header.spec.contains(", average: 0.0"), "{}", header.spec);
        header.spec = header.spec.replace(", average: 0.0", "");
    });
    place.done("train --resume --model short.model --moves 21k");
    assert_eq!(place.fact("short.model", "moves"), "21000");
}

/// Text of a header must not control the terminal.
#[test]
fn control_characters_of_a_header_are_not_printed() {
    let place = Place::with_models();
    let header =
        Header { kind: "model\x1b[31m".into(), game: "a\x07b".into(), ..Default::default() };
    let mut bytes = Vec::new();
    let header = header.with("net\x1b]0;work", "x\ny");
    container::write(&mut bytes, &header, |_| Ok(())).unwrap();
    fs::write(place.path("odd.model"), bytes).unwrap();
    for line in ["model info odd.model", "model verify odd.model"] {
        let printed = place.silent(line);
        assert!(printed.chars().all(|c| c == '\n' || !c.is_control()), "{printed:?}");
    }
}

/// The numbers are those that reading the weights needs, and those that are only printed.
#[test]
fn impossible_numbers_of_a_header_are_refused_by_every_command() {
    let place = Place::new();
    place.create_network("n.model", "012 45", "1");
    place.silent("model convert n.model n.tiny");
    for (fact, number) in [
        ("weights", "nan"),
        ("initial", "1e38"),
        ("step", "1e-40"),
        ("step", "inf"),
        ("mean", "NaN"),
        ("seconds", "inf"),
    ] {
        place.forge("n.tiny", "bad.model", |header| {
            let mut facts = header.facts.iter_mut();
            facts.find(|(name, _)| name == fact).unwrap().1 = number.to_owned();
        });
        for line in [
            "model info bad.model",
            "model verify bad.model",
            "model convert bad.model x.model",
            "model average x.model bad.model n.model",
            "train --resume --model bad.model --moves 21k",
            "eval --game 2048 --agent 'tc-ntuple(model: \"bad.model\")' --games 1",
        ] {
            let refused = place.sh(line);
            assert!(refused.code.is_some_and(|code| code != 0), "{line}: {refused:?}");
            let error = refused.error();
            assert!(error.contains("bad.model") && error.contains(fact), "{line}: {error}");
        }
    }
    assert!(!place.path("x.model").exists());
}

/// A header may name a plugin that this program does not have.
#[test]
fn a_header_that_states_an_unknown_game_or_parameter_is_refused_by_file_name() {
    let place = Place::new();
    place.create_network("n.model", "012 45", "1");
    place.forge("n.model", "game.model", |header| header.game = "4096".into());
    place.forge("n.model", "agent.model", |header| {
        header.spec = header.spec.replace("network:", "folds: true, network:");
    });
    place.forge("n.model", "text.model", |header| header.spec = "tc-ntuple(".into());
    for (model, why) in [("game", "`4096`"), ("agent", "`folds`"), ("text", "not closed")] {
        for line in [
            format!("train --resume --model {model}.model --moves 21k"),
            format!("train --from {model}.model --model x.model --moves 21k"),
            format!("model convert {model}.model x.w"),
            format!("model average x.w {model}.model n.model"),
        ] {
            let refused = place.sh(&line);
            assert_eq!(refused.code, Some(1), "{line}: {refused:?}");
            let error = refused.error();
            assert!(
                error.starts_with(&format!("{model}.model: ")) && error.contains(why),
                "{error}"
            );
        }
    }
    // An error of the command line is none of the file.
    let refused = place.sh("train --resume --model n.model --game 4096");
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.error().starts_with("there is no game `4096`"), "{refused:?}");
}

/// The model is complete before its size is printed.
#[cfg(target_os = "linux")]
#[test]
fn a_report_that_cannot_be_printed_says_that_the_model_is_written() {
    let place = Place::new();
    place.create_network("n.model", REDUNDANT, "1");
    for line in ["model convert n.model n.tiny", "model fold n.model n.folded"] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let failed = finish(place.line(line).stdout(full).stderr(Stdio::piped()).spawn().unwrap());
        let (_, file) = line.rsplit_once(' ').unwrap();
        let expected = format!("error: {file} is written: cannot write the output: ");
        assert!(failed.only_line(&expected).contains("No space left"), "{failed:?}");
        assert_eq!(failed.code, Some(1));
        place.silent(format!("model verify {file}"));
    }
}
