//! One table lists every call that replaces, empties or removes a file, and how the user's files are
//! protected from it. A new call fails here until its protection is written down.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// The functions that change files: those of the standard library, and those of `runner_files`.
const STD: [&str; 12] = [
    "fs::rename(",
    "fs::remove_file(",
    "fs::remove_dir(",
    "fs::remove_dir_all(",
    "fs::write(",
    "fs::copy(",
    "fs::hard_link(",
    "File::create(",
    "File::create_new(",
    "OpenOptions::new(",
    "file.set_len(",
    "self.set_len(length)",
];
const OWN: [&str; 9] = [
    "append",
    "create",
    "create_beside",
    "remove",
    "remove_folder",
    "rename",
    "replace",
    "replace_by",
    "write",
];

/// The calls in the shell scripts and programs in Python that are not tests.
const SCRIPTS: [&str; 6] = ["rm -", "mv ", "rmtree(", ".unlink(", "os.remove(", "os.replace("];

/// File, calls, and what protects the files of the user.
const TABLE: &str = include_str!("replaced.txt");

/// Returns the code of a file without comments and unit tests.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    text.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .fold(String::new(), |code, line| code + line + "\n")
}

/// Returns the names that a file imports from `runner_files`.
fn imported(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    let code = code.replace("use crate::replace::", "use runner_files::");
    for group in code.split("use runner_files::").skip(1) {
        let end = group.find(';').unwrap_or(group.len());
        let words = group[..end].split(|c: char| !c.is_alphanumeric() && c != '_');
        names.extend(words.map(str::to_owned));
    }
    names
}

fn calls(file: &str, text: &str) -> Vec<String> {
    if !file.ends_with(".rs") {
        return SCRIPTS.iter().filter(|call| text.contains(*call)).map(|c| c.to_string()).collect();
    }
    let code = code(text);
    let imports = imported(&code);
    let is_own = |name: &&&str| {
        imports.iter().any(|import| import == *name)
            || code.contains(&format!("runner_files::{name}("))
            || (code.contains("runner_files::{self as files")
                || code.contains("use runner_files as files"))
                && code.contains(&format!("files::{name}("))
            || file.starts_with("framework/files/")
                && code.contains(&format!(" {name}(&path, SUFFIX)"))
    };
    let own = OWN.iter().filter(is_own).map(|name| name.to_string());
    let std = STD.iter().filter(|call| code.contains(**call));
    let std = std.map(|call| call.split('(').next().unwrap_or_default().to_owned());
    let mut calls: Vec<_> = own.chain(std).collect();
    calls.sort();
    calls
}

#[test]
fn every_call_that_replaces_or_removes_a_file_is_in_the_table() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let listed = Command::new("git").args(["ls-files"]).current_dir(root).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let is_test = |file: &str| {
        let parts = ["tests/", "/fuzz/", "/benches/", "/templates/", "/examples/"];
        parts.iter().any(|part| file.contains(part)) || file.ends_with("tests.rs")
    };
    let mut found = BTreeMap::new();
    for file in listed.lines().filter(|file| !is_test(file)) {
        // Other files are no programs.
        let is_program = file.ends_with(".rs") || file.ends_with(".py") || file.ends_with(".sh");
        let Ok(text) = std::fs::read_to_string(root.join(file)) else { continue };
        if is_program || text.starts_with("#!") {
            let calls = calls(file, &text);
            if !calls.is_empty() {
                found.insert(file.to_owned(), calls.join(" "));
            }
        }
    }
    let rows = TABLE.lines().filter(|line| !line.starts_with('#'));
    let row = |line: &str| {
        let [file, calls, _] = line.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("three columns are expected: {line}");
        };
        (file.to_owned(), calls.to_owned())
    };
    let table: BTreeMap<_, _> = rows.map(row).collect();
    let wrong: Vec<_> = found
        .iter()
        .filter(|(file, calls)| table.get(*file) != Some(calls))
        .chain(table.iter().filter(|(file, _)| !found.contains_key(*file)))
        .collect();
    assert!(wrong.is_empty(), "write into the table what protects the files: {wrong:#?}");
}
