//! `runner endgame distill`.

use super::{TableGameOptions, existing, rules};
use crate::context::Context;
use crate::options::{ResourceOptions, refuse_existing};
use clap::Args;
use runner_console::output::{Table as Printed, print, wrap};
use runner_endgame::{Table, distill};
use runner_files::{FileError, can_be_written};
use runner_play::failure::Failure;
use runner_play::threads::Threads;
use runner_spec::quantity::{Count, grouped, memory};
use serde::Serialize;
use std::fmt;
use std::path::PathBuf;

/// Keep the positions that best play visits, as a small table
#[derive(Debug, Clone, Args)]
pub struct DistillOptions {
    /// Table: a file, or a name as in L3-512
    table: String,
    /// Save the small table to this file
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
    /// Number of games that are played by the table, 1 to 1G [default: 100000]
    #[arg(long, value_name = "N")]
    games: Option<Count<1, 1_000_000_000>>,
    /// Keep positions that this number of games visit, 1 to 1000 [default: 2]
    #[arg(long, value_name = "N")]
    visits: Option<Count<1, 1000>>,
    #[command(flatten)]
    game: TableGameOptions,
    #[command(flatten)]
    resources: ResourceOptions,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub fn run(options: &DistillOptions, context: &Context) -> Result<(), Failure> {
    let game = context.registry().game(&options.game.spec()?)?;
    let file = existing(&game.name, &options.table)?;
    Failure::refuse_same(&file, &options.out)?;
    refuse_existing(&options.out, options.force)?;
    can_be_written(&options.out)?;
    let table =
        Table::open(&file, &game.spec.to_string(), &*rules(&game)).map_err(Failure::failed)?;
    let threads = Threads::new(options.resources.threads())?;
    let games = options.games.map_or(100_000, Count::get);
    let visits = options.visits.map_or(2, Count::get) as u32;
    let seed = options.resources.seed();
    let kept = threads.install(|| distill(&table, &options.out, games, visits, seed));
    let bytes = std::fs::metadata(&options.out).map_err(FileError::at("read", &options.out));
    let report = Report {
        title: format!("{} of {}", table.pattern(), options.table),
        positions: kept.map_err(Failure::failed)?,
        of: table.len() as u64,
        bytes: bytes?.len(),
    };
    Ok(print(&report, options.json)?)
}

/// The result: the JSON document, and the lines for people.
#[derive(Serialize)]
struct Report {
    #[serde(skip)]
    title: String,
    positions: u64,
    of: u64,
    bytes: u64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        wrap(f, "", &self.title)?;
        let mut table = Printed::of_pairs();
        let of = format!("{} of {}", grouped(self.positions), grouped(self.of));
        table.row(["positions", &of]);
        table.row(["file", &memory(self.bytes)]);
        write!(f, "{table}")
    }
}
