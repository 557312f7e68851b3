//! From what was typed to what is run: the plugins loaded, the game and the
//! player built, every setting with its value.

use crate::cli::{Common, Contest};
use crate::failure::Failure;
use crate::notes::note;
use crate::player::NamedPlayer;
use crate::threads::{Services, Threads};
use runner_core::{Game, Seed, Spec, State, catch};
use runner_plugin::{LoadedGame, Registry, RootRef, SearchPath};
use runner_spec::read_document;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The seed of a run that names none: the same every time.
const SEED: Seed = Seed(1);

/// Finds and loads all plugins.
pub fn registry(common: &Common, linked: Vec<RootRef>) -> Arc<Registry> {
    let mut registry = Registry::new();
    for root in linked {
        registry.link(root);
    }
    registry.search(&SearchPath::new(common.plugin_path.clone()));
    Arc::new(registry)
}

/// Says what is wrong with libraries that lie where plugins are looked for. The
/// others go on working.
pub fn tell_problems(registry: &Registry, common: &Common) {
    for problem in registry.problems() {
        note(format!("note: {}", problem.message));
        if let (true, Some(detail)) = (common.verbose, &problem.detail) {
            note(detail);
        }
    }
}

/// The fields of `--config`: those of the flags. A flag wins over the file.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Config {
    game: Option<Spec>,
    agent: Option<Spec>,
    games: Option<u64>,
    threads: Option<usize>,
    seed: Option<u64>,
    json: Option<bool>,
    records: Option<PathBuf>,
    move_limit: Option<u64>,
}

/// The one parameter that learners have in common.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Model {
    model: Option<IgnoredAny>,
}

/// Reads a file of settings.
pub fn read_config<T: DeserializeOwned>(path: &Path) -> Result<T, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        Failure::usage(format!("cannot read the configuration {}: {error}", path.display()))
    })?;
    read_document(&text).map_err(|error| Failure::Usage {
        message: format!("{}: {error}", path.display()),
        place: Some(error.caret()),
    })
}

/// A number, or what would be typed for one: `20000000`, `"20M"`, `"2h"`.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Text {
    /// A number.
    Number(u64),
    /// What would be typed.
    Text(String),
}

impl Text {
    /// Reads it as the command line does.
    pub fn read<T>(
        text: Option<Self>,
        name: &str,
        read: fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, Failure> {
        let Some(text) = text else { return Ok(None) };
        let text = match text {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text,
        };
        let refused = |why| Failure::usage(format!("`{name}: {text}` of the configuration: {why}"));
        read(&text).map(Some).map_err(refused)
    }
}

/// What was typed wins over what a file says.
pub fn or<T>(typed: &mut Option<T>, filed: Option<T>) {
    *typed = typed.take().or(filed);
}

/// A game, its player, and how they meet.
pub struct Setting {
    /// The game.
    pub game: LoadedGame,
    /// Who plays it.
    pub player: NamedPlayer,
    /// Whether the player's spec names the model that it plays.
    pub names_model: bool,
    /// The threads to play on.
    pub threads: Threads,
    /// What is offered to the plugins that play.
    pub services: Services,
    /// Where all chance comes from.
    pub seed: Seed,
    /// How many games, if that was said.
    pub games: Option<u64>,
    /// No game has more moves.
    pub move_limit: Option<u64>,
    /// Whether the result is to be one JSON document.
    pub json: bool,
    /// Where the games are to be recorded.
    pub records: Option<PathBuf>,
}

impl Setting {
    /// Resolves what was typed.
    pub fn new(contest: &Contest, registry: &Arc<Registry>) -> Result<Self, Failure> {
        let config =
            contest.config.as_deref().map(read_config::<Config>).transpose()?.unwrap_or_default();
        let spec = |typed: &Option<String>, filed: Option<Spec>| match typed {
            Some(text) => text.parse().map(Some),
            None => Ok(filed),
        };
        let game = spec(&contest.game, config.game)?;
        let agent = spec(&contest.agent, config.agent)?;
        let (Some(game), Some(agent)) = (game, agent) else {
            return Err(missing(contest.game.is_none(), registry));
        };
        let threads = Threads::new(contest.threads.or(config.threads))?;
        let game = registry.game(&game)?;
        let services = Services::new(&threads, registry, &game);
        let player = NamedPlayer::build(registry, &agent, &game, &services)?;
        Ok(Self {
            game,
            player,
            names_model: agent.read::<Model>()?.model.is_some(),
            threads,
            services,
            seed: contest.seed.or(config.seed).map_or(SEED, Seed),
            games: contest.games.or(config.games),
            move_limit: contest.move_limit.or(config.move_limit),
            json: contest.json || config.json.unwrap_or(false),
            records: contest.records.clone().or(config.records),
        })
    }
}

impl Setting {
    /// The same with another player, for which the first makes room.
    pub fn with_player(self, registry: &Registry, spec: &Spec) -> Result<Self, Failure> {
        drop(self.player);
        let player = NamedPlayer::build(registry, spec, &self.game, &self.services)?;
        Ok(Self { player, ..self })
    }
}

/// Reads a position of a game that was typed.
pub fn position(game: &LoadedGame, text: &str) -> Result<State, Failure> {
    catch(|| game.rules.parse(text))?.map_err(|error| {
        let before = text.get(..error.at).map_or(0, |text| text.chars().count());
        Failure::Usage {
            message: format!("the position is not one of {}: {error}", game.spec),
            place: Some(format!("{text}\n{}^", " ".repeat(before))),
        }
    })
}

/// What to say to someone who has not said enough.
fn missing(game: bool, registry: &Registry) -> Failure {
    let names = |wanted: &[runner_plugin::Kind]| {
        let plugins = registry.plugins();
        let names = plugins.iter().filter(|p| wanted.contains(&p.kind)).map(|p| p.name.clone());
        names.collect::<Vec<_>>().join(", ")
    };
    use runner_plugin::Kind::{Agent, Game, Value};
    let (flag, names) =
        if game { ("--game", names(&[Game])) } else { ("--agent", names(&[Agent, Value])) };
    Failure::usage(format!("{flag} is missing; there are: {names} (see `runner --help`)"))
}
