//! `replay positions`: the first position of each recorded game with given tiles.

use crate::options::FormOptions;
use clap::Args;
use runner_console::notes::note;
use runner_core::geometry::Geometry;
use runner_core::{Game, State};
use runner_play::failure::Failure;
use runner_play::position::{is_over, open};
use runner_play::registry::Registry;
use runner_records::replay;
use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::str::FromStr;

/// The options of `replay positions`.
#[derive(Debug, Clone, Args)]
pub struct PositionsOptions {
    /// File of recorded games
    file: PathBuf,
    /// Tiles that are on the board together, like 16384+8192; a tile may be repeated
    #[arg(long, value_name = "TILES")]
    tiles: Tiles,
    #[command(flatten)]
    form: FormOptions,
}

/// Tiles, each with the number of times that it is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Tiles(BTreeMap<u64, usize>);

impl FromStr for Tiles {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut counts = BTreeMap::new();
        for tile in text.split('+') {
            let tile = tile.trim().parse().map_err(|_| {
                format!("`{tile}` is no tile: give values of tiles, such as 16384+8192")
            })?;
            *counts.entry(tile).or_insert(0) += 1;
        }
        Ok(Self(counts))
    }
}

/// Prints the first position of each game on which all tiles are, unless the game is over there.
pub(super) fn positions(options: &PositionsOptions, registry: &Registry) -> Result<(), Failure> {
    let PositionsOptions { file, tiles, form } = options;
    let (reader, game) = open(file, registry)?;
    let rules = &*game.rules;
    let Some(board) = &rules.description().geometry else {
        return Err(Failure::in_file(file, format!("{} has no board", game.spec)));
    };
    if let Some(tile) = tiles.0.keys().find(|&&tile| !board.values.contains(&tile) || tile == 0) {
        return Err(Failure::usage(format!("{} has no tile {tile}", game.spec)));
    }
    let mut out = BufWriter::new(std::io::stdout().lock());
    let (mut games, mut printed) = (0_u64, 0_u64);
    for record in reader {
        games += 1;
        let record = record?;
        let mut found = tiles.are_on(board, record.start).then_some(record.start);
        for step in replay(rules, &record) {
            if found.is_some() {
                break;
            }
            let step = step.map_err(|error| Failure::in_file(file, error))?;
            found = tiles.are_on(board, step.next).then_some(step.next);
        }
        // A game that is over there cannot go on.
        if let Some(position) = found
            && !is_over(&game, position)?
        {
            writeln!(out, "{}", form.write(&game, position)?)?;
            printed += 1;
        }
    }
    out.flush()?;
    if printed == 0 {
        note(format!("note: none of the {games} games continues with these tiles"));
    }
    Ok(())
}

impl Tiles {
    fn are_on(&self, board: &Geometry, position: State) -> bool {
        self.0.iter().all(|(&tile, &wanted)| {
            let ranks = (0..board.cells()).map(|cell| board.rank(position.bits(), cell));
            ranks.filter(|&rank| board.values[rank as usize] == tile).count() >= wanted
        })
    }
}
