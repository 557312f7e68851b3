//! Exact tables of the endings of sliding games.
//!
//! Large tiles lie still in a corner of the board; the free cells are to make one more of them. How
//! likely that is under best play is the solution of a small game, because the values of the large
//! tiles do not matter. A [`Pattern`] has the cells of the large tiles and the goal, a [`SubGame`]
//! joins it with the rules of a game, [`solve`] finds the probability for every position, and
//! [`save`] writes the [`EndgameTable`] of them.

mod bits;
mod build;
mod index;
mod mapped;
mod pattern;
mod positions;
mod subgame;
mod table;
#[cfg(test)]
mod tests;
mod work;

pub use build::{BuildProgress, TableBuildError, solve};
pub use pattern::{NAMED, Pattern, PatternError};
pub use subgame::SubGame;
pub use table::{Answer, EndgameTable, TableError, save};
pub use work::{Work, WorkError, remove_finished};
