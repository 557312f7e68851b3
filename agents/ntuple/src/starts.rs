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
mod collection;
mod entrances;
pub mod middle;
mod new_game;
pub mod phases;
mod restarts;
mod waypoints;

pub use carousel::Carousel;
pub use chooser::{Ended, Positions, StartChooser};
pub use collection::Collection;
pub use entrances::Entrances;
pub use middle::{Length, Middle};
pub use new_game::{NewGame, Origin};
pub use phases::MultiStage;
pub use restarts::Restarts;
pub use waypoints::Waypoints;
