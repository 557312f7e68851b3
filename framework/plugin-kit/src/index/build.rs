//! Builds the library of a crate.

use runner_play::failure::Failure;
use std::env::consts::DLL_SUFFIX;
use std::env::var_os;
use std::path::{Path, PathBuf, absolute};
use std::process::{Command, Stdio};

/// Builds a crate by cargo in the folder `target`, and returns its library. Nothing in the crate is
/// changed, also not its `Cargo.lock`. Cargo prints its progress.
pub fn build(folder: &Path, target: &Path) -> Result<PathBuf, Failure> {
    let failed = |why: &str| Failure::failed(format!("{}: {why}", folder.display()));
    // Cargo would build a crate around the folder.
    if !folder.join("Cargo.toml").is_file() {
        return Err(failed("has no Cargo.toml; name the folder of a crate"));
    }
    let target = absolute(target).map_err(Failure::failed)?;
    let built = Command::new(var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--release", "--locked", "--target-dir"])
        .arg(&target)
        .current_dir(folder)
        // The library would be in another folder.
        .env_remove("CARGO_BUILD_TARGET")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status();
    match built {
        Ok(status) if status.success() => {}
        Ok(_) => return Err(failed("`cargo build` failed; its messages are above")),
        Err(error) => {
            return Err(failed(&format!("`cargo build` cannot be started: {error}; install Rust")));
        }
    }
    let mut libraries = runner_files::paths_in(&target.join("release"))?;
    libraries.retain(|path| path.to_string_lossy().ends_with(DLL_SUFFIX));
    match <[PathBuf; 1]>::try_from(libraries) {
        Ok([library]) => Ok(library),
        Err(libraries) => Err(failed(&format!(
            "cargo built {} libraries; the crate of a plugin has one, of the type `cdylib`",
            libraries.len()
        ))),
    }
}
