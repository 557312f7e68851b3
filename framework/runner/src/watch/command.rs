//! The commands that a watched game takes.

use runner_core::Action;

/// A command of a person who watches, by keys or from a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Pause, or go on.
    Pause,
    /// One move forward.
    Forward,
    /// One move back.
    Back,
    /// To the first position.
    First,
    /// To the last position.
    Last,
    /// Play faster.
    Faster,
    /// Play slower.
    Slower,
    /// Take over from the player, or hand back.
    TakeOver,
    /// An arrow key.
    Arrow(Arrow),
    /// A digit: part of the number of a move, or the number of an action.
    Digit(u8),
    /// An action of the person. Keys give arrows and digits instead.
    Act(Action),
    /// To the position after this many moves.
    Seek(usize),
    /// Play with this place in [`SPEEDS`](super::session::SPEEDS).
    Speed(usize),
    /// Begin typing the number of a move.
    GoTo,
    /// To the first position with the goal tile, or with the next larger tile.
    NextTile,
    /// To the move with the largest loss among the last ones.
    Worst,
    /// Begin another game.
    New,
    /// Save the game.
    Save,
    /// Confirm the number.
    Enter,
    /// Leave the typing of a number.
    Cancel,
    /// End the program.
    Quit,
}

/// A direction.
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
