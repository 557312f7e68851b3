//! Tests of the program as its users run it: each starts the executable and checks
//! its output and its exit code.
//!
//! One binary, because linking took longer than most of its tests. Tests that call
//! the crates directly are in `tests/in_process`.

mod analyse;
mod browser;
mod command_line;
mod compare;
mod conform;
mod doctor;
mod exchange;
mod exit_codes;
mod experiment;
mod faults;
#[cfg(unix)]
mod guide;
mod harness;
#[cfg(target_os = "linux")]
#[cfg(unix)]
mod kills;
mod models;
mod new_plugin;
mod options;
mod play;
mod plot;
mod presets;
#[cfg(unix)]
mod process;
mod searches;
mod serve;
mod solve;
#[cfg(target_os = "linux")]
mod stalls;
mod tournament;
mod training;
mod transcripts;
mod tune;
mod watch;
