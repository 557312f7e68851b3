//! 2048 and Threes in a browser, without a server: games, search and values as a WebAssembly module
//! that a web worker of the page calls.
//!
//! In dependency order: the network in little memory (`paged`), a game with its players (`table`),
//! requests in JSON (`requests`), and the functions that the module exports (`exports`).
#![deny(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]

#[allow(unsafe_code)]
mod exports;
mod paged;
mod requests;
mod table;

pub use paged::PagedNetwork;
pub use requests::Requests;
