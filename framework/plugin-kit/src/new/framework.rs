//! The framework that a new plugin is built against.

use runner_files::FileError;
use runner_play::failure::Failure;
use std::path::{Path, PathBuf, absolute};

/// The crates that a plugin uses, and their folders beside each other in a checkout.
const CRATES: [(&str, &str); 6] = [
    ("core", "framework/core"),
    ("plugin", "framework/plugin"),
    ("files", "framework/files"),
    ("learning", "framework/learning"),
    ("laws", "framework/laws"),
    ("sliding", "games/sliding"),
];

/// Where the crate of a new plugin takes the framework from.
pub enum Framework {
    /// A checkout
    Folder(PathBuf),
    /// The registry of crates, in the version of this program
    Registry,
}

impl Framework {
    /// Returns the given folder, or that from which this program was built if it is still there.
    pub fn find(given: Option<&Path>) -> Result<Self, Failure> {
        let Some(place) = given.or(built_from()) else { return Ok(Self::Registry) };
        let place = absolute(place).map_err(FileError::at("find", place))?;
        // The checkout, or its folder `framework`.
        let found = place.ancestors().take(2).find(|checkout| {
            CRATES.iter().all(|(name, path)| is_crate(&checkout.join(path), name))
        });
        match (found, given) {
            (Some(found), _) => Ok(Self::Folder(found.to_owned())),
            (None, None) => Ok(Self::Registry),
            (None, Some(given)) => Err(Failure::usage(format!(
                "{} has no sources of the framework, which are a checkout of runner with the \
                 folders {}",
                given.display(),
                CRATES.map(|(_, path)| format!("`{path}`")).join(", ")
            ))),
        }
    }

    /// Returns the values of the dependencies on the crates in a manifest.
    pub fn dependencies(&self) -> Result<[String; 6], Failure> {
        // Only the same version is certain to have the same ABI.
        let exact_version = concat!("\"=", env!("CARGO_PKG_VERSION"), "\"");
        let Self::Folder(checkout) = self else {
            return Ok([(); 6].map(|()| exact_version.into()));
        };
        let mut dependencies = <[String; 6]>::default();
        for (dependency, (_, path)) in dependencies.iter_mut().zip(CRATES) {
            let folder = checkout.join(path);
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
        let Self::Folder(checkout) = self else { return Ok(None) };
        let path = checkout.join("Cargo.lock");
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
