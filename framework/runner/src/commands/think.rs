//! `runner think`: a player's analysis of one position.

mod batch;

use crate::context::{Context, Execute};
use crate::notes::note_models;
use crate::options::{PlayerOptions, PositionOptions, ResourceOptions, agent_or_strongest};
use clap::Args;
use runner_console::output::{Align, Table, print, wrap};
use runner_core::{Fact, Game, Successors, catch};
use runner_play::analysis::{ActionValue, analyse_one, facts_as_map};
use runner_play::brief::brief;
use runner_play::calls;
use runner_play::failure::{Failure, attributed};
use runner_play::player::NamedPlayer;
use runner_play::position::{Position, is_over};
use runner_play::threads::Threads;
use runner_spec::quantity::{grouped, precise, time};
use serde::Serialize;
use std::fmt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Analyse a position: print the values of its actions and the player's choice
#[derive(Debug, Clone, Default, Args)]
pub struct ThinkOptions {
    #[command(flatten)]
    players: PlayerOptions,
    #[command(flatten)]
    position: PositionOptions,
    /// File with a position on each line, as text or as CSV: print CSV with the choices and values
    #[arg(long, value_name = "FILE", conflicts_with_all = ["state", "record"])]
    states: Option<PathBuf>,
    #[command(flatten)]
    resources: ResourceOptions,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl Execute for ThinkOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        match &self.states {
            Some(file) => batch::run(file, &self.players, &self.resources, self.json, context),
            None => run(&self, context),
        }
    }
}

fn run(think: &ThinkOptions, context: &Context) -> Result<(), Failure> {
    let (seed, registry) = (think.resources.seed(), context.registry());
    let position = think.position.find(think.players.game.as_ref(), seed, registry)?;
    let Position { game, state, text } = &position;
    let (rules, state) = (&*game.rules, *state);
    let agent = agent_or_strongest(think.players.agent.as_ref(), game, &context.linked)?;
    let threads = Threads::new(think.resources.threads())?;
    let named = NamedPlayer::trained(registry, &agent, game, &threads)?;
    note_models(&named.spec, registry);
    let mut player = named.player.clone();
    let call = calls::enter(game, &named.label, "analyse", &[state]);
    let began = Instant::now();
    let analysis = catch(|| analyse_one(game, &mut player, state, seed, &mut Successors::new()));
    let elapsed = began.elapsed();
    drop(call);
    let analysis = analysis
        .map_err(|fault| Failure::failed(attributed(&fault.0, &[&game.label, &named.label])))?;
    let name = |action| rules.description().action_name(action);
    let value = |(action, value)| ActionValue { action: name(action), value };
    let report = Report {
        title: format!(
            "{} at {text} of {}",
            brief(&named.spec, registry),
            brief(&game.spec, registry)
        ),
        game: game.spec.to_string(),
        agent: named.spec.to_string(),
        state: text.clone(),
        action: analysis.choice.map(name),
        values: analysis.action_values.into_iter().map(value).collect(),
        facts: analysis.facts,
        seconds: elapsed.as_secs_f64(),
        elapsed,
        is_over: is_over(game, state)?,
    };
    Ok(print(&report, think.json)?)
}

/// The result: the JSON document, and the lines for people.
#[derive(Serialize)]
struct Report {
    game: String,
    agent: String,
    state: String,
    /// `None` if the game is over or the player stops.
    action: Option<String>,
    /// In the order of actions.
    values: Vec<ActionValue>,
    /// In the player's order.
    #[serde(serialize_with = "facts_as_map")]
    facts: Vec<(String, Fact)>,
    seconds: f64,
    #[serde(skip)]
    title: String,
    #[serde(skip)]
    elapsed: Duration,
    #[serde(skip)]
    is_over: bool,
}

fn fact_text(fact: &Fact) -> String {
    match fact {
        Fact::Count(count) => grouped(*count),
        Fact::Number(number) => number.to_string(),
        Fact::Text(text) => text.clone(),
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        wrap(f, "", &self.title)?;
        writeln!(f)?;
        let mut values = Table::new(&[Align::Left, Align::Right, Align::Left]);
        for ActionValue { action, value } in &self.values {
            let chosen = if Some(action) == self.action.as_ref() { "<" } else { "" };
            values.row([action, &precise(f64::from(*value)), chosen]);
        }
        write!(f, "{values}")?;
        let mut facts = Table::of_pairs();
        match (&self.action, self.values.is_empty()) {
            (Some(action), true) => drop(facts.row(["action", action])),
            (None, true) if self.is_over => drop(facts.row(["action", "none: the game is over"])),
            (None, true) => drop(facts.row(["action", "none"])),
            (_, false) => writeln!(f)?,
        }
        for (name, fact) in &self.facts {
            facts.row([name.as_str(), &fact_text(fact)]);
        }
        facts.row(["time", &time(self.elapsed)]);
        write!(f, "{facts}")
    }
}
