//! Growth within a major version: a program and a plugin of different minor versions work
//! together, without the extensions that one of them does not know.
//!
//! The feature `minor-0` builds this crate as the first minor version. The test builds a
//! plugin as the other version than its own, so both directions are tested by running it
//! with and without the feature.

// Parts of it are for other tests.
#[allow(dead_code)]
mod services;

use runner_core::{Game, State, Successors, Value};
use runner_plugin::abi::{ABI_MAJOR, ABI_MINOR};
use runner_plugin::{LoadedValue, Registry};
use services::{TestHost, game, registry};
use std::path::{Path, PathBuf};
use std::process::Command;

/// True if this program is built as minor version 0.
const OLDER: bool = cfg!(feature = "minor-0");

/// Builds the library of `test-wrap` as the other minor version and returns its path. It
/// shares the target folder and the profile of other builds in tests.
fn other_library() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new-plugin");
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/plugins/wrap/Cargo.toml");
    let build = |offline: &[&str]| {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--manifest-path", manifest]).args(offline);
        if !OLDER {
            cargo.args(["--features", "runner-plugin/minor-0"]);
        }
        cargo.env("CARGO_TARGET_DIR", &target).env_remove("CARGO_BUILD_TARGET");
        cargo.env("CARGO_PROFILE_DEV_OPT_LEVEL", "1").env("CARGO_PROFILE_DEV_DEBUG", "false");
        cargo.status().expect("cargo starts").success()
    };
    assert!(build(&["--offline"]) || build(&[]), "the plugin does not build");
    target.join("debug").join(runner_plugin::library_name("test-wrap"))
}

/// Returns the minor version in the note of a library.
fn minor_version(library: &Path) -> u32 {
    let bytes = std::fs::read(library).unwrap();
    let note = [&b"runner-plugin-01"[..], &ABI_MAJOR.to_ne_bytes()].concat();
    let at = bytes.windows(note.len()).position(|window| window == note).expect("a note");
    let minor = &bytes[at + note.len()..][..4];
    u32::from_ne_bytes(minor.try_into().unwrap())
}

/// Returns the value `policy`, whose priors are an extension.
fn policy(registry: &Registry) -> LoadedValue {
    let game = game(registry, "faulty");
    let host = TestHost::shared(registry, &game);
    registry.value(&"policy".parse().unwrap(), &game, &host).unwrap()
}

#[test]
fn program_and_plugin_of_different_minor_versions_work_together() {
    let library = other_library();
    assert_eq!((ABI_MINOR, minor_version(&library)), if OLDER { (0, 1) } else { (1, 0) });
    let linked = registry();
    let mut loaded = registry();
    // It replaces the linked plugins of its crate.
    loaded.load_file(&library);
    assert!(loaded.problems().is_empty(), "{:?}", loaded.problems());
    let (linked, loaded) = (policy(&linked), policy(&loaded));
    assert!(loaded.label.contains(&*library.to_string_lossy()), "{}", loaded.label);

    // Both know everything else.
    let registry = registry();
    let game = game(&registry, "faulty");
    let (rules, state) = (&*game.rules, State::new(0, 1));
    let mut successors = Successors::new();
    rules.successors(state, &mut successors);
    assert_eq!(successors.len(), 2);
    let afterstates: Vec<_> = successors.iter().map(|s| s.afterstate).collect();
    let estimates = |value: &LoadedValue| {
        let mut estimates = vec![0.0; afterstates.len()];
        value.value.evaluate(&afterstates, &mut estimates);
        estimates
    };
    assert_eq!(estimates(&loaded), estimates(&linked));

    // The priors exist only where both sides know them, and are uniform otherwise.
    let priors = |value: &LoadedValue| {
        let (mut priors, mut values) = ([0.0; 2], [0.0]);
        value.value.evaluate_states(rules, &[state], &mut priors, &mut values);
        (value.value.has_priors(), priors)
    };
    assert_eq!(priors(&linked), if OLDER { (false, [0.5; 2]) } else { (true, [1.0, 0.0]) });
    assert_eq!(priors(&loaded), (false, [0.5; 2]));
}
