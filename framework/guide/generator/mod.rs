//! The generated parts of the documents: pictures of scores against training, tables of the
//! plugins' own descriptions, and excerpts of the sources. `cargo run --example guide` writes them;
//! a test fails when a committed one is stale.
//!
//! The commands of the guide, and the crates that it gives, are tested by the root package.

mod chart;
mod document;
mod recipes;
mod reference;
mod signatures;

#[cfg(test)]
mod tests;

use std::fs;
use std::io;
use std::path::Path;

/// The documents with generated parts.
const DOCUMENTS: [&str; 9] = [
    "README.md",
    "framework/guide/src/agents.md",
    "framework/guide/src/games.md",
    "framework/guide/src/plugins/agent.md",
    "framework/guide/src/plugins/game.md",
    "framework/guide/src/plugins/learner.md",
    "framework/guide/src/plugins/overview.md",
    "framework/guide/src/plugins/value.md",
    "framework/guide/src/results/recipes.md",
];

pub struct Generated {
    /// The path from the root of the repository.
    pub path: String,
    /// All of the file.
    pub text: String,
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All generated files as they should be. A document that has generated parts
/// between hand-written ones keeps the latter as they are on disk.
pub fn files() -> io::Result<Vec<Generated>> {
    let pictures = [
        ("training", chart::training()),
        ("recipes", chart::recipes()),
        ("reliability", chart::reliability()),
    ];
    let mut files = Vec::from(pictures.map(|(name, text)| Generated {
        path: format!("framework/guide/src/pictures/{name}.svg"),
        text,
    }));
    let mut parts = reference::parts();
    parts.insert("recipes", recipes::table());
    parts.append(&mut signatures::parts()?);
    for path in DOCUMENTS {
        let old = fs::read_to_string(root().join(path))
            .map_err(|error| io::Error::new(error.kind(), format!("{path}: {error}")))?;
        let text = document::filled(&old, &parts)
            .map_err(|message| io::Error::other(format!("{path}: {message}")))?;
        files.push(Generated { path: path.into(), text });
    }
    Ok(files)
}
