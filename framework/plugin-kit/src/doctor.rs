//! Tests everything that plugins do.

mod game;
mod learner;
mod player;

use runner_play::calls::Calls;
use runner_play::failure::Failure;
use runner_play::player::NamedPlayer;
use runner_play::registry::{LoadedGame, Registry};
use runner_play::threads::{Services, Threads};
use runner_plugin::{PluginInfo, PluginKind, Problem};
use runner_spec::Spec;
use std::sync::Arc;
use std::time::Duration;

pub enum Finding<'a> {
    Good(String),
    Bad(String),
    /// It cannot be made.
    NotTested(String),
    /// A library cannot be used.
    Library(&'a Problem),
}

/// Ends the program when a call does not return: a thread in an endless loop cannot be stopped. It
/// is given the name of the call, and the time that each call may take.
pub type Hang = fn(&str, Duration) -> !;

pub type Reporter<'a> = &'a mut dyn FnMut(Finding<'_>) -> Result<(), Failure>;

/// Tests plugins, all of them without a choice, and returns the number of failed tests, which
/// includes the `problems` of libraries. `timeout` is the longest time of one call of a plugin,
/// after which `hang` is called.
pub fn examine(
    registry: &Arc<Registry>,
    problems: &[Problem],
    chosen: Option<&[(PluginInfo, Spec)]>,
    (timeout, hang): (Duration, Hang),
    report: Reporter<'_>,
) -> Result<u64, Failure> {
    let all = registry.plugins();
    let mut doctor = Doctor {
        registry,
        // Results on one thread are repeatable.
        threads: Threads::new(Some(1))?,
        calls: Calls::default(),
        report,
        failed: 0,
    };
    doctor.calls.watch(timeout, move |overdue| {
        if let Some(call) = overdue {
            hang(&format!("{}: {}", call.whose, call.name), timeout);
        }
    });
    for problem in problems {
        doctor.failed += 1;
        (doctor.report)(Finding::Library(problem))?;
    }
    if chosen.is_none() {
        for plugin in &all {
            doctor.examine(plugin, &plugin.name.parse()?, &all)?;
        }
    }
    for (plugin, spec) in chosen.unwrap_or_default() {
        doctor.examine(plugin, spec, &all)?;
    }
    Ok(doctor.failed)
}

/// The name of the call that builds a plugin.
const CONSTRUCTOR: &str = "constructor";

struct Doctor<'a> {
    registry: &'a Arc<Registry>,
    threads: Threads,
    calls: Calls,
    report: Reporter<'a>,
    failed: u64,
}

impl Doctor<'_> {
    fn report(&mut self, subject: &str, finding: Result<String, String>) -> Result<(), Failure> {
        (self.report)(match finding {
            Ok(text) => Finding::Good(format!("{subject}: {text}")),
            Err(text) => {
                self.failed += 1;
                Finding::Bad(format!("{subject}: {text}"))
            }
        })
    }

    fn examine(
        &mut self,
        plugin: &PluginInfo,
        spec: &Spec,
        all: &[PluginInfo],
    ) -> Result<(), Failure> {
        let subject = format!("{} {spec}", plugin.kind);
        if let Err(finding) = check_presets(plugin) {
            self.report(&format!("parameters of {}", plugin.name), Err(finding))?;
        }
        if plugin.kind == PluginKind::Game {
            let built = self.calls.make(&subject, CONSTRUCTOR, || self.registry.game(spec));
            let finding = match built {
                Ok(game) => game::examine(&game, &subject, &self.calls),
                Err(refused) => Err(refused.to_string()),
            };
            return self.report(&subject, finding);
        }
        let mut is_tested = false;
        for game in self.games(all) {
            is_tested |= self.examine_player(plugin, spec, &game, !is_tested)?;
        }
        Ok(())
    }

    /// Returns all games that can be built. The others are reported where they are
    /// examined themselves.
    fn games(&self, all: &[PluginInfo]) -> Vec<LoadedGame> {
        let games = all.iter().filter(|plugin| plugin.kind == PluginKind::Game);
        let specs = games.filter_map(|game| game.name.parse().ok());
        let built = specs.filter_map(|spec: Spec| {
            let subject = format!("game {}", spec.name());
            self.calls.make(&subject, CONSTRUCTOR, || self.registry.game(&spec)).ok()
        });
        built.collect()
    }

    /// Tests a value or an agent on a game. Training is tested on the first game that the
    /// learner plays. Returns true if the player could be built.
    fn examine_player(
        &mut self,
        plugin: &PluginInfo,
        spec: &Spec,
        game: &LoadedGame,
        is_first: bool,
    ) -> Result<bool, Failure> {
        let services = Services::new(&self.threads, self.registry, game);
        let subject = format!("{} {spec} on {}", plugin.kind, game.name);
        let built = self.calls.make(&subject, CONSTRUCTOR, || {
            NamedPlayer::build(self.registry, spec, game, &services)
        });
        let player = match built {
            Ok(player) => player,
            // Not every player suits every game, and some need a parameter, such as a model.
            Err(Failure::Usage { message, .. }) => {
                (self.report)(Finding::NotTested(format!("{subject}: not tested: {message}")))?;
                return Ok(false);
            }
            Err(Failure::Failed { message, .. }) => {
                self.report(&subject, Err(message))?;
                return Ok(false);
            }
            Err(other) => return Err(other),
        };
        let calls = &self.calls;
        let finding = player::Test { named: &player, game, subject: &subject, calls }.run();
        self.report(&subject, finding)?;
        if plugin.learner && is_first {
            drop(player);
            let subject = format!("learner {spec} on {}", game.name);
            let test = learner::Test {
                plugin,
                spec,
                game,
                services: &services,
                registry: self.registry,
                calls: &self.calls,
                subject: &subject,
            };
            let finding = test.run();
            self.report(&subject, finding)?;
        }
        Ok(true)
    }
}

/// Checks that the presets can be read and set parameters that are listed.
fn check_presets(plugin: &PluginInfo) -> Result<(), String> {
    for preset in &plugin.presets {
        let wrong = |message: String| format!("preset `{}`: {message}", preset.name);
        for name in preset.parameters().map_err(|error| wrong(error.to_string()))? {
            if !plugin.parameters.iter().any(|parameter| parameter.name == name) {
                return Err(wrong(format!("there is no parameter `{name}`")));
            }
        }
    }
    Ok(())
}
