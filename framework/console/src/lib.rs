//! The terminal: printed results ([`output`]), colours ([`colors`]), graphs of characters
//! ([`graph`]), progress lines ([`progress`]), notes ([`notes`]), labels in a row ([`labels`]),
//! interrupts ([`interrupt`]), and commands to type ([`shell`]).
#![forbid(unsafe_code)]

pub mod colors;
pub mod graph;
pub mod interrupt;
pub mod labels;
pub mod notes;
pub mod output;
pub mod progress;
pub mod shell;
