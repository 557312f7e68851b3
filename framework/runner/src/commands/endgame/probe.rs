//! `runner endgame probe`: what tables say about the moves of a position.

use super::{TableGameOptions, existing, rules};
use crate::context::Context;
use crate::options::{PositionOptions, ResourceOptions};
use clap::Args;
use runner_console::output::{Align, Report, Table, print_report};
use runner_core::{Game, Successors, catch};
use runner_play::brief;
use runner_play::failure::Failure;
use runner_play::position::Position;
use runner_play::watched::WatchedGame;
use runner_solver::endgame::{EndgameTable, TableError};
use runner_spec::quantity::precise;
use serde::Serialize;

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
    let game = options.game.spec_for(&options.tables, &context.linked)?;
    let seed = ResourceOptions::default().seed();
    let Position { game, state, text } = options.position.find(&game, seed, registry)?;
    let (spec, rules) = (game.spec.to_string(), rules(&game));
    let mut successors = Successors::new();
    catch(|| WatchedGame::of(&game).successors(state, &mut successors))?;
    let name = |action| game.rules.description().action_name(action);
    let (mut report, mut tables) = (Report::default(), Vec::new());
    report.line(format!("{text} of {}", brief::game(&game.spec, registry)));
    if successors.is_empty() {
        report.section().line("no move: the game is over");
    }
    for table in &options.tables {
        let file = existing(&game.name, table)?;
        let found = EndgameTable::open(&file, &spec, &*rules).map_err(failure)?;
        let values: Vec<_> =
            successors.iter().map(|next| (next.action, found.value(state, next))).collect();
        let known = values.iter().filter_map(|&(action, value)| Some((action, value?)));
        let best = known.reduce(|best, next| if next.1 > best.1 { next } else { best });
        let best = best.map(|(action, _)| action);
        if best.is_some() {
            let goal = found.pattern().goal;
            let mut printed = Table::new(&[Align::Left, Align::Right, Align::Left]);
            for &(action, value) in &values {
                let value = value.map_or("not in the table".into(), |v| precise(f64::from(v)));
                let mark = if Some(action) == best { "<" } else { "" };
                printed.row([name(action).as_str(), &value, mark]);
            }
            report.section().line(format!("{table}: probability of {goal} under best play"));
            report.table(printed);
        } else if !successors.is_empty() {
            report.section().line(format!("{table}: says nothing about this position"));
        }
        tables.push(TableReport {
            table,
            pattern: found.pattern().to_string(),
            moves: values
                .iter()
                .map(|&(action, value)| MoveReport { action: name(action), value })
                .collect(),
            best: best.map(name),
        });
    }
    report.field("game", &spec).field("state", &text).field("tables", &tables);
    Ok(print_report(&report, options.json)?)
}

fn failure(error: TableError) -> Failure {
    match error {
        TableError::Container(error) => error.into(),
        TableError::File(error) => error.into(),
        TableError::Pattern(_) | TableError::Work(_) => Failure::failed(error),
    }
}

#[derive(Serialize)]
struct TableReport<'a> {
    table: &'a str,
    pattern: String,
    moves: Vec<MoveReport>,
    /// The move with the greatest value; none if the table has no value of a move.
    best: Option<String>,
}

#[derive(Serialize)]
struct MoveReport {
    action: String,
    /// None if the table does not have the position after the move.
    value: Option<f32>,
}
