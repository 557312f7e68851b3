//! The command line: the commands and the options of all of them.

use crate::commands::{Command, run::RunOptions};
use crate::context::{Context, Execute};
use crate::linked::Linked;
use crate::options::CommonOptions;
use clap::parser::ValueSource;
use clap::{ArgMatches, CommandFactory, FromArgMatches, Parser};
use runner_play::failure::Failure;
use runner_spec::SpecError;
use std::error::Error as _;

/// Plays, trains, compares and shows players of 2048-like games
///
/// `runner --game 2048 --agent expectimax` plays 1,000 games, but at most for a minute, and
/// prints the scores. `runner plugins list` lists games, agents and values.
#[derive(Debug, Parser)]
#[command(name = "runner", version, max_term_width = 80)]
pub struct Cli {
    /// The command; `run` if none is given.
    #[command(subcommand)]
    command: Option<Command>,
    /// The options of `run`, which may be given without its name.
    #[command(flatten)]
    run: RunOptions,
    /// The options of every command.
    #[command(flatten)]
    common: CommonOptions,
}

/// A command line that was parsed.
pub struct Parsed {
    cli: Cli,
    matches: ArgMatches,
}

/// Why there is nothing to execute.
pub enum Refused {
    /// Help was asked for, or an argument is wrong.
    Clap(clap::Error),
    /// A spec is wrong.
    Spec(SpecError),
    /// Nothing was typed.
    Nothing,
}

impl From<clap::Error> for Refused {
    fn from(error: clap::Error) -> Self {
        match error.source().and_then(|source| source.downcast_ref::<SpecError>()) {
            Some(spec) => Self::Spec(spec.clone()),
            None => Self::Clap(error),
        }
    }
}

impl Parsed {
    /// Parses the arguments of this process.
    pub fn from_arguments() -> Result<Self, Refused> {
        let matches = with_negative_numbers(Cli::command()).try_get_matches()?;
        if !matches.args_present() && matches.subcommand_name().is_none() {
            return Err(Refused::Nothing);
        }
        Ok(Self { cli: Cli::from_arg_matches(&matches)?, matches })
    }

    /// Returns true if all details of an error are to be printed.
    pub fn is_verbose(&self) -> bool {
        self.cli.common.verbose
    }

    /// Executes the command.
    pub fn execute(self, linked: Linked) -> Result<(), Failure> {
        let Cli { command, run, common } = self.cli;
        let (command, matches) = match (command, self.matches.subcommand()) {
            (Some(command), Some((name, matches))) => {
                refuse_misplaced(&self.matches, name)?;
                (command, matches.clone())
            }
            _ => (Command::Run(run), self.matches),
        };
        command.execute(&Context::new(common, linked, Cli::command, matches))
    }
}

/// Takes a negative number for the value of the option before it, which says what it allows.
fn with_negative_numbers(command: clap::Command) -> clap::Command {
    let allow = |argument: clap::Arg| match argument.get_action().takes_values() {
        true => argument.allow_negative_numbers(true),
        false => argument,
    };
    command.mut_args(allow).mut_subcommands(with_negative_numbers)
}

/// Refuses options of `run` in front of another command, which would ignore them.
fn refuse_misplaced(matches: &ArgMatches, command: &str) -> Result<(), Failure> {
    let described = Cli::command();
    let misplaced = described.get_arguments().find(|argument| {
        !argument.is_global_set()
            && matches.value_source(argument.get_id().as_str()) == Some(ValueSource::CommandLine)
    });
    match misplaced.and_then(|argument| argument.get_long()) {
        None => Ok(()),
        Some(flag) => Err(Failure::usage(format!(
            "--{flag} stands before `{command}`, which would ignore it; write \
             `runner {command} --{flag} ...`"
        ))),
    }
}

/// Returns the help of a command line without arguments, for a terminal of 24 lines.
pub fn short_help() -> String {
    let program = Cli::command();
    let names: Vec<_> = program.get_subcommands().map(clap::Command::get_name).collect();
    let names =
        textwrap::fill(&names.join(", "), textwrap::Options::new(78).subsequent_indent("  "));
    format!(
        "Usage: runner --game SPEC --agent SPEC [OPTIONS]\n       runner COMMAND [OPTIONS]\n\n\
         Examples:\n  \
         runner --game 2048 --agent expectimax     play for a minute, print the scores\n  \
         runner --game threes --agent tc-ntuple    train for 45 s, then play\n  \
         runner plugins list                       list games, agents and values\n\n\
         Commands:\n  {names}\n\n\
         `runner --help` lists all options, `runner COMMAND --help` those of a command.\n"
    )
}
