//! Models of networks with stages.

use super::{OWN, SMALL, difference};
use crate::support::*;

/// Stages that random games reach.
const STAGES: &str = "16 32 64";

/// Tuples and features.
const NETWORK: &str = "0123 0145 large:64 empty pairs";

fn with_stages(network: &str, promotion: &str) -> String {
    format!("network: \"{network}\", stages: \"{STAGES}\", promotion: \"{promotion}\"")
}

fn trained(setting: &Fixture<Game2048>, parameters: &str, seed: u64) -> TcNtuple {
    let learner = setting.read(parameters).unwrap();
    setting.train(&learner, seed);
    learner
}

#[test]
fn learners_without_memory_inherit_weights_only() {
    let setting = setting(4, 4);
    let inheriting = with_stages(SMALL, "weights-and-memory");
    let error = setting.read::<TdNtuple>(&inheriting).err().unwrap();
    assert!(error.starts_with("parameter `promotion`"), "{error}");
    // A model that learned otherwise can still be played.
    let learner = trained(&setting, &inheriting, 1);
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
        let network = with_stages(NETWORK, promotion);
        let parameters = format!("{network}, optimism: 100.0, restarts: carousel");
        let learner = trained(&setting, &parameters, 1);
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
                let resumed: TcNtuple = setting.read(&parameters).unwrap();
                resumed.load(&[&file]).unwrap();
                assert_eq!(saved(&resumed, "checkpoint"), saved(&learner, "checkpoint"));
            }
        }
        // Other stages, or none.
        for (stages, expected) in [(", stages: \"16 32\"", "`16 32`"), ("", "`one stage`")] {
            let other = format!("network: \"{NETWORK}\"{stages}");
            let other: TcNtuple = setting.read(&other).unwrap();
            refused(other.load(&[&file]), &["a.model", "list of stages", STAGES, expected]);
        }
    }
    let learner = trained(&setting, &with_stages(SMALL, "weights"), 1);
    learner.save(&file, "checkpoint").unwrap();
    let other: TcNtuple = setting.read(&with_stages(SMALL, "none")).unwrap();
    refused(other.load(&[&file]), &["promotion", "`weights`", "`none`"]);
    refused(learner.save(&file, "w"), &["4 stages"]);
}

/// The later stages are untouched, so with promotion nothing changes at first.
#[test]
fn a_training_begins_with_a_model_of_the_first_stages() {
    let setting = setting(4, 4);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.model");
    let wanted = with_stages("0123 0145", "weights");
    let with = |stages: &str| format!("network: \"0123 0145\"{stages}");
    for stages in ["", ", stages: \"16\"", ", stages: \"16 32\""] {
        let first = trained(&setting, &with(stages), 1);
        first.save(&file, "checkpoint").unwrap();
        // Earlier learning is forgotten.
        let learner = trained(&setting, &wanted, 2);
        learner.load(&[&file]).unwrap();
        assert_eq!(setting.values(&learner), setting.values(&first), "{stages}");
        assert_eq!(learner.progress().moves, first.progress().moves);
        // A model of one stage has no promotion.
        let none: TcNtuple = setting.read(&with_stages("0123 0145", "none")).unwrap();
        assert_eq!(none.load(&[&file]).is_ok(), stages.is_empty());
        setting.train(&learner, 3);
        let entered = learner.progress().series;
        assert!(entered.iter().any(|(name, count)| name == "entered stage 3" && *count > 0.0));
        // A player and a mean need all stages.
        let player = format!("{wanted}, model: {file:?}");
        let error = setting.read::<TcNtuple>(&player).map(drop).unwrap_err();
        assert!(error.contains("list of stages"), "{error}");
        let mean: TcNtuple = setting.read(&wanted).unwrap();
        refused(mean.load(&[&file, &file]), &["a.model", "list of stages"]);
    }
    trained(&setting, &with(", stages: \"32\""), 1).save(&file, "checkpoint").unwrap();
    let learner: TcNtuple = setting.read(&wanted).unwrap();
    refused(learner.load(&[&file]), &["list of stages", "`32`", STAGES]);
}

#[test]
fn evaluation_promotes_nothing() {
    let setting = setting(4, 4);
    // Too few moves to reach the second stage, so both trainings have the same weights.
    let [promoted, separate] = ["weights", "none"].map(|promotion| {
        let stages = format!("stages: \"64\", promotion: \"{promotion}\"");
        let parameters = format!("network: \"0!\", update: \"forward\", {stages}");
        let learner: TcNtuple = setting.read(&parameters).unwrap();
        let done = learner.train(&setting.game, &session(moves(30))).unwrap();
        assert_eq!(done.figure("entered stage 1"), Some(0.0));
        let values = setting.values(&learner);
        values.into_iter().filter(|&value| value == 0.0).count()
    });
    // In the second stage, values are those of the first one, not zero.
    assert!(promoted < separate, "{promoted}, {separate}");
    let learner = trained(&setting, &with_stages("012345", "weights"), 1);
    let before = saved(&learner, "checkpoint");
    let values = setting.values(&learner);
    assert_eq!(saved(&learner, "checkpoint"), before);
    assert_eq!(setting.values(&learner), values);
}

#[test]
fn networks_with_promotion_have_no_mean() {
    let setting = setting(4, 4);
    let folder = tempfile::tempdir().unwrap();
    let learner = trained(&setting, &with_stages("0123 0145", "weights"), 1);
    let files = ["a.model", "b.model"].map(|name| folder.path().join(name));
    files.iter().for_each(|file| learner.save(file, "checkpoint").unwrap());
    let before = setting.values(&learner);
    refused(learner.load(&files.each_ref().map(|file| file.as_path())), &["inherit"]);
    assert_eq!(setting.values(&learner), before);
}
