//! `runner completions` and `runner man`, and the answers to a shell that completes a command
//! line. All are made from the description of the command line for clap.

use crate::cli::{clap_command, examples_of};
use crate::context::{Context, Execute};
use crate::linked::Linked;
use crate::options::{CommandLine, CommonOptions};
use clap::{Arg, Args, Command};
use clap_complete::engine::ValueCompleter;
use clap_complete::env::Shells;
use clap_complete::{ArgValueCompleter, CompleteEnv, CompletionCandidate, PathCompleter, Shell};
use clap_mangen::Man;
use runner_files::FileError;
use runner_play::failure::Failure;
use runner_play::names::quoted;
use runner_plugin::PluginKind;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The environment variable that a shell sets to its name when it asks for completions.
const SHELL_ASKS: &str = "RUNNER_COMPLETE";

/// Print a completion script for a shell
///
/// The script asks the program, which completes commands and options, and the names of games,
/// players, presets and models.
#[derive(Debug, Args)]
pub struct CompletionsOptions {
    /// Shell
    shell: Shell,
}

impl Execute for CompletionsOptions {
    fn execute(self, _: &Context) -> Result<(), Failure> {
        let name = self.shell.to_string();
        let shells = Shells::builtins();
        let unknown = || Failure::failed(format!("no completions for {name}"));
        let shell = shells.completer(&name).ok_or_else(unknown)?;
        let mut script = Vec::new();
        shell.write_registration(SHELL_ASKS, "runner", "runner", "runner", &mut script)?;
        Ok(std::io::stdout().write_all(&script)?)
    }
}

/// If a shell asks for completions, prints them and ends the program.
pub fn complete(linked: &Linked) {
    if let Some(shell) = std::env::var_os(SHELL_ASKS) {
        // These shells quote a completion by themselves; the others insert it as it is.
        let shell_quotes = ["zsh", "fish", "elvish"].iter().any(|name| shell == *name);
        let described = || with_names(clap_command(), &Names::new(linked, shell_quotes));
        CompleteEnv::with_factory(described).var(SHELL_ASKS).complete();
    }
}

/// A word that a shell can complete, with its description.
#[derive(Clone)]
struct Name {
    word: String,
    about: String,
}

/// The words that a shell can complete. Games and players are specs: names, and names with presets.
#[derive(Default)]
struct Names {
    games: Vec<Name>,
    players: Vec<Name>,
    plugins: Vec<Name>,
    presets: Vec<Name>,
}

impl Names {
    fn new(linked: &Linked, shell_quotes: bool) -> Self {
        let typed = CommandLine::default();
        let context = Context::new(CommonOptions::default(), linked.clone(), typed);
        let mut names = Self::default();
        for plugin in context.silent_registry().plugins() {
            let name = |word: &str, about: &str| Name { word: word.into(), about: about.into() };
            let is_game = plugin.kind == PluginKind::Game;
            let specs = if is_game { &mut names.games } else { &mut names.players };
            specs.push(name(&plugin.name, &plugin.about));
            names.plugins.push(name(&plugin.name, &plugin.about));
            for preset in &plugin.presets {
                let spec = format!("{}(preset: {:?})", plugin.name, preset.name);
                let word = if shell_quotes { spec } else { quoted(&spec) };
                specs.push(name(&word, preset.about()));
                names.presets.push(name(&preset.name, preset.about()));
            }
        }
        names
    }
}

/// Adds a completer to each argument that takes names.
fn with_names(command: Command, names: &Names) -> Command {
    let command = command.mut_args(|argument: Arg| {
        let (candidates, may_be_model) = match argument.get_id().as_str() {
            "game" => (&names.games, false),
            "agent" | "a" | "b" | "value" | "luck" => (&names.players, true),
            "preset" => (&names.presets, false),
            "name" => (&names.plugins, false),
            _ => return argument,
        };
        let candidates = candidates.clone();
        argument.add(ArgValueCompleter::new(move |typed: &OsStr| {
            completions(&candidates, may_be_model, typed)
        }))
    });
    command.mut_subcommands(|command| with_names(command, names))
}

/// Returns the candidates that begin with the typed text, whether quotation marks are typed or
/// not. If the word may be a model, its files follow.
fn completions(candidates: &[Name], may_be_model: bool, typed: &OsStr) -> Vec<CompletionCandidate> {
    const QUOTES: [char; 2] = ['\'', '"'];
    let text = typed.to_string_lossy();
    let beginning = text.trim_start_matches(QUOTES);
    let mut found = Vec::new();
    for Name { word, about } in candidates {
        if word.trim_start_matches(QUOTES).starts_with(beginning) {
            found.push(CompletionCandidate::new(word).help(Some(about.clone().into())));
        }
    }
    if may_be_model {
        let is_model = |path: &Path| path.extension().is_some_and(|it| it == "model");
        found.extend(PathCompleter::file().filter(is_model).complete(typed));
    }
    found
}

/// Write a manual page for each command, with examples
#[derive(Debug, Args)]
pub struct ManOptions {
    /// Folder to write to
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

impl Execute for ManOptions {
    fn execute(self, _: &Context) -> Result<(), Failure> {
        runner_files::create_folder(&self.out)?;
        let mut described = clap_command().disable_help_subcommand(true);
        described.build();
        write_pages(&described, &self.out)
    }
}

/// Writes the page of a command and those of its subcommands.
fn write_pages(command: &Command, folder: &Path) -> Result<(), Failure> {
    let page = Man::new(command.clone());
    let file = folder.join(page.get_filename());
    let mut text = Vec::new();
    page.render(&mut text)?;
    // The page of the program itself is its help, which has examples already.
    let name = command.get_display_name().unwrap_or(command.get_name()).replace('-', " ");
    if let Some(names) = name.strip_prefix("runner ") {
        text.write_all(b".SH EXAMPLES\n.nf\n")?;
        for (words, purpose) in examples_of(names) {
            let line = format!("runner {words}    # {purpose}");
            writeln!(text, "{}", line.replace('\\', "\\e").replace('-', "\\-"))?;
        }
        text.write_all(b".fi\n")?;
    }
    std::fs::write(&file, text).map_err(FileError::at("write", &file))?;
    command.get_subcommands().try_for_each(|command| write_pages(command, folder))
}
