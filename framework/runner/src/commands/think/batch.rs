//! `runner think --states`: the choices of a player in many positions.
//!
//! Lines without a position are reported, and fail the command after the others were analysed.

use super::ThinkOptions;
use crate::context::Context;
use crate::positions::{Analyst, read_lines};
use runner_console::notes::note;
use runner_console::output::{Align, Report, Table, print_report};
use runner_core::{Analysis, Game};
use runner_play::analysis::ActionValue;
use runner_play::failure::Failure;
use runner_play::positions::Line;
use runner_play::registry::LoadedGame;
use runner_spec::quantity::{counted, grouped, number};
use serde::Serialize;
use std::path::Path;

#[derive(Serialize)]
struct Refused {
    line: usize,
    reason: String,
}

/// A position, the player's choice, and the values of its actions.
#[derive(Serialize)]
struct Choice {
    state: String,
    /// `None` if the game is over or the player stops.
    action: Option<String>,
    /// In the order of actions.
    values: Vec<ActionValue>,
}

/// Analyses the positions of a file, and prints the choices.
pub fn run(think: &ThinkOptions, file: &Path, context: &Context) -> Result<(), Failure> {
    let ThinkOptions { players, resources, form, json, .. } = think;
    let registry = context.registry();
    let game = registry.game(&players.game(registry)?)?;
    let analyst = Analyst::new(game, players.agent.as_ref(), resources, context)?;
    let Analyst { game, named, .. } = &analyst;
    let (mut states, mut refused) = (Vec::new(), Vec::new());
    for Line { number, position } in read_lines(file, game, registry)? {
        match position {
            Ok(state) => states.push(state),
            Err(failure) => {
                note(format!("{}, line {number}: {failure}", file.display()));
                refused.push(Refused { line: number, reason: failure.to_string() });
            }
        }
    }
    let analyses = analyst.analyse(&states, "positions")?;
    let failed = refused.len();
    let choices = states.iter().zip(analyses);
    let choices = choices.map(|(&state, of)| Ok(choice(game, form.write(game, state)?, of)));
    let positions = choices.collect::<Result<Vec<_>, Failure>>()?;
    let mut report = Report::default();
    report.field("game", game.spec.to_string()).field("agent", named.spec.to_string());
    report.field("positions", &positions).field("refused", refused);
    report.table(choice_table(&positions, &game.rules.description().actions));
    print_report(&report, *json)?;
    let lines = counted((failed + states.len()) as u64, "line");
    if failed == 0 {
        return Ok(());
    }
    let message = if states.is_empty() {
        format!("no position in {lines}")
    } else {
        let failed = grouped(failed as u64);
        format!("{failed} of {lines} without a position; the others were analysed")
    };
    Err(Failure::in_file(file, message))
}

fn choice(game: &LoadedGame, state: String, analysis: Analysis) -> Choice {
    let name = |action| game.rules.description().action_name(action);
    let values = analysis.action_values.into_iter();
    Choice {
        state,
        action: analysis.choice.map(name),
        values: values.map(|(action, value)| ActionValue { action: name(action), value }).collect(),
    }
}

/// Returns the choice in each position, and the value of each action of the game.
fn choice_table(positions: &[Choice], actions: &[String]) -> Table {
    let columns = [vec![Align::Left; 2], vec![Align::Right; actions.len()]].concat();
    let mut table = Table::new(&columns);
    table.row(["position", "choice"].into_iter().chain(actions.iter().map(String::as_str)));
    for Choice { state, action, values } in positions {
        let text = |action: &String| {
            let value = values.iter().find(|value| value.action == *action);
            value.map_or(String::new(), |value| number(f64::from(value.value)))
        };
        let first = [state.clone(), action.clone().unwrap_or_default()];
        table.row(first.into_iter().chain(actions.iter().map(text)));
    }
    table
}
