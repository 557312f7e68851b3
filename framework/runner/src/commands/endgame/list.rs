//! `runner endgame list`: the patterns that have a name, and the tables that were built.

use super::{PATTERN, POSITIONS, no_folder};
use runner_console::output::{Align, Report, Table, print_report};
use runner_files::{Container, paths_in, table_files};
use runner_play::brief;
use runner_play::failure::Failure;
use runner_play::registry::Registry;
use runner_solver::endgame::{NAMED, Pattern};
use runner_spec::Spec;
use runner_spec::quantity::{counted, memory};
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(Serialize)]
struct Named {
    name: &'static str,
    board: &'static str,
}

#[derive(Serialize)]
struct Saved {
    table: String,
    file: PathBuf,
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
    folder: PathBuf,
    bytes: u64,
}

/// Lists the tables of a game, or of all games.
pub fn run(game: Option<&Spec>, json: bool, registry: &Registry) -> Result<(), Failure> {
    game.map(|game| registry.game(game)).transpose()?;
    let folder = match game {
        Some(game) => table_files::folder(game.name()),
        None => table_files::all_games(),
    };
    let folder = folder.ok_or_else(no_folder)?;
    let mut paths = paths_in(&folder)?;
    if game.is_none() {
        let games = paths.iter().filter(|path| path.is_dir());
        let tables = games.map(|game| paths_in(game)).collect::<Result<Vec<_>, _>>()?;
        paths = tables.concat();
    }
    let of = |wanted: &'static str| {
        let is_wanted = move |path: &&PathBuf| path.extension().is_some_and(|e| e == wanted);
        paths.iter().filter(is_wanted)
    };
    let unfinished = of(table_files::BUILD_EXTENSION).map(|folder| Unfinished::read(folder));
    let patterns = NAMED.map(|(name, board)| Named { name, board });
    let tables: Vec<_> =
        of(table_files::EXTENSION).map(|file| Saved::read(file, registry)).collect();
    let unfinished = unfinished.collect::<Result<Vec<_>, Failure>>()?;
    let mut report = Report::default();
    report.field("patterns", &patterns).field("folder", &folder);
    report.field("tables", &tables).field("unfinished", &unfinished);
    let mut printed = Table::of_pairs();
    for Named { name, board } in &patterns {
        printed.row([*name, *board]);
    }
    report.line("patterns, of which `runner endgame build NAME-GOAL` builds tables:");
    report.section().table(printed);
    let folder = folder.display();
    if tables.is_empty() && unfinished.is_empty() {
        report.section().whole_line(format!("no tables in {folder}"));
        return Ok(print_report(&report, json)?);
    }
    report.section().whole_line(format!("{} in {folder}:", counted(tables.len() as u64, "table")));
    let mut printed = Table::new(&[Align::Left, Align::Right, Align::Right, Align::Left]);
    for saved in &tables {
        let positions = saved.positions.map(|count| counted(count, "position"));
        let positions = positions.unwrap_or_default();
        printed.row([&saved.table, &positions, &memory(saved.bytes), &saved.title]);
    }
    for Unfinished { folder, bytes } in &unfinished {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let title = format!("{}, unfinished build", game_of(folder));
        printed.row([&name, "", &memory(*bytes), &title]);
    }
    Ok(print_report(report.section().table(printed), json)?)
}

impl Saved {
    fn read(file: &Path, registry: &Registry) -> Self {
        let header = Container::open(file).ok().map(|file| file.header().clone());
        let fact = |name: &str| header.as_ref()?.fact(name);
        let table = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Self {
            file: file.to_owned(),
            bytes: size_of(file),
            goal: fact(PATTERN).and_then(|text| Some(Pattern::read(text).ok()?.goal)),
            positions: fact(POSITIONS).and_then(|count| count.parse().ok()),
            title: match &header {
                Some(header) => brief::game_text(&header.game, registry),
                None => format!(
                    "cannot be read; `runner endgame verify {table} --game {}` says why",
                    game_of(file)
                ),
            },
            game: header.map(|header| header.game),
            table,
        }
    }
}

impl Unfinished {
    fn read(folder: &Path) -> Result<Self, Failure> {
        let bytes = paths_in(folder)?.iter().map(|path| size_of(path)).sum();
        Ok(Self { folder: folder.to_owned(), bytes })
    }
}

/// Returns the name of the game whose folder has this file.
fn game_of(file: &Path) -> String {
    let folder = file.parent().and_then(Path::file_name).unwrap_or_default();
    folder.to_string_lossy().into_owned()
}

/// Returns the size of a file; 0 if a build has removed it meanwhile.
fn size_of(file: &Path) -> u64 {
    std::fs::metadata(file).map_or(0, |metadata| metadata.len())
}
