//! The entries of an index, and the choice of one.

use crate::new::check_name;
use runner_play::document::read_file;
use runner_play::failure::Failure;
use runner_plugin::NameError;
use runner_plugin::abi::ABI_VERSION;
use runner_spec::nearest;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use std::env::consts::{ARCH, OS};
use std::path::{Path, PathBuf};

/// A plugin library, or the crate of one.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Name by which it is added, and by which its file is named.
    #[serde(deserialize_with = "name")]
    pub name: String,
    pub version: String,
    /// Kind and name of each plugin in the library: `game dice`.
    pub plugins: Vec<String>,
    pub about: String,
    /// Version of the plugin ABI.
    pub abi: u32,
    pub source: Source,
    /// SHA-256 of the library file, or of the lines that `sha256sum` prints for the files of the crate,
    /// sorted by their paths, in 64 lower-case hexadecimal digits.
    #[serde(deserialize_with = "sha256")]
    pub sha256: String,
}

/// A file or a folder, relative to the folder of the index.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Source {
    /// A library file for one kind of machine, such as `x86_64-linux`.
    Library { path: PathBuf, target: String },
    /// The folder of a crate, which is built by cargo.
    Crate { path: PathBuf },
}

fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let name = String::deserialize(deserializer)?;
    check_name(&name).map(|()| name).map_err(D::Error::custom)
}

fn sha256<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    match text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        true => Ok(text.to_ascii_lowercase()),
        false => Err(D::Error::custom("a SHA-256 checksum has 64 hexadecimal digits")),
    }
}

/// Returns the kind of this machine.
pub fn this_target() -> String {
    format!("{ARCH}-{OS}")
}

impl Entry {
    /// Returns what the entry needs and this program or machine is not.
    pub fn unmet(&self) -> Option<String> {
        match &self.source {
            _ if self.abi != ABI_VERSION => Some(format!("ABI {}", self.abi)),
            Source::Library { target, .. } if *target != this_target() => Some(target.clone()),
            Source::Library { .. } | Source::Crate { .. } => None,
        }
    }
}

/// An index file.
#[derive(Debug)]
pub struct Index {
    pub file: PathBuf,
    pub entries: Vec<Entry>,
}

impl Index {
    pub fn read(file: &Path) -> Result<Self, Failure> {
        let text = file.to_string_lossy();
        if text.contains("://") {
            return Err(Failure::usage(format!(
                "{text} is an address; download the index and the files that it names, such as \
                 with `curl -fLO {text}`, and name the file"
            )));
        }
        Ok(Self { file: file.to_owned(), entries: read_file(file)? })
    }

    /// Returns the first entry with this name that this program can use.
    pub fn find(&self, name: &str) -> Result<&Entry, Failure> {
        let named: Vec<_> = self.entries.iter().filter(|entry| entry.name == name).collect();
        let index = self.file.display();
        if self.entries.is_empty() {
            return Err(Failure::failed(format!("{index}: lists no plugins")));
        }
        if named.is_empty() {
            let mut known: Vec<_> = self.entries.iter().map(|entry| entry.name.clone()).collect();
            known.sort();
            known.dedup();
            return Err(Failure::from(unknown(name, known)).of(&index.to_string()));
        }
        named.iter().copied().find(|entry| entry.unmet().is_none()).ok_or_else(|| {
            let offered = named.iter().map(|entry| {
                format!("version {} for {}", entry.version, entry.unmet().unwrap_or_default())
            });
            let offered = offered.collect::<Vec<_>>().join(", ");
            let here = this_target();
            Failure::failed(format!(
                "{index}: has `{name}` in {offered}; this runner needs ABI {ABI_VERSION} and \
                 {here}: ask the author of the index for that, or for its sources"
            ))
        })
    }

    /// Returns the file or folder of an entry.
    pub fn path(&self, entry: &Entry) -> PathBuf {
        let (Source::Library { path, .. } | Source::Crate { path }) = &entry.source;
        self.file.parent().unwrap_or(Path::new("")).join(path)
    }
}

/// Returns the error of a name that no plugin has.
pub fn unknown(name: &str, known: Vec<String>) -> NameError {
    let nearest = nearest(name, known.iter().map(String::as_str)).map(Into::into);
    NameError::Unknown { wanted: "plugin".into(), name: name.into(), nearest, known }
}
