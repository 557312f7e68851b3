//! The command line: its description for clap, its help with examples, and how it is parsed and
//! executed, by [`run`].

use crate::commands::{HEADINGS, RunnerCommand, main_job::MainOptions};
use crate::context::{Context, Execute};
use crate::failed::EXIT_CODES;
use crate::linked::Linked;
use crate::options::{CommandLine, CommonOptions, is_typed, parse_with_file};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgMatches, CommandFactory, FromArgMatches, Parser, Subcommand};
use runner_core::catch;
use runner_play::failure::Failure;
use runner_play::names::quoted;
use runner_spec::SpecError;
use std::error::Error as _;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// Plays, trains, compares and shows players of 2048-like games
#[derive(Debug, Parser)]
#[command(name = "runner", version, max_term_width = 80, help_template = help_template())]
pub struct Cli {
    #[command(subcommand)]
    command: Option<RunnerCommand>,
    #[command(flatten)]
    main: MainOptions,
    #[command(flatten)]
    common: CommonOptions,
}

/// The short flags with their long forms, the same in all commands.
const SHORT_FLAGS: [(char, &str); 5] =
    [('g', "game"), ('a', "agent"), ('n', "games"), ('s', "seed"), ('t', "threads")];

/// Returns the description of the command line for clap.
pub fn clap_command() -> clap::Command {
    with_short_flags(Cli::command())
}

/// Adds the short flags to a command and its subcommands.
fn with_short_flags(command: clap::Command) -> clap::Command {
    let with_short_flag = |argument: Arg| {
        for (short, long) in SHORT_FLAGS {
            if argument.get_long() == Some(long) {
                return argument.short(short);
            }
        }
        argument
    };
    command.mut_args(with_short_flag).mut_subcommands(with_short_flags)
}

/// Why a command ended without its result.
pub enum Refused {
    /// Help was asked for, or an argument is wrong.
    Clap(clap::Error),
    Failure(Failure),
    NoArguments,
}

/// Replaces the text of clap where the program has a better one.
impl From<clap::Error> for Refused {
    fn from(error: clap::Error) -> Self {
        // The error of a spec points at the wrong place in it.
        if let Some(spec) = error.source().and_then(|source| source.downcast_ref::<SpecError>()) {
            return Self::Failure(spec.clone().into());
        }
        match error.get(ContextKind::InvalidArg) {
            Some(ContextValue::String(flag))
                if error.kind() == ErrorKind::UnknownArgument && flag == "--model" =>
            {
                Self::Failure(Failure::usage(format!(
                    "there is no option --model here; a model is a parameter of its learner, as in \
                     --agent {}",
                    quoted("tc-ntuple(model: \"FILE\")")
                )))
            }
            _ => Self::Clap(error),
        }
    }
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

/// Executes the command that the arguments of the program name.
pub fn run(linked: Linked) -> Result<(), Refused> {
    let (cli, typed) = parse_arguments()?;
    // A panic that no command has caught becomes a failure.
    catch(|| execute(cli, typed, linked)).map_err(Failure::from)??;
    Ok(())
}

/// Returns the options, with those of the configuration file, and the typed options alone.
fn parse_arguments() -> Result<(Cli, CommandLine), Refused> {
    let words = join_negative_numbers(std::env::args_os());
    if words.len() < 2 {
        return Err(Refused::NoArguments);
    }
    let mut program = clap_command();
    program.build();
    let has_file = words.iter().any(|word| word.to_string_lossy().starts_with("--config"));
    // The configuration file may give what is missing on the command line.
    let matches = clap_command().ignore_errors(has_file).try_get_matches_from(&words)?;
    let chosen = ChosenCommand::find(&program, &matches);
    chosen.refuse_ignored(&program, &matches)?;
    let ChosenCommand { names, command, options } = chosen;
    let typed = CommandLine::new(names, command, options);
    if !has_file {
        return Ok((Cli::from_arg_matches(&matches)?, typed));
    }
    // The errors that were ignored above end this second pass.
    let parse = |words| clap_command().try_get_matches_from(words);
    let completed = match options.get_one::<PathBuf>("config") {
        Some(file) => parse_with_file(words, file, command, options, parse)??,
        None => parse(words)?,
    };
    Ok((Cli::from_arg_matches(&completed)?, typed))
}

fn execute(cli: Cli, typed: CommandLine, linked: Linked) -> Result<(), Failure> {
    let Cli { command, main, common } = cli;
    if let Some(missing) = common.plugin_path.iter().find(|path| !path.exists()) {
        return Err(Failure::usage(format!(
            "--plugin-path: there is no file or folder {}",
            missing.display()
        )));
    }
    let context = Context::new(common, linked, typed);
    match command {
        Some(command) => command.execute(&context),
        None => main.execute(&context),
    }
}

/// Joins a negative number with the option before it: `--for -2s` becomes `--for=-2s`. The error is
/// then that of the option, which says what it allows, and not that of an unknown flag `-2`.
fn join_negative_numbers(words: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::new();
    for word in words {
        match joined.last_mut() {
            Some(option) if is_negative(&word) && is_option(option) => {
                option.push("=");
                option.push(word);
            }
            _ => joined.push(word),
        }
    }
    joined
}

fn is_negative(word: &OsStr) -> bool {
    let number = word.to_str().and_then(|text| text.strip_prefix('-'));
    number.is_some_and(|text| text.starts_with(|c: char| c.is_ascii_digit() || c == '.'))
}

/// Returns true for an option whose value may be the next word.
fn is_option(word: &OsStr) -> bool {
    let text = word.to_str().unwrap_or_default();
    let is_long = text.len() > 2 && text.starts_with("--") && !text.contains('=');
    is_long || SHORT_FLAGS.iter().any(|(short, _)| text == format!("-{short}"))
}

/// The command that the arguments name.
struct ChosenCommand<'a> {
    /// Its names, such as `tournament` and `merge`; none for the main job.
    names: Vec<String>,
    command: &'a clap::Command,
    /// The options after these names.
    options: &'a ArgMatches,
}

impl<'a> ChosenCommand<'a> {
    fn find(program: &'a clap::Command, matches: &'a ArgMatches) -> Self {
        let mut chosen = Self { names: Vec::new(), command: program, options: matches };
        while let Some((name, options)) = chosen.options.subcommand() {
            let Some(command) = chosen.command.find_subcommand(name) else { break };
            chosen.names.push(name.to_owned());
            chosen.command = command;
            chosen.options = options;
        }
        chosen
    }

    /// Refuses options of the main job in front of another command, which would ignore them.
    fn refuse_ignored(&self, program: &clap::Command, all: &ArgMatches) -> Result<(), Failure> {
        if self.names.is_empty() {
            return Ok(());
        }
        for argument in program.get_arguments() {
            if let Some(flag) = argument.get_long()
                && !argument.is_global_set()
                && is_typed(argument, all)
            {
                let name = self.names.join(" ");
                return Err(Failure::usage(format!(
                    "--{flag} stands before `{name}`, which would ignore it; write \
                     `runner {name} --{flag} ...`"
                )));
            }
        }
        Ok(())
    }
}

const USAGE: &str =
    "Usage: runner --game SPEC --agent SPEC [OPTIONS]\n       runner COMMAND [OPTIONS]";

/// Words after `runner` with their purpose: for the main job and each command of the first heading.
const EXAMPLES: [(&str, &str); 12] = [
    ("--game 2048", "play for a minute"),
    ("train --game 2048 --agent tc-ntuple --for 10m", "train a player"),
    ("eval --game threes --agent expectimax --games 20", "measure a player"),
    ("tournament --game 2048 --agent greedy --agent mcts", "rank players"),
    ("compare --game 2048 --a greedy --b corner-model", "find who is better"),
    ("watch --game 1024", "watch a player"),
    ("serve", "use a browser"),
    ("play --game 2048", "play yourself"),
    ("think --game 1024 --agent expectimax", "explain a move"),
    ("solve --game '2048(rows: 2, cols: 2)'", "play optimally"),
    ("plugins list", "list the players"),
    ("model info FILE", "describe a network"),
];

/// Examples of the other commands, for the manual pages.
const MORE_EXAMPLES: [(&str, &str); 26] = [
    ("experiment study.ron --out study", "train and evaluate what a file describes"),
    ("tune --game 2048 --agent rows --out best.ron", "find better parameters"),
    ("plot curve a.curve.jsonl b.curve.jsonl --out curves.svg", "compare trainings"),
    ("plot scores results.json --out scores.svg", "the shares of games above each score"),
    ("plot rates results.json --out rates.svg", "the shares of games that reach each tile"),
    ("plot tournament results.json --out time.svg", "mean scores by time per move"),
    ("tournament merge part-1 part-2 --out all", "join parts of a tournament"),
    ("analyse games.rec --agent trained", "grade the moves of recorded games"),
    ("replay verify games.rec", "check every move of recorded games"),
    ("replay show games.rec", "read the moves"),
    ("replay export games.rec", "write JSON lines for other programs"),
    ("perft --game 2048 --depth 4", "count the sequences of moves"),
    ("conform --game 2048 transitions.jsonl", "check another implementation"),
    ("plugins show tc-ntuple", "the parameters and presets of a player"),
    ("plugins doctor my-game", "test a plugin"),
    ("plugins new game my-game", "create a plugin"),
    ("model verify a.model", "check all of a model"),
    ("model average mean.model a.model b.model", "average models"),
    ("model fold a.model folded.model", "make a faster model for play"),
    ("model convert a.model a.w", "write a model in another format"),
    ("guide", "open the guide"),
    ("completions bash > ~/.local/share/bash-completion/completions/runner", "complete names"),
    ("man --out man", "write these pages"),
    ("solve --game '2048(rows: 2, cols: 2)' --out small.table", "keep a table of optimal play"),
    ("model info trained", "describe the network that comes with the program"),
    ("plugins show trained", "the same in short"),
];

/// Returns the examples of a command and its subcommands. `names` are, for example, `model info`.
pub fn examples_of(names: &str) -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    let is_of_command = move |(words, _): &&(&str, &str)| {
        words.strip_prefix(names).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    EXAMPLES.iter().chain(&MORE_EXAMPLES).filter(is_of_command)
}

/// Returns the first screen of the help: [`EXAMPLES`] in two columns.
fn examples() -> String {
    EXAMPLES.iter().map(|(words, purpose)| format!("  runner {words:<51}  {purpose}\n")).collect()
}

/// Returns the help of a command line without arguments, for a terminal of 24 lines.
pub fn short_help() -> String {
    format!("{USAGE}\n\n{}\n`runner --help` lists all commands.\n", examples())
}

/// Returns the template of the program's help, with commands below headings, which clap cannot do.
fn help_template() -> String {
    let program = RunnerCommand::augment_subcommands(clap::Command::new("runner"));
    // In the order of the headings.
    let mut commands = program.get_subcommands();
    let mut text = format!("{{about-with-newline}}\n{USAGE}\n\n{}", examples());
    for (heading, count) in HEADINGS {
        text.push_str(&format!("\n{heading}:\n"));
        for command in commands.by_ref().take(*count).filter(|command| !command.is_hide_set()) {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let name = format!("  {:<11}  ", command.get_name());
            let indent = " ".repeat(name.len());
            let wrap = textwrap::Options::new(80).initial_indent(&name).subsequent_indent(&indent);
            text.push_str(&(textwrap::fill(&about, wrap) + "\n"));
        }
    }
    text.push_str("\nExit codes:\n");
    for (code, meaning) in EXIT_CODES {
        text.push_str(&format!("  {code:<11}  {meaning}\n"));
    }
    text + "\n`runner guide` prints where the guide is.\n\nOptions of `runner --game SPEC --agent SPEC`:\n{options}"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls `check` with the names of each command that has no subcommands.
    fn each_command(command: &clap::Command, names: &str, check: &mut impl FnMut(&str)) {
        if !command.has_subcommands() {
            check(names);
        }
        for command in command.get_subcommands() {
            each_command(command, format!("{names} {}", command.get_name()).trim_start(), check);
        }
    }

    #[test]
    fn every_command_has_examples_that_are_command_lines() {
        each_command(&clap_command(), "", &mut |names| {
            assert!(examples_of(names).next().is_some(), "{names}");
        });
        for (words, _) in EXAMPLES.iter().chain(&MORE_EXAMPLES) {
            let words = words.split('>').next().and_then(shlex::split).unwrap();
            let line = ["runner".to_owned()].into_iter().chain(words);
            clap_command().try_get_matches_from(line).unwrap_or_else(|error| panic!("{error}"));
        }
    }

    #[test]
    fn short_flags_stand_for_long_ones() {
        let parsed = clap_command()
            .try_get_matches_from("runner eval -g threes -a random -n 5 -s 2 -t 1".split(' '))
            .unwrap();
        let eval = parsed.subcommand_matches("eval").unwrap();
        let long = "runner eval --game threes --agent random --games 5 --seed 2 --threads 1";
        let parsed = clap_command().try_get_matches_from(long.split(' ')).unwrap();
        assert_eq!(Some(eval), parsed.subcommand_matches("eval"));
    }
}
