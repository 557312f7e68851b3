//! Tests that call the crates directly, across their borders: every game with every agent, exact
//! solutions, the golden transcripts of all games, and the order of
//! the crates, the generated parts of the guide.
//!
//! They are a binary of their own because they instantiate searches and solvers for
//! concrete games, which takes longer to compile than all tests of the program.

mod crates;
mod exact;
#[path = "../../framework/guide/generator/mod.rs"]
mod guide;
mod plays;
mod transcripts;
mod watch;
