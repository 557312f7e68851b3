//! `runner plugins new`: creates a plugin of the user's own.

use crate::context::Context;
use clap::{Args, ValueEnum};
use runner_play::failure::Failure;
use runner_plugin_kit::new::{Examples, NewPlugin, Template, create};
use std::path::PathBuf;

/// Create a plugin of your own: a crate, or an agent in Python
#[derive(Debug, Clone, Args)]
pub struct NewOptions {
    /// Kind of the plugin
    template: Kind,
    /// Name of the plugin: lower-case letters, digits and hyphens, at most 40
    name: String,
    /// Folder to write to [default: the name]
    #[arg(long, value_name = "FOLDER")]
    path: Option<PathBuf>,
    /// Sources of the framework [default: those that this program was built from]
    #[arg(long, value_name = "FOLDER")]
    framework: Option<PathBuf>,
}

/// The kind of a new plugin.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    /// The rules of a game
    Game,
    /// A value that learns
    Value,
    /// An agent
    Agent,
    /// An agent in Python, asked through standard input and output
    Process,
}

pub(super) fn run(options: &NewOptions, context: &Context) -> Result<(), Failure> {
    let template = match options.template {
        Kind::Game => Template::Game,
        Kind::Value => Template::Value,
        Kind::Agent => Template::Agent,
        Kind::Process => Template::Process,
    };
    let new = NewPlugin {
        template,
        name: &options.name,
        path: options.path.as_deref(),
        framework: options.framework.as_deref(),
    };
    let linked = &context.linked;
    let examples = Examples {
        game: linked.example_game,
        small_game: linked.small_game,
        agent: linked.example_agent,
    };
    create(&new, examples, || context.silent_registry().plugins())
}
