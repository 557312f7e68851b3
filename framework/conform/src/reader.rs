//! Positions, actions and transitions in the JSON of another implementation.

use runner_core::{Action, Game, State, read_position};
use runner_protocol::{read_action, shortened};
use serde_json::{Value, json};

/// How an implementation writes cells and actions.
#[derive(Clone, Debug, Default)]
pub struct Notation {
    /// Cells hold ranks, 0 for an empty cell and 1 for the smallest tile, instead of values.
    pub ranks: bool,
    /// The names of the actions in the order of the implementation's numbers. Empty for the order
    /// of the game.
    pub actions: Vec<String>,
}

/// Reads what an implementation of a game writes.
pub struct Reader<G> {
    pub game: G,
    notation: Notation,
}

/// A position as an implementation reports it.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    pub state: State,
    /// `None` if the implementation reports none.
    pub reward: Option<f64>,
    /// `None` if the implementation does not say whether the game is over.
    pub over: Option<bool>,
    /// True if the implementation ends the game though it is not over, as at a limit of moves.
    pub is_truncated: bool,
    /// The actions that it calls legal here.
    pub legal: Option<Vec<Action>>,
    /// The rewards since the start.
    pub score: Option<f64>,
}

/// A line of a file of transitions.
pub struct Transition {
    pub before: State,
    pub is_start: bool,
    pub legal: Option<Vec<Action>>,
    pub action: Action,
    pub after: Observed,
}

impl<G: Game> Reader<G> {
    /// Returns the reader, or which of the notation's actions is wrong.
    pub fn new(game: G, notation: Notation) -> Result<Self, String> {
        let names = &game.description().actions;
        let mut sorted = [names.clone(), notation.actions.clone()];
        sorted.iter_mut().for_each(|list| list.sort());
        if !notation.actions.is_empty() && sorted[0] != sorted[1] {
            let names = names.join(", ");
            return Err(format!("the order of the actions names each of {names} once"));
        }
        Ok(Self { game, notation })
    }

    /// Reads the answer to a request; the inner error is the message of an implementation that
    /// refuses.
    pub fn answer(&self, line: &str) -> Result<Result<Observed, String>, String> {
        let answer = object(line)?;
        if answer["type"] == "error" {
            let message = answer["message"].as_str().unwrap_or("no message");
            return Ok(Err(shortened(message, 200)));
        }
        self.observed(&answer, "state").map(Ok)
    }

    pub fn transition(&self, line: &str) -> Result<Transition, String> {
        let line = object(line)?;
        if line["next"].is_null() {
            return Err("`next`, the position after the action and chance, is missing".into());
        }
        Ok(Transition {
            before: self.position(&line["state"])?,
            is_start: line["start"] == true,
            legal: self.legal(&line["legal"])?,
            action: self.action(&line["action"])?,
            after: Observed { legal: None, ..self.observed(&line, "next")? },
        })
    }

    /// Returns true if an answer has a text or as many cells as the board, and they are no
    /// position of the game.
    pub fn has_strange_position(&self, answer: &str) -> bool {
        let Ok(answer) = object(answer) else { return false };
        let position = position_in(&answer, "state");
        let is_whole = match (position.as_array(), &self.game.description().geometry) {
            (None, _) => position.is_string(),
            (Some(list), Some(board)) => cells_of(list).len() == board.cells(),
            (Some(_), None) => false,
        };
        is_whole && self.position(position).is_err()
    }

    fn observed(&self, object: &Value, position: &str) -> Result<Observed, String> {
        let state = self.position(position_in(object, position))?;
        let number = |name: &str| match &object[name] {
            Value::Null => Ok(None),
            value => value.as_f64().map(Some).ok_or_else(|| {
                format!("`{name}` is {}, and must be a finite number", excerpt(value))
            }),
        };
        let over = match &object["terminal"] {
            Value::Null => None,
            Value::Bool(over) => Some(*over),
            other => return Err(format!("`terminal` is {}, not true or false", excerpt(other))),
        };
        let (reward, score) = (number("reward")?, number("score")?);
        let is_truncated = object["truncated"] == true;
        let legal = self.legal(&object["legal"])?;
        Ok(Observed { state, reward, over, is_truncated, legal, score })
    }

    fn action(&self, action: &Value) -> Result<Action, String> {
        let named = action.as_u64().and_then(|k| self.notation.actions.get(k as usize));
        let action = named.map_or_else(|| action.clone(), |name| json!(name));
        let read = read_action(&json!({ "action": action }), self.game.description());
        read.map_err(|error| error.to_string())?.ok_or_else(|| "`action` is missing".into())
    }

    /// Reads legal actions: a mask of booleans or of 0 and 1, or a list of names, or of objects
    /// with an `action`.
    fn legal(&self, legal: &Value) -> Result<Option<Vec<Action>>, String> {
        if legal.is_null() {
            return Ok(None);
        }
        let count = self.game.description().actions.len();
        let wrong = || {
            format!(
                "`legal` is {}, and must be a mask of {count} booleans, or a list of actions by name",
                excerpt(legal)
            )
        };
        let list = legal.as_array().ok_or_else(wrong)?;
        let mut actions = Vec::new();
        for (index, entry) in list.iter().enumerate() {
            let is_legal = match entry.as_f64() {
                Some(0.0) => Some(false),
                Some(1.0) => Some(true),
                _ => entry.as_bool(),
            };
            match (entry, is_legal) {
                (Value::String(_), _) => actions.push(self.action(entry)?),
                (Value::Object(_), _) => actions.push(self.action(&entry["action"])?),
                (_, Some(is_legal)) if list.len() == count => {
                    actions.extend(is_legal.then(|| self.action(&json!(index))).transpose()?);
                }
                _ => return Err(wrong()),
            }
        }
        actions.sort_by_key(|action| action.0);
        Ok(Some(actions))
    }

    /// Reads a position: the text of the game, or the cells, in rows or in one list.
    fn position(&self, position: &Value) -> Result<State, String> {
        let game = &self.game;
        let no_position = |why: String| format!("{} is no position: {why}", excerpt(position));
        if let Some(text) = position.as_str() {
            return read_position(game, text).map_err(|error| no_position(error.to_string()));
        }
        let Some(list) = position.as_array() else {
            return Err(no_position("neither text nor cells".into()));
        };
        let Some(board) = &game.description().geometry else {
            return Err(no_position("the game has no board, write it as text".into()));
        };
        let cells = cells_of(list);
        let is_in_rows =
            list.iter().all(|row| row.as_array().is_none_or(|row| row.len() == board.cols));
        if cells.len() != board.cells() || !is_in_rows {
            let (rows, cols) = (board.rows, board.cols);
            return Err(no_position(format!("the board has {rows} rows of {cols} cells")));
        }
        let mut bits = 0;
        for (cell, &written) in cells.iter().enumerate() {
            let number = written.as_f64().filter(|number| *number >= 0.0 && number.fract() == 0.0);
            let rank = (0..board.values.len() as u8).find(|&rank| match number {
                None => written.is_null() && board.is_stone(rank),
                Some(number) if self.notation.ranks => number == f64::from(rank),
                Some(number) => {
                    number == board.values[usize::from(rank)] as f64 && !board.is_stone(rank)
                }
            });
            let form = if self.notation.ranks { "rank" } else { "tile" };
            let rank = rank.ok_or_else(|| no_position(format!("{written} is no {form}")))?;
            bits = board.with_rank(bits, cell, rank);
        }
        let state = State::from_bits(bits);
        match game.parse(&game.write(state)) {
            Ok(read) if read == state => Ok(state),
            _ => Err(no_position(format!(
                "the cells are not all of it, write it as text, like `{}`",
                game.write(game.start(1))
            ))),
        }
    }
}

/// Returns the cells of a list of rows, or of cells.
fn cells_of(list: &[Value]) -> Vec<&Value> {
    let cells = |row| Value::as_array(row).map_or(std::slice::from_ref(row), Vec::as_slice);
    list.iter().flat_map(cells).collect()
}

/// Returns the position of this name, as text or as cells; null without one.
fn position_in<'a>(object: &'a Value, name: &str) -> &'a Value {
    let position = &object[name];
    if position.is_null() { &object["cells"] } else { position }
}

fn object(line: &str) -> Result<Value, String> {
    match serde_json::from_str(line) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err(format!("`{}` is no JSON object", shortened(line.trim(), 80))),
        Err(error) => Err(format!("`{}` is no JSON object: {error}", shortened(line.trim(), 80))),
    }
}

fn excerpt(value: &Value) -> String {
    shortened(&value.to_string(), 120)
}

#[cfg(test)]
mod tests {
    use super::*;
    use game_1024::Game1024;
    use game_2048::Game2048;
    use game_threes::Threes;

    fn reader(notation: Notation) -> Reader<Game2048> {
        Reader::new(Game2048::new(Default::default()).unwrap(), notation).unwrap()
    }

    #[test]
    fn positions_are_read_from_rows_lists_ranks_and_text() {
        let rows = json!([[0, 2, 0, 0], [0, 0, 0, 0], [0, 0, 4.0, 0], [0, 0, 0, 1024]]);
        let list = json!([0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 1024]);
        let text = json!("0,2,0,0/0,0,0,0/0,0,4,0/0,0,0,1024");
        let by_value = reader(Notation::default());
        let state = by_value.position(&rows).unwrap();
        assert_eq!([&list, &text].map(|form| by_value.position(form)), [Ok(state), Ok(state)]);
        let by_rank = reader(Notation { ranks: true, ..Notation::default() });
        let ranks = json!([0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 10]);
        assert_eq!(by_rank.position(&ranks), Ok(state));
        let config = game_1024::Config { rows: 2, cols: 2, blocked: vec![0], ..Default::default() };
        let stones = Reader::new(Game1024::new(config).unwrap(), Notation::default()).unwrap();
        assert_eq!(
            stones.position(&json!([[null, 0], [1, 2]])),
            stones.position(&json!("#,0/1,2"))
        );
        let error = stones.position(&json!([[0, null], [1, 2]])).unwrap_err();
        assert!(error.contains("write it as text"), "{error}");
    }

    #[test]
    fn what_is_no_transition_is_refused_by_name() {
        let row = "[0,0,0,0]";
        let board = format!("[[2,2,0,0],{row},{row},{row}]");
        let line = |state: &str, rest: &str| {
            let line = format!("{{\"state\": {state}, {rest}}}");
            reader(Notation::default()).transition(&line).err().unwrap_or_else(|| panic!("{line}"))
        };
        let next = format!("\"next\": {board}");
        let cases = [
            (line("[[2]]", ""), "no JSON object"),
            (line("[[2]]", &format!("\"action\": 0, {next}")), "4 rows of 4 cells"),
            (line(&board.replace("2,2", "2,3"), &format!("\"action\": 0, {next}")), "3 is no tile"),
            (
                line(&board.replace("2,2", "2,-2"), &format!("\"action\": 0, {next}")),
                "-2 is no tile",
            ),
            (line("7", &format!("\"action\": 0, {next}")), "neither text nor cells"),
            (line("\"2,2\"", &format!("\"action\": 0, {next}")), "is no position"),
            (line(&board, "\"action\": 0"), "`next`, the position"),
            (line(&board, &next), "`action`"),
            (line(&board, &format!("\"action\": 4, {next}")), "up, right, down, left"),
            (line(&board, &format!("\"action\": 0, {next}, \"reward\": \"inf\"")), "finite number"),
            (line(&board, &format!("\"action\": 0, {next}, \"reward\": NaN")), "no JSON object"),
            (line(&board, &format!("\"action\": 0, {next}, \"terminal\": 1")), "true or false"),
            (line(&board, &format!("\"action\": 0, {next}, \"legal\": [0, 1]")), "mask of 4"),
            (line(&board, &format!("\"action\": 0, {next}, \"legal\": [0, 1, 2, 3]")), "mask of 4"),
        ];
        for (error, says) in cases {
            assert!(error.contains(says), "{error}, not {says}");
        }
    }

    #[test]
    fn actions_are_numbered_in_the_order_of_the_implementation() {
        let order = ["up", "down", "left", "right"].map(str::to_owned).to_vec();
        let game = reader(Notation { actions: order.clone(), ..Notation::default() });
        assert_eq!(game.action(&json!(2)), Ok(Action(3)));
        assert_eq!(game.action(&json!("right")), Ok(Action(1)));
        let masks = [json!([true, false, true, false]), json!([1, 0, 1, 0.0])];
        for legal in masks
            .into_iter()
            .chain([json!(["left", "up"]), json!([{"action": "up"}, {"action": 2}])])
        {
            assert_eq!(game.legal(&legal), Ok(Some(vec![Action(0), Action(3)])), "{legal}");
        }
        let game = Game2048::new(Default::default()).unwrap();
        let doubled =
            Notation { actions: [&order[..3], &order[..1]].concat(), ..Notation::default() };
        assert!(Reader::new(game, doubled).is_err_and(|error| error.contains("each of up, right")));
    }

    #[test]
    fn positions_that_are_more_than_cells_are_asked_for_as_text() {
        let reader =
            Reader::new(Threes::new(Default::default()).unwrap(), Notation::default()).unwrap();
        let error =
            reader.position(&json!([[1, 2, 3, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]));
        let error = error.unwrap_err();
        assert!(error.contains("write it as text, like `") && error.contains("bag="), "{error}");
    }
}
