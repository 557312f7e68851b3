//! The commands that a watched game takes.

use serde::Deserialize;

/// A command to a watched game. A page sends those that can be read; the others come from keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
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
    /// Show a person who plays the player's opinion of the position.
    Hint,
    New,
    /// Leave the typing of a number.
    Cancel,
    /// An action of the person, by its number.
    Act {
        action: u8,
    },
    /// To the position after this many moves.
    Seek {
        at: usize,
    },
    /// Play with the speed at this place in [`SPEEDS`](super::session::SPEEDS).
    Speed {
        place: usize,
    },
    /// The action with the name of this direction.
    #[serde(skip)]
    Arrow(Arrow),
    /// A digit: part of the number of a move, or the number of an action from 1.
    #[serde(skip)]
    Digit(u8),
    /// Begin typing the number of a move.
    #[serde(skip)]
    GoTo,
    /// Confirm the number.
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
    pub const ALL: [Self; 4] = [Self::Up, Self::Right, Self::Down, Self::Left];

    pub fn name(self) -> &'static str {
        ["up", "right", "down", "left"][self as usize]
    }
}
