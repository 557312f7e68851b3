//! Tournaments: every agent plays every game, and a report compares them.
//!
//! Each result names its game, and game `k` of an agent draws from its own random stream, so the
//! results do not depend on threads, and an interrupted tournament continues with the games that
//! are missing.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]

mod definition;
mod finished;
mod folder;
mod line;
mod merge;
mod queue;
pub mod report;
mod resolved;
mod results;
mod run;

pub use definition::{AgentEntry, GameEntry, RoundRange, Rounds, Tournament};
pub use folder::TournamentFolder;
pub use merge::merge_and_report;
pub use queue::{TournamentEvent, TournamentWatch};
pub use resolved::BuiltTournament;
pub use results::read_scores;
pub use run::play_and_report;
