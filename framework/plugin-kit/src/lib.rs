//! For authors and users of plugins: the tests of `runner plugins doctor` ([`doctor`]), the crates that
//! `runner plugins new` creates ([`new`]; their sources are in the folder `templates`), and the indexes
//! from which `runner plugins add` adds plugins ([`index`]).
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]

pub mod doctor;
pub mod index;
pub mod new;
