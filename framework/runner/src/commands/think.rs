//! `runner think`: a player's analysis of one position.

use crate::context::{Context, Execute};
use crate::options::{PlayerOptions, PositionOptions, ResourceOptions};
use crate::positions::Analyst;
use clap::Args;
use runner_console::output::{Align, Report, Table, print_report};
use runner_core::{Analysis, Fact, Game, State, Successors, catch};
use runner_play::analysis::{ActionValue, analyse_one, fact_text, facts_as_map};
use runner_play::brief;
use runner_play::failure::Failure;
use runner_play::position::{Form, Position, is_over};
use runner_spec::quantity::{number, time};
use serde::Serialize;
use std::time::{Duration, Instant};

/// Analyse a position: print the values of its actions and the player's choice
#[derive(Debug, Clone, Default, Args)]
pub struct ThinkOptions {
    #[command(flatten)]
    players: PlayerOptions,
    #[command(flatten)]
    position: PositionOptions,
    /// Form of printed positions: text of the game, or a hex digit for each cell [default: text]
    #[arg(long, value_name = "FORM", value_parser = form)]
    form: Option<Form>,
    #[command(flatten)]
    resources: ResourceOptions,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

fn form(text: &str) -> Result<Form, &'static str> {
    match text {
        "text" => Ok(Form::Text),
        "hex" => Ok(Form::Hex),
        _ => Err("allowed: text, hex"),
    }
}

impl Execute for ThinkOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        let (seed, registry) = (self.resources.seed(), context.registry());
        let spec = self.players.game(&context.linked)?;
        let Position { game, state, .. } = self.position.find(&spec, seed, registry)?;
        let text = self.form.unwrap_or_default().write(&game, state)?;
        let agent = self.players.agent.as_ref();
        let analyst = Analyst::new(game, agent, &self.resources, context)?;
        let Analyst { game, named, .. } = &analyst;
        let (analysis, elapsed) = timed_analysis(&analyst, state)?;
        let description = game.rules.description();
        let board = description.geometry.as_ref();
        let chances = registry.chances(&game.spec, &named.spec).at(board, state, &analysis);
        let mut values = Vec::new();
        for (action, value) in analysis.action_values {
            values.push(ActionValue { action: description.action_name(action), value });
        }
        let chosen = analysis.choice.map(|action| description.action_name(action));
        let mut report = Report::default();
        report.field("game", game.spec.to_string()).field("agent", named.spec.to_string());
        report.field("state", &text).field("action", &chosen).field("values", &values);
        report.field("chances", &chances);
        report.field("facts", Facts(&analysis.facts)).field("seconds", elapsed.as_secs_f64());
        let player_name = brief::player(&named.spec, registry);
        let game_name = brief::game(&game.spec, registry);
        report.line(format!("{player_name} at {text} of {game_name}")).section();
        report.table(value_table(&values, chosen.as_deref())).section();
        let mut facts = Table::of_pairs();
        // The table of values marks the chosen action.
        if values.is_empty() {
            let action = match &chosen {
                Some(action) => action.as_str(),
                None if is_over(game, state)? => "none: the game is over",
                None => "none",
            };
            facts.row(["action", action]);
        }
        for chance in &chances {
            facts.row([&format!("chance of {}", chance.tile), &chance.percent()]);
        }
        for (name, fact) in &analysis.facts {
            facts.row([name.as_str(), &fact_text(fact)]);
        }
        facts.row(["time", &time(elapsed)]);
        Ok(print_report(report.table(facts), self.json)?)
    }
}

/// Analyses a position. Also returns the time that the player took.
fn timed_analysis(analyst: &Analyst, state: State) -> Result<(Analysis, Duration), Failure> {
    let Analyst { game, named, seed, .. } = analyst;
    let mut player = named.player.clone();
    let call = game.calls.enter(&named.label, "analyse");
    let began = Instant::now();
    let analysis = catch(|| analyse_one(game, &mut player, state, *seed, &mut Successors::new()));
    let elapsed = began.elapsed();
    drop(call);
    Ok((analysis.map_err(|fault| analyst.failure(&fault))?, elapsed))
}

/// The facts of an analysis, as a JSON object in the player's order.
#[derive(Serialize)]
struct Facts<'a>(#[serde(serialize_with = "facts_as_map")] &'a [(String, Fact)]);

fn value_table(values: &[ActionValue], chosen: Option<&str>) -> Table {
    let mut table = Table::new(&[Align::Left, Align::Right, Align::Left]);
    for ActionValue { action, value } in values {
        let mark = if Some(action.as_str()) == chosen { "<" } else { "" };
        table.row([action, &number(f64::from(*value)), mark]);
    }
    table
}
