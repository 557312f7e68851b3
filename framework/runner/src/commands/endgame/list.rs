//! `runner endgame list`: the patterns that have a name, and the tables that were built.

use super::{PATTERN, POSITIONS, no_folder};
use runner_console::output::{Align, Table, print};
use runner_endgame::{Pattern, place};
use runner_files::{Container, paths_in};
use runner_play::brief::brief_text;
use runner_play::failure::Failure;
use runner_plugin::Registry;
use runner_spec::Spec;
use runner_spec::quantity::{counted, memory};
use serde::Serialize;
use std::fmt;
use std::path::{Path, PathBuf};

#[derive(Serialize)]
struct Report {
    patterns: Vec<Named>,
    folder: PathBuf,
    tables: Vec<Saved>,
    unfinished: Vec<Unfinished>,
    #[serde(skip)]
    game: String,
}

#[derive(Serialize)]
struct Named {
    name: String,
    board: String,
}

#[derive(Serialize)]
struct Saved {
    table: String,
    bytes: u64,
    /// That of the header, as all that follows: none of a file that cannot be read.
    game: Option<String>,
    goal: Option<u64>,
    positions: Option<u64>,
    /// The game for people.
    #[serde(skip)]
    title: String,
}

/// The folder of a build that runs now or was stopped.
#[derive(Serialize)]
struct Unfinished {
    folder: String,
    bytes: u64,
}

pub fn run(game: &Spec, json: bool, registry: &Registry) -> Result<(), Failure> {
    let folder = place::folder(game.name()).ok_or_else(no_folder)?;
    let paths = paths_in(&folder)?;
    let of = |wanted: &'static str| {
        let is_wanted = move |path: &&PathBuf| path.extension().is_some_and(|e| e == wanted);
        paths.iter().filter(is_wanted)
    };
    let unfinished = of(place::BUILD_EXTENSION).map(|folder| Unfinished::read(folder));
    let named = |name: String| Named { board: Pattern::about(&name), name };
    let report = Report {
        patterns: Pattern::names().map(named).collect(),
        tables: of(place::EXTENSION).map(|file| Saved::read(file, registry)).collect(),
        unfinished: unfinished.collect::<Result<_, Failure>>()?,
        folder,
        game: game.name().to_owned(),
    };
    Ok(print(&report, json)?)
}

impl Saved {
    fn read(file: &Path, registry: &Registry) -> Self {
        let header = Container::open(file).ok().map(|file| file.header().clone());
        let fact = |name: &str| header.as_ref()?.fact(name);
        Self {
            table: file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            bytes: size_of(file),
            goal: fact(PATTERN).and_then(|text| Some(Pattern::read(text).ok()?.goal)),
            positions: fact(POSITIONS).and_then(|count| count.parse().ok()),
            title: header.as_ref().map_or_else(
                || "cannot be read; `runner endgame verify` says why".to_owned(),
                |header| brief_text(&header.game, registry),
            ),
            game: header.map(|header| header.game),
        }
    }
}

impl Unfinished {
    fn read(folder: &Path) -> Result<Self, Failure> {
        let bytes = paths_in(folder)?.iter().map(|path| size_of(path)).sum();
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { folder: name, bytes })
    }
}

/// Returns the size of a file; 0 if a build has removed it meanwhile.
fn size_of(file: &Path) -> u64 {
    std::fs::metadata(file).map_or(0, |metadata| metadata.len())
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut patterns = Table::of_pairs();
        for Named { name, board } in &self.patterns {
            patterns.row([name, board]);
        }
        writeln!(f, "patterns, of which `runner endgame build NAME-GOAL` builds tables:\n")?;
        writeln!(f, "{patterns}")?;
        let folder = self.folder.display();
        if self.tables.is_empty() && self.unfinished.is_empty() {
            return writeln!(f, "no tables of {} in {folder}", self.game);
        }
        let tables = counted(self.tables.len() as u64, "table");
        writeln!(f, "{tables} of {}, in {folder}:\n", self.game)?;
        let mut table = Table::new(&[Align::Left, Align::Right, Align::Right, Align::Left]);
        for saved in &self.tables {
            let positions = saved.positions.map(|count| counted(count, "position"));
            let positions = positions.unwrap_or_default();
            table.row([&saved.table, &positions, &memory(saved.bytes), &saved.title]);
        }
        for Unfinished { folder, bytes } in &self.unfinished {
            table.row([folder.as_str(), "", &memory(*bytes), "unfinished build"]);
        }
        write!(f, "{table}")
    }
}
