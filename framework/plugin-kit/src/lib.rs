//! For authors of plugins: the tests of `runner plugins doctor` ([`doctor`]), and the crates that
//! `runner plugins new` creates ([`new`]; their sources are in the folder `templates`).
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]

pub mod doctor;
pub mod new;
