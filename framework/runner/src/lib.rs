//! The program `runner`: its command line and its commands.
//!
//! It contains no game and no algorithm: those are plugins.
#![forbid(unsafe_code)]

mod cli;
mod commands;
mod context;
mod evaluate;
mod failed;
mod linked;
mod notes;
mod options;
mod positions;

pub use linked::{Linked, TrainedNetworks};

use cli::Refused;
use failed::{USAGE, print_failure};
use runner_console::interrupt;
use std::io::{Write, stderr};
use std::process::ExitCode;

/// Runs the program. Errors become exit codes here, or in `failed` if a call does not return.
pub fn main(linked: Linked) -> ExitCode {
    interrupt::survive_file_limit();
    commands::completions::complete(&linked);
    match cli::run(linked) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Refused::Failure(failure)) => print_failure(failure),
        Err(Refused::Clap(error)) => {
            let is_help = !error.use_stderr();
            // An error that cannot be printed on standard error cannot be reported anywhere else.
            match error.print() {
                Err(failed) if is_help => print_failure(failed.into()),
                _ if is_help => ExitCode::SUCCESS,
                _ => ExitCode::from(USAGE),
            }
        }
        Err(Refused::NoArguments) => {
            let _ = write!(stderr(), "{}", cli::short_help());
            ExitCode::from(USAGE)
        }
    }
}
