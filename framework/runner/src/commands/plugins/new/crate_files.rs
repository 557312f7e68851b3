//! The files of a new plugin's crate.

use super::Template;
use super::names::Names;
use crate::shell::quoted;
use runner_plugin::library_name;

/// A file of the crate.
pub struct CrateFile {
    /// Its place in the crate.
    pub path: &'static str,
    /// What is in it.
    pub text: String,
}

/// A path in the crate, and what is there before words are filled in.
type Blank = (&'static str, &'static str);

const COMMON: &[Blank] = &[
    ("Cargo.toml", include_str!("Cargo.toml.txt")),
    (".cargo/config.toml", include_str!("config.toml")),
    (".gitignore", "/target/\n"),
    ("rustfmt.toml", "use_small_heuristics = \"Max\"\n"),
    ("README.md", include_str!("README.md")),
];

const GAME: &[Blank] = &[
    ("src/lib.rs", include_str!("game/lib.rs")),
    ("src/text.rs", include_str!("game/text.rs")),
    ("tests/game.rs", include_str!("game/tests.rs")),
];

const VALUE: &[Blank] = &[
    ("src/lib.rs", include_str!("value/lib.rs")),
    ("src/life.rs", include_str!("value/life.rs")),
    ("src/training.rs", include_str!("value/training.rs")),
    ("src/model.rs", include_str!("value/model.rs")),
    ("tests/value.rs", include_str!("value/tests.rs")),
    ("tests/walk/mod.rs", include_str!("walk.rs")),
];

const AGENT: &[Blank] = &[
    ("src/lib.rs", include_str!("agent/lib.rs")),
    ("tests/agent.rs", include_str!("agent/tests.rs")),
    ("tests/walk/mod.rs", include_str!("walk.rs")),
];

fn sources(kind: Template) -> &'static [Blank] {
    match kind {
        Template::Game => GAME,
        Template::Value => VALUE,
        Template::Agent => AGENT,
    }
}

/// Returns all files. `manifest_paths` are those of the framework's crates `core`,
/// `plugin`, `files` and `laws`, as the manifest has them.
pub fn of(kind: Template, names: &Names, manifest_paths: &[String; 4]) -> Vec<CrateFile> {
    let (about, guide) = match kind {
        Template::Game => ("a game", include_str!("game/guide.md")),
        Template::Value => ("a value that learns", include_str!("value/guide.md")),
        Template::Agent => ("a player", include_str!("agent/guide.md")),
    };
    let guide = guide.replace("__name__", &names.plugin);
    // Only what learns has a file to write.
    let files = match kind {
        Template::Value => format!("runner-files = {{ path = {} }}\n", manifest_paths[2]),
        Template::Game | Template::Agent => String::new(),
    };
    let words = [
        ("__name__", names.plugin.clone()),
        ("__Type__", names.type_name.clone()),
        ("__crate__", names.crate_name()),
        ("__library__", library_name(&names.package())),
        ("__core__", manifest_paths[0].clone()),
        ("__plugin__", manifest_paths[1].clone()),
        ("__files__", files),
        ("__laws__", manifest_paths[3].clone()),
        ("__about__", about.into()),
        ("__guide__", guide),
        ("__play__", play(kind, &names.plugin, "runner").join(" ")),
    ];
    let blanks = COMMON.iter().chain(sources(kind));
    blanks.map(|&(path, text)| CrateFile { path, text: fill(text, &words) }).collect()
}

/// The command that plays the new plugin, in parts that belong together.
pub fn play(kind: Template, name: &str, program: &str) -> Vec<String> {
    let (game, agent) = match kind {
        Template::Game => (name, "random"),
        // Few enough positions for a table.
        Template::Value => ("2048(rows: 2, cols: 2)", name),
        Template::Agent => ("2048", name),
    };
    vec![
        program.to_owned(),
        "--plugin-path target/release".into(),
        format!("--game {}", quoted(game)),
        format!("--agent {agent}"),
    ]
}

/// Whether something in the crate of such a plugin has this name.
pub fn have_word(kind: Template, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    sources(kind).iter().any(|(_, text)| text.split(|c| !is_part(c)).any(|found| found == word))
}

/// Puts each word in its place. What was put in is not looked at again: a path
/// may hold anything.
fn fill(mut text: &str, words: &[(&str, String)]) -> String {
    let mut filled = String::new();
    let next = |text: &str| {
        let found = words.iter().filter_map(|(blank, word)| Some((text.find(blank)?, blank, word)));
        found.min_by_key(|(at, ..)| *at)
    };
    while let Some((at, blank, word)) = next(text) {
        filled += &text[..at];
        filled += word;
        text = &text[at + blank.len()..];
    }
    filled + text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_blank_is_left_and_what_is_filled_in_stays_as_it_is() {
        let paths = ["\"/tmp/__name__/core\"", "\"/p\"", "\"/f\"", "\"/l\""].map(String::from);
        for kind in [Template::Game, Template::Value, Template::Agent] {
            let names = Names::new(kind, "dice-2").unwrap();
            for CrateFile { path, text } in of(kind, &names, &paths) {
                let rest = text.replace("/tmp/__name__/core", "");
                assert!(!rest.contains("__"), "{path}: {rest}");
                assert_eq!(path == "Cargo.toml", text.contains("/tmp/__name__/core"), "{path}");
                assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{path}");
            }
        }
    }

    #[test]
    fn a_reader_s_lines_have_at_most_80_columns() {
        for (path, text) in COMMON.iter().chain(GAME).chain(VALUE).chain(AGENT) {
            let limit = if path.ends_with(".rs") { 100 } else { 80 };
            for line in text.lines() {
                assert!(line.chars().count() <= limit, "{path}: {line}");
            }
        }
    }
}
