//! Tests that call the crates directly, across their borders: every game with every agent, exact
//! solutions, the golden transcripts of all games, and the imports between the files of each crate.
//!
//! They are a binary of their own because they instantiate searches and solvers for
//! concrete games, which takes longer to compile than all tests of the program.

mod exact;
mod fuzzing;
mod imports;
mod plays;
mod replaced;
mod transcripts;
mod watch;
