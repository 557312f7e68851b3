//! The command line as it was typed, by its options.

use super::keep::ChangeOptions;
use super::merge::is_typed;
use clap::{ArgMatches, Command};
use runner_play::names::quoted;
use std::ffi::OsStr;
use std::fmt;
use std::path::Path;

/// Returns the beginning of a command line that works in every folder: `runner` if the shell has
/// found the program by its name, or else the quoted path of the program.
pub fn program_words() -> String {
    let typed = std::env::args_os().next().unwrap_or_default();
    match std::env::current_exe() {
        Ok(path) if Path::new(&typed).file_name() != Some(OsStr::new(&typed)) => {
            quoted(&path.to_string_lossy())
        }
        _ => "runner".into(),
    }
}

/// A command line as it was typed. Displayed, it is a command for a shell.
#[derive(Clone, Debug, Default)]
pub struct CommandLine {
    /// The names of the command, such as `tournament merge`.
    names: Vec<String>,
    options: Vec<Typed>,
}

/// An option that was typed.
#[derive(Clone, Debug)]
struct Typed {
    /// `None` for a positional argument.
    flag: Option<String>,
    /// Empty for a flag without a value.
    values: Vec<String>,
}

impl CommandLine {
    /// Returns the command line of a command with these names and these typed options.
    pub fn new(names: Vec<String>, command: &Command, typed: &ArgMatches) -> Self {
        let mut options = Vec::new();
        for argument in command.get_arguments().filter(|argument| is_typed(argument, typed)) {
            let id = argument.get_id().as_str();
            let mut values = Vec::new();
            if argument.get_action().takes_values() {
                for value in typed.get_raw(id).into_iter().flatten() {
                    values.push(value.to_string_lossy().into_owned());
                }
            }
            let flag = argument.get_long().map(str::to_owned);
            options.push((typed.index_of(id), Typed { flag, values }));
        }
        // In the order in which they were typed.
        options.sort_by_key(|(index, _)| *index);
        Self { names, options: options.into_iter().map(|(_, option)| option).collect() }
    }

    /// Removes options, named by their flags.
    #[must_use]
    pub fn without(mut self, flags: &[&str]) -> Self {
        self.options.retain(|Typed { flag, .. }| match flag {
            Some(flag) => !flags.contains(&flag.as_str()),
            None => true,
        });
        self
    }

    /// Returns the command that resumes the run, without these options. It does not accept further
    /// changes of the inputs.
    pub fn resuming(&self, without: &[&str]) -> Self {
        self.clone().without(without).without(&[ChangeOptions::FLAG]).set("resume", Vec::new())
    }

    /// Sets an option that takes a value.
    #[must_use]
    pub fn with(self, flag: &str, value: impl ToString) -> Self {
        self.set(flag, vec![value.to_string()])
    }

    fn set(self, flag: &str, values: Vec<String>) -> Self {
        let mut changed = self.without(&[flag]);
        changed.options.push(Typed { flag: Some(flag.to_owned()), values });
        changed
    }
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", program_words())?;
        // Before the options: one that takes any number of values would take these too.
        let positional = self.options.iter().filter(|option| option.flag.is_none());
        for word in self.names.iter().chain(positional.flat_map(|option| &option.values)) {
            write!(f, " {}", quoted(word))?;
        }
        for Typed { flag, values } in &self.options {
            let Some(flag) = flag else { continue };
            if values.is_empty() {
                write!(f, " --{flag}")?;
            }
            for value in values {
                // A value that begins with a hyphen would be read as a flag.
                let separator = if value.starts_with('-') { '=' } else { ' ' };
                write!(f, " --{flag}{separator}{}", quoted(value))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Arg;
    use clap::ArgAction::{Append, SetTrue};

    #[test]
    fn options_are_kept_replaced_and_removed() {
        let option = |name: &'static str| Arg::new(name).long(name);
        let command = Command::new("runner")
            .arg(option("game").action(Append).num_args(1..))
            .args([option("moves"), option("for"), option("model")])
            .args(["force", "resume"].map(|name| option(name).action(SetTrue)))
            .arg(Arg::new("file"));
        let rendered = |words: &[&str]| {
            let words = ["runner"].iter().chain(words);
            let typed = command.clone().try_get_matches_from(words).unwrap();
            let line = CommandLine::new(vec!["train".into()], &command, &typed);
            let line = line.with("model", "a b").resuming(&["for", "force"]);
            line.to_string().split_once(" train").unwrap().1.to_owned()
        };
        let end = " --model 'a b' --resume";
        assert_eq!(rendered(&["--resume", "--model=x", "--force"]), end);
        assert_eq!(
            rendered(&["--game", "2048(rows: 3)", "--moves=-5", "--for", "1h", "--", "x y"]),
            format!(" 'x y' --game '2048(rows: 3)' --moves=-5{end}")
        );
        let several = " --game a --game b --game c";
        assert_eq!(rendered(&["--game", "a", "b", "--game", "c"]), format!("{several}{end}"));
    }
}
