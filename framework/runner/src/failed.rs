//! The end of the program after a failure: its message and its exit code.

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
pub const USAGE: u8 = 2;
const UNDECIDED: u8 = 3;
const INTERRUPTED: u8 = 130;

/// Prints a failure and returns the exit code.
pub fn print_failure(failure: Failure) -> ExitCode {
    let (text, code) = match failure {
        Failure::Usage { message, place: None } => (format!("error: {message}\n"), USAGE),
        Failure::Usage { message, place: Some(place) } => {
            (format!("error: {message}\n{place}\n"), USAGE)
        }
        Failure::Failed { message } => (format!("error: {}\n", one_line(&message)), FAILED),
        Failure::Interrupted(message) => (format!("interrupted: {message}\n"), INTERRUPTED),
        Failure::Undecided => (String::new(), UNDECIDED),
        // The reader of the output, such as `head`, wants no more of it.
        Failure::ClosedPipe => (String::new(), 0),
    };
    // The exit code reports the failure even if standard error is closed.
    let _ = stderr().write_all(text.as_bytes());
    ExitCode::from(code)
}

/// Prints a failure and ends the program at once, because a call of a plugin does not return.
pub fn exit_with(failure: Failure) -> ! {
    restore();
    let is_interrupt = matches!(failure, Failure::Interrupted(_));
    let code = if is_interrupt { INTERRUPTED } else { FAILED };
    suspended(|| print_failure(failure));
    std::process::exit(code.into());
}
