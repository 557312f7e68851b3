//! The configuration files of the experiments.

use super::{Reader, root};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The configuration files of a command in a fixed order.
fn configurations(command: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![root().join("agents/experiments")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path: PathBuf = entry.unwrap().path();
            let relative = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                folders.push(path);
            } else if relative.ends_with(&format!(".{command}.ron")) {
                found.push(relative);
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "there are configurations for `{command}`");
    found
}

/// The model that a configuration names in this field.
fn model(path: &str, field: &str) -> Option<String> {
    let text = fs::read_to_string(root().join(path)).unwrap();
    let (_, rest) = text.split_once(field)?;
    Some(rest.split('"').next()?.to_owned())
}

/// The trainings that a training continues (`from`), the earliest first, and then itself. Their
/// files are named after their models and lie in the same folder.
fn with_those_before(path: &str) -> Vec<String> {
    let Some(file) = model(path, "from: \"") else { return vec![path.to_owned()] };
    let folder = Path::new(path).parent().unwrap();
    let before = folder.join(Path::new(&file).with_extension("train.ron"));
    let mut all = with_those_before(before.to_str().unwrap());
    all.push(path.to_owned());
    all
}

/// The commands that play with a model, or with none, and their files.
fn plays(of: Option<&str>) -> Vec<(String, String)> {
    let evaluations = configurations("eval").into_iter().map(|path| {
        let command = format!("runner eval --config {path}");
        (path, command)
    });
    let tournaments = configurations("tournament").into_iter().map(|path| {
        let command = format!("runner tournament {path}");
        (path, command)
    });
    let all = evaluations.chain(tournaments);
    all.filter(|(path, _)| model(path, "model: \"").as_deref() == of).collect()
}

/// Runs each training of every family, or of one family in `step` from number `first` on, once, and then
/// what plays with its model. A family are the trainings that continue one.
fn run_trainings(first: usize, step: usize) {
    let mut families: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
    for path in configurations("train") {
        let before = with_those_before(&path);
        families.entry(before[0].clone()).or_default().push(before);
    }
    for family in families.values_mut().skip(first).step_by(step) {
        // Models are large: each family has its folder to itself.
        let reader = Reader::new();
        family.sort_by_key(Vec::len);
        for path in family.iter().map(|before| &before[before.len() - 1]) {
            reader.shell(path, &format!("runner train --config {path}"));
            let model = model(path, "model: \"");
            for (path, command) in model.iter().flat_map(|model| plays(Some(model))) {
                reader.shell(&path, &command);
            }
        }
    }
}

/// The files of a check of a change are one in this many; the nightly checks run all.
const SAMPLE: usize = 6;

/// The number of the first family in that sample, which has few large networks, and yet a training that
/// continues others, all kinds of learners, and models that play.
const FIRST: usize = 4;

#[test]
fn some_trainings_of_the_experiments_run_and_their_models_play() {
    run_trainings(FIRST, SAMPLE);
}

#[test]
#[ignore = "it trains with every configuration"]
fn trainings_of_the_experiments_run_and_their_models_play() {
    run_trainings(0, 1);
}

fn run_without_models(step: usize) {
    let reader = Reader::new();
    for (path, command) in plays(None).iter().step_by(step) {
        reader.shell(path, command);
    }
}

#[test]
fn some_evaluations_and_tournaments_of_the_experiments_run_without_models() {
    run_without_models(SAMPLE);
}

#[test]
#[ignore = "it plays every tournament"]
fn evaluations_and_tournaments_of_the_experiments_run_without_models() {
    run_without_models(1);
}

#[test]
fn every_evaluation_and_tournament_has_a_training_of_its_model() {
    let trained: BTreeSet<_> =
        configurations("train").iter().filter_map(|path| model(path, "model: \"")).collect();
    for path in ["eval", "tournament"].map(configurations).concat() {
        let played = model(&path, "model: \"");
        let is_trained = played.as_ref().is_none_or(|model| trained.contains(model));
        assert!(is_trained, "{path}: no training makes {played:?}");
    }
}

/// All configurations are built; the first and the last of one file in `step` are trained for some
/// moves and evaluated with one game.
fn run_experiments(step: usize) {
    let reader = Reader::new();
    let papers = fs::read_dir(root().join("agents/experiments/papers")).unwrap();
    let papers = papers.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let papers = papers.map(|name| format!("agents/experiments/papers/{name}"));
    let mut files: Vec<_> = papers.chain(configurations("experiment")).collect();
    files.sort();
    assert!(files.len() >= 11, "there are files");
    for path in files.iter().step_by(step) {
        let text = fs::read_to_string(root().join(path)).unwrap();
        let line = |line: &str| line.strip_prefix("            name: ").map(str::to_owned);
        let names: Vec<_> = text.lines().filter_map(line).collect();
        let [first, last] = [&names[0], &names[names.len() - 1]].map(|n| n.trim_end_matches(','));
        let cut = "--scale 0.0000002 --max-games 1 --seeds 1 --delete-models";
        let only = format!("--only {first} --only {last}");
        reader.shell(path, &format!("\"$GUIDE_RUNNER\" experiment {path} {cut} {only}"));
    }
}

#[test]
fn some_experiments_run_at_a_tiny_scale() {
    run_experiments(SAMPLE);
}

#[test]
#[ignore = "it runs every experiment"]
fn every_experiment_runs_at_a_tiny_scale() {
    run_experiments(1);
}

#[test]
fn every_configuration_is_a_row_of_the_results_and_every_row_has_one() {
    let results = root().join("framework/guide/src/results");
    let pages = fs::read_dir(results).unwrap().map(|entry| entry.unwrap().path());
    let text: String = pages.map(|page| fs::read_to_string(page).unwrap()).collect();
    let all = ["train", "eval", "tournament"].map(configurations).concat();
    for path in &all {
        let name = path.strip_prefix("agents/experiments/").unwrap();
        assert!(text.contains(&format!("`{name}`")), "no row of the results names {name}");
    }
    let is_name = |word: &&str| {
        [".train.ron", ".eval.ron", ".tournament.ron"].iter().any(|end| word.ends_with(end))
    };
    for name in text.split('`').filter(is_name) {
        let path = Path::new("agents/experiments").join(name);
        assert!(all.iter().any(|known| Path::new(known) == path), "{name} does not exist");
    }
}
