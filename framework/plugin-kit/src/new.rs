//! `runner plugins new`: creates a crate, or a program in Python, for a plugin of the user's own.
//! As created, it builds, passes its tests, loads and plays.
//!
//! The files are in the folder `templates` of this crate, with blanks that `crate_files` fills in.

mod crate_files;
mod framework;
mod names;
mod template;

pub use crate_files::Examples;
pub use template::Template;

use crate_files::{CrateFile, crate_files, play_command};
use framework::Framework;
use names::Names;
use runner_console::notes::note;
use runner_console::shell::{program, quoted};
use runner_files::FileError;
use runner_play::failure::Failure;
use runner_plugin::{Kind, PluginInfo};
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::Path;

/// A plugin that is to be created.
pub struct NewPlugin<'a> {
    /// Kind of the plugin.
    pub template: Template,
    pub name: &'a str,
    /// Folder to write to; that of the name if `None`.
    pub path: Option<&'a Path>,
    /// Sources of the framework; those that this program was built from if `None`.
    pub framework: Option<&'a Path>,
}

/// Creates a plugin, and prints what to do next.
pub fn create(
    new: &NewPlugin<'_>,
    examples: Examples,
    plugins: impl Fn() -> Vec<PluginInfo>,
) -> Result<(), Failure> {
    let &NewPlugin { template, name, path, framework } = new;
    let names = Names::new(template, name).map_err(Failure::usage)?;
    let framework = match (template.is_crate(), framework) {
        (true, folder) => Some(Framework::find(folder)?),
        (false, None) => None,
        (false, Some(_)) => {
            return Err(Failure::usage("--framework is for crates; `process` needs no sources"));
        }
    };
    let folder = path.unwrap_or(Path::new(name));
    create_folder(folder)?;
    let play = |program: &str| play_command(template, name, program, examples);
    let paths = framework.as_ref().map(Framework::manifest_paths).transpose()?.unwrap_or_default();
    let mut files = crate_files(template, &names, &paths, &play("runner").join(" "));
    // The versions with which the runner was built are on this machine already.
    if let Some(text) = framework.as_ref().map(Framework::lock_file).transpose()?.flatten() {
        files.push(CrateFile { path: "Cargo.lock", text });
    }
    for file in files {
        write(&folder.join(file.path), &file.text)?;
    }
    let plugins = match template.is_crate() {
        true => plugins(),
        false => Vec::new(),
    };
    if let Some(rival) = plugins.iter().find(|plugin| shares_name(plugin, template, name)) {
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
            Ok(runner_files::create_folder(folder)?)
        }
        Err(error) => Err(FileError::at("write to", folder)(error).into()),
    }
}

fn write(path: &Path, text: &str) -> Result<(), FileError> {
    if let Some(folder) = path.parent() {
        runner_files::create_folder(folder)?;
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
