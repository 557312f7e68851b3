//! `runner plugins new`: a crate for a plugin of one's own, that builds, holds
//! the laws, loads and plays as it is written.
//!
//! The files lie in the folder of this module, as they are but for the words
//! that `crate_files` fills in.

mod crate_files;
mod names;

use crate::failure::Failure;
use crate::shell::{program, quoted};
use clap::ValueEnum;
use crate_files::CrateFile;
use names::Names;
use runner_files::FileError;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf, absolute};

/// What a new plugin provides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Template {
    /// The rules of a game.
    Game,
    /// An estimate of positions that learns.
    Value,
    /// A player.
    Agent,
}

pub(super) fn run(
    kind: Template,
    name: &str,
    path: Option<&Path>,
    framework: Option<&Path>,
) -> Result<(), Failure> {
    let names = Names::new(kind, name).map_err(Failure::usage)?;
    let framework = Framework::find(framework)?;
    let folder = path.unwrap_or(Path::new(name));
    claim(folder)?;
    let mut files = crate_files::of(kind, &names, &framework.manifest_paths()?);
    // The versions with which the runner was built are on this machine already.
    if let Some(text) = framework.lock_file()? {
        files.push(CrateFile { path: "Cargo.lock", text });
    }
    for file in files {
        write(&folder.join(file.path), &file.text)?;
    }
    let word = match kind {
        Template::Game => "game",
        Template::Value => "value",
        Template::Agent => "agent",
    };
    let mut out = std::io::stdout().lock();
    writeln!(out, "The {word} `{name}` is in {}. What to do next:\n", folder.display())?;
    let play = crate_files::play(kind, name, &program());
    for command in [
        vec!["cd".into(), quoted(&folder.to_string_lossy())],
        ["cargo", "test", "--release"].map(String::from).into(),
        ["cargo", "build", "--release"].map(String::from).into(),
        play,
    ] {
        writeln!(out, "    {}", on_lines(&command))?;
    }
    Ok(out.flush()?)
}

/// The sources that a plugin is built against.
struct Framework(PathBuf);

impl Framework {
    /// The folder that was named, or that this program was built from. It may be
    /// the checkout, or the folder `framework` in it.
    fn find(given: Option<&Path>) -> Result<Self, Failure> {
        let built_from = Path::new(env!("CARGO_MANIFEST_DIR"));
        let place = given.unwrap_or(built_from);
        let found = [place.join("framework"), place.to_owned()].into_iter().find(|folder| {
            ["core", "plugin", "files", "laws"]
                .iter()
                .all(|name| is_crate(&folder.join(name), name))
        });
        let found = found.ok_or_else(|| match given {
            Some(given) => Failure::usage(format!(
                "the sources of the framework are not in {}: --framework takes a checkout of \
                 runner, with the folders `framework/core`, `framework/plugin`, \
                 `framework/files` and `framework/laws`",
                given.display()
            )),
            None => Failure::usage(format!(
                "the sources that this runner was built from are no longer in {}; say where a \
                 checkout of the same version is, with --framework FOLDER",
                built_from.display()
            )),
        })?;
        Ok(Self(absolute(&found).map_err(FileError::at("find", &found))?))
    }

    /// Returns the folders of `runner-core`, `runner-plugin`, `runner-files` and
    /// `runner-laws`, as strings of TOML.
    fn manifest_paths(&self) -> Result<[String; 4], Failure> {
        let text = |name: &str| -> Result<String, Failure> {
            let path = self.0.join(name);
            let text = path.to_str().ok_or_else(|| {
                Failure::failed(format!(
                    "{} is not valid UTF-8, as a path in a Cargo.toml must be; give another name \
                     for it with --framework",
                    path.display()
                ))
            })?;
            Ok(toml_string(text))
        };
        Ok([text("core")?, text("plugin")?, text("files")?, text("laws")?])
    }

    fn lock_file(&self) -> Result<Option<String>, FileError> {
        let path = self.0.join("../Cargo.lock");
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Some(text)),
            // Cargo will choose versions of its own.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(FileError::at("read", &path)(error)),
        }
    }
}

fn is_crate(folder: &Path, name: &str) -> bool {
    fs::read_to_string(folder.join("Cargo.toml"))
        .is_ok_and(|text| text.contains(&format!("name = \"runner-{name}\"")))
}

/// Makes the folder, if it is not there; a folder that has something in it is
/// somebody's.
fn claim(folder: &Path) -> Result<(), Failure> {
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

/// A string of TOML. JSON's strings are, but for one character.
fn toml_string(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\x7f', "\\u007F")
}

/// A command, on more than one line if 80 columns are too few.
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
    fn any_path_is_a_string_of_toml() {
        assert_eq!(toml_string("/a b/ü"), r#""/a b/ü""#);
        assert_eq!(toml_string(r#"C:\a "b""#), r#""C:\\a \"b\"""#);
        assert_eq!(toml_string("a\n\x1b\x7f"), r#""a\n\u001b\u007F""#);
    }

    #[test]
    fn a_long_command_is_cut_between_its_words() {
        let words = |text: &str| text.split(' ').map(String::from).collect::<Vec<_>>();
        assert_eq!(on_lines(&words("cd dice")), "cd dice");
        let long = ["a".repeat(40), "b".repeat(33), "c".repeat(80)];
        let text = on_lines(&long);
        let [a, b, c] = &long;
        // 40 + 1 + 33 are the 74 that a line has beside its margin and its mark.
        assert_eq!(text, format!("{a} {b} \\\n        {c}"));
    }
}
