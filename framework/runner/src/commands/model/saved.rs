//! `runner model list` and `runner model clean`: the models that `runner run` has saved.

use crate::failure::Failure;
use crate::models::{self, Learned};
use crate::output::{Align, Table, print};
use runner_files::FileError;
use runner_plugin::Registry;
use runner_spec::quantity::{counted, memory};
use serde::Serialize;
use std::fmt;
use std::fs;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// The saved models.
#[derive(Serialize)]
struct Saved {
    folder: PathBuf,
    bytes: u64,
    models: Vec<SavedModel>,
}

#[derive(Serialize)]
struct SavedModel {
    file: String,
    bytes: u64,
    game: String,
    agent: String,
    /// Training moves, if the model states them.
    moves: Option<u64>,
    /// Training time, if the model states it.
    seconds: Option<f64>,
}

/// Prints the saved models with their sizes and trainings.
pub fn list(json: bool, registry: &Registry) -> Result<(), Failure> {
    print(&Saved::read(registry)?, json)
}

/// Removes saved models: those named, or all. Asks first unless `force` is set.
pub fn clean(names: &[String], force: bool, registry: &Registry) -> Result<(), Failure> {
    let mut saved = Saved::read(registry)?;
    if let Some(unknown) = names.iter().find(|name| !saved.has(name)) {
        return Err(Failure::usage(format!(
            "there is no model {unknown} in {}; `runner model list` prints them",
            saved.folder.display()
        )));
    }
    if !names.is_empty() {
        saved.models.retain(|model| names.contains(&model.file));
        saved.bytes = saved.models.iter().map(|model| model.bytes).sum();
    }
    if saved.models.is_empty() {
        return Ok(writeln!(io::stdout(), "no models in {}", saved.folder.display())?);
    }
    if !force && !is_confirmed(&saved)? {
        return Ok(writeln!(io::stdout(), "nothing was removed")?);
    }
    for model in &saved.models {
        let path = saved.folder.join(&model.file);
        fs::remove_file(&path).map_err(FileError::at("remove", &path))?;
    }
    let count = counted(saved.models.len() as u64, "model");
    Ok(writeln!(io::stdout(), "removed {count}, {}", memory(saved.bytes))?)
}

/// Asks whether to remove models.
fn is_confirmed(saved: &Saved) -> Result<bool, Failure> {
    let count = counted(saved.models.len() as u64, "model");
    let question =
        format!("remove {count}, {}, from {}", memory(saved.bytes), saved.folder.display());
    if !io::stdin().is_terminal() {
        return Err(Failure::usage(format!("to {question}, add --force")));
    }
    write!(io::stderr(), "{question}? [y/N] ")?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

impl Saved {
    /// Reads the folder of the saved models.
    fn read(registry: &Registry) -> Result<Self, Failure> {
        let folder = models::folder()?;
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries.collect::<io::Result<Vec<_>>>(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        };
        let entries = entries.map_err(FileError::at("read", &folder))?;
        let mut models: Vec<_> = entries
            .into_iter()
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|extension| extension == "model"))
            .map(|path| SavedModel::read(&path, registry))
            .collect();
        models.sort_by(|a, b| a.file.cmp(&b.file));
        Ok(Self { bytes: models.iter().map(|model| model.bytes).sum(), folder, models })
    }

    fn has(&self, name: &str) -> bool {
        self.models.iter().any(|model| model.file == name)
    }
}

impl SavedModel {
    /// Reads what a model states. One that cannot be read states nothing.
    fn read(path: &Path, registry: &Registry) -> Self {
        let header = models::header(path).ok().flatten().unwrap_or_default();
        let learned = models::facts(path, registry).ok().and_then(|facts| Learned::of(&facts));
        Self {
            file: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            bytes: fs::metadata(path).map_or(0, |metadata| metadata.len()),
            game: header.game,
            agent: header.spec,
            moves: learned.map(|learned| learned.moves),
            seconds: learned.map(|learned| learned.elapsed.as_secs_f64()),
        }
    }

    fn learned(&self) -> String {
        let (Some(moves), Some(seconds)) = (self.moves, self.seconds) else { return "?".into() };
        let elapsed = std::time::Duration::try_from_secs_f64(seconds).unwrap_or_default();
        Learned { moves, elapsed }.to_string()
    }
}

impl fmt::Display for Saved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.models.is_empty() {
            return writeln!(f, "no models in {}", self.folder.display());
        }
        let mut table = Table::new(&[Align::Left, Align::Right, Align::Left]);
        for model in &self.models {
            table.row([model.file.clone(), memory(model.bytes), model.learned()]);
        }
        write!(f, "{table}")?;
        let count = counted(self.models.len() as u64, "model");
        writeln!(f, "\n{count}, {}, in {}", memory(self.bytes), self.folder.display())
    }
}
