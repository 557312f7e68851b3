//! Configurations, curves and files of tunings are read or refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use runner_experiment::Experiment;
use runner_spec::read_document;
use runner_tournament::Tournament;
use runner_training::Point;
use runner_tuning::TuningFile;
use std::sync::LazyLock;
use tempfile::TempDir;

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().unwrap());

fuzz_target!(|text: &str| {
    let _ = read_document::<Tournament>(text);
    if let Ok(experiment) = read_document::<Experiment>(text) {
        let _ = experiment.check();
    }
    let _ = serde_json::from_str::<Point>(text);
    let path = FOLDER.path().join("a.jsonl");
    // Some file systems take milliseconds to overwrite a file.
    let _ = std::fs::remove_file(&path);
    std::fs::write(&path, text).unwrap();
    let _ = TuningFile::lock(&path).unwrap().resume(&path);
});
