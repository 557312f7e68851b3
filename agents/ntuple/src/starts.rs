//! Where the games of a training begin: as the rules say, at a position of the session, at a
//! restart, or at a collected entrance.
//!
//! An *entrance* is the position at which a game has entered a stage. A *restart* is a game that
//! does not begin as a whole one: from the middle of the last game, or from an entrance. In
//! multi-stage learning whole games begin at the entrances of the stage that is trained.

mod chooser;
mod entrances;
mod restarts;
mod waypoints;

pub use chooser::{Ended, NewGame, Origin, StartChooser};
pub use entrances::{Collection, Entrances};
pub use restarts::{Middle, Restarts};
pub use waypoints::Waypoints;
