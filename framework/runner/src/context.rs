//! The trait of commands, and the context in which they are executed.

use crate::failed::exit_with;
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

/// The context of a command: everything beside its own options.
pub struct Context {
    pub common: CommonOptions,
    pub linked: Linked,
    /// The command line as it was typed.
    pub typed: CommandLine,
    /// Empty until a command needs plugins.
    registry: OnceCell<Arc<Registry>>,
}

impl Context {
    pub fn new(common: CommonOptions, linked: Linked, typed: CommandLine) -> Self {
        Self { common, linked, typed, registry: OnceCell::new() }
    }

    /// Returns all plugins. The first call loads and watches them, and notes unusable libraries.
    pub fn registry(&self) -> &Arc<Registry> {
        let is_first = self.registry.get().is_none();
        let registry = self.silent_registry();
        if is_first {
            watch_calls(registry);
            #[cfg(unix)]
            name_crashes(registry);
            registry.examine_games(check_rules);
            self.note_problems("note");
        }
        registry
    }

    /// Notes libraries that cannot be used. `word` begins each note.
    pub fn note_problems(&self, word: &str) {
        for problem in self.silent_registry().problems() {
            note(format!("{word}: {}", problem.message));
            if self.common.verbose
                && let Some(detail) = &problem.detail
            {
                note(detail);
            }
        }
    }

    /// Adds the inputs of every command, the file of --config and libraries of plugins, to `own`.
    pub fn inputs(&self, own: InputFiles) -> InputFiles {
        let mut libraries = Vec::new();
        for plugin in self.silent_registry().plugins() {
            if let Origin::File(path) = plugin.origin {
                libraries.push(path);
            }
        }
        own.and(libraries).and(&self.common.config)
    }

    /// Refuses an output that is an input or another output, and without `force` one that exists.
    /// Commands that continue their outputs set `force`, and check by themselves whether they
    /// exist. Returns all inputs: `own`, and those of every command.
    pub fn check_outputs(
        &self,
        own: InputFiles,
        outputs: Outputs,
        force: bool,
    ) -> Result<InputFiles, Failure> {
        let inputs = self.inputs(own);
        match outputs.reads(inputs.paths()).check(force) {
            Ok(()) => Ok(inputs),
            Err(error @ OutputError::Exists(_)) => {
                Err(Failure::usage(format!("{error}; --force overwrites it")))
            }
            Err(error) => Err(Failure::usage(error)),
        }
    }

    /// Sets the time of the command; `None` is no limit. A constructor or a training of a plugin
    /// that is overdue after it ends the program.
    pub fn end_after(&self, time: Option<Duration>) {
        let registry = self.registry();
        // The time begins when the plugins are loaded.
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        registry.calls().set_deadline(deadline);
    }

    /// Returns all plugins, for commands that report by themselves which libraries cannot be used.
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
fn watch_calls(registry: &Registry) {
    let mut is_noted = false;
    // `overdue` is a call that has made no progress for this long; `None` if there is none.
    registry.calls().watch(Calls::LIMIT, move |overdue| {
        if let Some(call) = overdue.filter(|call| call.is_endless) {
            exit_with(Failure::failed(format!("{call}; `runner plugins doctor` tests plugins")));
        }
        if overdue.is_some() || is_noted {
            note_stall(overdue.map(ToString::to_string).as_deref());
        }
        is_noted = overdue.is_some();
    });
}

/// Names the running calls of plugins if a signal, as of a stack overflow, ends the program.
#[cfg(unix)]
fn name_crashes(registry: &Registry) {
    let calls = registry.calls().clone();
    runner_console::crash::describe_crashes(move |write| {
        let mut beginning = "error: the program crashed during these calls of plugins, which `runner \
                             plugins doctor` tests:\n";
        // The beginning is written before the first piece only: `take` leaves an empty string.
        calls.describe(&mut |piece| {
            write(std::mem::take(&mut beginning));
            write(piece);
        });
    });
}

/// Checks the rules of a game from a library, and notes what is wrong.
fn check_rules(game: &LoadedGame) {
    if let Err(violation) = spot_check(&WatchedGame::of(game)) {
        let violation = one_line(&violation.to_string());
        note(format!(
            "note: {}: {violation}; its figures mean nothing until it is repaired; `runner plugins \
             doctor {}` tests it",
            game.label, game.name
        ));
    }
}
