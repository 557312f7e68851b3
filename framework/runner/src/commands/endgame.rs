//! `runner endgame`: tables of sub-games, for the value `endgame`.

mod build;
mod list;
mod probe;

use super::model::describe::{print_headers, verify_each};
use crate::context::{Context, Execute};
use crate::linked::Linked;
use crate::options::game_or_default;
use clap::Subcommand;
use runner_core::Game;
use runner_files::{Container, table_files};
use runner_play::failure::Failure;
use runner_play::registry::LoadedGame;
use runner_spec::Spec;
use runner_spec::quantity::counted;
use std::path::{Path, PathBuf};

/// The fact of a table that holds its number of positions.
const POSITIONS: &str = "positions";
/// The fact of a table that holds its pattern.
const PATTERN: &str = "pattern";

/// Build and read tables of endings: how likely the next large tile is under best play
#[derive(Debug, Clone, Subcommand)]
pub enum EndgameCommand {
    Build(build::BuildOptions),
    /// List the patterns that have a name, and the tables that were built
    List {
        /// Game of the tables [default: all games]
        #[arg(long, value_name = "SPEC")]
        game: Option<Spec>,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Print game, pattern and size of tables
    Info {
        #[command(flatten)]
        tables: TablesOptions,
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Read whole tables and check all checksums
    Verify {
        #[command(flatten)]
        tables: TablesOptions,
    },
    Probe(probe::ProbeOptions),
}

/// The game of tables.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct TableGameOptions {
    /// Game of the tables [default: 2048]
    #[arg(long, value_name = "SPEC")]
    game: Option<Spec>,
}

impl TableGameOptions {
    fn spec(&self, linked: &Linked) -> Result<Spec, Failure> {
        game_or_default(self.game.as_ref(), [], linked)
    }

    /// Returns the game; by default that of the first of the tables that is a file.
    fn spec_for(&self, tables: &[String], linked: &Linked) -> Result<Spec, Failure> {
        let file = tables.iter().map(Path::new).find(|table| table.is_file());
        match file.filter(|_| self.game.is_none()) {
            Some(file) => Ok(Container::open(file)?.header().game.parse()?),
            None => self.spec(linked),
        }
    }
}

/// Tables, by their names or files.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct TablesOptions {
    /// Tables: files, or names as in L3-512
    #[arg(required = true, value_name = "TABLE")]
    tables: Vec<String>,
    #[command(flatten)]
    game: TableGameOptions,
}

impl TablesOptions {
    fn files(&self, linked: &Linked) -> Result<Vec<PathBuf>, Failure> {
        if self.tables.iter().all(|table| table_files::is_path(table)) {
            return Ok(self.tables.iter().map(PathBuf::from).collect());
        }
        let game = self.game.spec(linked)?;
        self.tables.iter().map(|table| existing(game.name(), table)).collect()
    }
}

impl Execute for EndgameCommand {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        match self {
            Self::Build(options) => build::run(&options, context),
            Self::List { game, json } => list::run(game.as_ref(), json, context.silent_registry()),
            Self::Info { tables, json } => {
                let files = tables.files(&context.linked)?;
                let header = |file: &PathBuf| Ok(Container::open(file)?.header().clone());
                let headers = files.iter().map(header).collect::<Result<Vec<_>, Failure>>()?;
                print_headers(&files, &headers, json)
            }
            Self::Verify { tables } => verify_each(&tables.files(&context.linked)?, verified),
            Self::Probe(options) => probe::run(&options, context),
        }
    }
}

/// Checks a table, and returns what it is.
fn verified(file: &Path) -> Result<String, Failure> {
    let container = Container::open(file)?;
    container.verify()?;
    let header = container.header();
    let positions = header.fact(POSITIONS).and_then(|count| count.parse().ok());
    let positions =
        positions.map_or_else(String::new, |count| ", ".to_owned() + &counted(count, "position"));
    Ok(format!("{}, {}{positions}", header.game, header.spec))
}

/// Returns the file of a table that is there.
fn existing(game_name: &str, table: &str) -> Result<PathBuf, Failure> {
    let path = table_files::path(game_name, table);
    if path == Path::new(table) || path.exists() {
        Ok(path)
    } else {
        Err(Failure::usage(format!(
            "there is no table {}; `runner endgame build {table}` builds it, and `runner endgame \
             list` prints those that are there",
            path.display()
        )))
    }
}

/// Returns the rules with the row tables, if there are any: a sub-game needs them.
fn rules(game: &LoadedGame) -> Box<dyn Game> {
    match game.rules.with_tables() {
        Some(rules) => Box::new(rules),
        None => Box::new(game.rules.clone()),
    }
}

/// Returns the error of an environment without a folder for tables.
fn no_folder() -> Failure {
    Failure::failed("there is no folder for tables: set XDG_DATA_HOME or HOME to an absolute path")
}
