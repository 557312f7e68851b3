//! Joins the options of a configuration file with those of the command line.
//!
//! The fields of the file become words of the command line (`games: 500` becomes `--games=500`),
//! so that both have the same names, forms, ranges and conflicts. Typed options take precedence. A
//! field of the file is left out if its option was typed, if an option that excludes it was typed,
//! or if it is a limit of the run and another limit was typed.

use clap::error::{ContextKind, ContextValue};
use clap::parser::ValueSource;
use clap::{Arg, ArgGroup, ArgMatches, Command};
use runner_play::document::parse_file;
use runner_play::failure::Failure;
use runner_spec::{Field, SpecError, read_fields};
use std::error::Error as _;
use std::ffi::OsString;
use std::ops::Range;
use std::path::Path;

/// Name of the group of options that limit a run. The file sets none of them if one was typed.
pub const LIMITS: &str = "limits";

/// A value in a configuration file, or a flag that it sets.
struct FileWord<'a> {
    argument: &'a Arg,
    /// The value as it is typed on a command line; `true` for a flag.
    word: String,
    /// The bytes of the value in the file, for errors.
    place: Range<usize>,
}

/// Parses a command line with the words that a file adds. `typed` are the typed options of
/// `command`. The outer error is one of the file, the inner one of the command line.
pub fn parse_with_file(
    words: Vec<OsString>,
    file: &Path,
    command: &Command,
    typed: &ArgMatches,
    parse: impl FnOnce(Vec<OsString>) -> clap::error::Result<ArgMatches>,
) -> Result<clap::error::Result<ArgMatches>, Failure> {
    parse_file(file, |text| {
        let mut of_file = read_words(text, command)?;
        of_file.retain(|word| !is_overridden(word.argument, command, typed));
        let parsed = parse(with_words(words, &of_file));
        if let Err(error) = &parsed
            && let Some(word) = of_file.iter().find(|word| is_about(error, word))
        {
            return Err(in_file(error, word, text));
        }
        Ok(parsed)
    })
}

fn read_words<'a>(text: &str, command: &'a Command) -> Result<Vec<FileWord<'a>>, SpecError> {
    let options = || command.get_arguments().filter(|argument| may_be_in_file(argument));
    let mut of_file = Vec::new();
    for Field { name, span, words } in read_fields(text)? {
        let Some(argument) = options().find(|argument| field_name(argument) == name) else {
            let message = format!("unknown parameter `{name}`");
            let allowed = options().map(field_name).collect();
            return Err(SpecError { allowed, ..SpecError::new(text, span, message) });
        };
        for (word, place) in words {
            let is_flag = !argument.get_action().takes_values();
            if is_flag && word != "true" && word != "false" {
                let message = format!("parameter `{name}`: expected `true` or `false`");
                return Err(SpecError::new(text, place, message));
            }
            // A flag that is `false` adds no word.
            if !is_flag || word == "true" {
                of_file.push(FileWord { argument, word, place });
            }
        }
    }
    Ok(of_file)
}

/// Adds the words of a configuration file: options before `--`, positional arguments after it.
fn with_words(mut words: Vec<OsString>, of_file: &[FileWord<'_>]) -> Vec<OsString> {
    let end = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let mut positional = words.split_off(end);
    for FileWord { argument, word, .. } in of_file {
        match argument.get_long() {
            Some(flag) if argument.get_action().takes_values() => {
                words.push(format!("--{flag}={word}").into());
            }
            Some(flag) => words.push(format!("--{flag}").into()),
            None => {
                if positional.is_empty() {
                    positional.push("--".into());
                }
                positional.push(word.into());
            }
        }
    }
    words.append(&mut positional);
    words
}

/// Returns true for the arguments that belong to the command alone.
fn may_be_in_file(argument: &Arg) -> bool {
    use clap::ArgAction::{Help, HelpLong, HelpShort, Version};
    !argument.is_global_set()
        && !matches!(argument.get_action(), Help | HelpLong | HelpShort | Version)
}

/// Returns the name of an argument in a file: that of its flag, with underscores.
fn field_name(argument: &Arg) -> String {
    argument.get_long().unwrap_or(argument.get_id().as_str()).replace('-', "_")
}

/// Returns true if an error of the command line refuses this value of a file.
fn is_about(error: &clap::Error, word: &FileWord<'_>) -> bool {
    let names = |kind, text: &str| match error.get(kind) {
        Some(ContextValue::String(found)) => found == text,
        _ => false,
    };
    names(ContextKind::InvalidArg, &word.argument.to_string())
        && names(ContextKind::InvalidValue, &word.word)
}

/// Turns an error of the command line into one that points at the value in the file.
fn in_file(error: &clap::Error, word: &FileWord<'_>, text: &str) -> SpecError {
    let (why, allowed) = match error.source() {
        None => (error.to_string().trim_start_matches("error: ").to_owned(), Vec::new()),
        Some(source) => match source.downcast_ref::<SpecError>() {
            Some(spec) => (spec.message.clone(), spec.allowed.clone()),
            None => (source.to_string(), Vec::new()),
        },
    };
    let message = format!("parameter `{}`: {why}", field_name(word.argument));
    SpecError { allowed, ..SpecError::new(text, word.place.clone(), message) }
}

/// Returns true if an option was typed that takes precedence over an argument in the file.
fn is_overridden(argument: &Arg, command: &Command, typed: &ArgMatches) -> bool {
    let groups = command.get_groups().filter(|group| group.get_id() == LIMITS);
    let limits: Vec<_> = groups.flat_map(ArgGroup::get_args).collect();
    command.get_arguments().filter(|other| is_typed(other, typed)).any(|other| {
        other.get_id() == argument.get_id()
            || excludes(command, other, argument)
            || excludes(command, argument, other)
            || limits.contains(&other.get_id()) && limits.contains(&argument.get_id())
    })
}

fn excludes(command: &Command, one: &Arg, other: &Arg) -> bool {
    command.get_arg_conflicts_with(one).iter().any(|excluded| excluded.get_id() == other.get_id())
}

/// Returns true if an argument is on the command line and does not have its value by default.
pub fn is_typed(argument: &Arg, typed: &ArgMatches) -> bool {
    typed.value_source(argument.get_id().as_str()) == Some(ValueSource::CommandLine)
}
