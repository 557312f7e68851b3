//! Joins the options of a configuration file with those of the command line.

use clap::parser::ValueSource;
use clap::{ArgMatches, Args};
use runner_play::document::read_file;
use runner_play::failure::Failure;
use serde::de::DeserializeOwned;
use std::path::Path;

/// The options of a command that takes a configuration file.
///
/// One struct derives both [`Args`] and `Deserialize`, so that file and command line
/// have the same names, types and ranges. Options are optional or have a natural
/// default (false, an empty list); the command fills in what neither source gives.
pub trait Options: Args + DeserializeOwned {
    /// Returns the configuration file that was named.
    fn config(&self) -> Option<&Path>;

    /// Removes options, read from a file, that typed ones replace although their
    /// names differ.
    fn yield_to(&mut self, _typed: &Typed) {}

    /// Refuses combinations that no single option shows to be wrong.
    fn check(&self) -> Result<(), Failure> {
        Ok(())
    }
}

/// The options that were typed.
pub struct Typed(ArgMatches);

impl Typed {
    /// Keeps of all arguments those that were typed.
    fn new(matches: &ArgMatches) -> Self {
        let mut matches = matches.clone();
        let ids: Vec<_> = matches.ids().map(|id| id.as_str().to_owned()).collect();
        for id in ids {
            if matches.value_source(&id) == Some(ValueSource::DefaultValue) {
                // It cannot fail: the matches themselves have named it.
                let _ = matches.try_clear_id(&id);
            }
        }
        Self(matches)
    }

    /// Returns true if one of these options was typed.
    pub fn has_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.0.contains_id(name))
    }
}

/// Adds the options of the configuration file, if one was named. Flags take
/// precedence.
pub fn resolve<T: Options>(typed: T, matches: &ArgMatches) -> Result<T, Failure> {
    let options = match typed.config() {
        None => typed,
        Some(path) => {
            let mut options: T = read_file(path)?;
            let typed = Typed::new(matches);
            options.yield_to(&typed);
            options.update_from_arg_matches(&typed.0).map_err(Failure::usage)?;
            options
        }
    };
    options.check()?;
    Ok(options)
}
