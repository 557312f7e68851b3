//! The end of the program: prints its failure and chooses the exit code.

use runner_console::interrupt::restore;
use runner_console::progress::suspended;
use runner_play::failure::Failure;
use runner_spec::one_line;
use std::io::{Write, stderr};
use std::process::ExitCode;

/// The exit codes of all commands, with their meaning. The help and the guide print this table.
pub const EXIT_CODES: [(u8, &str); 5] = [
    (0, "done"),
    (FAILED, "the run failed, or a check found an error"),
    (USAGE, "the command line, or a file that it names, is wrong or missing"),
    (UNDECIDED, "a comparison is undecided at its limit"),
    (INTERRUPTED, "interrupted; the message names the command that continues"),
];

const FAILED: u8 = 1;
const USAGE: u8 = 2;
const UNDECIDED: u8 = 3;
const INTERRUPTED: u8 = 130;

/// Prints a failure and returns the exit code.
pub fn print_failure(failure: Failure) -> ExitCode {
    let (lines, code) = match failure {
        Failure::Usage { message, place } => ([Some(format!("error: {message}")), place], USAGE),
        Failure::Failed { message } => {
            ([Some(format!("error: {}", one_line(&message))), None], FAILED)
        }
        Failure::Interrupted(message) => {
            ([Some(format!("interrupted: {message}")), None], INTERRUPTED)
        }
        Failure::Undecided => ([None, None], UNDECIDED),
        // The reader of the output has what it wanted.
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
    let is_interrupt = matches!(failure, Failure::Interrupted(_));
    let code = if is_interrupt { INTERRUPTED } else { FAILED };
    suspended(|| print_failure(failure));
    std::process::exit(code.into());
}
