//! `runner plugins doctor`: everything that plugins do, tried: games under the
//! laws, players on games, and whether what they say of their parameters is true.

use crate::context::Context;
use crate::evaluation::{Limits, Plan, play};
use crate::failure::Failure;
use crate::player::NamedPlayer;
use crate::threads::{Services, Threads};
use runner_core::{Seed, Spec};
use runner_laws::Effort;
use runner_plugin::{Kind, LoadedGame, PluginInfo, Registry, SpecRefused};
use std::collections::BTreeSet;
use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

/// Each player plays so many games of each game...
const GAMES: u64 = 4;
/// ...of at most so many moves.
const MOVES: u64 = 2000;

pub(super) fn run(context: &Context, names: &[String]) -> Result<(), Failure> {
    let (registry, common) = (context.silent_registry(), &context.common);
    let all = registry.plugins();
    if let Some(unknown) = names.iter().find(|name| !all.iter().any(|p| p.name == **name)) {
        let known: Vec<_> = all.iter().map(|p| p.name.as_str()).collect();
        return Err(Failure::usage(format!(
            "there is no plugin `{unknown}`; there are: {}",
            known.join(", ")
        )));
    }
    let mut doctor = Doctor { registry, threads: Threads::new(None)?, ill: 0 };
    for problem in registry.problems() {
        doctor.tell("file", &problem.file.display(), Err(&problem.message))?;
        if let (true, Some(detail)) = (common.verbose, &problem.detail) {
            writeln!(io::stdout(), "{detail}")?;
        }
    }
    let wanted = all.iter().filter(|p| names.is_empty() || names.contains(&p.name));
    for plugin in wanted {
        doctor.examine(plugin, &all)?;
    }
    match doctor.ill {
        0 => Ok(()),
        1 => Err(Failure::failed("one examination found something wrong")),
        n => Err(Failure::failed(format!("{n} examinations found something wrong"))),
    }
}

struct Doctor<'a> {
    registry: &'a Arc<Registry>,
    threads: Threads,
    ill: usize,
}

impl Doctor<'_> {
    fn tell(
        &mut self,
        what: &str,
        whose: &dyn fmt::Display,
        finding: Result<&str, &str>,
    ) -> Result<(), Failure> {
        let (word, text) = match finding {
            Ok(text) => ("ok ", text),
            Err(text) => {
                self.ill += 1;
                ("BAD", text)
            }
        };
        Ok(writeln!(io::stdout(), "{word} {what} {whose}: {text}")?)
    }

    fn examine(&mut self, plugin: &PluginInfo, all: &[PluginInfo]) -> Result<(), Failure> {
        let spec: Spec = plugin.name.parse()?;
        match self.parameters(plugin) {
            Ok(()) => {}
            Err(finding) => self.tell("parameters of", &plugin.name, Err(&finding))?,
        }
        match plugin.kind {
            Kind::Game => match self.registry.game(&spec) {
                Ok(game) => {
                    let checked = runner_laws::check(&*game.rules, &Effort::default());
                    let told = checked.map(|s| s.to_string()).map_err(|v| v.to_string());
                    self.tell("game", &spec, told.as_deref().map_err(String::as_str))
                }
                Err(refused) => self.tell("game", &spec, Err(&refused.to_string())),
            },
            _ => {
                for game in all.iter().filter(|p| p.kind == Kind::Game) {
                    // A game that cannot be built is told of where it is examined.
                    if let Ok(game) = self.registry.game(&game.name.parse()?) {
                        self.try_player(plugin, &spec, &game)?;
                    }
                }
                Ok(())
            }
        }
    }

    fn try_player(
        &mut self,
        plugin: &PluginInfo,
        spec: &Spec,
        game: &LoadedGame,
    ) -> Result<(), Failure> {
        let services = Services::new(&self.threads, self.registry, game);
        let whose = format!("{spec} on {}", game.name);
        let kind = plugin.kind.to_string();
        let player = match NamedPlayer::build(self.registry, spec, game, &services) {
            Ok(player) => player,
            // To refuse is no fault: not everything suits every game, and some needs a
            // parameter, such as the file of a model.
            Err(Failure::Usage { message, .. }) => {
                return Ok(writeln!(io::stdout(), "--  {kind} {whose}: not tried: {message}")?);
            }
            Err(Failure::Failed { message, .. }) => return self.tell(&kind, &whose, Err(&message)),
            Err(other) => return Err(other),
        };
        let plan = Plan {
            game,
            games: GAMES,
            seed: Seed(1),
            threads: &self.threads,
            time: None,
            limits: Limits { moves: Some(MOVES), time: None },
        };
        let played = play(&plan, &player.player, None)?;
        match played.fault_messages.first() {
            Some(message) => self.tell(&kind, &whose, Err(message)),
            None if played.interrupted => Err(Failure::Interrupted("not all was examined".into())),
            None => self.tell(&kind, &whose, Ok(&format!("played {GAMES} games"))),
        }
    }

    /// Holds the parameters that a plugin lists against those that it takes: the
    /// refusal of one that nobody has names them all.
    fn parameters(&self, plugin: &PluginInfo) -> Result<(), String> {
        let probe: Spec = format!("{}(no_such_parameter: 0)", plugin.name)
            .parse()
            .map_err(|error| format!("{error}"))?;
        let refused = match plugin.kind {
            Kind::Game => self.registry.game(&probe).err(),
            // Where there is no game, a player cannot be asked.
            _ => self.a_game().and_then(|game| {
                let host = Services::new(&self.threads, self.registry, &game).share();
                match plugin.kind {
                    Kind::Value => self.registry.value(&probe, &game, &host).err(),
                    _ => self.registry.agent(&probe, &game, &host).err(),
                }
            }),
        };
        let Some(SpecRefused::Fields { error, .. }) = refused else {
            return match (refused, plugin.kind) {
                (None, Kind::Game) => Err("an unknown parameter is taken without a word: give \
                     the configuration #[serde(deny_unknown_fields)]"
                    .into()),
                (Some(other), _) => Err(other.to_string()),
                (None, _) => Ok(()),
            };
        };
        let taken: BTreeSet<&str> = error.allowed.iter().map(String::as_str).collect();
        let listed: BTreeSet<&str> = plugin.parameters.iter().map(|p| p.name.as_str()).collect();
        match taken.symmetric_difference(&listed).next() {
            Some(name) if taken.contains(name) => Err(format!("`{name}` is taken and not listed")),
            Some(name) => Err(format!("`{name}` is listed and not taken")),
            None => Ok(()),
        }
    }

    fn a_game(&self) -> Option<LoadedGame> {
        let games = self.registry.plugins().into_iter().filter(|p| p.kind == Kind::Game);
        games.filter_map(|game| self.registry.game(&game.name.parse().ok()?).ok()).next()
    }
}
