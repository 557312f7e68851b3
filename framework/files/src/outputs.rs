//! The files of a job: an output is never an input, no two outputs are one file, and a file that
//! exists is overwritten only on request. What lies beside a model is named here too.

use crate::replace::resolved;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use thiserror::Error;

#[derive(Debug, Error)]
pub enum OutputError {
    #[error("{} is the input and would be overwritten: name another file", .0.display())]
    IsInput(PathBuf),
    #[error("{one} and {other} would both be written to {}: name another file", file.display())]
    Same { one: &'static str, other: &'static str, file: PathBuf },
    /// The caller adds how it is overwritten.
    #[error("{} exists already", .0.display())]
    Exists(PathBuf),
}

/// The files that a job reads, and those that it writes.
#[derive(Debug, Default)]
pub struct Outputs {
    inputs: Vec<PathBuf>,
    /// Each with its name for messages, such as "the model".
    outputs: Vec<(&'static str, PathBuf)>,
}

impl Outputs {
    #[must_use]
    pub fn reads(mut self, files: impl IntoIterator<Item = impl AsRef<Path>>) -> Self {
        self.inputs.extend(files.into_iter().map(|file| file.as_ref().to_owned()));
        self
    }

    #[must_use]
    pub fn writes(mut self, what: &'static str, file: &Path) -> Self {
        self.outputs.push((what, file.to_owned()));
        self
    }

    /// Refuses outputs that are inputs or one file; and those that exist, unless it `overwrites`
    /// them.
    pub fn check(&self, overwrites: bool) -> Result<(), OutputError> {
        for (number, (what, file)) in self.outputs.iter().enumerate() {
            let this = identity(file);
            if let Some(input) =
                self.inputs.iter().find(|input| input.exists() && identity(input) == this)
            {
                return Err(OutputError::IsInput(input.clone()));
            }
            let same = self.outputs[..number].iter().find(|(_, other)| identity(other) == this);
            if let Some((one, _)) = same {
                return Err(OutputError::Same { one, other: what, file: file.clone() });
            }
        }
        match self.outputs.iter().find(|(_, file)| file.is_file() && !overwrites) {
            Some((_, file)) => Err(OutputError::Exists(file.clone())),
            None => Ok(()),
        }
    }
}

/// Returns a path that is equal for all names of a file, which need not exist.
fn identity(path: &Path) -> PathBuf {
    let path = resolved(path).unwrap_or(path.to_owned());
    let path = std::path::absolute(&path).unwrap_or(path);
    match (path.parent().map(Path::canonicalize), path.file_name()) {
        (Some(Ok(folder)), Some(name)) => folder.join(name),
        _ => path,
    }
}

pub fn curve_beside(model: &Path) -> PathBuf {
    let mut curve = OsString::from(model);
    curve.push(".curve.jsonl");
    curve.into()
}

/// Returns the model of a training that continues `source`, which is no checkpoint and stays.
pub fn checkpoint_beside(source: &Path) -> PathBuf {
    let is_taken = source.extension().is_some_and(|extension| extension == "model");
    source.with_extension(if is_taken { "resumed.model" } else { "model" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_lies_beside_a_model_that_is_none() {
        for (source, beside) in [
            ("a/b.player", "a/b.model"),
            ("a/b.w", "a/b.model"),
            ("a/b.model", "a/b.resumed.model"),
        ] {
            assert_eq!(checkpoint_beside(Path::new(source)), Path::new(beside));
        }
    }

    #[test]
    fn all_names_of_a_file_are_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let check = |output: &Path| {
            let outputs = Outputs::default().reads([path("in")]);
            outputs.writes("the model", &path("a.model")).writes("the curve", output).check(true)
        };
        std::fs::write(path("in"), "").unwrap();
        assert!(check(&path("x.curve")).is_ok());
        assert!(matches!(check(&path("in")), Err(OutputError::IsInput(_))));
        assert!(matches!(check(&path("./a.model")), Err(OutputError::Same { .. })));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("a.model", path("curve")).unwrap();
            std::os::unix::fs::symlink("in", path("link")).unwrap();
            std::os::unix::fs::symlink(folder.path(), path("same")).unwrap();
            for other in ["curve", "same/a.model", "same/curve"] {
                assert!(matches!(check(&path(other)), Err(OutputError::Same { .. })), "{other}");
            }
            assert!(matches!(check(&path("same/link")), Err(OutputError::IsInput(_))));
        }
    }
}
