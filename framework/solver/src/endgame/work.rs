//! The folder of a build: what is done so far, a file for each layer.
//!
//! A layer's positions and their values are containers, which are written in one go: a file that
//! was torn by a kill has a wrong checksum, and its layer is computed again. The other files are
//! replaced.

use super::positions::Positions;
use runner_files::container::write as write_container;
use runner_files::{
    Container, FileError, FileLock, Header, LockError, TEMPORARY_SUFFIX, create_folder, paths_in,
    read, read_text, remove_folder, replace, table_files, write,
};
use std::io::Write;
use std::path::{Path, PathBuf};

const KIND: &str = "endgame layer";
const BEGIN: &str = "begin";
const LOWS: &str = "lows";
const POSITIONS: &str = "positions";
const VALUES: &str = "values";
const SHIFT: &str = "shift";
const DEFINITION: &str = "pattern.ron";
const LISTED: &str = "listed";
const INPUTS: &str = "inputs.json";

/// Why a folder of a build cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Lock(#[from] LockError),
    #[error(
        "`{}` holds the build of another table; remove the folder or choose another file", .0.display()
    )]
    Other(PathBuf),
    #[error("`{}` holds other files than those of a build; choose another file", .0.display())]
    Foreign(PathBuf),
    #[error("a layer of the build is lost or damaged; remove its folder and begin again")]
    Lost,
}

fn keep_text(path: &Path, text: &str) -> Result<(), FileError> {
    replace(path, |file| file.write_all(text.as_bytes()))
}

/// Returns true for a file of a run that was killed before it wrote the definition.
fn is_of_definition(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let rest = name.strip_prefix(DEFINITION).unwrap_or(&name);
    rest == ".lock" || (rest != name && rest.ends_with(TEMPORARY_SUFFIX))
}

/// The folder of a build, which is locked.
#[derive(Debug)]
pub struct Work {
    folder: PathBuf,
    _lock: FileLock,
}

/// Returns the folder of the build of a table.
fn folder_of(file: &Path) -> PathBuf {
    let mut folder = file.as_os_str().to_owned();
    folder.push(".");
    folder.push(table_files::BUILD_EXTENSION);
    folder.into()
}

/// Removes the folder of a build that was killed after it had saved its table: if all of its files
/// are those of a build, and none is newer than the table.
pub fn remove_finished(table: &Path) -> Result<(), FileError> {
    let changed = |path: &Path| path.metadata().and_then(|data| data.modified()).ok();
    let Some(saved) = changed(table) else { return Ok(()) };
    let is_older = |path: &PathBuf| changed(path).is_some_and(|time| time <= saved);
    let folder = folder_of(table);
    if paths_in(&folder)?.iter().all(|path| is_of_build(path) && is_older(path)) {
        remove_folder(&folder)?;
    }
    Ok(())
}

fn is_of_build(path: &Path) -> bool {
    let is_layer = [POSITIONS, VALUES].iter().any(|kind| path.extension() == Some(kind.as_ref()));
    is_layer
        || is_of_definition(path)
        || [DEFINITION, LISTED, INPUTS].iter().any(|name| path.ends_with(name))
}

impl Work {
    /// Opens the folder for the table that will be `file`, or makes it. `definition` says what is
    /// built.
    pub fn open(file: &Path, definition: &str) -> Result<Self, WorkError> {
        let folder = folder_of(file);
        create_folder(&folder)?;
        let path = folder.join(DEFINITION);
        let lock = FileLock::acquire(&path)?;
        if !path.exists() {
            if !paths_in(&folder)?.iter().all(|path| is_of_definition(path)) {
                return Err(WorkError::Foreign(folder));
            }
            keep_text(&path, definition)?;
        } else if read(&path)? != definition.as_bytes() {
            return Err(WorkError::Other(folder));
        }
        Ok(Self { folder, _lock: lock })
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the description of the build's inputs, if it is kept.
    pub fn inputs(&self) -> Option<String> {
        read_text(&self.folder.join(INPUTS)).ok()
    }

    pub fn keep_inputs(&self, inputs: &str) -> Result<(), WorkError> {
        Ok(keep_text(&self.folder.join(INPUTS), inputs)?)
    }

    /// Returns the number of layers, if all positions are listed.
    pub fn listed(&self) -> Option<u32> {
        read_text(&self.folder.join(LISTED)).ok()?.strip_suffix('\n')?.parse().ok()
    }

    /// Says that all positions are listed, in this number of layers.
    pub fn set_listed(&self, layers: u32) -> Result<(), WorkError> {
        Ok(keep_text(&self.folder.join(LISTED), &format!("{layers}\n"))?)
    }

    /// Returns the positions of a layer, if they are listed.
    pub fn positions(&self, sum: u32) -> Option<Positions<Vec<u8>>> {
        let file = self.read(sum, POSITIONS)?;
        let shift = file.header().fact(SHIFT)?.parse().ok()?;
        let section = |name| file.read_section(name).ok();
        Positions::of_parts(shift, section(BEGIN)?, section(LOWS)?)
    }

    pub fn keep_positions(
        &self,
        sum: u32,
        positions: &Positions<Vec<u8>>,
    ) -> Result<(), WorkError> {
        let (shift, begin, lows) = positions.parts();
        let header = Header { kind: KIND.to_owned(), ..Header::default() }
            .section(BEGIN, begin.len() as u64)
            .section(LOWS, lows.len() as u64)
            .with(SHIFT, shift);
        self.keep(sum, POSITIONS, &header, &[begin, lows])
    }

    /// Returns the values of these positions of a layer, if they are known.
    pub fn values_of(&self, sum: u32, positions: &Positions<Vec<u8>>) -> Option<Vec<f32>> {
        let bytes = self.read(sum, VALUES)?.read_section(VALUES).ok()?;
        let values = bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
        Some(values.collect::<Vec<_>>()).filter(|values| values.len() == positions.len())
    }

    pub fn keep_values(&self, sum: u32, values: &[f32]) -> Result<(), WorkError> {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        let header = Header { kind: KIND.to_owned(), ..Header::default() }
            .section(VALUES, bytes.len() as u64);
        self.keep(sum, VALUES, &header, &[&bytes])
    }

    pub fn finish(self) -> Result<(), WorkError> {
        Ok(remove_folder(&self.folder)?)
    }

    fn path(&self, sum: u32, what: &str) -> PathBuf {
        self.folder.join(format!("{sum:05}.{what}"))
    }

    fn read(&self, sum: u32, what: &str) -> Option<Container> {
        let file = Container::open(&self.path(sum, what)).ok()?;
        (file.header().kind == KIND).then_some(file)
    }

    fn keep(
        &self,
        sum: u32,
        what: &str,
        header: &Header,
        sections: &[&[u8]],
    ) -> Result<(), WorkError> {
        let path = self.path(sum, what);
        let mut bytes = Vec::new();
        let fill = |out: &mut runner_files::container::Writer<_>| {
            sections.iter().try_for_each(|section| out.write_all(section))
        };
        write_container(&mut bytes, header, fill).map_err(FileError::at("write", &path))?;
        Ok(write(&path, &bytes)?)
    }
}
