//! The messages of the runner: the game, a position, and its legal actions.

use crate::VERSION;
use runner_core::geometry::Geometry;
use runner_core::{Description, Game, State, Successor, Successors};
use serde::Serialize;

/// The first message of a session: the protocol's version and the game.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename = "hello")]
pub struct Hello<'a> {
    protocol: u32,
    game: &'a str,
    actions: &'a [String],
    tiles: &'a [u64],
    goal: Option<u64>,
    board: Option<Board>,
    /// Time limit for a move in seconds, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    move_seconds: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Board {
    rows: usize,
    cols: usize,
    /// The values of cells, ascending, beginning with 0 for an empty cell.
    values: Vec<Option<u64>>,
}

impl<'a> Hello<'a> {
    /// Returns the message about a game with this resolved spec.
    pub fn new(spec: &'a str, game: &'a Description) -> Self {
        let board = |board: &Geometry| Board {
            rows: board.rows,
            cols: board.cols,
            values: (0..board.values.len() as u8).map(|rank| value(board, rank)).collect(),
        };
        Self {
            protocol: VERSION,
            game: spec,
            actions: &game.actions,
            tiles: &game.tiles,
            goal: game.goal,
            board: game.geometry.as_ref().map(board),
            move_seconds: None,
        }
    }

    #[must_use]
    pub fn with_move_seconds(self, seconds: f64) -> Self {
        Self { move_seconds: Some(seconds), ..self }
    }
}

/// The values of a board's cells, row by row; `None` for a stone.
type Cells = Vec<Vec<Option<u64>>>;

/// A position as text and, in a game with a board, as the values of its cells.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PositionMessage {
    pub state: String,
    /// The values of the cells, row by row; `None` in a game without a board.
    pub cells: Option<Cells>,
}

impl PositionMessage {
    pub fn new<G: Game>(game: &G, state: State) -> Self {
        Self { state: game.write(state), cells: cells(game.description(), state.bits()) }
    }
}

/// A legal action with its result before chance.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LegalAction {
    pub action: String,
    /// The index of the action in the game's list.
    pub index: u8,
    pub reward: f32,
    /// The afterstate as text.
    pub afterstate: String,
    /// The values of the afterstate's cells; `None` in a game without a board.
    pub cells: Option<Cells>,
}

/// Returns the legal actions of a state with their rewards and afterstates.
pub fn legal_actions<G: Game>(game: &G, successors: &Successors) -> Vec<LegalAction> {
    let description = game.description();
    let mut legal = Vec::new();
    for &Successor { action, reward, afterstate, .. } in successors.iter() {
        legal.push(LegalAction {
            action: description.action_name(action),
            index: action.0,
            reward,
            afterstate: game.write_afterstate(afterstate),
            cells: cells(description, afterstate.bits()),
        });
    }
    legal
}

fn cells(game: &Description, bits: u128) -> Option<Cells> {
    let board = game.geometry.as_ref()?;
    let mut rows = Vec::new();
    for row in 0..board.rows {
        let cells = row * board.cols..(row + 1) * board.cols;
        rows.push(cells.map(|cell| value(board, board.rank(bits, cell))).collect());
    }
    Some(rows)
}

/// Returns the displayed value of a rank; `None` for a stone, which an empty cell of value 0 is
/// not.
fn value(board: &Geometry, rank: u8) -> Option<u64> {
    let value = board.values.get(usize::from(rank)).copied().unwrap_or(0);
    (!board.is_stone(rank)).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use game_1024::{Config, Game1024};
    use game_2048::Game2048;
    use serde_json::{Value, json};

    fn message(value: &impl Serialize) -> Value {
        serde_json::to_value(value).unwrap()
    }

    #[test]
    fn hello_describes_the_board_and_the_actions() {
        let game = Game2048::new(Default::default()).unwrap();
        let hello = message(&Hello::new("2048", game.description()).with_move_seconds(0.5));
        assert_eq!(hello["type"], "hello");
        assert_eq!(hello["protocol"], VERSION);
        assert_eq!(hello["actions"], json!(["up", "right", "down", "left"]));
        assert_eq!((&hello["goal"], &hello["move_seconds"]), (&json!(2048), &json!(0.5)));
        let board = &hello["board"];
        assert_eq!((&board["rows"], &board["cols"]), (&json!(4), &json!(4)));
        assert_eq!(board["values"].as_array().unwrap()[..3], [json!(0), json!(2), json!(4)]);
        assert!(message(&Hello::new("2048", game.description())).get("move_seconds").is_none());
    }

    #[test]
    fn cells_are_the_displayed_values_row_by_row() {
        let game = Game2048::new(Default::default()).unwrap();
        let state = game.parse("2,2,0,0/0,0,0,0/0,0,0,1024/0,0,0,65536").unwrap();
        let position = PositionMessage::new(&game, state);
        let expected = [[2, 2, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1024], [0, 0, 0, 65536]];
        assert_eq!(message(&position.cells), json!(expected));
        let mut successors = Successors::new();
        game.successors(state, &mut successors);
        let legal = legal_actions(&game, &successors);
        let left = legal.iter().find(|legal| legal.action == "left").unwrap();
        assert_eq!((left.index, left.reward), (3, 4.0));
        assert_eq!(message(&left.cells)[0], json!([4, 0, 0, 0]));
        assert_eq!(message(&left.cells)[3], json!([65536, 0, 0, 0]));
    }

    #[test]
    fn stones_are_told_from_empty_cells() {
        let config = Config { rows: 2, cols: 2, blocked: vec![0], ..Config::default() };
        let game = Game1024::new(config).unwrap();
        let position = PositionMessage::new(&game, game.parse("#,0/1,2").unwrap());
        assert_eq!(message(&position.cells), json!([[null, 0], [1, 2]]));
        let hello = message(&Hello::new("1024", game.description()));
        assert_eq!(
            hello["board"]["values"].as_array().unwrap()[..4],
            json!([0, null, 1, 2]).as_array().unwrap()[..]
        );
    }
}
