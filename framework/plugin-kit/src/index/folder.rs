//! The folder of the user's own plugins: what was added from an index, and adding and removing it.
//!
//! A record beside each added library, `NAME.added`, holds its version and its checksum. So a library
//! that the user put there, or built again, is never taken for an added one.

use super::build::build;
use super::checksum;
use super::entry::{Entry, Source, unknown};
use super::failure;
use runner_files::{FileLock, data_folder, rename, replace};
use runner_play::document::read_file;
use runner_play::failure::Failure;
use runner_plugin::{check_library, library_name, user_folder};
use serde::{Deserialize, Serialize};
use std::io::Write as _;
use std::path::{Path, PathBuf};

const RECORD: &str = "added";

/// The folder of the user's own plugins, which need not exist.
pub struct PluginFolder(PathBuf);

/// The library of a name in the folder.
pub enum State {
    Absent,
    Added(Record),
    /// A library that was not added, or was changed since.
    Other,
}

/// An added library.
#[derive(Serialize, Deserialize)]
pub struct Record {
    pub version: String,
    /// Checksum of the entry.
    source: String,
    /// Checksum of the library: that of the entry, unless it was built from a crate.
    library: String,
}

impl Record {
    /// Returns true if the library was added from this entry, or from an equal one.
    pub fn is_of(&self, entry: &Entry) -> bool {
        self.version == entry.version && self.source == entry.sha256
    }
}

/// The right to change the folder: no other process has it. It comes with a folder for the files of
/// the plugin that is added.
pub struct Change<'a> {
    folder: &'a PluginFolder,
    place: PathBuf,
    _lock: FileLock,
}

impl Drop for Change<'_> {
    fn drop(&mut self) {
        // The next change removes what stays.
        let _ = runner_files::remove_folder(&self.place);
    }
}

impl PluginFolder {
    pub fn of_user() -> Result<Self, Failure> {
        let data = data_folder().ok_or_else(|| {
            Failure::failed(
                "there is no folder for plugins: set XDG_DATA_HOME or HOME to an absolute path",
            )
        })?;
        Ok(Self(user_folder(&data)))
    }

    /// Returns the file of the library with this name.
    pub fn library(&self, name: &str) -> PathBuf {
        self.0.join(library_name(&format!("runner-plugin-{name}")))
    }

    fn record(&self, name: &str) -> PathBuf {
        self.0.join(format!("{name}.{RECORD}"))
    }

    pub fn state(&self, name: &str) -> Result<State, Failure> {
        let (library, record) = (self.library(name), self.record(name));
        if !library.exists() && !library.is_symlink() {
            return Ok(State::Absent);
        }
        // A link, such as one to a library that is not built at the moment, was not added.
        if !library.is_file() || library.is_symlink() {
            return Ok(State::Other);
        }
        // A damaged record proves nothing.
        let Ok(record) = read_file::<Record>(&record) else { return Ok(State::Other) };
        match checksum::of_bytes(&runner_files::read(&library)?) == record.library {
            true => Ok(State::Added(record)),
            false => Ok(State::Other),
        }
    }

    /// Begins a change, and removes what a killed one left.
    pub fn change(&self) -> Result<Change<'_>, Failure> {
        runner_files::create_folder(&self.0)?;
        let lock = FileLock::acquire(&self.0.join("adding"))?;
        let place = self.0.join("adding.files");
        runner_files::remove_folder(&place)?;
        Ok(Change { folder: self, place, _lock: lock })
    }

    /// Removes a plugin that was added, and returns the file of its library.
    pub fn remove(&self, name: &str) -> Result<PathBuf, Failure> {
        let records = runner_files::paths_in(&self.0)?;
        let records = records.iter().filter(|path| path.extension().is_some_and(|e| e == RECORD));
        let known: Vec<_> = records
            .filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()))
            .collect();
        let (folder, library) = (self.0.display(), self.library(name));
        if known.is_empty() {
            return Err(Failure::usage(format!("no plugin was added to {folder}")));
        }
        if !known.iter().any(|known| known == name) {
            return Err(Failure::from(unknown(name, known)).of(&format!("added to {folder}")));
        }
        let _change = self.change()?;
        match self.state(name)? {
            State::Added(_) => runner_files::remove(&library)?,
            // An earlier removal was interrupted.
            State::Absent => {}
            State::Other => {
                return Err(Failure::in_file(
                    &library,
                    "was changed after it was added; remove the file yourself",
                ));
            }
        }
        runner_files::remove(&self.record(name))?;
        Ok(library)
    }
}

impl Change<'_> {
    /// Adds the plugin of an entry, whose file or folder is `source`, or replaces it. `check` examines
    /// the library before it gets its final name. After an error the folder is as it was.
    pub fn add(
        &self,
        entry: &Entry,
        source: &Path,
        check: impl FnOnce(&Path) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let expect = |found: &str| match found == entry.sha256 {
            true => Ok(()),
            false => Err(Failure::in_file(
                source,
                format!(
                    "has the SHA-256 {found}, and the index says {}: it is damaged, or not what \
                     the author of the index has seen; get both again",
                    entry.sha256
                ),
            )),
        };
        let offered = match entry.source {
            Source::Library { .. } => {
                check_library(source).map_err(failure)?;
                let bytes = runner_files::read(source)?;
                expect(&checksum::of_bytes(&bytes))?;
                Some(bytes)
            }
            Source::Crate { .. } => {
                expect(&checksum::of_folder(source)?)?;
                None
            }
        };
        let Self { folder, place, .. } = self;
        runner_files::create_folder(place)?;
        let bytes = match offered {
            Some(bytes) => bytes,
            None => runner_files::read(&build(source, place)?)?,
        };
        let target = folder.library(&entry.name);
        // The same file name: the program does not load an older library beside it.
        let library = place.join(target.file_name().unwrap_or_default());
        replace(&library, |file| file.write_all(&bytes))?;
        check(&library)?;
        let record = Record {
            version: entry.version.clone(),
            source: entry.sha256.clone(),
            library: checksum::of_bytes(&bytes),
        };
        let record = ron::to_string(&record).map_err(Failure::failed)?;
        let new_record = place.join(RECORD);
        replace(&new_record, |file| writeln!(file, "{record}"))?;
        // Both files are complete, so that only their names are missing. A record without a library does
        // no harm; a library without a record is taken for one of the user.
        rename(&new_record, &folder.record(&entry.name))?;
        Ok(rename(&library, &target)?)
    }
}
