//! The framework that a new plugin is built against.

use runner_files::FileError;
use runner_play::failure::Failure;
use std::path::{Path, PathBuf, absolute};

/// The crates that a plugin uses.
const CRATES: [&str; 5] = ["core", "plugin", "files", "learning", "laws"];

/// Where the crate of a new plugin takes the framework from.
pub enum Framework {
    /// The folder `framework` of a checkout
    Folder(PathBuf),
    /// The registry of crates, in the version of this program
    Registry,
}

impl Framework {
    /// Returns the given folder, or that from which this program was built if it is still there. It
    /// may be the checkout, or the folder `framework` in it.
    pub fn find(given: Option<&Path>) -> Result<Self, Failure> {
        let Some(place) = given.or(built_from()) else { return Ok(Self::Registry) };
        let found = [place.join("framework"), place.to_owned()]
            .into_iter()
            .find(|folder| CRATES.iter().all(|name| is_crate(&folder.join(name), name)));
        match (found, given) {
            (Some(found), _) => {
                Ok(Self::Folder(absolute(&found).map_err(FileError::at("find", &found))?))
            }
            (None, None) => Ok(Self::Registry),
            (None, Some(given)) => Err(Failure::usage(format!(
                "{} has no sources of the framework, which are a checkout of runner with the \
                 folders {}",
                given.display(),
                CRATES.map(|name| format!("`framework/{name}`")).join(", ")
            ))),
        }
    }

    /// Returns the values of the dependencies on the crates in a manifest.
    pub fn dependencies(&self) -> Result<[String; 5], Failure> {
        // Only the same version is certain to have the same ABI.
        let exact_version = concat!("\"=", env!("CARGO_PKG_VERSION"), "\"");
        let Self::Folder(framework) = self else {
            return Ok([(); 5].map(|()| exact_version.into()));
        };
        let mut dependencies = <[String; 5]>::default();
        for (dependency, name) in dependencies.iter_mut().zip(CRATES) {
            let folder = framework.join(name);
            let path = folder.to_str().ok_or_else(|| {
                Failure::failed(format!(
                    "{} is not valid UTF-8, as a path in a Cargo.toml must be; give another path \
                     of the framework",
                    folder.display()
                ))
            })?;
            *dependency = format!("{{ path = {} }}", toml_string(path));
        }
        Ok(dependencies)
    }

    /// Returns the lock file of the checkout, if it has one. Without it, cargo chooses
    /// newer versions.
    pub fn lock_file(&self) -> Result<Option<String>, FileError> {
        let Self::Folder(framework) = self else { return Ok(None) };
        let path = framework.join("../Cargo.lock");
        path.exists().then(|| runner_files::read_text(&path)).transpose()
    }
}

/// Returns the checkout that this program was built from. A program of a release holds no path of
/// the machine that built it.
fn built_from() -> Option<&'static Path> {
    // This crate is in the folder `framework` of the checkout.
    match option_env!("RUNNER_RELEASE") {
        None => Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2),
        Some(_) => None,
    }
}

fn is_crate(folder: &Path, name: &str) -> bool {
    runner_files::read_text(&folder.join("Cargo.toml"))
        .is_ok_and(|text| text.contains(&format!("name = \"runner-{name}\"")))
}

/// Returns a TOML string. A JSON string is one, except for the character DEL.
fn toml_string(text: &str) -> String {
    serde_json::Value::from(text).to_string().replace('\x7f', "\\u007F")
}

#[cfg(test)]
mod tests {
    use super::toml_string;

    #[test]
    fn any_path_becomes_a_toml_string() {
        assert_eq!(toml_string("/a b/ü"), r#""/a b/ü""#);
        assert_eq!(toml_string(r#"C:\a "b""#), r#""C:\\a \"b\"""#);
        assert_eq!(toml_string("a\n\x1b\x7f"), r#""a\n\u001b\u007F""#);
    }
}
