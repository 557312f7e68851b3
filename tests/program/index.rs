//! `runner plugins search`, `add`, `remove` and `index`: plugins of an index are added whole or not at
//! all, and nothing else is removed.

use crate::faults::{VERSION, with_other_note};
use crate::harness::place::Place;
use crate::harness::transcript::assert_snapshot;
use crate::harness::{finish, library, ran, text};
use runner_files::FileLock;
use sha2::{Digest, Sha256};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The folder of the user's own plugins.
const FOLDER: &str = "data/runner/plugins";

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Hides what differs between builds and machines: checksums, and the kind of this machine.
fn general(text: &str) -> String {
    let mut text = text.replace(&format!("{}-linux", std::env::consts::ARCH), "TARGET");
    let is_sum = |word: &&str| word.len() == 64 && word.bytes().all(|b| b.is_ascii_hexdigit());
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).map(str::to_owned);
    for sum in words.collect::<Vec<_>>().iter().map(String::as_str).filter(is_sum) {
        text = text.replace(sum, "SHA256");
    }
    text
}

fn transcript(place: &Place, lines: &str) -> String {
    general(&place.transcript(lines))
}

/// Returns a folder with the library of the game Pig and its index.
fn published() -> Place {
    let place = Place::new();
    fs::copy(library("pig"), place.path("libpig.so")).unwrap();
    let index = place.done("plugins index libpig.so").out;
    fs::write(place.path("index.ron"), index).unwrap();
    place
}

/// Writes a file, and the index of the game Pig with the checksum of this file.
fn publish(place: &Place, file: &str, bytes: &[u8]) {
    fs::write(place.path(file), bytes).unwrap();
    let source = format!("Library(path: \"{file}\", target: \"{}-linux\")", std::env::consts::ARCH);
    let index = entry("2.0.0", runner_plugin::abi::ABI_VERSION, &source, &sha256(bytes));
    fs::write(place.path("index.ron"), format!("[{index}]")).unwrap();
}

fn entry(version: &str, abi: u32, source: &str, sha256: &str) -> String {
    format!(
        "(name: \"pig\", version: \"{version}\", plugins: [\"game pig\"], about: \"dice\", \
         abi: {abi}, source: {source}, sha256: \"{sha256}\"),"
    )
}

#[test]
fn an_added_plugin_is_listed_plays_and_is_removed() {
    let place = published();
    let mut told = general(&place.text("index.ron"));
    // An earlier run was killed.
    fs::create_dir_all(place.path(FOLDER).join("adding.files/release")).unwrap();
    told += &transcript(
        &place,
        "plugins search --index index.ron
        plugins search --index index.ron DICE pig
        plugins search --index index.ron chess
        plugins add pig --index index.ron
        plugins add pig --index index.ron
        plugins search --index index.ron",
    );
    let place_of = |place: &Place| {
        let rows = place.json("plugins list");
        let row = rows.as_array().unwrap().iter().find(|row| row["name"] == "pig").cloned();
        row.map(|row| row["file"].as_str().unwrap().to_owned())
    };
    let file = place.path(FOLDER).join("librunner_plugin_pig.so");
    assert_eq!(place_of(&place), Some(text(&file).to_owned()));
    assert_eq!(place.json("eval --game pig --agent random --games 3")["games"], 3);
    // The variable names the index too.
    let found = ran(place.line("plugins search --json").env("RUNNER_INDEX", "index.ron")).json();
    assert_eq!((&found[0]["usable"], &found[0]["added"]), (&true.into(), &"0.1.0".into()));

    let newer = place.text("index.ron").replace("0.1.0", "0.2.0");
    fs::write(place.path("newer.ron"), newer).unwrap();
    let mut other = fs::read(place.path("libpig.so")).unwrap();
    // Bytes after the end of a library are ignored.
    other.push(0);
    publish(&place, "other.so", &other);
    told += &transcript(
        &place,
        "plugins add pig --index newer.ron
        plugins add pig --index index.ron
        plugins add pig --index index.ron --force
        plugins search --index index.ron
        plugins remove pi
        plugins remove pig
        plugins remove pig",
    );
    assert_snapshot!(told);
    assert_eq!((place_of(&place), place.names_in(FOLDER)), (None, vec![]));
}

#[test]
fn an_index_that_cannot_be_used_is_refused_with_the_place() {
    let place = published();
    let mut told = transcript(
        &place,
        "plugins search
        plugins search --index none.ron
        plugins add pig --index https://example.org/index.ron
        plugins add pick --index index.ron",
    );
    let good = place.text("index.ron");
    for (from, to) in [("\"pig\"", "\"../pig\""), ("abi: ", "abj: "), ("Library", "Archive")] {
        fs::write(place.path("bad.ron"), good.replace(from, to)).unwrap();
        told += &transcript(&place, "plugins add pig --index bad.ron");
    }
    fs::write(place.path("bad.ron"), &good[..good.len() / 2]).unwrap();
    told += &transcript(&place, "plugins search --index bad.ron");
    assert_snapshot!(told);
    assert!(!place.path(FOLDER).exists());
}

#[test]
fn the_first_entry_for_this_abi_and_machine_is_chosen() {
    let place = published();
    let sum = sha256(&fs::read(place.path("libpig.so")).unwrap());
    let library = |target: &str| format!("Library(path: \"libpig.so\", target: \"{target}\")");
    let abi = runner_plugin::abi::ABI_VERSION;
    let here = library(&format!("{}-linux", std::env::consts::ARCH));
    let other = entry("0.4.0", abi, &library("sparc-plan9"), &sum);
    let old = entry("0.3.0", abi - 1, &here, &sum);
    fs::write(place.path("other.ron"), format!("[{other} {old}]")).unwrap();
    let usable = [entry("0.2.0", abi, &here, &sum), entry("0.1.0", abi, &here, &sum)].concat();
    fs::write(place.path("index.ron"), format!("[{other} {old} {usable}]")).unwrap();
    assert_snapshot!(transcript(
        &place,
        "plugins search --index index.ron
        plugins add pig --index other.ron
        plugins add pig --index index.ron"
    ));
}

/// An earlier version of a refused plugin stays.
#[test]
fn a_library_that_is_refused_is_not_added_and_replaces_nothing() {
    let place = published();
    place.done("plugins add pig --index index.ron");
    let before = fs::read(place.path(FOLDER).join("librunner_plugin_pig.so")).unwrap();
    let whole = fs::read(place.path("libpig.so")).unwrap();
    let add = "plugins add pig --index index.ron --force";
    let mut told = String::new();

    publish(&place, "libpig.so", &whole);
    let mut changed = whole.clone();
    changed[whole.len() - 1] ^= 1;
    fs::write(place.path("libpig.so"), changed).unwrap();
    told += &transcript(&place, add);

    publish(&place, "cut.so", &whole[..whole.len() / 2]);
    // The sizes differ between builds.
    let cut = place.sh(add);
    assert!(cut.error().starts_with("cut.so: is truncated: "), "{cut:?}");

    let abi = 99u32.to_ne_bytes();
    publish(&place, "abi.so", &with_other_note(whole.clone(), VERSION, &abi));
    told += &transcript(&place, add);

    let mut machine = whole.clone();
    // RISC-V, in the header of an ELF file.
    machine[18] = 243;
    publish(&place, "machine.so", &machine);
    told += &transcript(&place, add).replace(std::env::consts::ARCH, "ARCH");

    publish(&place, "text.so", b"text");
    told += &transcript(&place, add);
    publish(&place, "no-root.so", &fs::read(library("test_no_root")).unwrap());
    told += &transcript(&place, add);
    assert_snapshot!(told);

    // Defects that only its functions show, and names that the program has.
    publish(&place, "faulty.so", &fs::read(library("test_faulty")).unwrap());
    let failed = place.sh(add);
    assert_eq!(failed.code, Some(1));
    for part in ["BAD learner faulty-learner", "faulty.so: did not pass `runner plugins doctor`"] {
        assert!(failed.err.contains(part), "{failed:?}");
    }
    publish(&place, "rival.so", &fs::read(library("test_rival")).unwrap());
    let rival = place.sh(add);
    assert!(rival.err.contains("BAD file rival.so: rival.so: exports the agent"), "{rival:?}");

    // The disk is full.
    publish(&place, "libpig.so", &whole);
    let full = place.on_full_disk(16, add);
    assert!(full.code == Some(1) && full.error().contains(FOLDER), "{full:?}");

    assert_eq!(place.names_in(FOLDER), ["librunner_plugin_pig.so", "pig.added"]);
    assert_eq!(fs::read(place.path(FOLDER).join("librunner_plugin_pig.so")).unwrap(), before);
}

#[test]
fn only_one_command_changes_the_folder_and_removes_what_a_killed_one_left() {
    let place = published();
    place.done("plugins add pig --index index.ron");
    let other = FileLock::acquire(&place.path(FOLDER).join("adding")).unwrap();
    for line in ["plugins add pig --index index.ron", "plugins remove pig"] {
        let refused = place.sh(line);
        assert!(refused.error().contains("adding is in use: another runner"), "{refused:?}");
    }
    drop(other);
    fs::create_dir_all(place.path(FOLDER).join("adding.files/release")).unwrap();
    fs::write(place.path(FOLDER).join("adding.lock"), "").unwrap();
    place.done("plugins remove pig");
    assert!(place.names_in(FOLDER).is_empty());
}

#[test]
fn files_that_were_not_added_are_neither_replaced_nor_removed() {
    let place = published();
    fs::create_dir_all(place.path(FOLDER)).unwrap();
    let file = place.path(FOLDER).join("librunner_plugin_pig.so");
    fs::copy(library("pig"), &file).unwrap();
    let mut told = transcript(
        &place,
        "plugins add pig --index index.ron
        plugins remove pig
        plugins add pig --index index.ron --force",
    );
    // The user builds it again.
    let mut changed = fs::read(&file).unwrap();
    changed.push(0);
    fs::write(&file, &changed).unwrap();
    told += &transcript(
        &place,
        "plugins remove pig
        plugins add pig --index index.ron",
    );
    assert_eq!(fs::read(&file).unwrap(), changed);
    // An interrupted removal leaves the record.
    fs::remove_file(&file).unwrap();
    told += &transcript(&place, "plugins remove pig");
    assert!(place.names_in(FOLDER).is_empty());
    // A folder that cannot be written.
    fs::remove_dir(place.path(FOLDER)).unwrap();
    fs::write(place.path(FOLDER), "").unwrap();
    told += &transcript(&place, "plugins add pig --index index.ron");
    assert_snapshot!(told);
}

/// Writes the folder of a crate, and a script that is run instead of cargo.
fn crate_built_by(place: &Place, script: &str) {
    fs::create_dir_all(place.path("pig/src")).unwrap();
    fs::write(place.path("pig/src/lib.rs"), "// Pig").unwrap();
    fs::write(place.path("pig/Cargo.toml"), "[package]").unwrap();
    fs::write(place.path("cargo"), format!("#!/bin/sh\n{script}")).unwrap();
    fs::set_permissions(place.path("cargo"), fs::Permissions::from_mode(0o755)).unwrap();
}

fn with_cargo(place: &Place, line: &str) -> Command {
    let mut command = place.line(line);
    command.env("CARGO", place.path("cargo"));
    command
}

/// `.ci/crates` adds a crate that cargo builds.
#[test]
fn a_crate_of_an_index_is_built_and_its_checksum_covers_all_files() {
    let place = Place::new();
    let script = format!(
        "[ \"$1 $2 $3 $4\" = 'build --release --locked --target-dir' ] || exit 1\n\
         [ ! -e broken ] || exit 1\n\
         mkdir -p \"$5/release\"; cp '{}' \"$5/release/libpig.so\"\n",
        text(&library("pig"))
    );
    crate_built_by(&place, &script);
    let run = |line: &str| {
        let ran = ran(&mut with_cargo(&place, line));
        format!("$ runner {line}\n{}\n", general(&place.printed(&ran)))
    };
    let index = ran(&mut with_cargo(&place, "plugins index pig")).success();
    fs::write(place.path("index.ron"), &index.out).unwrap();
    let mut told = general(&index.out);
    fs::write(place.path("pig/broken"), "").unwrap();
    told += &run("plugins add pig --index index.ron");
    told += &run("plugins index pig");
    fs::remove_file(place.path("pig/broken")).unwrap();
    assert!(place.names_in(FOLDER).is_empty());
    told += &run("plugins add pig --index index.ron");
    told += &run("plugins remove pig");
    assert_snapshot!(told);
    assert_eq!(place.names_in("pig"), ["Cargo.toml", "src"]);
}

#[test]
fn messages_about_a_crate_name_its_folder() {
    let place = Place::new();
    crate_built_by(&place, "mkdir -p \"$5/release\"; echo text >\"$5/release/libpig.so\"\n");
    let refused = ran(&mut with_cargo(&place, "plugins index pig"));
    assert!(refused.error().starts_with("pig: is not a shared library"), "{refused:?}");
    // Cargo would build the crate around this folder, which the checksum does not cover.
    let refused = ran(&mut with_cargo(&place, "plugins index pig/src"));
    assert_eq!(refused.error(), "pig/src: has no Cargo.toml; name the folder of a crate");
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_build_leaves_nothing() {
    let place = Place::new();
    // A shell that waits for a child would survive a signal that comes as the child ends.
    crate_built_by(&place, "mkdir -p \"$5/release\"; : >../built; exec sleep 100\n");
    fs::create_dir(place.path("temporary")).unwrap();
    let source = "Crate(path: \"pig\")";
    let files = [("Cargo.toml", "[package]"), ("src/lib.rs", "// Pig")];
    let sums = files.map(|(name, text)| format!("{}  {name}\n", sha256(text.as_bytes())));
    let sum = sha256(sums.concat().as_bytes());
    let index = entry("1.0.0", runner_plugin::abi::ABI_VERSION, source, &sum);
    fs::write(place.path("index.ron"), format!("[{index}]")).unwrap();
    for (line, end) in [
        ("plugins add pig --index index.ron", "interrupted: nothing was added\n"),
        ("plugins index pig", "interrupted: no index was printed\n"),
    ] {
        let mut command = with_cargo(&place, line);
        command.env("TMPDIR", place.path("temporary")).process_group(0);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        while !place.path("built").exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        fs::remove_file(place.path("built")).unwrap();
        // Ctrl-C signals all processes of the group.
        let group = format!("-{}", child.id());
        assert!(Command::new("kill").args(["-INT", "--", &group]).status().unwrap().success());
        let ran = finish(child);
        assert_eq!((ran.code, &*ran.err), (Some(130), end), "{line}");
    }
    let left = [place.names_in(FOLDER), place.names_in("temporary")].concat();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_checksum_has_64_digits_in_any_case() {
    let place = published();
    let good = place.text("index.ron");
    let sum = sha256(&fs::read(place.path("libpig.so")).unwrap());
    for other in ["", "abc", &format!("{sum}0"), &sum.replacen(|_: char| true, "g", 1)] {
        fs::write(place.path("bad.ron"), good.replace(&sum, other)).unwrap();
        let refused = place.sh("plugins search --index bad.ron");
        assert_eq!(refused.code, Some(2), "{other}: {refused:?}");
        assert!(refused.error().starts_with("bad.ron: "), "{refused:?}");
        assert!(refused.error().contains("64 hexadecimal digits"), "{refused:?}");
    }
    fs::write(place.path("upper.ron"), good.replace(&sum, &sum.to_uppercase())).unwrap();
    place.done("plugins add pig --index upper.ron");
    let again = place.done("plugins add pig --index index.ron");
    assert!(again.out.contains("is added already"), "{again:?}");
}

#[test]
fn an_index_without_entries_is_called_empty() {
    let place = Place::new();
    fs::write(place.path("index.ron"), "[]").unwrap();
    assert_snapshot!(place.transcript(
        "plugins search --index index.ron
        plugins add pig --index index.ron"
    ));
}

#[test]
fn a_file_that_is_no_library_is_refused_at_once() {
    let place = Place::new();
    fs::write(place.path("text.so"), "text").unwrap();
    // No other plugin is tested instead.
    let tested = place.sh("plugins doctor --library text.so");
    assert_eq!(tested.out.lines().count(), 1, "{tested:?}");
    assert!(tested.out.starts_with("BAD file text.so: "), "{tested:?}");
    // A pipe without a writer, which a read would wait for.
    assert!(Command::new("mkfifo").arg(place.path("pipe")).status().unwrap().success());
    let refused = place.sh("plugins index pipe");
    assert!(refused.error().starts_with("pipe: is not a shared library"), "{refused:?}");
}

#[test]
fn a_damaged_record_and_a_link_do_not_prove_that_a_library_was_added() {
    let place = published();
    place.done("plugins add pig --index index.ron");
    let file = place.path(FOLDER).join("librunner_plugin_pig.so");
    let record = place.path(FOLDER).join("pig.added");
    fs::write(&record, "(version:").unwrap();
    place.done("plugins search --index index.ron");
    let kept = place.sh("plugins remove pig");
    assert!(kept.error().contains("remove the file yourself") && file.exists(), "{kept:?}");
    assert_eq!(place.sh("plugins add pig --index index.ron").code, Some(2));
    place.done("plugins add pig --index index.ron --force");
    place.done("plugins remove pig");
    // The user's own library, which is not built at the moment.
    std::os::unix::fs::symlink("not-built.so", &file).unwrap();
    assert_eq!(place.sh("plugins add pig --index index.ron").code, Some(2));
    assert!(file.is_symlink());
    fs::remove_file(&file).unwrap();
    // A library without a record would be taken for one of the user.
    fs::create_dir(&record).unwrap();
    let failed = place.sh("plugins add pig --index index.ron");
    assert!(failed.error().contains("pig.added"), "{failed:?}");
    assert_eq!(place.names_in(FOLDER), ["pig.added"]);
}
