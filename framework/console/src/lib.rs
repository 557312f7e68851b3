//! The terminal: printed results ([`output`]), progress lines ([`progress`]), notes ([`notes`]),
//! labels in a row ([`labels`]), interrupts ([`interrupt`]), and commands to type ([`shell`]).
#![forbid(unsafe_code)]

pub mod interrupt;
pub mod labels;
pub mod notes;
pub mod output;
pub mod progress;
pub mod shell;
