//! `runner plugins new`: creates a plugin of the user's own.

use crate::context::Context;
use crate::options::program_words;
use clap::{Args, ValueEnum};
use runner_console::notes::note;
use runner_play::failure::Failure;
use runner_play::names::quoted;
use runner_plugin::{PluginInfo, PluginKind};
use runner_plugin_kit::new::{Examples, NewPlugin, Template, create, play_command};
use std::io::{Write, stdout};
use std::path::PathBuf;

/// Create a plugin of your own: a crate, or an agent in Python
#[derive(Debug, Clone, Args)]
pub struct NewOptions {
    /// Kind of the plugin
    template: NewKind,
    /// Name of the plugin: lower-case letters, digits and hyphens, at most 40
    name: String,
    /// Folder to write to [default: the name]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Checkout to build against [default: that of this program, or the published crates]
    #[arg(long, value_name = "FOLDER")]
    framework: Option<PathBuf>,
}

/// The kind of a new plugin.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum NewKind {
    /// A variant of 2048
    Sliding,
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
        NewKind::Sliding => Template::Sliding,
        NewKind::Game => Template::Game,
        NewKind::Value => Template::Value,
        NewKind::Agent => Template::Agent,
        NewKind::Process => Template::Process,
    };
    let new = NewPlugin {
        template,
        name: &options.name,
        path: options.out.as_deref(),
        framework: options.framework.as_deref(),
    };
    let linked = &context.linked;
    let examples = Examples {
        game: linked.example_game,
        small_game: linked.small_game,
        agent: linked.example_agent,
    };
    let (folder, name) = (create(&new, examples)?, new.name);
    if template.is_crate() {
        let plugins = context.silent_registry().plugins();
        if let Some(rival) = plugins.iter().find(|plugin| shares_name(plugin, template, name)) {
            note(format!(
                "note: the {} `{name}` exists already ({}); where both are loaded, it is replaced \
                 or neither can be used, so choose another name",
                rival.kind, rival.origin
            ));
        }
    }
    let mut out = stdout().lock();
    writeln!(out, "Created the {} `{name}` in {}. Next:\n", template.word(), folder.display())?;
    let enter = ["cd".to_owned(), quoted(&folder.to_string_lossy())];
    writeln!(out, "    {}", on_lines(&enter))?;
    if template.is_crate() {
        writeln!(out, "    cargo test --release\n    cargo build --release")?;
    } else {
        writeln!(out, "    python3 test_agent.py")?;
    }
    let play = play_command(template, name, &program_words(), examples);
    writeln!(out, "    {}", on_lines(&play))?;
    Ok(out.flush()?)
}

/// Returns true if a plugin has the name of a new one. A value can stand where an agent is
/// expected, so a value and an agent must not have one name.
fn shares_name(plugin: &PluginInfo, template: Template, name: &str) -> bool {
    plugin.name == name && (plugin.kind == PluginKind::Game) == (template.word() == "game")
}

/// Returns a command on as many lines as it needs at 80 columns, with an indent of 4. All lines
/// but the last end in a backslash, and all but the first are indented further.
fn on_lines(parts: &[String]) -> String {
    const WIDTH: usize = 80 - "    ".len() - " \\".len();
    let mut lines = Vec::new();
    let mut line = String::new();
    for part in parts {
        if !line.is_empty() && line.chars().count() + 1 + part.chars().count() > WIDTH {
            lines.push(line);
            line = "   ".into();
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(part);
    }
    lines.push(line);
    lines.join(" \\\n    ")
}
