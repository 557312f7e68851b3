//! The committed documents are current, and their links lead somewhere.

use super::{files, recipes, root};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn generated_files_are_current() {
    for file in files().unwrap() {
        let committed = fs::read_to_string(root().join(&file.path)).unwrap_or_default();
        assert!(
            committed == file.text,
            "{} is stale: run `cargo run --example guide` and commit what it writes",
            file.path
        );
    }
}

/// The picture of the README has the score of the recipe that its text and caption name.
#[test]
fn picture_of_the_readme_ends_at_the_score_of_its_text() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let (_, shown) = readme.split_once("](").unwrap();
    assert!(
        shown.starts_with("framework/guide/src/pictures/recipes.svg)\n\n*Mean score"),
        "{shown}"
    );
    let mut ours = recipes::scores().into_iter().filter(|score| score.is_ours());
    let last = ours.next_back().unwrap();
    assert_eq!((last.moves, last.plies), (1e10, 3));
    let mean = runner_spec::quantity::grouped(last.mean as u64);
    assert!(readme.contains(&format!("three hours ({mean}) of training")), "{mean}");
}

fn documents() -> Vec<PathBuf> {
    let root = root();
    let mut found: Vec<PathBuf> = ["", "agents", "games", "plugins", "framework"]
        .map(|f| root.join(f).join("README.md"))
        .into();
    found.push(root.join("CONTRIBUTING.md"));
    found.push(root.join("framework/guide/CHANGELOG.md"));
    let mut folders = vec![root.join("framework/guide/src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The text without fenced blocks.
fn prose(text: &str) -> String {
    let mut fenced = false;
    let mut out = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

/// The targets of all links and pictures.
fn links(text: &str) -> Vec<String> {
    let text = prose(text);
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let sources = text.split(" src=\"").skip(1).filter_map(|rest| rest.split_once('"'));
    targets.chain(sources).map(|(target, _)| target.to_owned()).collect()
}

/// The anchors that a document's headings get.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = prose(text);
    let headings = headings.lines().filter(|line| line.starts_with('#'));
    let anchor = |line: &str| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn links_lead_to_files_and_headings_that_exist() {
    let mut broken = Vec::new();
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        for link in links(&text) {
            if link.starts_with("http") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match file {
                "" => document.clone(),
                file => document.parent().unwrap().join(file),
            };
            let found = target.exists()
                && (anchor.is_empty()
                    || fs::read_to_string(&target).is_ok_and(|t| anchors(&t).contains(anchor)));
            if !found {
                broken.push(format!("{}: {link}", document.display()));
            }
        }
    }
    assert!(broken.is_empty(), "links lead nowhere:\n{}", broken.join("\n"));
}

fn sources(folder: &Path) -> String {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let texts = entries.map(|path| {
        if path.is_dir() {
            sources(&path)
        } else if path.extension().is_some_and(|e| e == "rs") {
            fs::read_to_string(path).unwrap()
        } else {
            String::new()
        }
    });
    texts.collect()
}

#[test]
fn tests_that_guard_the_invariants_exist() {
    let sources: String = ["agents", "framework", "games", "tests"]
        .map(|folder| sources(&root().join(folder)))
        .concat();
    let text = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let (_, table) = text.split_once("| invariant | test |").unwrap();
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let tests = rows.map(|row| row.rsplit(" | ").next().unwrap());
    let names: Vec<_> = tests.flat_map(|tests| tests.split('`').skip(1).step_by(2)).collect();
    assert!(names.len() >= 10, "{names:?}");
    for name in names {
        // A transcript is named in the list of `tests/program/transcripts.rs`.
        let forms = [format!("fn {name}()"), format!("\n    {name},\n")];
        assert!(forms.iter().any(|form| sources.contains(form)), "no test is named {name}");
    }
}

/// Rust that nothing compiles becomes wrong. A block is a file of a crate that a test builds,
/// or an excerpt of the sources.
#[test]
fn every_rust_block_is_built_or_generated() {
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        let mut generated = false;
        for line in text.lines() {
            match line {
                "<!-- end -->" => generated = false,
                line if line.starts_with("<!-- generated: ") => generated = true,
                line if line.starts_with("```rust") => {
                    let built = line.starts_with("```rust,file=");
                    assert!(built || generated, "{}: {line}", document.display());
                }
                _ => {}
            }
        }
    }
}

#[test]
fn the_summary_lists_every_chapter_once() {
    let source = root().join("framework/guide/src");
    let summary = fs::read_to_string(source.join("SUMMARY.md")).unwrap();
    let mut listed = links(&summary);
    listed.sort();
    let relative = |path: &PathBuf| path.strip_prefix(&source).ok().map(Path::to_owned);
    let mut chapters: Vec<String> = documents()
        .iter()
        .filter_map(relative)
        .map(|path| path.to_str().unwrap().to_owned())
        .filter(|path| path != "SUMMARY.md")
        .collect();
    chapters.sort();
    assert_eq!(listed, chapters);
}

/// mdBook rewrites links to Markdown files, so in a chapter they must stay within the book.
#[test]
fn links_of_chapters_stay_within_the_book() {
    let source = root().join("framework/guide/src");
    for document in documents().iter().filter(|path| path.starts_with(&source)) {
        let folder = document.parent().unwrap();
        for link in links(&fs::read_to_string(document).unwrap()) {
            let file = link.split('#').next().unwrap();
            if link.starts_with("http") || file.is_empty() {
                continue;
            }
            let target = fs::canonicalize(folder.join(file)).unwrap();
            let inside = target.starts_with(fs::canonicalize(&source).unwrap());
            assert!(inside, "{}: {link} leads out of the book", document.display());
        }
    }
}
