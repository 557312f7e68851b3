//! The commands that a watched game takes.

use runner_core::Action;

/// A command to a watched game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Pause, or continue.
    Pause,
    Forward,
    Back,
    First,
    Last,
    Faster,
    Slower,
    /// Take over from the player, or hand back.
    TakeOver,
    Arrow(Arrow),
    /// A digit: part of the number of a move, or the number of an action.
    Digit(u8),
    /// An action of the person. Keys give arrows and digits instead.
    Act(Action),
    /// To the position after this many moves.
    Seek {
        /// Number of moves.
        at: usize,
    },
    /// Play with another speed.
    Speed {
        /// Place in [`SPEEDS`](super::session::SPEEDS).
        place: usize,
    },
    /// Begin typing the number of a move.
    GoTo,
    /// To the first position with the goal tile or, from there on, with the next larger tile.
    NextTile,
    /// To the move with the largest loss among the last ones.
    Worst,
    New,
    Save,
    /// Confirm the number.
    Enter,
    /// Leave the typing of a number.
    Cancel,
    Quit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Arrow {
    Up,
    Down,
    Left,
    Right,
}

impl Arrow {
    /// Returns the name that an action of this direction has.
    pub fn name(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
            Self::Left => "left",
            Self::Right => "right",
        }
    }
}
