//! `runner model info` and `runner model verify`.

use super::options::ModelReader;
use super::reader;
use crate::failed::print_failure;
use runner_console::output::{Report, Table, print_report, wrap};
use runner_files::Header;
use runner_files::container::Section;
use runner_play::brief;
use runner_play::failure::Failure;
use runner_play::models;
use runner_play::registry::Registry;
use runner_spec::quantity::grouped;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Serialize)]
struct Info<'a> {
    file: &'a Path,
    kind: &'a str,
    game: &'a str,
    spec: &'a str,
    facts: BTreeMap<&'a str, &'a str>,
    sections: Vec<SectionInfo<'a>>,
}

#[derive(Serialize)]
struct SectionInfo<'a> {
    name: &'a str,
    bytes: u64,
}

impl<'a> Info<'a> {
    fn new(file: &'a Path, header: &'a Header) -> Self {
        let facts = header.facts.iter().map(|(name, fact)| (name.as_str(), fact.as_str()));
        let section = |s: &'a Section| SectionInfo { name: &s.name, bytes: s.bytes };
        Self {
            file,
            kind: &header.kind,
            game: &header.game,
            spec: &header.spec,
            facts: facts.collect(),
            sections: header.sections.iter().map(section).collect(),
        }
    }
}

pub fn info(
    files: &[PathBuf],
    options: &ModelReader,
    json: bool,
    registry: &Arc<Registry>,
) -> Result<(), Failure> {
    let mut headers = Vec::new();
    for file in files {
        headers.push(reader::describe(file, false, options, registry)?);
    }
    print_headers(files, &headers, json)
}

/// Prints the header of each file.
pub fn print_headers(files: &[PathBuf], headers: &[Header], json: bool) -> Result<(), Failure> {
    let all = || files.iter().zip(headers);
    let infos: Vec<_> = all().map(|(file, header)| Info::new(file, header)).collect();
    let mut report = Report::of(&infos);
    for (file, header) in all() {
        report.section().table(table(file, header));
    }
    Ok(print_report(&report, json)?)
}

fn table(file: &Path, header: &Header) -> Table {
    let mut table = Table::of_pairs();
    table.row(["file", &*file.to_string_lossy()]);
    table.row(["kind", &header.kind]).row(["game", &header.game]).row(["spec", &header.spec]);
    for (name, fact) in &header.facts {
        table.row([name, fact]);
    }
    for Section { name, bytes } in &header.sections {
        table.row(["section", &format!("{name}, {} bytes", grouped(*bytes))]);
    }
    table
}

/// Reads models completely: checks every block of a container against its checksum, and
/// every number of a file that has no checksums. Prints a line for each intact model, and all
/// failures but the last, which is returned.
pub fn verify(
    files: &[PathBuf],
    options: &ModelReader,
    registry: &Arc<Registry>,
) -> Result<(), Failure> {
    let mut failures = Vec::new();
    for file in files {
        match reader::describe(file, true, options, registry) {
            Ok(header) => {
                let line = format!("{}: {}", file.display(), in_one_line(&header, registry));
                let mut lines = String::new();
                wrap(&mut lines, "", &line)?;
                write!(std::io::stdout(), "{lines}")?;
            }
            Err(failure) => failures.push(failure),
        }
    }
    let Some(last) = failures.pop() else { return Ok(()) };
    for failure in failures {
        print_failure(failure);
    }
    Err(last)
}

/// Returns the game, the network and the training of a model.
pub fn in_one_line(header: &Header, registry: &Arc<Registry>) -> String {
    let network = header.fact(models::NETWORK).unwrap_or(&header.spec);
    let mut line = format!("{}, {network}", brief::game_text(&header.game, registry));
    match header.fact(models::MOVES) {
        None => {}
        Some("0") => line += ", no training recorded",
        Some(moves) => {
            let moves = moves.parse().map_or(moves.to_owned(), grouped);
            line += &format!(", {moves} moves trained");
        }
    }
    line
}
