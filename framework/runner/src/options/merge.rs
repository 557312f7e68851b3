//! Joins the options of a configuration file with those of the command line.
//!
//! The fields of the file become words of the command line, so that both have the same names,
//! forms, ranges and conflicts. Typed options take precedence: a field is left out if its option
//! was typed, if an option was typed that excludes it, or, for a limit of a run, if another limit
//! was.

use clap::error::{ContextKind, ContextValue};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command};
use runner_play::document::parse_file;
use runner_play::failure::Failure;
use runner_spec::{Field, SpecError, read_fields};
use std::error::Error as _;
use std::ffi::OsString;
use std::ops::Range;
use std::path::Path;

/// The group of the options that limit a run. The file sets none of them if one was typed.
pub const LIMITS: &str = "limits";

/// A word of a configuration file.
struct Given<'a> {
    argument: &'a Arg,
    name: String,
    word: String,
    place: Range<usize>,
}

/// Parses the words of a command line with the options of a configuration file. `typed` are the
/// typed options of `command`.
pub fn parse_with_file(
    words: Vec<OsString>,
    file: &Path,
    command: &Command,
    typed: &ArgMatches,
    parse: impl FnOnce(Vec<OsString>) -> clap::error::Result<ArgMatches>,
) -> Result<clap::error::Result<ArgMatches>, Failure> {
    parse_file(file, |text| {
        let mut given = given(text, command)?;
        given.retain(|given| !yields(given.argument, command, typed));
        match parse(joined(words, &given)) {
            Ok(matches) => Ok(Ok(matches)),
            Err(error) => match given.iter().find(|given| is_about(&error, given)) {
                Some(given) => Err(in_file(&error, given, text)),
                None => Ok(Err(error)),
            },
        }
    })
}

/// Reads the words of a configuration file.
fn given<'a>(text: &str, command: &'a Command) -> Result<Vec<Given<'a>>, SpecError> {
    let options = || command.get_arguments().filter(|argument| is_option(argument));
    let mut given = Vec::new();
    for Field { name, span, words } in read_fields(text)? {
        let Some(argument) = options().find(|argument| self::name(argument) == name) else {
            let message = format!("unknown parameter `{name}`");
            let allowed = options().map(self::name).collect();
            return Err(SpecError { allowed, ..SpecError::new(text, span, message) });
        };
        for (word, place) in words {
            let is_flag = !argument.get_action().takes_values();
            if is_flag && word != "true" && word != "false" {
                let message = format!("parameter `{name}`: expected `true` or `false`");
                return Err(SpecError::new(text, place, message));
            }
            if !is_flag || word == "true" {
                given.push(Given { argument, name: name.clone(), word, place });
            }
        }
    }
    Ok(given)
}

/// Adds the words of a configuration file: options before the positional arguments behind `--`.
fn joined(mut words: Vec<OsString>, given: &[Given<'_>]) -> Vec<OsString> {
    let is_escape = |word: &OsString| word == "--";
    let mut at = words.iter().position(is_escape).unwrap_or(words.len());
    for Given { argument, word, .. } in given {
        let Some(flag) = argument.get_long() else {
            if !words.iter().any(is_escape) {
                words.push("--".into());
            }
            words.push(word.into());
            continue;
        };
        let takes_value = argument.get_action().takes_values();
        let option = if takes_value { format!("--{flag}={word}") } else { format!("--{flag}") };
        words.insert(at, option.into());
        at += 1;
    }
    words
}

/// Returns true for arguments that a file may set: those of the command alone.
fn is_option(argument: &Arg) -> bool {
    use clap::ArgAction::{Help, HelpLong, HelpShort, Version};
    !argument.is_global_set()
        && !matches!(argument.get_action(), Help | HelpLong | HelpShort | Version)
}

/// Returns the name of an argument in a file: that of its flag, with underscores.
fn name(argument: &Arg) -> String {
    argument.get_long().unwrap_or(argument.get_id().as_str()).replace('-', "_")
}

/// Returns true if an error of the command line refuses the value that a file gives.
fn is_about(error: &clap::Error, given: &Given<'_>) -> bool {
    let is = |kind, text: &str| match error.get(kind) {
        Some(ContextValue::String(found)) => found == text,
        _ => false,
    };
    is(ContextKind::InvalidArg, &given.argument.to_string())
        && is(ContextKind::InvalidValue, &given.word)
}

fn in_file(error: &clap::Error, Given { name, place, .. }: &Given<'_>, text: &str) -> SpecError {
    let (why, allowed) = match error.source().map(|why| (why.downcast_ref(), why.to_string())) {
        Some((Some(SpecError { message, allowed, .. }), _)) => (message.clone(), allowed.clone()),
        Some((None, why)) => (why, Vec::new()),
        None => (error.to_string().trim_start_matches("error: ").to_owned(), Vec::new()),
    };
    let message = format!("parameter `{name}`: {why}");
    SpecError { allowed, ..SpecError::new(text, place.clone(), message) }
}

/// Returns true if a typed option takes precedence over the argument.
fn yields(argument: &Arg, command: &Command, typed: &ArgMatches) -> bool {
    let excludes = |one: &Arg, other: &Arg| {
        command.get_arg_conflicts_with(one).iter().any(|of_one| of_one.get_id() == other.get_id())
    };
    let limits = command.get_groups().find(|group| group.get_id() == LIMITS);
    let is_limit = |argument: &Arg| {
        limits.is_some_and(|limits| limits.get_args().any(|id| id == argument.get_id()))
    };
    command.get_arguments().filter(|other| is_typed(other, typed)).any(|other| {
        other.get_id() == argument.get_id()
            || excludes(other, argument)
            || excludes(argument, other)
            || is_limit(other) && is_limit(argument)
    })
}

pub fn is_typed(argument: &Arg, typed: &ArgMatches) -> bool {
    typed.value_source(argument.get_id().as_str()) == Some(ValueSource::CommandLine)
}
