//! What models of folded networks refuse.

use super::support::*;

/// Returns a model of a network that is trained and then folded.
fn folded(setting: &Fixture<Game2048>, network: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("a.model");
    setting.trained(network, 1).save(&model, "checkpoint").unwrap();
    saved(&setting.player(&model).unwrap(), "player")
}

#[test]
fn folded_models_only_evaluate() {
    let setting = setting(4, 4);
    let model = folded(&setting, "0123 01");
    let session = session(TrainingBudget::default());
    let learner = setting.learner("0123");
    learner.load_bytes(&model, "a.folded").unwrap();
    let fault = learner.train(&setting.game, &session).unwrap_err();
    assert!(fault.0.contains("only evaluate"), "{fault}");
    // In every format, also in the mean with a model that was never folded.
    for format in ["checkpoint", "player", "tiny"] {
        let other = setting.learner("0123");
        other.load_bytes(&saved(&learner, format), "b.model").unwrap();
        assert!(other.train(&setting.game, &session).unwrap_err().0.contains("only evaluate"));
    }
    // A learner with the original network names the reason.
    let fault = setting.learner("0123 01").load_bytes(&model, "a.folded").unwrap_err();
    for part in ["a.folded is folded", "`0123`", "`0123 01`", "resume"] {
        assert!(fault.0.contains(part), "no {part:?} in {fault}");
    }
    // A model that replaces it can be trained.
    learner.load_bytes(&saved(&setting.trained("0123", 1), "player"), "c.model").unwrap();
    setting.train(&learner, 2);
}
