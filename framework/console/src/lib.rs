//! The terminal: printed results ([`output`]), progress lines ([`progress`]), notes ([`notes`]),
//! interrupts ([`interrupt`]), and commands to type ([`shell`]).
#![forbid(unsafe_code)]

pub mod interrupt;
pub mod notes;
pub mod output;
pub mod progress;
pub mod shell;
