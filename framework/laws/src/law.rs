//! The laws, and the report of a violation.

use runner_core::{Game, State, catch};
use std::fmt;

/// A law of games.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Law {
    /// 1: `outcomes` and `starts` are probability distributions: distinct states, positive
    /// finite probabilities that sum to 1, and no more outcomes than declared.
    Outcomes = 1,
    /// 2: `spawn` and `start` are functions of their random word whose distributions are
    /// `outcomes` and `starts`.
    Spawn,
    /// 3: `successors` lists each legal action once, in order, with a finite reward; each
    /// action changes the position; `successor` agrees with the list.
    Successors,
    /// 4: a state without successors is terminal, and playouts make no move from it.
    Terminal,
    /// 5: the declared symmetries are a group that commutes with actions and chance.
    Symmetry,
    /// 6: the text of a position reads back to it, and an invalid text is rejected with
    /// the place of the error.
    Text,
    /// 7: chance rewards are finite and announced, and redundant descriptions (tiles, layers, row
    /// tables, playouts) agree with the rules.
    Consistency,
    /// 8: on a board, chance puts down as many tiles where few cells are empty as elsewhere:
    /// after a merge on a full board, and in the last empty cell.
    Crowded,
}

/// Displayed as its number, from 1, and its name in lower case.
impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "law {} ({})", *self as u8, format!("{self:?}").to_lowercase())
    }
}

/// A violation of a law.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the game breaks {law}{}: {explanation}",
    position.as_ref().map(|text| format!(" at `{text}`")).unwrap_or_default())]
pub struct Violation {
    /// The law.
    pub law: Law,
    /// Position at which it is broken, as the game writes it; `None` if the violation is
    /// about no position in particular.
    pub position: Option<String>,
    /// The difference between the game's behaviour and the correct behaviour.
    pub explanation: String,
}

/// Runs a check of one position. Its error, or a panic of the game, becomes a violation of
/// the law at that position.
pub fn check_state<G: Game, T>(
    law: Law,
    game: &G,
    state: State,
    check: impl FnOnce() -> Result<T, String>,
) -> Result<T, Violation> {
    check_game(law, check).map_err(|violation| {
        // Writing the position may panic too.
        let text = catch(|| game.write(state)).unwrap_or_else(|_| format!("{state:?}"));
        Violation { position: Some(text), ..violation }
    })
}

/// Runs a check that is about no position in particular. Its error, or a panic of the
/// game, becomes a violation of the law.
pub fn check_game<T>(law: Law, check: impl FnOnce() -> Result<T, String>) -> Result<T, Violation> {
    let explanation = match catch(check) {
        Ok(Ok(found)) => return Ok(found),
        Ok(Err(explanation)) => explanation,
        Err(fault) => fault.to_string(),
    };
    Err(Violation { law, position: None, explanation })
}

/// Returns the explanation as an error unless the condition holds.
pub fn ensure(condition: bool, explanation: impl FnOnce() -> String) -> Result<(), String> {
    if condition { Ok(()) } else { Err(explanation()) }
}

/// Refuses a negative reward of a game whose description says that none is.
pub fn check_sign<G: Game>(
    game: &G,
    reward: f32,
    name: impl FnOnce() -> String,
) -> Result<(), String> {
    let is_allowed = reward >= 0.0 || !game.description().rewards_never_negative;
    ensure(is_allowed, || format!("the {} is {reward}, and rewards_never_negative is true", name()))
}
