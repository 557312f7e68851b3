//! Every game has golden transcripts. The games' own tests compare them.

use runner_core::Spec;
use runner_play::registry::Registry;
use runner_plugin::PluginKind;
use std::fs;
use std::path::Path;

#[test]
fn every_game_has_a_transcript() {
    let mut registry = Registry::new();
    for root in runner_plugins::plugins() {
        registry.link(root);
    }
    for game in registry.plugins().iter().filter(|plugin| plugin.kind == PluginKind::Game) {
        let folder = Path::new("games").join(&game.name).join("tests/transcripts");
        let files = fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{} is missing: {error}", folder.display()));
        let own = files.filter(|file| {
            let text = fs::read_to_string(file.as_ref().unwrap().path()).unwrap();
            let spec: Spec =
                text.lines().find_map(|l| l.strip_prefix("spec: ")).unwrap().parse().unwrap();
            spec.name() == game.name
        });
        assert!(own.count() > 0, "{} has no transcript of {}", folder.display(), game.name);
    }
}
