//! The program: what is typed, what is played with it, what is shown and kept.
//!
//! It knows no game and no algorithm; those are plugins. In dependency order:
//! files ([`models`]), what
//! runs ([`threads`], [`player`], [`evaluation`], [`training`], [`learning`], [`tuning`]), what is
//! shown ([`report`], [`plot`], [`progress`]), what is typed ([`cli`]) and done ([`commands`]).
#![forbid(unsafe_code)]

pub mod cli;
pub mod commands;
pub mod evaluation;
pub mod failure;
pub mod interrupt;
pub mod learning;
pub mod memory;
pub mod models;
pub mod notes;
pub mod player;
pub mod plot;
pub mod progress;
pub mod report;
pub mod setting;
pub mod shell;
pub mod threads;
pub mod training;
pub mod tuning;

use clap::Parser;
use runner_core::catch;
use runner_laws::workload::Workload;
use runner_plugin::RootRef;
use std::process::ExitCode;

/// What is linked into the program beside its own code.
pub struct Linked {
    /// Plugins that need no file.
    pub plugins: Vec<RootRef>,
    /// What `runner bench` holds the plugins against: the same work on the same
    /// rules, compiled together.
    pub workloads: fn() -> Vec<Workload>,
}

/// Runs the program. The only place where errors become exit codes.
pub fn main(linked: Linked) -> ExitCode {
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let code = if error.use_stderr() { 2 } else { 0 };
            // Nobody is left to tell that help could not be printed.
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    let verbose = cli.common.verbose;
    // A fault that nothing nearer has caught is a failure like any other.
    match catch(|| commands::run(cli, linked)) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(failure)) => failure.report(verbose),
        Err(fault) => failure::Failure::from(fault).report(verbose),
    }
}
