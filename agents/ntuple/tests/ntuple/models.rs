//! Models are read back in every format, with all that they hold.

mod refused;
mod stages;

use super::support::*;
use runner_core::catch;
use std::path::Path;

/// A network of 512 weights, so that every byte can be tried.
const SMALL: &str = "01 45";

const OWN: [&str; 4] = ["checkpoint", "player", "tiny", "micro"];

fn difference(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

#[test]
fn a_model_has_the_same_values_in_every_format() {
    let setting = setting(4, 4);
    let learner = setting.trained("0123 0145", 1);
    let values = setting.values(&learner);
    let largest = values.iter().copied().fold(0.0, f32::max);
    let folder = tempfile::tempdir().unwrap();
    let formats = learner.formats();
    assert_eq!(formats[0].name, "checkpoint", "the first format is the complete one");
    for format in formats {
        let file = folder.path().join(&format.name);
        learner.save(&file, &format.name).unwrap();
        let player = setting.player(&file).unwrap();
        let allowed = match format.name.as_str() {
            // So few weights have one step, and those of less than four steps may be left out.
            "tiny" | "micro" => 0.02 * largest,
            _ => 0.0,
        };
        let found = difference(&values, &setting.values(&player));
        assert!(found <= allowed, "{}: {found} of {largest}", format.name);
        assert!(allowed == 0.0 || found > 0.0, "{} rounds", format.name);
        // A learner that was built with a model only plays.
        refused(player.train(&setting.game, &session(moves(1))), &["model"]);
    }
}

#[test]
fn weights_without_learning_state_are_kept_when_they_are_rounded() {
    let setting = setting(4, 4);
    let learner = setting.trained("0123 0145", 1);
    // The model has the weights alone, and a few of them get learning state.
    learner.load_bytes(&saved(&learner, "player"), "player").unwrap();
    learner.train(&setting.game, &session(moves(50))).unwrap();
    let values = setting.values(&learner);
    let largest = values.iter().copied().fold(0.0, f32::max);
    for format in ["tiny", "micro"] {
        let other = setting.learner("0123 0145");
        other.load_bytes(&saved(&learner, format), format).unwrap();
        let found = difference(&setting.values(&other), &values);
        assert!(found < 0.1 * largest, "{format}: {found} of {largest}");
    }
}

fn optimistic(network: &str, optimism: f32) -> TcNtuple {
    setting(4, 4).read(&format!("network: \"{network}\", optimism: {optimism:?}")).unwrap()
}

#[test]
fn untouched_weights_take_no_room() {
    let setting = setting(4, 4);
    for optimism in [0.0, 1000.0] {
        let learner = optimistic("012345", optimism);
        setting.train(&learner, 1);
        let models = OWN.map(|format| saved(&learner, format));
        let sizes = models.each_ref().map(Vec::len);
        // All weights have 64 MiB, their learning state has as much.
        assert!(sizes[0] < 2 << 20, "{sizes:?}");
        assert!(sizes[1] < sizes[0] && sizes[2..].iter().all(|&size| size < sizes[1]), "{sizes:?}");
        // Other weights are replaced, also where the model has untouched ones.
        let other = optimistic("012345", optimism);
        for model in &models[..2] {
            setting.train(&other, 2);
            other.load_bytes(model, "exact").unwrap();
            assert_eq!(setting.values(&other), setting.values(&learner));
        }
    }
}

#[test]
fn untouched_weights_get_the_initial_value_of_the_learner_that_continues() {
    let setting = setting(4, 4);
    let build = |optimism| optimistic("0123", optimism);
    let value = |learner: &TcNtuple| {
        // A board of large tiles alone, which no game of the training has in a row.
        values(learner, &[Afterstate::new(0xfedc_ba98_89ab_cdef, 0)])[0]
    };
    for (theirs, ours) in [(0.0, 1000.0), (1000.0, 0.0), (1000.0, 64.0)] {
        let learner = build(theirs);
        setting.train(&learner, 1);
        let model = saved(&learner, "checkpoint");
        let other = build(ours);
        other.load_bytes(&model, "model").unwrap();
        let (before, after) = (setting.values(&learner), setting.values(&other));
        assert!(before.iter().zip(after).any(|(before, after)| *before == after));
        assert_eq!((value(&learner), value(&other)), (theirs, ours));
        // They are still untouched: all weights have 256 KiB.
        assert!(saved(&other, "checkpoint").len() < model.len() + 100);
    }
}

#[test]
fn a_checkpoint_that_is_loaded_and_saved_is_the_same_file() {
    let setting = setting(4, 4);
    // The mean length of games decides on restarts, so it is stored, also before the first restart.
    for parameters in ["", "longer_than_mean: 1.5", "longer_than_mean: 1e6"] {
        let parameters = match parameters {
            "" => String::new(),
            middle => format!("restarts: middle({middle})"),
        };
        let parameters = format!("network: \"{SMALL}\", {parameters}");
        let [learner, other] = [(); 2].map(|()| setting.read::<TcNtuple>(&parameters).unwrap());
        setting.train(&learner, 1);
        // Learning state of before is replaced.
        setting.train(&other, 2);
        let checkpoint = saved(&learner, "checkpoint");
        other.load_bytes(&checkpoint, "a.model").unwrap();
        assert!(saved(&other, "checkpoint") == checkpoint);
        assert_eq!(other.progress(), learner.progress());
        let container = Container::new(&checkpoint[..], "model").unwrap();
        assert!(container.header().fact("mean length").is_some());
    }
}

#[test]
fn models_of_different_formats_are_averaged() {
    let setting = setting(4, 4);
    let folder = tempfile::tempdir().unwrap();
    let formats = ["w", "player", "checkpoint"];
    let files = formats.map(|format| folder.path().join(format));
    let mut sum = vec![0.0; setting.positions().len()];
    for (seed, (file, format)) in files.iter().zip(formats).enumerate() {
        let learner = setting.trained("0123 0145", seed as u64);
        learner.save(file, format).unwrap();
        sum.iter_mut().zip(setting.values(&learner)).for_each(|(sum, value)| *sum += value / 3.0);
    }
    let mean = setting.learner("0123 0145");
    mean.load(&files.each_ref().map(|file| file.as_path())).unwrap();
    let found = difference(&sum, &setting.values(&mean));
    assert!(found < 0.01, "{found}");
    // A file of another program does not state its training; the others have all of theirs.
    let one = setting.trained("0123 0145", 0).progress();
    assert_eq!(mean.progress().moves, 2 * one.moves);
    refused(mean.load(&[]), &["no model"]);
    // If one is missing, nothing changes.
    let before = setting.values(&mean);
    refused(mean.load(&[&files[0], Path::new("no/such.model")]), &["no/such.model"]);
    assert_eq!(setting.values(&mean), before);
}

#[test]
fn a_model_plays_what_it_learned_and_loads_into_no_other_learner() {
    let setting = setting(4, 4);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.model");
    let afterstates = setting.learner(SMALL);
    for learns in ["states", "actions"] {
        let learner: TcNtuple =
            setting.read(&format!("network: \"{SMALL}\", learns: \"{learns}\"")).unwrap();
        setting.train(&learner, 1);
        let theirs = format!("`{learns}`");
        for format in OWN {
            learner.save(&file, format).unwrap();
            let player: TcNtuple = setting.read(&format!("model: {file:?}")).unwrap();
            if format == "player" {
                assert_eq!(action_values(&setting, &player), action_values(&setting, &learner));
            }
            let loaded = afterstates.load(&[&file]);
            refused(loaded, &["a.model", "`learns`", "`afterstates`", &theirs]);
            let other = if learns == "states" { "actions" } else { "states" };
            let other = format!("learns: {other:?}, model: {file:?}");
            let error = setting.read::<TcNtuple>(&other).err().unwrap();
            assert!(error.contains(&theirs), "{error}");
        }
        let why = format!("learns {learns}");
        refused(learner.save(&file, "w"), &["2048 on 4 x 4", &why]);
    }
}

fn action_values(setting: &Fixture<Game2048>, value: &TcNtuple) -> Vec<f32> {
    let mut all = Vec::new();
    for state in setting.positions().iter().map(|p| State::new(p.lo, p.hi)) {
        let mut successors = Successors::new();
        setting.game.successors(state, &mut successors);
        let mut values = vec![0.0; successors.len()];
        value.action_values(&setting.game, state, &successors, &mut values);
        all.extend(values);
    }
    assert!(all.iter().any(|&value| value > 100.0));
    all
}

#[test]
fn who_learns_no_afterstates_estimates_none() {
    let setting = setting(4, 4);
    for learns in ["afterstates", "states", "actions"] {
        let learner: TcNtuple =
            setting.read(&format!("network: \"{SMALL}\", learns: \"{learns}\"")).unwrap();
        assert_eq!(learner.estimates_actions(), learns != "afterstates");
        let found = catch(|| setting.values(&learner));
        if learns == "afterstates" {
            found.unwrap();
        } else {
            refused(found, &["estimates no afterstates", learns]);
        }
    }
    let unknown: Spec = "tc-ntuple(learns: \"moves\")".parse().unwrap();
    let error = unknown.read::<TcConfig>().unwrap_err();
    assert!(error.message.contains("parameter `learns`: unknown choice"), "{error}");
    assert_eq!(error.allowed, ["\"afterstates\"", "\"states\"", "\"actions\""]);
}

/// Models of 20,000 moves of training, as `runner train` and `runner model convert` write them.
#[test]
fn models_of_every_learner_and_format_are_read() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fuzz/seeds/models"));
    let setting = setting(4, 4);
    let values = |file: &str| setting.values(&setting.player(&folder.join(file)).unwrap());
    let expected = values("player.model");
    for exact in ["checkpoint.model", "sums.w"] {
        assert_eq!(values(exact), expected, "{exact}");
    }
    let largest = expected.iter().copied().fold(0.0, f32::max);
    assert!(difference(&values("tiny.model"), &expected) < 0.3 * largest);
    assert_eq!(values("weights.w"), values("td.model"));
    let redundant = setting.values(&setting.trained("012 01", 3));
    assert!(difference(&values("folded.model"), &redundant) < 0.1);
    // A training continues from all of a checkpoint, and the same training again has its weights.
    fn check<L: Learner + ValuePlugin>(parameters: &str, file: &Path) {
        let setting = crate::support::setting(4, 4);
        let sections = |model: &[u8]| {
            let container = Container::new(model, "model").unwrap();
            let sections = container.header().sections.iter();
            sections.map(|s| container.read_section(&s.name).unwrap()).collect::<Vec<_>>()
        };
        let theirs = sections(&std::fs::read(file).unwrap());
        let parameters = format!("network: \"01 7\", {parameters}");
        let [learner, again] = [(); 2].map(|()| setting.read::<L>(&parameters).unwrap());
        setting.train(&learner, 1);
        learner.load(&[file]).unwrap();
        assert_eq!(learner.progress().moves, 20_000);
        assert!(sections(&saved(&learner, "checkpoint")) == theirs, "{}", file.display());
        setting.train(&again, 3);
        // The exponential function of Autostep differs between systems.
        if !file.ends_with("autostep.model") {
            assert!(sections(&saved(&again, "checkpoint")) == theirs, "{}", file.display());
        }
    }
    let stages = "stages: \"64 128\"";
    check::<TcNtuple>("", &folder.join("checkpoint.model"));
    let staged = format!("{stages}, restarts: carousel");
    check::<TcNtuple>(&staged, &folder.join("stages.model"));
    check::<TdNtuple>("", &folder.join("td.model"));
    check::<AutostepNtuple>("", &folder.join("autostep.model"));
    check::<MsTd>(&format!("{stages}, boards: 20"), &folder.join("ms-td.model"));
}

#[test]
fn a_header_says_whether_training_can_resume_completely() {
    let setting = setting(4, 4);
    let learner = setting.trained(SMALL, 1);
    for format in OWN {
        let model = saved(&learner, format);
        let header = Container::new(&model[..], "model").unwrap().header().clone();
        let holds =
            if format == "checkpoint" { "weights and learning state" } else { "weights only" };
        assert_eq!((header.fact("format"), header.fact("holds")), (Some(format), Some(holds)));
        let mean: f64 = header.fact("mean").unwrap().parse().unwrap();
        assert_eq!(mean, learner.progress().mean);
    }
    // Weights alone are loaded with fresh learning state.
    let [fresh, resumed] = [setting.learner(SMALL), setting.trained(SMALL, 2)];
    fresh.load_bytes(&saved(&learner, "player"), "a.player").unwrap();
    resumed.load_bytes(&saved(&learner, "player"), "a.player").unwrap();
    assert!(saved(&fresh, "checkpoint") == saved(&resumed, "checkpoint"));
    assert!(saved(&fresh, "checkpoint") != saved(&learner, "checkpoint"));
}

/// The mean score of the last games is in the model, whatever its format.
#[test]
fn statistics_of_the_last_games_survive_conversion() {
    let setting = setting(4, 4);
    let learner = setting.trained(SMALL, 1);
    let before = learner.progress();
    assert!(before.window > 10 && before.mean > 100.0 && before.max_tile() > 0);
    for format in OWN {
        let other = setting.learner(SMALL);
        other.load_bytes(&saved(&learner, format), "a.model").unwrap();
        assert_eq!(other.progress(), before, "{format}");
    }
    let invalid = forged(&saved(&learner, "player"), |_, sections| sections[2][..8].fill(0xff));
    refused(learner.load_bytes(&invalid, "a.model"), &["a.model", "`recent games` is invalid"]);
}

/// The initial value of untouched weights survives averaging bit by bit: else every weight
/// of the mean would count as touched.
#[test]
fn untouched_weights_stay_untouched_in_an_average() {
    let setting = setting(4, 4);
    let folder = tempfile::tempdir().unwrap();
    let build = || optimistic("012345", 1234.5);
    let files = [1, 2, 3].map(|seed| {
        let learner = build();
        setting.train(&learner, seed);
        let file = folder.path().join(format!("{seed}.model"));
        learner.save(&file, "checkpoint").unwrap();
        file
    });
    let mean = build();
    mean.load(&files.each_ref().map(|file| file.as_path())).unwrap();
    assert!(saved(&mean, "player").len() < 2 << 20);
}
