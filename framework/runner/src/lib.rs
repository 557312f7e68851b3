//! The program `runner`: its command line and its commands.
//!
//! It contains no game and no algorithm: those are plugins.
#![forbid(unsafe_code)]

pub mod cli;
pub mod commands;
pub mod context;
mod evaluate;
mod failed;
mod linked;
mod notes;
pub mod options;
mod positions;

pub use linked::Linked;

use cli::{Parsed, Refused};
use failed::print_failure;
use runner_console::interrupt;
use runner_core::catch;
use std::io::{Write, stderr};
use std::process::ExitCode;

/// Runs the program. The only place where errors become exit codes.
pub fn main(linked: Linked) -> ExitCode {
    interrupt::survive_file_limit();
    commands::completions::complete(&linked);
    let parsed = match Parsed::from_arguments() {
        Ok(parsed) => parsed,
        Err(Refused::Failure(failure)) => return print_failure(failure),
        Err(Refused::Clap(error)) => {
            let is_help = !error.use_stderr();
            return match error.print() {
                Err(failed) if is_help => print_failure(failed.into()),
                // There is no other place to report an error that could not be printed.
                Ok(()) | Err(_) => ExitCode::from(if is_help { 0 } else { 2 }),
            };
        }
        Err(Refused::Nothing) => {
            let _ = write!(stderr(), "{}", cli::short_help());
            return ExitCode::from(2);
        }
    };
    // A panic that nothing nearer has caught is a failure like any other.
    match catch(|| parsed.execute(linked)) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(failure)) => print_failure(failure),
        Err(fault) => print_failure(fault.into()),
    }
}
