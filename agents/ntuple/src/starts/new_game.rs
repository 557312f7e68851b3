//! The start of a game.

use runner_core::{Random, Start};

/// Where a game began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// As the rules say.
    Rules,
    /// At a position of the session.
    Given,
    /// At a position of the game before.
    Middle,
    /// At an entrance of this stage.
    Stage(usize),
}

impl Origin {
    /// Returns true if the game counts as a whole one, and not as a restart.
    pub fn is_whole(self) -> bool {
        matches!(self, Self::Rules | Self::Given)
    }
}

/// The start of a game and the random stream of the rest of it.
pub struct NewGame {
    pub start: Start,
    pub random: Random,
    pub origin: Origin,
}
