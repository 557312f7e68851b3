//! The trait of commands, and the context in which they are executed.

use crate::linked::Linked;
use crate::options::{CommandLine, CommonOptions};
use crate::report::end;
use runner_console::notes::note;
use runner_laws::spot_check;
use runner_play::calls::{Calls, WatchedGame};
use runner_play::failure::Failure;
use runner_plugin::{LoadedGame, Registry, SearchPath};
use std::cell::OnceCell;
use std::sync::Arc;
use std::time::Duration;

/// Longest time of a call of a game that is checked when it is built.
const CALL_LIMIT: Duration = Duration::from_secs(10);

/// A command of the program.
pub trait Execute {
    fn execute(self, context: &Context) -> Result<(), Failure>;
}

/// The context of a command: everything but its own options.
pub struct Context {
    pub common: CommonOptions,
    /// Plugins and tasks that are linked in.
    pub linked: Linked,
    pub command_line: fn() -> clap::Command,
    pub typed: CommandLine,
    registry: OnceCell<Arc<Registry>>,
}

impl Context {
    /// Returns the context of a command.
    pub fn new(
        common: CommonOptions,
        linked: Linked,
        command_line: fn() -> clap::Command,
        typed: CommandLine,
    ) -> Self {
        Self { common, linked, command_line, typed, registry: OnceCell::new() }
    }

    /// Loads all plugins, and notes libraries that cannot be used.
    pub fn registry(&self) -> &Arc<Registry> {
        let is_first = self.registry.get().is_none();
        let registry = self.silent_registry();
        if is_first {
            registry.examine_games(examine);
            for problem in registry.problems() {
                note(format!("note: {}", problem.message));
                if let (true, Some(detail)) = (self.common.verbose, &problem.detail) {
                    note(detail);
                }
            }
        }
        registry
    }

    /// Loads all plugins. The caller reports libraries that cannot be used.
    pub fn silent_registry(&self) -> &Arc<Registry> {
        self.registry.get_or_init(|| {
            let mut registry = Registry::new();
            for &plugin in &self.linked.plugins {
                registry.link(plugin);
            }
            registry.search(&SearchPath::new(self.common.plugin_path.clone()));
            Arc::new(registry)
        })
    }
}

/// Checks the rules of a foreign game, and notes what is wrong. A call that does not return ends the
/// program: no command could use the game.
fn examine(game: &LoadedGame) {
    let calls = Calls::default();
    let tests = format!("`runner plugins doctor {}` tests it", game.name);
    let remedy = tests.clone();
    calls.watch(CALL_LIMIT, move |whose, name| {
        let limit = CALL_LIMIT.as_secs();
        end(Failure::failed(format!("{whose}: `{name}` has not returned for {limit} s; {remedy}")));
    });
    let rules = WatchedGame::new(&*game.rules, &game.label, &calls);
    if let Err(violation) = spot_check(&rules) {
        note(format!(
            "note: {}: {violation}; its figures mean nothing until it is repaired; {tests}",
            game.label
        ));
    }
}
