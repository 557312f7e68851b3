//! Values that are read from files of exact solutions: of a solved game ([`Exact`]) and of endings
//! ([`Endgame`]).
#![forbid(unsafe_code)]

mod endgame;
mod exact;

pub use endgame::Endgame;
pub use exact::Exact;
