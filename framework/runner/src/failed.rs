//! The end of the program: prints its failure and chooses the exit code.

use runner_console::interrupt::restore;
use runner_console::progress::suspended;
use runner_play::failure::Failure;
use runner_spec::one_line;
use std::io::{Write, stderr};
use std::process::ExitCode;

/// Prints a failure and returns the exit code: 2 for a wrong command line or configuration, 1 for a
/// failed run, 130 after an interrupt, 0 if the reader of the output has closed it.
pub fn print_failure(failure: Failure) -> ExitCode {
    let (lines, code) = match failure {
        Failure::Usage { message, place } => ([Some(format!("error: {message}")), place], 2),
        Failure::Failed { message } => ([Some(format!("error: {}", one_line(&message))), None], 1),
        Failure::Interrupted(message) => ([Some(format!("interrupted: {message}")), None], 130),
        Failure::ClosedPipe => ([None, None], 0),
    };
    let mut out = stderr().lock();
    for line in lines.into_iter().flatten() {
        // The exit code reports the failure even if standard error is closed.
        let _ = writeln!(out, "{line}");
    }
    ExitCode::from(code)
}

/// Ends the program with a failure while a call of a plugin does not return.
pub fn end(failure: Failure) -> ! {
    restore();
    let code = if matches!(failure, Failure::Interrupted(_)) { 130 } else { 1 };
    suspended(|| print_failure(failure));
    std::process::exit(code);
}
