//! The four directions, their order as actions, and the orders of other programs.

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

/// The order in which another program numbers the directions.
///
/// ```
/// use runner_sliding::{ActionOrder, Direction::{Down, Left, Right, Up}};
/// let theirs = ActionOrder::new([Up, Down, Left, Right]).unwrap();
/// assert_eq!(theirs.direction(1), Some(Down));
/// assert_eq!(theirs.number(Right), 3);
/// assert_eq!(theirs.direction(4), None);
/// assert!(ActionOrder::new([Up, Up, Left, Right]).is_none());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ActionOrder {
    directions: [Direction; 4],
    numbers: [u8; 4],
}

impl ActionOrder {
    /// The order of this list; `None` if a direction is missing.
    pub const fn new(directions: [Direction; 4]) -> Option<Self> {
        let mut numbers = [4; 4];
        let mut i = 0;
        while i < 4 {
            numbers[directions[i] as usize] = i as u8;
            i += 1;
        }
        if numbers[0] < 4 && numbers[1] < 4 && numbers[2] < 4 && numbers[3] < 4 {
            Some(Self { directions, numbers })
        } else {
            None
        }
    }

    pub fn direction(&self, number: u8) -> Option<Direction> {
        self.directions.get(usize::from(number)).copied()
    }

    pub const fn number(&self, direction: Direction) -> u8 {
        self.numbers[direction as usize]
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
