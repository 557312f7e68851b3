//! The trait of commands, and the context in which they are executed.

use crate::failed::end;
use crate::linked::Linked;
use crate::options::{CommandLine, CommonOptions};
use runner_console::interrupt::note_stall;
use runner_console::notes::note;
use runner_files::{OutputError, Outputs, data_folder};
use runner_laws::spot_check;
use runner_play::calls::Calls;
use runner_play::failure::Failure;
use runner_play::inputs::InputFiles;
use runner_play::registry::{LoadedGame, Registry, SearchPath};
use runner_play::watched::WatchedGame;
use runner_plugin::Origin;
use runner_spec::one_line;
use std::cell::OnceCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A command of the program.
pub trait Execute {
    fn execute(self, context: &Context) -> Result<(), Failure>;
}

/// The context of a command: everything but its own options.
pub struct Context {
    pub common: CommonOptions,
    /// Plugins that are linked in.
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
            watch(registry);
            #[cfg(unix)]
            name_crashes(registry);
            registry.examine_games(examine);
            self.note_problems("note");
        }
        registry
    }

    /// Notes libraries that cannot be used. `word` begins each note.
    pub fn note_problems(&self, word: &str) {
        for problem in self.silent_registry().problems() {
            note(format!("{word}: {}", problem.message));
            if let (true, Some(detail)) = (self.common.verbose, &problem.detail) {
                note(detail);
            }
        }
    }

    /// Adds the files that every command reads: that of --config and the libraries of plugins.
    pub fn inputs(&self, own: InputFiles) -> InputFiles {
        let plugins = self.silent_registry().plugins().into_iter();
        let libraries = plugins.filter_map(|plugin| match plugin.origin {
            Origin::Linked => None,
            Origin::File(path) => Some(path),
        });
        own.and(libraries).and(&self.common.config)
    }

    /// Refuses outputs that are inputs or one file, and to overwrite files without --force.
    pub fn check_outputs(
        &self,
        inputs: &InputFiles,
        outputs: Outputs,
        force: bool,
    ) -> Result<(), Failure> {
        outputs.reads(inputs.paths()).check(force).map_err(|error| match error {
            OutputError::Exists(_) => Failure::usage(format!("{error}; --force overwrites it")),
            _ => Failure::usage(error),
        })
    }

    /// Sets when the command has to end, so that no constructor and no training continues for long
    /// then.
    pub fn end_after(&self, time: Option<Duration>) {
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        self.registry().calls().set_deadline(deadline);
    }

    /// Loads all plugins. The caller reports libraries that cannot be used.
    pub fn silent_registry(&self) -> &Arc<Registry> {
        self.registry.get_or_init(|| {
            let mut registry = Registry::new();
            registry.link_chances(self.linked.chances);
            for &plugin in &self.linked.plugins {
                registry.link(plugin);
            }
            registry.search(&SearchPath::new(self.common.plugin_path.clone(), data_folder()));
            Arc::new(registry)
        })
    }
}

/// Watches the calls of plugins: notes one that takes long, and ends the program if it is endless.
fn watch(registry: &Registry) {
    let mut is_noted = false;
    registry.calls().watch(Calls::LIMIT, move |overdue| {
        if let Some(call) = overdue.filter(|call| call.is_endless) {
            end(Failure::failed(format!("{call}; `runner plugins doctor` tests plugins")));
        }
        if overdue.is_some() || is_noted {
            note_stall(overdue.map(ToString::to_string).as_deref());
        }
        is_noted = overdue.is_some();
    });
}

/// Names the calls of plugins under way when a signal ends the program, such as that of a stack
/// overflow.
#[cfg(unix)]
fn name_crashes(registry: &Registry) {
    let calls = registry.calls().clone();
    runner_console::crash::describe_crashes(move |write| {
        let mut beginning = "error: the program crashed during these calls of plugins, which `runner \
                             plugins doctor` tests:\n";
        calls.describe(&mut |piece| {
            write(std::mem::take(&mut beginning));
            write(piece);
        });
    });
}

/// Checks the rules of a foreign game, and notes what is wrong.
fn examine(game: &LoadedGame) {
    if let Err(violation) = spot_check(&WatchedGame::of(game)) {
        let violation = one_line(&violation.to_string());
        note(format!(
            "note: {}: {violation}; its figures mean nothing until it is repaired; `runner plugins \
             doctor {}` tests it",
            game.label, game.name
        ));
    }
}
