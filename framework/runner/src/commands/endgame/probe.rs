//! `runner endgame probe`: what tables say about the moves of a position.

use super::{TableGameOptions, existing, rules};
use crate::context::Context;
use crate::options::{PositionOptions, ResourceOptions};
use clap::Args;
use runner_console::output::{Align, Table as Printed, print, wrap};
use runner_core::{Game, Successors, catch};
use runner_endgame::Table;
use runner_play::brief::brief;
use runner_play::calls::WatchedGame;
use runner_play::failure::Failure;
use runner_play::position::Position;
use runner_spec::quantity::precise;
use serde::Serialize;
use std::fmt;

/// Print the probability of the goal after each move of a position
#[derive(Debug, Clone, Default, Args)]
pub struct ProbeOptions {
    /// Tables: files, or names as in L3-512
    #[arg(required = true, value_name = "TABLE")]
    tables: Vec<String>,
    #[command(flatten)]
    game: TableGameOptions,
    #[command(flatten)]
    position: PositionOptions,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub fn run(options: &ProbeOptions, context: &Context) -> Result<(), Failure> {
    let registry = context.registry();
    let game = if options.position.is_recorded() {
        options.game.game.clone()
    } else {
        Some(options.game.spec()?)
    };
    let seed = ResourceOptions::default().seed();
    let Position { game, state, text } = options.position.find(game.as_ref(), seed, registry)?;
    let (spec, rules) = (game.spec.to_string(), rules(&game));
    let mut successors = Successors::new();
    catch(|| WatchedGame::of(&game).successors(state, &mut successors))?;
    let mut tables = Vec::new();
    for name in &options.tables {
        let table =
            Table::open(&existing(&game.name, name)?, &spec, &*rules).map_err(Failure::failed)?;
        let moves = successors.iter().map(|next| MoveReport {
            action: game.rules.description().action_name(next.action),
            value: table.value(state, next),
        });
        tables.push(TableReport::new(name, &table, moves.collect()));
    }
    let report = Report {
        title: format!("{text} of {}", brief(&game.spec, registry)),
        game: spec,
        state: text,
        tables,
        is_over: successors.is_empty(),
    };
    Ok(print(&report, options.json)?)
}

/// The result: the JSON document, and the lines for people.
#[derive(Serialize)]
struct Report {
    game: String,
    state: String,
    tables: Vec<TableReport>,
    #[serde(skip)]
    title: String,
    #[serde(skip)]
    is_over: bool,
}

#[derive(Serialize)]
struct TableReport {
    table: String,
    pattern: String,
    moves: Vec<MoveReport>,
    /// The move with the greatest value; none if the table has no value of a move.
    best: Option<String>,
    /// Meaning of the values, for people.
    #[serde(skip)]
    what: String,
}

#[derive(Serialize)]
struct MoveReport {
    action: String,
    /// None if the table does not have the position after the move.
    value: Option<f32>,
}

impl TableReport {
    fn new(name: &str, table: &Table, moves: Vec<MoveReport>) -> Self {
        let pattern = table.pattern();
        let what = format!("probability of {} under best play", pattern.goal);
        let known = moves.iter().filter_map(|moved| Some((moved, moved.value?)));
        let best = known.reduce(|best, next| if next.1 > best.1 { next } else { best });
        Self {
            table: name.to_owned(),
            pattern: pattern.to_string(),
            best: best.map(|(moved, _)| moved.action.clone()),
            moves,
            what,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        wrap(f, "", &self.title)?;
        if self.is_over {
            return writeln!(f, "\nno move: the game is over");
        }
        for TableReport { table, moves, best, what, .. } in &self.tables {
            writeln!(f)?;
            if best.is_none() {
                wrap(f, "", &format!("{table}: says nothing about this position"))?;
                continue;
            }
            wrap(f, "", &format!("{table}: {what}"))?;
            let mut printed = Printed::new(&[Align::Left, Align::Right, Align::Left]);
            for MoveReport { action, value } in moves {
                let chosen = if Some(action) == best.as_ref() { "<" } else { "" };
                let value = value.map_or("not in the table".into(), |v| precise(f64::from(v)));
                printed.row([action.as_str(), &value, chosen]);
            }
            write!(f, "{printed}")?;
        }
        Ok(())
    }
}
