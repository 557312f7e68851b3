//! `runner think`: what a player thinks of one position.

use crate::context::{Context, Execute};
use crate::failure::{Failure, attributed};
use crate::learners;
use crate::options::{InputOutputOptions, Options, PlayerOptions, ResourceOptions};
use crate::player::NamedPlayer;
use crate::position::{Position, PositionOptions};
use crate::report::wrap;
use crate::setting::missing_agent;
use crate::threads::{Services, Threads};
use clap::Args;
use runner_core::{Agent, Analysis, Fact, Game, Random, Successors, Turn, catch};
use runner_spec::quantity::{grouped, precise, time};
use serde::{Deserialize, Serialize, Serializer};
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

#[derive(Serialize)]
struct Report {
    game: String,
    agent: String,
    state: String,
    /// Nothing where the game is over, or the player stops.
    action: Option<String>,
    /// By action.
    worths: Vec<Worth>,
    /// In the player's order.
    #[serde(serialize_with = "as_map")]
    facts: Vec<(String, Fact)>,
    seconds: f64,
}

#[derive(Serialize)]
struct Worth {
    action: String,
    worth: f32,
}

/// Print what a player thinks of a position
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ThinkOptions {
    /// The game and its player.
    #[command(flatten)]
    #[serde(rename = "..players")]
    players: PlayerOptions,
    /// The position.
    #[command(flatten)]
    #[serde(rename = "..position")]
    position: PositionOptions,
    /// Threads and seed.
    #[command(flatten)]
    #[serde(rename = "..resources")]
    resources: ResourceOptions,
    /// Configuration file and output.
    #[command(flatten)]
    #[serde(rename = "..io")]
    io: InputOutputOptions,
}

impl Options for ThinkOptions {
    fn config(&self) -> Option<&Path> {
        self.io.config.as_deref()
    }

    fn check(&self) -> Result<(), Failure> {
        self.position.check()
    }
}

impl Execute for ThinkOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        run(&context.resolve(self)?, context)
    }
}

fn run(think: &ThinkOptions, context: &Context) -> Result<(), Failure> {
    let (seed, registry) = (think.resources.seed(), context.registry());
    let position = think.position.find(think.players.game.as_ref(), seed, registry)?;
    let Position { game, state, text } = &position;
    let (rules, state) = (&*game.rules, *state);
    let agent = think.players.agent.as_ref().ok_or_else(|| missing_agent(registry))?;
    let threads = Threads::new(think.resources.threads())?;
    let services = Services::new(&threads, registry, game).refusing_untrained();
    let named = NamedPlayer::build(registry, agent, game, &services)?;
    named.refuse_untrained(game)?;
    learners::note_models(&named.spec, registry);
    let mut player = named.player.clone();
    let began = Instant::now();
    let thoughts = catch(|| {
        let mut successors = Successors::new();
        rules.successors(state, &mut successors);
        if successors.is_empty() {
            return Analysis::default();
        }
        let random = Random::stream(seed, 0).word();
        player.begin(rules, state);
        player.analyse(rules, &Turn { state, successors: &successors, random })
    });
    let thoughts = thoughts
        .map_err(|fault| Failure::failed(attributed(&fault.0, &[&game.label, &named.label])))?;
    let name = |action| rules.description().action_name(action);
    let worth = |(action, worth)| Worth { action: name(action), worth };
    let report = Report {
        game: game.spec.to_string(),
        agent: named.spec.to_string(),
        state: text.clone(),
        action: thoughts.choice.map(name),
        worths: thoughts.action_values.into_iter().map(worth).collect(),
        facts: thoughts.facts,
        seconds: began.elapsed().as_secs_f64(),
    };
    let mut out = io::stdout().lock();
    if think.io.json {
        serde_json::to_writer(&mut out, &report)?;
        writeln!(out)?;
    } else {
        report.print(&mut out, began)?;
    }
    Ok(())
}

fn as_map<S: Serializer>(facts: &[(String, Fact)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(facts.iter().map(|(name, fact)| (name, fact)))
}

/// A fact as a person reads it.
fn shown(fact: &Fact) -> String {
    match fact {
        Fact::Count(count) => grouped(*count),
        Fact::Number(number) => number.to_string(),
        Fact::Text(text) => text.clone(),
    }
}

impl Report {
    fn print(&self, out: &mut impl Write, began: Instant) -> io::Result<()> {
        let mut title = String::new();
        let asked = format!("{} in {} of {}", self.agent, self.state, self.game);
        wrap(&mut title, "", &asked).expect("writing to a string does not fail");
        writeln!(out, "{title}")?;
        let width = self.worths.iter().map(|worth| worth.action.len()).max().unwrap_or(0);
        for Worth { action, worth } in &self.worths {
            let chosen = if Some(action) == self.action.as_ref() { "  <" } else { "" };
            writeln!(out, "{action:<width$}  {:>16}{chosen}", precise(f64::from(*worth)))?;
        }
        if self.worths.is_empty() {
            let action = self.action.as_deref().unwrap_or("nothing, it is over");
            writeln!(out, "chooses  {action}")?;
        }
        writeln!(out)?;
        let facts = self.facts.iter().map(|(name, fact)| (name.as_str(), shown(fact)));
        let facts: Vec<_> = facts.chain([("time", time(began.elapsed()))]).collect();
        let width = facts.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        facts.iter().try_for_each(|(name, fact)| writeln!(out, "{name:<width$}  {fact}"))
    }
}
