//! The start of a game.

use runner_core::{Random, Start};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Rules,
    Given,
    Middle,
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
