//! The program `runner`: its command line and its commands.
//!
//! It contains no game and no algorithm: those are plugins. In dependency order: errors and
//! output ([`failure`], [`faults`], [`progress`], [`notes`], [`interrupt`], [`output`], [`look`], [`plot`]),
//! options ([`options`]), files ([`models`], [`lock`]), what plays and trains ([`learners`], [`model_files`], [`threads`],
//! [`player`], [`setting`], [`evaluation`], [`arena`], [`comparison`], [`training`], [`tuning`],
//! [`experiment`], [`tournament`], [`analysis`], [`watch`], [`serve`]), the commands ([`context`],
//! [`commands`]) and the command line ([`cli`]).
#![forbid(unsafe_code)]

pub mod analysis;
pub mod arena;
pub mod brief;
pub mod cli;
pub mod commands;
pub mod comparison;
pub mod context;
mod definition_file;
pub mod evaluation;
pub mod experiment;
pub mod failure;
pub mod faults;
mod graph;
pub mod interrupt;
mod labels;
pub mod learners;
mod linked;
pub mod lock;
pub mod look;
pub mod memory;
pub mod model_files;
pub mod models;
pub mod names;
pub mod notes;
pub mod options;
pub mod output;
pub mod player;
pub mod plot;
pub mod position;
pub mod positions;
pub mod progress;
pub mod recording;
pub mod serve;
pub mod setting;
pub mod shards;
pub mod shell;
pub mod threads;
pub mod tournament;
pub mod training;
pub mod tuning;
mod unpoisoned;
pub mod watch;

pub use linked::Linked;

use cli::{Parsed, Refused};
use failure::Failure;
use runner_core::catch;
use std::io::{Write, stderr};
use std::process::ExitCode;

/// Runs the program. The only place where errors become exit codes.
pub fn main(linked: Linked) -> ExitCode {
    let parsed = match Parsed::from_arguments() {
        Ok(parsed) => parsed,
        Err(Refused::Spec(error)) => return Failure::from(error).report(false),
        Err(Refused::Clap(error)) => {
            let code = if error.use_stderr() { 2 } else { 0 };
            // There is no other place to report that help could not be printed.
            let _ = error.print();
            return ExitCode::from(code);
        }
        Err(Refused::Nothing) => {
            let _ = write!(stderr(), "{}", cli::short_help());
            return ExitCode::from(2);
        }
    };
    let verbose = parsed.is_verbose();
    // A panic that nothing nearer has caught is a failure like any other.
    match catch(|| parsed.execute(linked)) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(failure)) => failure.report(verbose),
        Err(fault) => Failure::from(fault).report(verbose),
    }
}
