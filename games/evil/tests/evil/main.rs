//! Tests of the game around 2048 and Threes.

mod chance;
mod host;
mod laws;
