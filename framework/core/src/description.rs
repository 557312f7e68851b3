//! A game's description of itself.

use crate::geometry::Geometry;
use crate::{Action, Afterstate, MAX_ACTIONS, State};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The largest `max_outcomes` that a game may declare: callers allocate a list of that size.
const MAX_OUTCOMES: usize = 1 << 20;

/// A game's description of itself: everything that the framework knows about it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Description {
    /// The names of the actions, in their fixed order; 1 to 64.
    pub actions: Vec<String>,
    /// The maximum number of outcomes of an afterstate.
    pub max_outcomes: usize,
    /// The values of the tiles that statistics count, ascending. Empty for a game without
    /// tiles.
    #[serde(default)]
    pub tiles: Vec<u64>,
    /// The tile that counts as a win.
    #[serde(default)]
    pub goal: Option<u64>,
    /// True if no reward is negative, neither of an action nor of chance: then no position is
    /// worth less points than the end of the game.
    #[serde(default)]
    pub rewards_never_negative: bool,
    /// Shape and symmetries of the board, for a game that is played on one.
    #[serde(default)]
    pub geometry: Option<Geometry>,
}

impl Description {
    /// Checks what algorithms rely on and do not check themselves.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong.
    pub fn check(&self) -> Result<(), String> {
        let Self { actions, max_outcomes, tiles, goal, geometry, .. } = self;
        let n = actions.len();
        if !(1..=MAX_ACTIONS).contains(&n) {
            return Err(format!(
                "the description lists {n} actions; 1 to {MAX_ACTIONS} are possible"
            ));
        }
        for (i, name) in actions.iter().enumerate() {
            if actions[..i].contains(name) {
                return Err(format!("two actions are called `{name}`"));
            }
        }
        if !(1..=MAX_OUTCOMES).contains(max_outcomes) {
            return Err(format!(
                "max_outcomes is {max_outcomes}; 1 to {MAX_OUTCOMES} are possible"
            ));
        }
        if !tiles.is_sorted_by(|a, b| a < b) {
            return Err(format!("the tiles {tiles:?} are not in ascending order"));
        }
        if let Some(goal) = goal.filter(|goal| !tiles.contains(goal)) {
            return Err(format!("the goal {goal} is not among the tiles"));
        }
        match geometry {
            Some(board) => board.check(n),
            None => Ok(()),
        }
    }

    /// Returns the name of an action, for messages.
    pub fn action_name(&self, action: Action) -> String {
        match self.actions.get(action.index()) {
            Some(name) => name.clone(),
            None => format!("action {}", action.0),
        }
    }

    /// Returns the text of a move in a line of play: the name of the action and, if a chance
    /// outcome changed the board, the first tile that differs, with its row and column from 1:
    /// `left 2@4,1`.
    pub fn step(&self, action: Action, outcome: Option<(Afterstate, State)>) -> String {
        let name = self.action_name(action);
        let (Some((from, to)), Some(board)) = (outcome, &self.geometry) else { return name };
        for cell in 0..board.cells() {
            let rank = board.rank(to.bits(), cell);
            if rank != board.rank(from.bits(), cell) {
                let tile = board.values[usize::from(rank)];
                let (row, col) = (cell / board.cols + 1, cell % board.cols + 1);
                return format!("{name} {tile}@{row},{col}");
            }
        }
        name
    }
}

/// The reason why the text of a position was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} (at character {})", at + 1)]
pub struct TextError {
    /// The byte in the text at which the error is. The message counts it from 1 and calls it a
    /// character: in ASCII texts they are the same.
    pub at: usize,
    /// The error and the expected text.
    pub message: String,
}

impl TextError {
    /// Creates an error at byte `at`.
    pub fn new(at: usize, message: impl fmt::Display) -> Self {
        Self { at, message: message.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Action;
    use crate::geometry::{ExtraField, Symmetry};

    /// A board of 1 x 2 cells that can be mirrored.
    fn described() -> Description {
        let symmetry = |cells: [u8; 2], actions: [u8; 2]| Symmetry {
            cells: cells.into(),
            actions: actions.map(Action).into(),
        };
        let geometry = Geometry {
            rows: 1,
            cols: 2,
            values: vec![0, 2, 4],
            symmetries: vec![symmetry([0, 1], [0, 1]), symmetry([1, 0], [1, 0])],
            extra_fields: vec![ExtraField {
                name: "next".into(),
                bit: 64,
                bits: 2,
                labels: vec![],
            }],
            counted_fields: Vec::new(),
            merges: vec![(1, 1)],
        };
        Description {
            actions: vec!["left".into(), "right".into()],
            max_outcomes: 4,
            tiles: vec![2, 4],
            goal: Some(4),
            rewards_never_negative: true,
            geometry: Some(geometry),
        }
    }

    #[test]
    fn description_that_would_make_algorithms_fail_is_refused() {
        assert_eq!(described().check(), Ok(()));
        type Change = fn(&mut Description, &mut Geometry);
        let cases: [(&str, Change); 16] = [
            ("lists 0 actions; 1 to 64", |all, _| all.actions.clear()),
            ("two actions are called `left`", |all, _| all.actions[1] = "left".into()),
            ("max_outcomes is 0", |all, _| all.max_outcomes = 0),
            ("not in ascending order", |all, _| all.tiles.reverse()),
            ("goal 8 is not among", |all, _| all.goal = Some(8)),
            ("0 x 2 cells", |_, board| board.rows = 0),
            ("1 x 6 cells", |_, board| board.cols = 6),
            ("lists 0 values", |_, board| board.values.clear()),
            ("lists no symmetry", |_, board| board.symmetries.clear()),
            ("symmetry 0 must be the identity", |_, board| board.symmetries.reverse()),
            ("cells of symmetry 1", |_, board| board.symmetries[1].cells[0] = 2),
            ("cells of symmetry 1", |_, board| board.symmetries[1].cells.clear()),
            ("actions of symmetry 1", |_, board| board.symmetries[1].actions[0] = Action(9)),
            ("`next` has 2 bits from bit 127", |_, board| board.extra_fields[0].bit = 127),
            ("`next` has 0 bits", |_, board| board.extra_fields[0].bits = 0),
            ("merge (1, 3) is no pair", |_, board| board.merges[0].1 = 3),
        ];
        for (expected, change) in cases {
            let mut changed = described();
            let mut board = changed.geometry.take().unwrap();
            change(&mut changed, &mut board);
            let refused = Description { geometry: Some(board), ..changed }.check().unwrap_err();
            assert!(refused.contains(expected), "{refused}");
        }
    }
}
