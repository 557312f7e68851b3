//! The committed documents are current, and their links lead somewhere.

use super::{files, root};
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

#[test]
fn old_addresses_lead_to_chapters() {
    let guide = root().join("framework/guide");
    let book = fs::read_to_string(guide.join("book.toml")).unwrap();
    let redirects = book.split("[output.html.redirect]\n").nth(1).unwrap();
    let redirects = redirects.lines().take_while(|line| !line.is_empty());
    for line in redirects {
        let [_, old, _, new, _] = line.split('"').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let old = guide.join("src").join(&old[1..]);
        let chapter = |page: &Path| page.with_extension("md").is_file();
        assert!(!chapter(&old) && chapter(&old.with_file_name(new)), "{line}");
    }
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
