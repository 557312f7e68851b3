//! `runner model list` and `runner model clean`: the models that `runner run` has saved.

use runner_console::output::{Align, Table, print};
use runner_files::{FileError, FileLock, TEMPORARY_SUFFIX, remove_abandoned};
use runner_play::brief::brief;
use runner_play::failure::Failure;
use runner_play::models::{self, Learned};
use runner_plugin::Registry;
use runner_spec::quantity::{counted, memory};
use serde::Serialize;
use std::fmt;
use std::fs;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

#[derive(Serialize)]
struct Saved {
    folder: PathBuf,
    bytes: u64,
    models: Vec<SavedModel>,
    /// Temporary files, of runs that save a model now or were killed while they did.
    temporary: Vec<Temporary>,
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
    /// Game and learner for people.
    #[serde(skip)]
    title: String,
}

#[derive(Serialize)]
struct Temporary {
    file: String,
    bytes: u64,
}

pub fn list(json: bool, registry: &Registry) -> Result<(), Failure> {
    Ok(print(&Saved::read(registry)?, json)?)
}

/// Removes saved models, those named or all, with the temporary files of killed runs. Asks first
/// unless `force` is set.
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
        saved.temporary.retain(|temporary| names.contains(&temporary.target()));
        saved.bytes = saved.size();
    }
    if saved.models.is_empty() && saved.temporary.is_empty() {
        return Ok(writeln!(io::stdout(), "no models in {}", saved.folder.display())?);
    }
    if !force && !is_confirmed(&saved)? {
        return Ok(writeln!(io::stdout(), "nothing was removed")?);
    }
    for model in &saved.models {
        let path = saved.folder.join(&model.file);
        // Removed with its lock, so that a training that uses it is not disturbed.
        let _lock = FileLock::acquire(&path)?;
        runner_files::remove(&path)?;
    }
    for temporary in &saved.temporary {
        remove_abandoned(&saved.folder.join(temporary.target()), TEMPORARY_SUFFIX);
    }
    Ok(writeln!(io::stdout(), "removed {}", saved.total())?)
}

fn is_confirmed(saved: &Saved) -> Result<bool, Failure> {
    let question = format!("remove {} from {}", saved.total(), saved.folder.display());
    if !io::stdin().is_terminal() {
        return Err(Failure::usage(format!("to {question}, add --force")));
    }
    write!(io::stderr(), "{question}? [y/N] ")?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

impl Saved {
    fn read(registry: &Registry) -> Result<Self, Failure> {
        let folder = models::folder()?;
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries.collect::<io::Result<Vec<_>>>(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        };
        let entries = entries.map_err(FileError::at("read", &folder))?;
        let mut files: Vec<_> = entries.into_iter().map(|entry| entry.path()).collect();
        files.sort();
        let of = |wanted: &'static str| {
            let is_wanted = move |file: &&PathBuf| {
                file.extension().is_some_and(|extension| extension == wanted)
            };
            files.iter().filter(is_wanted)
        };
        let models = of("model").map(|path| SavedModel::read(path, registry)).collect();
        let temporary = of(TEMPORARY_SUFFIX).map(|path| Temporary::read(path)).collect();
        let mut saved = Self { bytes: 0, folder, models, temporary };
        saved.bytes = saved.size();
        Ok(saved)
    }

    fn size(&self) -> u64 {
        let models = self.models.iter().map(|model| model.bytes);
        models.chain(self.temporary.iter().map(|temporary| temporary.bytes)).sum()
    }

    /// Returns the number and the size of the files as text.
    fn total(&self) -> String {
        let mut text = counted(self.models.len() as u64, "model");
        if !self.temporary.is_empty() {
            text += " and ";
            text += &counted(self.temporary.len() as u64, "temporary file");
        }
        format!("{text}, {}", memory(self.bytes))
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
        let title = match (header.game.parse(), header.spec.parse()) {
            (Ok(game), Ok(spec)) => {
                format!("{} on {}", brief(&spec, registry), brief(&game, registry))
            }
            _ => "?".into(),
        };
        Self {
            file: name_of(path),
            bytes: size_of(path),
            game: header.game,
            agent: header.spec,
            moves: learned.map(|learned| learned.moves),
            seconds: learned.map(|learned| learned.elapsed.as_secs_f64()),
            title,
        }
    }

    /// Returns what the model plays and what it has learned.
    fn text(&self) -> String {
        let (Some(moves), Some(seconds)) = (self.moves, self.seconds) else {
            return self.title.clone();
        };
        let elapsed = std::time::Duration::try_from_secs_f64(seconds).unwrap_or_default();
        format!("{}, {}", self.title, Learned { moves, elapsed })
    }
}

impl Temporary {
    fn read(path: &Path) -> Self {
        Self { file: name_of(path), bytes: size_of(path) }
    }

    /// Returns the name of the file that it was to replace: its own without the extension, and
    /// without the number of several.
    fn target(&self) -> String {
        let name = Path::new(&self.file).with_extension("");
        let is_number =
            |text: &std::ffi::OsStr| text.as_encoded_bytes().iter().all(u8::is_ascii_digit);
        match name.extension().is_some_and(is_number) {
            true => name_of(&name.with_extension("")),
            false => name_of(&name),
        }
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn size_of(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |metadata| metadata.len())
}

impl fmt::Display for Saved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.models.is_empty() && self.temporary.is_empty() {
            return writeln!(f, "no models in {}", self.folder.display());
        }
        let mut table = Table::new(&[Align::Left, Align::Right, Align::Left]);
        for model in &self.models {
            table.row([model.file.clone(), memory(model.bytes), model.text()]);
        }
        for Temporary { file, bytes } in &self.temporary {
            table.row([file.as_str(), &memory(*bytes), "temporary file"]);
        }
        write!(f, "{table}")?;
        writeln!(f, "\n{}, in {}", self.total(), self.folder.display())
    }
}
