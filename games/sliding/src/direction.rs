//! The four directions, and their order as actions.

use runner_core::Action;

/// The direction of a push. The order is that of the actions 0 to 3 of every sliding game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Direction {
    /// Toward the first row.
    Up,
    /// Toward the last column.
    Right,
    /// Toward the last row.
    Down,
    /// Toward the first column.
    Left,
}

use Direction::{Down, Left, Right, Up};

impl Direction {
    /// All four, in order.
    pub const ALL: [Self; 4] = [Up, Right, Down, Left];

    #[inline(always)]
    pub const fn action(self) -> Action {
        Action(self as u8)
    }

    /// Returns the direction of an action, or `None` if the action is above 3.
    #[inline(always)]
    pub const fn of(action: Action) -> Option<Self> {
        if action.0 < 4 { Some(Self::ALL[action.index()]) } else { None }
    }

    /// Returns true if the lines are columns, false if they are rows.
    #[inline(always)]
    pub const fn is_vertical(self) -> bool {
        matches!(self, Up | Down)
    }

    /// Returns true if tiles move toward the first cell of their line.
    #[inline(always)]
    pub const fn is_toward_first(self) -> bool {
        matches!(self, Up | Left)
    }

    pub const fn name(self) -> &'static str {
        match self {
            Up => "up",
            Right => "right",
            Down => "down",
            Left => "left",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_up_right_down_left() {
        let names = Direction::ALL.map(Direction::name);
        assert_eq!(names, ["up", "right", "down", "left"]);
        for (i, direction) in Direction::ALL.into_iter().enumerate() {
            assert_eq!(direction.action(), Action(i as u8));
            assert_eq!(Direction::of(direction.action()), Some(direction));
        }
        assert_eq!(Direction::of(Action(4)), None);
    }
}
