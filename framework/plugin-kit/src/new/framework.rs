//! The sources that a new plugin is built against.

use runner_files::FileError;
use runner_play::failure::Failure;
use std::path::{Path, PathBuf, absolute};

/// The crates that a plugin uses.
const CRATES: [&str; 5] = ["core", "plugin", "files", "learning", "laws"];

/// The folder `framework` of a checkout.
pub struct Framework(PathBuf);

impl Framework {
    /// Returns the given folder, or that from which this program was built. It may be the
    /// checkout, or the folder `framework` in it.
    pub fn find(given: Option<&Path>) -> Result<Self, Failure> {
        // This crate is in the folder `framework` of the checkout.
        let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
        let built_from = folders.nth(2).unwrap_or(Path::new(""));
        let place = given.unwrap_or(built_from);
        let found = [place.join("framework"), place.to_owned()]
            .into_iter()
            .find(|folder| CRATES.iter().all(|name| is_crate(&folder.join(name), name)));
        let found = found.ok_or_else(|| match given {
            Some(given) => Failure::usage(format!(
                "{} has no sources of the framework, which are a checkout of runner with the \
                 folders {}",
                given.display(),
                CRATES.map(|name| format!("`framework/{name}`")).join(", ")
            )),
            None => Failure::usage(format!(
                "the sources that this program was built from are no longer in {}; name a \
                 checkout of that version as the framework",
                built_from.display()
            )),
        })?;
        Ok(Self(absolute(&found).map_err(FileError::at("find", &found))?))
    }

    /// Returns the folders of the crates as TOML strings.
    pub fn manifest_paths(&self) -> Result<[String; 5], Failure> {
        let mut paths = <[String; 5]>::default();
        for (path, name) in paths.iter_mut().zip(CRATES) {
            let folder = self.0.join(name);
            *path = toml_string(folder.to_str().ok_or_else(|| {
                Failure::failed(format!(
                    "{} is not valid UTF-8, as a path in a Cargo.toml must be; give another path \
                     of the framework",
                    folder.display()
                ))
            })?);
        }
        Ok(paths)
    }

    /// Returns the lock file of the checkout, if it has one. Without it, cargo chooses
    /// newer versions.
    pub fn lock_file(&self) -> Result<Option<String>, FileError> {
        let path = self.0.join("../Cargo.lock");
        path.exists().then(|| runner_files::read_text(&path)).transpose()
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
