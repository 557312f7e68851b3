//! Where the games of a training begin: as the rules say, at a position of the session, at a
//! restart, or at a collected entrance.
//!
//! An *entrance* is the position at which a game has entered a stage. A *restart* is a game that
//! does not begin as a whole one: from the [`middle`] of the last game, or, by the [`carousel`],
//! from an entrance. Multi-stage learning trains its [`phases`] from entrances that it collects.
//!
//! In dependency order: entrances and their collection, positions of a game, the kinds of
//! restarts, and the chooser of every start.

pub mod carousel;
mod chooser;
mod entrances;
pub mod middle;
pub mod phases;
mod restarts;
mod waypoints;

pub use carousel::Carousel;
pub use chooser::{Ended, NewGame, Origin, Positions, StartChooser};
pub use entrances::{Collection, Entrances};
pub use middle::Middle;
pub use phases::MultiStage;
pub use restarts::Restarts;
pub use waypoints::Waypoints;
