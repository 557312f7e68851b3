//! Models of networks with stages.

use super::{OWN, SMALL, difference};
use crate::support::*;

/// Stages that random games reach.
const STAGES: &str = "16 32 64";

fn config(network: &str, promotion: &str) -> TcConfig {
    TcConfig {
        network: Some(network.to_owned()),
        stages: Some(STAGES.to_owned()),
        promotion: Inheritance::named(promotion),
        ..TcConfig::default()
    }
}

fn trained(setting: &Fixture<Game2048>, config: &TcConfig, seed: u64) -> TcNtuple {
    let learner = setting.build(config.clone()).unwrap();
    setting.train(&learner, seed);
    learner
}

#[test]
fn learners_without_memory_inherit_weights_only() {
    let setting = setting(4, 4);
    let wrong =
        format!("network: \"{SMALL}\", stages: \"{STAGES}\", promotion: \"weights-and-memory\"");
    let error = setting.read::<TdNtuple>(&wrong).err().unwrap();
    assert!(error.starts_with("parameter `promotion`"), "{error}");
    // A model that learned otherwise can still be played.
    let learner = trained(&setting, &config(SMALL, "weights-and-memory"), 1);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.model");
    learner.save(&file, "checkpoint").unwrap();
    let player: TdNtuple = setting.read(&format!("model: {file:?}")).unwrap();
    assert_eq!(setting.values(&player), setting.values(&learner));
}

#[test]
fn a_model_has_its_stages_in_every_format() {
    let setting = setting(4, 4);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.model");
    for promotion in ["none", "weights", "weights-and-memory"] {
        // The entrances of stages are a part of the checkpoint.
        let restarts = Some("carousel(keep: 20)".parse().unwrap());
        let config = config("0123 0145", promotion);
        let config = TcConfig { optimism: Some(100.0), restarts, ..config };
        let learner = trained(&setting, &config, 1);
        let values = setting.values(&learner);
        for format in OWN {
            learner.save(&file, format).unwrap();
            // Stages and promotion come from the model.
            let player = setting.player(&file).unwrap();
            let largest = values.iter().copied().fold(0.0, f32::max);
            let allowed = match format {
                "tiny" | "micro" => 0.3 * largest,
                _ => 0.0,
            };
            let found = difference(&values, &setting.values(&player));
            assert!(found <= allowed, "{promotion}, {format}: {found}");
            // A resumed training continues as the first one would.
            if format == "checkpoint" {
                let resumed: TcNtuple = setting.build(config.clone()).unwrap();
                resumed.load(&[&file]).unwrap();
                assert_eq!(saved(&resumed, "checkpoint"), saved(&learner, "checkpoint"));
            }
        }
        // Other stages, or none.
        for (stages, expected) in [(Some("16 32"), "`16 32`"), (None, "`one stage`")] {
            let stages = stages.map(str::to_owned);
            let promotion = config.promotion.filter(|_| stages.is_some());
            let other = TcConfig { stages, promotion, restarts: None, ..config.clone() };
            let other: TcNtuple = setting.build(other).unwrap();
            refused(other.load(&[&file]), &["a.model", "list of stages", STAGES, expected]);
        }
    }
    let learner = trained(&setting, &config(SMALL, "weights"), 1);
    learner.save(&file, "checkpoint").unwrap();
    let other: TcNtuple = setting.build(config(SMALL, "none")).unwrap();
    refused(other.load(&[&file]), &["promotion", "`weights`", "`none`"]);
    refused(learner.save(&file, "w"), &["4 stages"]);
}

/// The later stages are untouched, so with promotion nothing changes at first.
#[test]
fn a_training_begins_with_a_model_of_the_first_stages() {
    let setting = setting(4, 4);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.model");
    let wanted = config("0123 0145", "weights");
    for stages in [None, Some("16"), Some("16 32")] {
        let promotion = wanted.promotion.filter(|_| stages.is_some());
        let few = TcConfig { stages: stages.map(str::to_owned), promotion, ..wanted.clone() };
        let first = trained(&setting, &few, 1);
        first.save(&file, "checkpoint").unwrap();
        // Earlier learning is forgotten.
        let learner = trained(&setting, &wanted, 2);
        learner.load(&[&file]).unwrap();
        assert_eq!(setting.values(&learner), setting.values(&first), "{stages:?}");
        assert_eq!(learner.progress().moves, first.progress().moves);
        // A model of one stage has no promotion.
        let none = TcConfig { promotion: Some(Inheritance::None), ..wanted.clone() };
        let none: TcNtuple = setting.build(none).unwrap();
        assert_eq!(none.load(&[&file]).is_ok(), stages.is_none());
        setting.train(&learner, 3);
        let entered = learner.progress().series;
        assert!(entered.iter().any(|(name, count)| name == "entered stage 3" && *count > 0.0));
        // A player and a mean need all stages.
        let player = TcConfig { model: Some(file.display().to_string()), ..wanted.clone() };
        let error = setting.build::<TcNtuple>(player).map(drop).unwrap_err().to_string();
        assert!(error.contains("list of stages"), "{error}");
        let mean: TcNtuple = setting.build(wanted.clone()).unwrap();
        refused(mean.load(&[&file, &file]), &["a.model", "list of stages"]);
    }
    let first = trained(&setting, &TcConfig { stages: Some("32".to_owned()), ..wanted.clone() }, 1);
    first.save(&file, "checkpoint").unwrap();
    let learner: TcNtuple = setting.build(wanted).unwrap();
    refused(learner.load(&[&file]), &["list of stages", "`32`", STAGES]);
}

#[test]
fn evaluation_promotes_nothing() {
    let setting = setting(4, 4);
    let config = |promotion: &str| {
        // Few updates, so that most of the positions below have never been seen.
        TcConfig { update: Some("forward".to_owned()), ..config("012345", promotion) }
    };
    let learner = trained(&setting, &config("weights"), 1);
    let before = saved(&learner, "checkpoint");
    let values = setting.values(&learner);
    assert_eq!(saved(&learner, "checkpoint"), before);
    assert_eq!(setting.values(&learner), values);
    // Their values are those of the earlier stages, not zero.
    let none = trained(&setting, &config("none"), 1);
    let zeros = |values: Vec<f32>| values.into_iter().filter(|&value| value == 0.0).count();
    let (promoted, separate) = (zeros(values), zeros(setting.values(&none)));
    assert!(promoted < separate, "{promoted}, {separate}");
}

#[test]
fn untouched_weights_of_stages_count_as_promoted_in_an_average() {
    let setting = setting(4, 4);
    let folder = tempfile::tempdir().unwrap();
    let config = config("0123 0145", "weights");
    let mut sum = vec![0.0; setting.positions().len()];
    let files = [1, 2, 3].map(|seed| {
        let learner = trained(&setting, &config, seed);
        sum.iter_mut().zip(setting.values(&learner)).for_each(|(sum, value)| *sum += value / 3.0);
        let file = folder.path().join(format!("{seed}.model"));
        learner.save(&file, "checkpoint").unwrap();
        file
    });
    let mean: TcNtuple = setting.build(config.clone()).unwrap();
    mean.load(&files.each_ref().map(|file| file.as_path())).unwrap();
    let found = difference(&sum, &setting.values(&mean));
    assert!(found < 0.01, "{found}");
    // Weights that no model has touched stay untouched.
    let largest = files.iter().map(|file| file.metadata().unwrap().len()).max().unwrap();
    assert!((saved(&mean, "player").len() as u64) < 3 * largest);
}
