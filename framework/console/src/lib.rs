//! The terminal of a command: printed results ([`output`]), progress lines ([`progress`]), notes
//! ([`notes`]), and the signals that end a command ([`interrupt`], `crash`).
#![deny(unsafe_code)]

#[cfg(unix)]
pub mod crash;
pub mod interrupt;
pub mod notes;
pub mod output;
pub mod progress;
