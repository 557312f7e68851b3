//! Where the games of a training begin.
//!
//! An *entrance* is the position at which a game has entered a stage. A *whole game* begins as the
//! rules say, or at a start position of the session. In multi-stage learning (`ms-td`) it begins
//! at an entrance of the stage that is trained. A *restart* is any other game: it begins in the
//! middle of the game before, or at an entrance. If restarts begin at entrances, the start positions
//! of the session that lie in a later stage are the first entrances of this stage, and no whole game
//! begins there.

mod chooser;
mod entrances;
mod restarts;
mod waypoints;

pub use chooser::{Ended, NewGame, Origin, StartChooser};
pub use entrances::{Collection, Entrances};
pub use restarts::{Middle, Restarts};
pub use waypoints::Waypoints;
