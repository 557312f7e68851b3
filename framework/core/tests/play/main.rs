//! Tests of games as they are played: alone, interleaved and by wrapped agents.

mod episode;
mod interleaved;
#[path = "../line/mod.rs"]
mod line;
mod wrappers;
