//! `runner plugins doctor`: tests everything that plugins do, and reports each test in one
//! line.

mod game;
mod learner;
mod parameters;
mod player;

use runner_console::output::printable;
use runner_play::calls::Calls;
use runner_play::failure::Failure;
use runner_play::player::NamedPlayer;
use runner_play::threads::{Services, Threads};
use runner_plugin::{Kind, LoadedGame, PluginInfo, Registry};
use runner_spec::Spec;
use runner_spec::quantity::{counted, time};
use std::io::{Write, stderr, stdout};
use std::sync::Arc;
use std::time::Duration;

/// Tests plugins, all of them if none is `chosen`, and prints each result. `timeout` is the longest
/// time of one call of a plugin, and `is_verbose` prints all details of libraries that cannot be used.
pub fn examine(
    registry: &Arc<Registry>,
    chosen: &[(PluginInfo, Spec)],
    timeout: Duration,
    is_verbose: bool,
) -> Result<(), Failure> {
    let all = registry.plugins();
    let mut doctor = Doctor {
        registry,
        // Results on one thread are repeatable.
        threads: Threads::new(Some(1))?,
        calls: Calls::default(),
        failed: 0,
    };
    // A thread in an endless loop cannot be stopped.
    doctor.calls.watch(timeout, move |whose, name| end(&format!("{whose}: {name}"), timeout));
    for problem in registry.problems() {
        doctor.report(&format!("file {}", problem.file.display()), Err(problem.message.clone()))?;
        if let (true, Some(detail)) = (is_verbose, &problem.detail) {
            writeln!(stdout(), "{detail}")?;
        }
    }
    if chosen.is_empty() {
        for plugin in &all {
            match plain_spec(&plugin.name) {
                Ok(spec) => doctor.examine(plugin, &spec, &all)?,
                Err(error) => {
                    doctor.report(&format!("{} {}", plugin.kind, plugin.name), Err(error))?;
                }
            }
        }
    }
    for (plugin, spec) in chosen {
        doctor.examine(plugin, spec, &all)?;
    }
    match doctor.failed {
        0 => Ok(()),
        n => Err(Failure::failed(format!("{} failed", counted(n, "test")))),
    }
}

/// The name of the call that builds a plugin.
const CONSTRUCTOR: &str = "constructor";

/// Reports a call that does not return, and ends the program.
fn end(call: &str, limit: Duration) -> ! {
    let call = printable(call);
    let limit = time(limit);
    // The exit code still reports the failure where the output cannot be written.
    let _ = writeln!(stdout(), "BAD {call}: no return within {limit}, probably an endless loop");
    let _ = writeln!(stderr(), "error: {call} does not return; the tests after it did not run");
    std::process::exit(1);
}

/// Returns the spec of a plugin by its name alone, or why the name cannot be asked for.
fn plain_spec(name: &str) -> Result<Spec, String> {
    match name.parse::<Spec>() {
        Ok(spec) if !spec.has_fields() && spec.name() == name => Ok(spec),
        Ok(_) => Err("the name is not allowed: it has parameters or spaces".into()),
        Err(error) => Err(format!("the name is not allowed: {error}")),
    }
}

struct Doctor<'a> {
    registry: &'a Arc<Registry>,
    threads: Threads,
    calls: Calls,
    /// Number of failed tests.
    failed: u64,
}

impl Doctor<'_> {
    fn report(&mut self, subject: &str, finding: Result<String, String>) -> Result<(), Failure> {
        let (word, text) = match finding {
            Ok(text) => ("ok ", text),
            Err(text) => {
                self.failed += 1;
                ("BAD", text)
            }
        };
        Ok(writeln!(stdout(), "{word} {}", printable(&format!("{subject}: {text}")))?)
    }

    fn examine(
        &mut self,
        plugin: &PluginInfo,
        spec: &Spec,
        all: &[PluginInfo],
    ) -> Result<(), Failure> {
        let subject = format!("{} {spec}", plugin.kind);
        let games = self.games(all);
        let listed = self.calls.make(&subject, CONSTRUCTOR, || {
            parameters::check(plugin, self.registry, games.first(), &self.threads)
        });
        if let Err(finding) = listed {
            self.report(&format!("parameters of {}", plugin.name), Err(finding))?;
        }
        if plugin.kind == Kind::Game {
            let built = self.calls.make(&subject, CONSTRUCTOR, || self.registry.game(spec));
            let finding = match built {
                Ok(game) => game::examine(&game, &subject, &self.calls),
                Err(refused) => Err(refused.to_string()),
            };
            return self.report(&subject, finding);
        }
        let mut is_tested = false;
        for game in &games {
            is_tested |= self.examine_player(plugin, spec, game, !is_tested)?;
        }
        Ok(())
    }

    /// Returns all games that can be built. The others are reported where they are
    /// examined themselves.
    fn games(&self, all: &[PluginInfo]) -> Vec<LoadedGame> {
        let games = all.iter().filter(|plugin| plugin.kind == Kind::Game);
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
                let line = printable(&format!("{subject}: not tested: {message}"));
                writeln!(stdout(), "--  {line}")?;
                return Ok(false);
            }
            Err(Failure::Failed { message, .. }) => {
                self.report(&subject, Err(message))?;
                return Ok(false);
            }
            Err(other) => return Err(other),
        };
        let finding = player::examine(&player, game, &subject, &self.calls);
        self.report(&subject, finding)?;
        if plugin.learner && is_first {
            drop(player);
            let setting = learner::Setting {
                plugin,
                spec,
                game,
                services: &services,
                registry: self.registry,
                calls: &self.calls,
            };
            let subject = format!("learner {spec} on {}", game.name);
            let finding = learner::examine(&setting, &subject);
            self.report(&subject, finding)?;
        }
        Ok(true)
    }
}
