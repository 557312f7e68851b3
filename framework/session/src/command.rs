//! The commands that a watched game takes.

use serde::Deserialize;

/// A command to a watched game. A page sends those that can be deserialized; keys make all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Command {
    /// Pause, or continue.
    Pause,
    /// To the next position. At the end of the game, the player makes its choice.
    Forward,
    Back,
    First,
    Last,
    Faster,
    Slower,
    /// Take over from the player, or hand back.
    TakeOver,
    /// Show the player's opinion of the position to a person who plays.
    Hint,
    New,
    /// End the typing of a number, and the wait for the next game.
    Cancel,
    /// The person makes the action with this number, counted from 0.
    Act {
        action: u8,
    },
    /// To the position after this many moves.
    Seek {
        at: usize,
    },
    /// Set the speed; `place` is its index in [`SPEEDS`](super::session::SPEEDS).
    Speed {
        place: usize,
    },
    /// The person makes the action with the name of this direction.
    #[serde(skip)]
    Arrow(Arrow),
    /// Part of the number of a move that is being typed, or the number of an action from 1.
    #[serde(skip)]
    Digit(u8),
    /// Begin typing the number of a move.
    #[serde(skip)]
    GoTo,
    /// Go to the move whose number was typed.
    #[serde(skip)]
    Enter,
    #[serde(skip)]
    Save,
    #[serde(skip)]
    Quit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrow {
    Up,
    Right,
    Down,
    Left,
}

impl Arrow {
    pub fn name(self) -> &'static str {
        ["up", "right", "down", "left"][self as usize]
    }
}
