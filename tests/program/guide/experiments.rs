//! The configuration files of the experiments run: one of each kind, and all of them every night.

use super::{Reader, root};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the files of a folder and its folders, in a fixed order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut found = Vec::new();
    for path in entries {
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// Returns the configuration files of a command.
fn configurations(command: &str) -> Vec<String> {
    let all = files(&root().join("agents/experiments"));
    let all = all.iter().map(|path| path.strip_prefix(root()).unwrap().to_str().unwrap());
    let own: Vec<_> = all.filter(|path| path.ends_with(&format!(".{command}.ron"))).collect();
    assert!(!own.is_empty(), "there are configurations for `{command}`");
    own.into_iter().map(str::to_owned).collect()
}

/// Returns the model that a configuration names in this field.
fn model(path: &str, field: &str) -> Option<String> {
    let text = fs::read_to_string(root().join(path)).unwrap();
    let (_, rest) = text.split_once(field)?;
    Some(rest.split('"').next()?.to_owned())
}

/// Returns the number of trainings that a training continues (`from`), and the first of them. Their
/// files are named after their models and lie in the same folder.
fn origin(path: &str) -> (usize, String) {
    let Some(file) = model(path, "from: \"") else { return (0, path.to_owned()) };
    let folder = Path::new(path).parent().unwrap();
    let before = folder.join(Path::new(&file).with_extension("train.ron"));
    let (count, first) = origin(before.to_str().unwrap());
    (count + 1, first)
}

/// Returns the commands that play with a model, or with none, and their files.
fn plays(of: Option<&str>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (command, start) in [("eval", "eval --config"), ("tournament", "tournament")] {
        for path in configurations(command) {
            if model(&path, "model: \"").as_deref() == of {
                found.push((format!("runner {start} {path}"), path));
            }
        }
    }
    found
}

/// Runs trainings, each after those that it continues, and what plays with their models.
fn run_trainings(mut family: Vec<(usize, String)>) {
    // Models are large: each family has its folder to itself.
    let reader = Reader::new();
    family.sort();
    for (_, path) in &family {
        reader.shell(path, &format!("runner train --config {path}"));
        for (command, played) in plays(model(path, "model: \"").as_deref()) {
            reader.shell(&played, &command);
        }
    }
}

/// Builds all configurations of an experiment, trains the first and the last for some moves, and
/// evaluates them with one game.
fn run_experiment(path: &str) {
    let text = fs::read_to_string(root().join(path)).unwrap();
    let name = |line: &str| line.strip_prefix("            name: ").map(str::to_owned);
    let names: Vec<_> = text.lines().filter_map(name).collect();
    let [first, last] = [&names[0], &names[names.len() - 1]].map(|n| n.trim_end_matches(','));
    let cut = "--scale 0.0000002 --max-games 1 --seeds 1 --delete-models";
    let line = format!("\"$GUIDE_RUNNER\" experiment {path} {cut} --only {first} --only {last}");
    Reader::new().shell(path, &line);
}

#[test]
fn one_configuration_of_each_kind_runs() {
    let continued = "agents/experiments/small-boards/3x3-large-";
    let trainings = ["1", "2"].map(|number| format!("{continued}{number}.train.ron"));
    run_trainings(trainings.into_iter().enumerate().collect());
    for command in ["eval", "tournament"] {
        let (line, path) = plays(None).into_iter().find(|(_, p)| p.contains(command)).unwrap();
        Reader::new().shell(&path, &line);
    }
    run_experiment(&configurations("experiment")[0]);
}

#[test]
#[ignore = "it trains and plays with every configuration"]
fn every_configuration_runs() {
    let mut families: BTreeMap<String, Vec<(usize, String)>> = BTreeMap::new();
    for path in configurations("train") {
        let (count, first) = origin(&path);
        families.entry(first).or_default().push((count, path));
    }
    families.into_values().for_each(run_trainings);
    for (line, path) in plays(None) {
        Reader::new().shell(&path, &line);
    }
    let papers = files(&root().join("agents/experiments/papers"));
    let papers = papers.iter().map(|path| path.strip_prefix(root()).unwrap().to_str().unwrap());
    papers.for_each(run_experiment);
    configurations("experiment").iter().for_each(|path| run_experiment(path));
}

#[test]
fn every_configuration_is_a_row_of_the_results_and_every_row_has_one() {
    let pages = files(&root().join("framework/guide/src/results"));
    let text: String = pages.iter().map(|page| fs::read_to_string(page).unwrap()).collect();
    let all = ["train", "eval", "tournament"].map(configurations).concat();
    for path in &all {
        let name = path.strip_prefix("agents/experiments/").unwrap();
        assert!(text.contains(&format!("`{name}`")), "no row of the results names {name}");
    }
    let kinds = [".train.ron", ".eval.ron", ".tournament.ron"];
    for name in text.split('`').filter(|word| kinds.iter().any(|kind| word.ends_with(kind))) {
        let path = format!("agents/experiments/{name}");
        assert!(all.contains(&path), "{name} does not exist");
    }
}
