//! Creates a crate, or a program in Python, for a plugin of the user's own.
//! As created, it builds, passes its tests, loads and plays.
//!
//! The files are in the folder `templates` of this crate, with blanks that `crate_files` fills in.

mod crate_files;
mod framework;
mod names;
mod template;

pub use crate_files::{Examples, play_command};
pub use template::Template;

use crate_files::{CrateFile, crate_files};
use framework::Framework;
use names::Names;
use runner_files::FileError;
use runner_play::failure::Failure;
use std::path::Path;

pub struct NewPlugin<'a> {
    pub template: Template,
    pub name: &'a str,
    /// Folder to write to; that of the name if `None`.
    pub path: Option<&'a Path>,
    /// Sources of the framework. If `None`, those that this program was built from, or the
    /// published crates where these are gone.
    pub framework: Option<&'a Path>,
}

/// Creates a plugin, and returns its folder.
pub fn create<'a>(new: &NewPlugin<'a>, examples: Examples) -> Result<&'a Path, Failure> {
    let &NewPlugin { template, name, path, framework } = new;
    let names = Names::new(template, name).map_err(Failure::usage)?;
    let framework = match (template.is_crate(), framework) {
        (true, folder) => Some(Framework::find(folder)?),
        (false, None) => None,
        (false, Some(_)) => {
            return Err(Failure::usage("`process` needs no sources of the framework"));
        }
    };
    let folder = path.unwrap_or(Path::new(name));
    create_folder(folder)?;
    let play = play_command(template, name, "runner", examples).join(" ");
    let (dependencies, lock_file) = match &framework {
        Some(framework) => (framework.dependencies()?, framework.lock_file()?),
        None => Default::default(),
    };
    let mut files = crate_files(template, &names, &dependencies, &play);
    // The versions with which the runner was built are on this machine already.
    files.extend(lock_file.map(|text| CrateFile { path: "Cargo.lock", text }));
    for file in files {
        write(&folder.join(file.path), &file.text)?;
    }
    Ok(folder)
}

/// Creates the folder if it does not exist. A folder that is not empty is refused.
fn create_folder(folder: &Path) -> Result<(), Failure> {
    if !runner_files::is_empty_folder(folder)? {
        return Err(Failure::usage(format!(
            "{} is not empty, and nothing in it is overwritten; name another folder",
            folder.display()
        )));
    }
    Ok(runner_files::create_folder(folder)?)
}

fn write(path: &Path, text: &str) -> Result<(), FileError> {
    if let Some(folder) = path.parent() {
        runner_files::create_folder(folder)?;
    }
    runner_files::write(path, text.as_bytes())
}
