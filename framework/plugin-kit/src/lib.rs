//! For authors of plugins: the tests of `runner plugins doctor` ([`doctor`]), and the crates that
//! `runner plugins new` creates ([`new`]). The folder `templates` holds the sources of the latter.
#![forbid(unsafe_code)]

pub mod doctor;
pub mod new;
