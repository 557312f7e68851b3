//! The terminal: printed results ([`output`]), progress lines ([`progress`]), notes ([`notes`]) and
//! interrupts ([`interrupt`]).
#![forbid(unsafe_code)]

pub mod interrupt;
pub mod notes;
pub mod output;
pub mod progress;
