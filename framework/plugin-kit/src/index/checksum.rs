//! SHA-256 checksums, in hexadecimal.

use runner_play::failure::Failure;
use sha2::{Digest, Sha256};
use std::path::Path;

pub fn of_bytes(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the checksum of the lines that `sha256sum` prints for all files of a folder, sorted by
/// their paths, but not of what cargo and git keep in it: `target` and `.git`.
pub fn of_folder(folder: &Path) -> Result<String, Failure> {
    let mut lines = Vec::new();
    for path in runner_files::paths_in(folder)? {
        if !["target", ".git"].iter().any(|name| path.ends_with(name)) {
            add_lines(folder, &path, &mut lines)?;
        }
    }
    lines.sort();
    let text: String = lines.iter().map(|(path, sum)| format!("{sum}  {path}\n")).collect();
    Ok(of_bytes(text.as_bytes()))
}

fn add_lines(folder: &Path, path: &Path, lines: &mut Vec<(String, String)>) -> Result<(), Failure> {
    let refuse = |why: &str| Err(Failure::in_file(path, why));
    if path.is_symlink() {
        return refuse("is a link, which a checksum does not cover; replace it by the file");
    }
    if path.is_dir() {
        return runner_files::paths_in(path)?
            .iter()
            .try_for_each(|path| add_lines(folder, path, lines));
    }
    let relative = path.strip_prefix(folder).unwrap_or(path);
    let names: Option<Vec<_>> = relative.iter().map(|name| name.to_str()).collect();
    match names.map(|names| names.join("/")) {
        Some(name) if path.is_file() && !name.contains(char::is_control) => {
            lines.push((name, of_bytes(&runner_files::read(path)?)));
            Ok(())
        }
        _ => refuse("is not a file with a plain name, which a checksum needs"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_checksum_covers_contents_and_names_of_all_files_but_what_is_built() {
        // The example of FIPS 180.
        assert!(of_bytes(b"abc").starts_with("ba7816bf8f01cfea414140de5dae2223b00361a3"));
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let sum = || of_folder(folder.path()).unwrap();
        write("src/lib.rs", "abc");
        write("Cargo.toml", "");
        let first = sum();
        // (cd FOLDER; sha256sum Cargo.toml src/lib.rs | sha256sum)
        assert!(first.starts_with("501707ed6a926bbb46ca412c52cdb7dda02c7070"), "{first}");
        write("target/release/x", "built");
        assert_eq!(sum(), first);
        write("src/lib.rs", "abd");
        assert_ne!(sum(), first);
        write("src/lib.rs", "abc");
        write("src/target/x", "");
        assert_ne!(sum(), first);
    }
}
