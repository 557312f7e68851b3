//! The answer to a turn: an action, and optionally values of actions and a line of text.

use runner_core::{Action, Analysis, Fact, Game, Successor, Turn, ValueScale};
use runner_protocol::{ANSWER_EXCERPT, ProgramError, excerpt, read_action};
use serde_json::Value;

/// Number of characters of a program's line of information that are shown.
const INFORMATION: usize = 200;

/// Reads the answer to a turn. Its values are points to come.
pub fn read<G: Game>(answer: &[u8], game: &G, turn: &Turn<'_>) -> Result<Analysis, ProgramError> {
    let message = parse(answer)?;
    let wrong = |reason: String| refused(answer, &reason);
    let choice =
        read_action(&message, game.description()).map_err(|error| wrong(error.to_string()))?;
    if choice.is_some_and(|action| turn.successors.of(action).is_none()) {
        return Err(wrong(illegal(game, turn)));
    }
    let (mut action_values, mut facts) = (Vec::new(), Vec::new());
    if let Some(values) = message.get("values") {
        action_values = read_values(values, game, turn).map_err(wrong)?;
        facts.push(ValueScale::Points.unit());
    }
    match message.get("info") {
        None => {}
        Some(Value::String(text)) => {
            let text = excerpt(text.as_bytes(), INFORMATION);
            facts.push(("info".to_owned(), Fact::Text(text)));
        }
        Some(_) => return Err(wrong("`info` must be a string".to_owned())),
    }
    Ok(Analysis { choice, action_values, facts })
}

/// Reads numbers by the names of legal actions; `Err` says what is wrong.
fn read_values<G: Game>(
    values: &Value,
    game: &G,
    turn: &Turn<'_>,
) -> Result<Vec<(Action, f32)>, String> {
    let Value::Object(values) = values else {
        return Err(
            "`values` must be an object with numbers by the names of legal actions".to_owned()
        );
    };
    let mut read = Vec::new();
    for successor in turn.successors.iter() {
        let name = game.description().action_name(successor.action);
        let Some(value) = values.get(&name) else { continue };
        let number = value.as_f64().map(|number| number as f32).filter(|it| it.is_finite());
        let Some(number) = number else {
            return Err(format!("`values`: that of `{name}` is no number"));
        };
        read.push((successor.action, number));
    }
    if read.len() < values.len() {
        return Err(format!("`values` names an action that is {}", illegal(game, turn)));
    }
    Ok(read)
}

fn illegal<G: Game>(game: &G, turn: &Turn<'_>) -> String {
    let name = |s: &Successor| game.description().action_name(s.action);
    let legal: Vec<_> = turn.successors.iter().map(name).collect();
    format!("illegal in {}, where the actions are `{}`", game.write(turn.state), legal.join(", "))
}

pub fn parse(answer: &[u8]) -> Result<Value, ProgramError> {
    serde_json::from_slice(answer)
        .map_err(|error| refused(answer, &format!("not a line of JSON: {error}")))
}

pub fn refused(answer: &[u8], reason: &str) -> ProgramError {
    ProgramError::Answer { excerpt: excerpt(answer, ANSWER_EXCERPT), reason: reason.to_owned() }
}
