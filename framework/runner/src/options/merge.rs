//! Joins the options of a configuration file with those of the command line.
//!
//! The fields of the file become words of the command line, so that both have the same names,
//! forms, ranges and conflicts. Typed options take precedence: a field is left out if its option was
//! typed, if an option was typed that excludes it, or, for a limit of a run, if another limit was.

use clap::builder::Resettable;
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

/// Adds the options of a configuration file to the words of a command line, of which `typed` are
/// the options of `command`.
pub fn with_file(
    mut words: Vec<OsString>,
    file: &Path,
    command: &Command,
    typed: &ArgMatches,
) -> Result<Vec<OsString>, Failure> {
    let fields = parse_file(file, |text| checked(text, command))?;
    let is_escape = |word: &OsString| word == "--";
    let mut at = words.iter().position(is_escape).unwrap_or(words.len());
    for (argument, given) in fields {
        if yields(argument, command, typed) {
            continue;
        }
        for word in given {
            if argument.is_positional() {
                if !words.iter().any(is_escape) {
                    words.push("--".into());
                }
                words.push(word.into());
            } else {
                words.insert(at, word.into());
                at += 1;
            }
        }
    }
    Ok(words)
}

/// Reads the fields of a configuration file, each with its argument and the words that set it.
fn checked<'a>(text: &str, command: &'a Command) -> Result<Vec<(&'a Arg, Vec<String>)>, SpecError> {
    let options = || command.get_arguments().filter(|argument| is_option(argument));
    let mut arguments = Vec::new();
    for Field { name, span, words } in read_fields(text)? {
        let refused = |span: Range<usize>, message: String| SpecError::new(text, span, message);
        let Some(argument) = options().find(|argument| names(argument).contains(&name)) else {
            return Err(SpecError {
                allowed: options()
                    .filter_map(|argument| names(argument).into_iter().next())
                    .collect(),
                ..refused(span, format!("unknown parameter `{name}`"))
            });
        };
        let mut given = Vec::new();
        for (word, span) in words {
            let word = match (argument.get_long(), argument.get_action().takes_values()) {
                (Some(flag), true) => format!("--{flag}={word}"),
                (None, _) => word,
                (Some(flag), false) if word == "true" => format!("--{flag}"),
                (Some(_), false) if word == "false" => continue,
                (Some(_), false) => {
                    let message = format!("parameter `{name}`: expected `true` or `false`");
                    return Err(refused(span, message));
                }
            };
            if let Some(why) = wrong(argument, &word) {
                return Err(SpecError {
                    allowed: why.allowed,
                    ..refused(span, format!("parameter `{name}`: {}", why.message))
                });
            }
            given.push(word);
        }
        arguments.push((argument, given));
    }
    Ok(arguments)
}

/// Returns true for arguments that a file may set: those of the command alone.
fn is_option(argument: &Arg) -> bool {
    use clap::ArgAction::{Help, HelpLong, HelpShort, Version};
    !argument.is_global_set()
        && !matches!(argument.get_action(), Help | HelpLong | HelpShort | Version)
}

/// Returns the names of an argument in a file, its own first: those of its flags, with underscores.
fn names(argument: &Arg) -> Vec<String> {
    let name = argument.get_long().unwrap_or(argument.get_id().as_str());
    let names = [name].into_iter().chain(argument.get_all_aliases().into_iter().flatten());
    names.map(|name| name.replace('-', "_")).collect()
}

/// Returns the reason for which an argument does not take a word.
fn wrong(argument: &Arg, word: &str) -> Option<SpecError> {
    let alone = argument.clone().required(false);
    let alone = alone.requires(Resettable::Reset).conflicts_with(Resettable::Reset);
    let (alone, words) = match argument.is_positional() {
        true => (alone.index(1), vec!["runner", "--", word]),
        false => (alone, vec!["runner", word]),
    };
    let error = Command::new("runner").arg(alone).try_get_matches_from(words).err()?;
    Some(match error.source().map(|why| (why.downcast_ref::<SpecError>(), why.to_string())) {
        Some((Some(error), _)) => error.clone(),
        Some((None, why)) => SpecError::new("", 0..0, why),
        None => SpecError::new("", 0..0, error.to_string().trim_start_matches("error: ")),
    })
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
