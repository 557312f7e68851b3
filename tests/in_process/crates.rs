//! Crates depend on each other in a fixed order, with the games, the agents and the program apart
//! from each other.

use std::path::Path;
use std::process::Command;

/// Returns the packages of the workspace as cargo describes them.
fn packages() -> Vec<serde_json::Value> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--no-deps", "--offline", "--format-version", "1"]);
    let output = cargo.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

/// Returns the words of the lines of a file.
fn table(text: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split(' ').collect())
}

/// Returns the folder of a path's crate in the order, and its line.
fn line(folder: &str) -> Option<(&'static str, usize)> {
    let is_in = |place: &str| folder == place || folder.starts_with(&format!("{place}/"));
    let lines = table(include_str!("order.txt")).enumerate();
    let places =
        lines.flat_map(|(number, places)| places.into_iter().map(move |place| (place, number)));
    places.filter(|(place, _)| is_in(place)).max_by_key(|(place, _)| place.len())
}

/// Returns what is wrong with an arrow from a crate to a dependency, which has a folder if it is a
/// crate of the workspace.
fn refusal(from: &str, name: &str, to: Option<&str>) -> Option<String> {
    let place = table(include_str!("places.txt")).find(|row| row[0] == name);
    if let Some(row) = place {
        let folders = &row[1..];
        return (!folders.contains(&from))
            .then(|| format!("{from} depends on {name}; only {} may", folders.join(", ")));
    }
    let to = to?;
    let ((from_place, from_line), (to_place, to_line)) = match (line(from), line(to)) {
        (Some(from), Some(to)) => (from, to),
        (None, _) => return Some(format!("{from} has no line in the order of the crates")),
        (_, None) => return Some(format!("{to} has no line in the order of the crates")),
    };
    let is_above_plugins = |place: &str| place == "." || place.starts_with("framework/");
    let is_plugin = ["games", "agents", "plugins", "tests"].contains(&to_place);
    let is_allowed = if from_place == to_place {
        ["games", "agents", "plugins", "tests"].contains(&from_place)
    } else {
        to_line < from_line && !(is_plugin && is_above_plugins(from_place))
    };
    (!is_allowed).then(|| format!("{from} depends on {to}"))
}

#[test]
fn crates_depend_on_each_other_in_one_order() {
    let packages = packages();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = |path: &Path| match path.strip_prefix(root).unwrap().to_str().unwrap() {
        "" => ".".to_owned(),
        folder => folder.to_owned(),
    };
    let mut refused = Vec::new();
    for package in &packages {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap());
        let from = folder(manifest.parent().unwrap());
        for dependency in package["dependencies"].as_array().unwrap() {
            let name = dependency["name"].as_str().unwrap();
            let to = dependency["path"].as_str().map(|path| folder(Path::new(path)));
            if dependency["kind"] != "dev" {
                refused.extend(refusal(&from, name, to.as_deref()));
            }
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}
