//! Reads the answer of a program: an action by its name or its index.

use crate::shortened;
use runner_core::{Action, Description};
use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ActionError {
    #[error("the field `action` is missing: it is the name or the index of an action, or null")]
    Missing,
    #[error("`action` is {0}, and must be the name or the index of an action, or null")]
    Type(String),
    #[error("the game has no action {given}; its actions are {allowed}")]
    Unknown { given: String, allowed: String },
}

/// Returns the action that a message names in its field `action`; `None` for null.
pub fn read_action(message: &Value, game: &Description) -> Result<Option<Action>, ActionError> {
    let given = message.get("action").ok_or(ActionError::Missing)?;
    let index = match given {
        Value::Null => return Ok(None),
        Value::String(name) => game.actions.iter().position(|action| action == name),
        Value::Number(number) => number
            .as_u64()
            .and_then(|index| usize::try_from(index).ok())
            .filter(|&index| index < game.actions.len()),
        other => return Err(ActionError::Type(excerpt(other))),
    };
    match index.and_then(|index| u8::try_from(index).ok()) {
        Some(index) => Ok(Some(Action(index))),
        None => {
            Err(ActionError::Unknown { given: excerpt(given), allowed: game.actions.join(", ") })
        }
    }
}

/// Returns the beginning of a JSON value, for a message.
fn excerpt(value: &Value) -> String {
    shortened(&value.to_string(), 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use game_2048::Game2048;
    use runner_core::Game;
    use serde_json::json;

    #[test]
    fn actions_are_read_by_name_and_by_index() {
        let game = Game2048::new(Default::default()).unwrap();
        let read = |message: Value| read_action(&message, game.description());
        for (index, name) in game.description().actions.iter().enumerate() {
            let expected = Ok(Some(Action(index as u8)));
            assert_eq!(read(json!({ "action": name })), expected);
            assert_eq!(read(json!({ "action": index, "note": "unused" })), expected);
        }
        assert_eq!(read(json!({ "action": null })), Ok(None));
    }

    #[test]
    fn other_answers_are_refused_with_what_is_allowed() {
        let game = Game2048::new(Default::default()).unwrap();
        let error = |message| read_action(&message, game.description()).unwrap_err().to_string();
        for unknown in [json!("UP"), json!(4), json!(-1), json!(1.0), json!("x".repeat(1000))] {
            let message = error(json!({ "action": unknown }));
            assert!(message.contains("up, right, down, left"), "{message}");
            assert!(message.len() < 200, "{message}");
        }
        for wrong in [json!([0]), json!({}), json!(true)] {
            assert!(error(json!({ "action": wrong })).contains("name or the index"));
        }
        for missing in [json!({ "move": 1 }), json!("up"), json!([]), json!(null)] {
            assert!(error(missing).contains("`action` is missing"));
        }
    }
}
