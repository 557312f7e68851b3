//! `runner plugins new`: creates a crate, or a program in Python, for a plugin of the user's own.
//! As created, it builds, passes its tests, loads and plays.
//!
//! The files are in the folder of this module, with blanks that `crate_files` fills in.

mod crate_files;
mod framework;
mod names;
mod template;

use crate::context::Context;
use crate::failure::Failure;
use crate::notes::note;
use crate::shell::{program, quoted};
use clap::Args;
use crate_files::{CrateFile, crate_files, play_command};
use framework::Framework;
use names::Names;
use runner_files::FileError;
use runner_plugin::{Kind, PluginInfo};
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use template::Template;

/// Create a plugin of your own: a crate, or an agent in Python
#[derive(Debug, Clone, Args)]
pub struct NewOptions {
    /// Kind of the plugin
    template: Template,
    /// Name of the plugin: lower-case letters, digits and hyphens, at most 40
    name: String,
    /// Folder to write to [default: the name]
    #[arg(long, value_name = "FOLDER")]
    path: Option<PathBuf>,
    /// Sources of the framework [default: those that this program was built from]
    #[arg(long, value_name = "FOLDER")]
    framework: Option<PathBuf>,
}

pub(super) fn run(options: &NewOptions, context: &Context) -> Result<(), Failure> {
    let NewOptions { template, name, .. } = options;
    let names = Names::new(*template, name).map_err(Failure::usage)?;
    let framework = match (template.is_crate(), &options.framework) {
        (true, folder) => Some(Framework::find(folder.as_deref())?),
        (false, None) => None,
        (false, Some(_)) => {
            return Err(Failure::usage("--framework is for crates; `process` needs no sources"));
        }
    };
    let folder = options.path.as_deref().unwrap_or(Path::new(name));
    create_folder(folder)?;
    let play = |program: &str| play_command(*template, name, program, &context.linked);
    let paths = framework.as_ref().map(Framework::manifest_paths).transpose()?.unwrap_or_default();
    let mut files = crate_files(*template, &names, &paths, &play("runner").join(" "));
    // The versions with which the runner was built are on this machine already.
    if let Some(text) = framework.as_ref().map(Framework::lock_file).transpose()?.flatten() {
        files.push(CrateFile { path: "Cargo.lock", text });
    }
    for file in files {
        write(&folder.join(file.path), &file.text)?;
    }
    let plugins = match template.is_crate() {
        true => context.silent_registry().plugins(),
        false => Vec::new(),
    };
    if let Some(rival) = plugins.iter().find(|plugin| shares_name(plugin, *template, name)) {
        note(format!(
            "note: the {} `{name}` exists already ({}); where both are loaded, it is replaced or \
             neither can be used, so choose another name",
            rival.kind, rival.origin
        ));
    }
    let mut out = std::io::stdout().lock();
    writeln!(out, "Created the {} `{name}` in {}. Next:\n", template.word(), folder.display())?;
    let tests: &[&[&str]] = match template.is_crate() {
        true => &[&["cargo", "test", "--release"], &["cargo", "build", "--release"]],
        false => &[&["python3", "test_agent.py"]],
    };
    let tests = tests.iter().map(|words| words.iter().map(ToString::to_string).collect());
    let enter = vec!["cd".into(), quoted(&folder.to_string_lossy())];
    for command in [enter].into_iter().chain(tests).chain([play(&program())]) {
        writeln!(out, "    {}", on_lines(&command))?;
    }
    Ok(out.flush()?)
}

/// Returns true if a plugin has the name of a new one. Values can stand where agents are
/// expected, so these share their names.
fn shares_name(plugin: &PluginInfo, template: Template, name: &str) -> bool {
    plugin.name == name && (plugin.kind == Kind::Game) == (template == Template::Game)
}

/// Creates the folder if it does not exist. A folder that is not empty is refused.
fn create_folder(folder: &Path) -> Result<(), Failure> {
    match fs::read_dir(folder).map(|mut entries| entries.next().is_none()) {
        Ok(true) => Ok(()),
        Ok(false) => Err(Failure::failed(format!(
            "{} is not empty, and nothing in it is overwritten; name another folder with --path",
            folder.display()
        ))),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Ok(fs::create_dir_all(folder).map_err(FileError::at("create", folder))?)
        }
        Err(error) => Err(FileError::at("write to", folder)(error).into()),
    }
}

fn write(path: &Path, text: &str) -> Result<(), FileError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(FileError::at("create", folder))?;
    }
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    let mut file = file.map_err(FileError::at("create", path))?;
    file.write_all(text.as_bytes()).map_err(FileError::at("write", path))
}

/// Returns a command on as many lines as it needs at 80 columns.
fn on_lines(parts: &[String]) -> String {
    const WIDTH: usize = 80 - "    ".len() - " \\".len();
    let mut lines = vec![String::new()];
    for part in parts {
        let line = &lines[lines.len() - 1];
        if !line.is_empty() && line.chars().count() + 1 + part.chars().count() > WIDTH {
            lines.push("   ".into());
        }
        let last = lines.len() - 1;
        if !lines[last].is_empty() {
            lines[last].push(' ');
        }
        lines[last].push_str(part);
    }
    lines.join(" \\\n    ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_commands_are_broken_between_parts() {
        let words = |text: &str| text.split(' ').map(String::from).collect::<Vec<_>>();
        assert_eq!(on_lines(&words("cd dice")), "cd dice");
        let long = ["a".repeat(40), "b".repeat(33), "c".repeat(80)];
        let text = on_lines(&long);
        let [a, b, c] = &long;
        // 40 + 1 + 33 are the 74 columns that a line has beside its indent and its mark.
        assert_eq!(text, format!("{a} {b} \\\n        {c}"));
    }
}
