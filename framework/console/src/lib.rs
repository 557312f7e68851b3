//! The terminal: printed results ([`output`]), progress lines ([`progress`]), notes ([`notes`]) and
//! interrupts ([`interrupt`]).
#![deny(unsafe_code)]

#[cfg(unix)]
pub mod crash;
pub mod interrupt;
pub mod notes;
pub mod output;
pub mod progress;
