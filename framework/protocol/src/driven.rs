//! `runner play --stdio`: a program drives a game by requests, one a line.

use crate::{
    ActionError, Hello, LegalAction, MAX_LINE, PositionMessage, legal_actions, read_action,
    shortened,
};
use runner_core::{
    Action, Afterstate, Fault, Game, Random, Seed, State, Successor, Successors, catch,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use std::io::{self, BufRead, Read, Write};

/// Maximum length of a message about a wrong request, in characters.
const LONGEST_MESSAGE: usize = 500;

/// Why a program cannot drive a game any longer.
#[derive(Debug)]
pub enum DriveError {
    Read(io::Error),
    Write(io::Error),
}

/// Answers the requests of a program for the game with this resolved spec, until there are no more.
/// `seed` is that of games whose request names none.
pub fn drive<G: Game>(
    rules: &G,
    spec: &str,
    seed: Seed,
    mut input: impl BufRead,
    mut output: impl Write,
) -> Result<(), DriveError> {
    send(&mut output, &Hello::new(spec, rules.description()))?;
    let mut game = DrivenGame { rules, seed, next: 0, current: None };
    let mut line = Vec::new();
    while read_line(&mut input, &mut line).map_err(DriveError::Read)? {
        match game.answer(&line) {
            Ok(answer) => send(&mut output, &answer)?,
            Err(message) => {
                // It may quote a long request.
                let message = shortened(&message, LONGEST_MESSAGE);
                send(&mut output, &Refusal { message })?;
            }
        }
    }
    Ok(())
}

fn send(output: &mut impl Write, message: &impl Serialize) -> Result<(), DriveError> {
    let mut write = || {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        output.write_all(&line)?;
        output.flush()
    };
    write().map_err(DriveError::Write)
}

/// Reads a line without its end; false at the end of the input. Of a line that is too long only
/// the beginning is kept: one byte more than is allowed.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<bool> {
    line.clear();
    if input.by_ref().take(MAX_LINE as u64 + 1).read_until(b'\n', line)? == 0 {
        return Ok(false);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() > MAX_LINE {
        input.skip_until(b'\n')?;
    }
    Ok(true)
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
enum Request {
    Reset {
        /// Seed of this game and of those that follow.
        seed: Option<u64>,
        /// Number of the game in the run with this seed.
        game: Option<u64>,
        /// Start position; without it one is drawn.
        state: Option<String>,
    },
    Step {
        /// Its name or its index.
        action: Value,
    },
    Show {},
}

#[derive(Clone, Serialize)]
#[serde(tag = "type", rename = "position")]
struct Answer {
    #[serde(flatten)]
    position: PositionMessage,
    legal: Vec<LegalAction>,
    /// Random bits for the decision, as an agent receives them; `None` if the game is over.
    random: Option<u64>,
    /// The rewards since the last position.
    reward: f64,
    /// The rewards since the start.
    score: f64,
    moves: u64,
    max_tile: Option<u64>,
    terminal: bool,
}

#[derive(Serialize)]
#[serde(tag = "type", rename = "error")]
struct Refusal {
    message: String,
}

struct DrivenGame<'a, G> {
    rules: &'a G,
    seed: Seed,
    /// Number of the next game whose request names none.
    next: u64,
    current: Option<Current>,
}

struct Current {
    random: Random,
    state: State,
    successors: Successors,
    answer: Answer,
}

impl<G: Game> DrivenGame<'_, G> {
    /// Answers a line. An error leaves the game as it was, unless it is a fault of the rules.
    fn answer(&mut self, line: &[u8]) -> Result<Answer, String> {
        if line.len() > MAX_LINE {
            return Err(format!("the line is longer than {MAX_LINE} bytes"));
        }
        // An array would be read as the fields in their order.
        if !line.trim_ascii_start().starts_with(b"{") {
            return Err(invalid("a request is a JSON object"));
        }
        let request = serde_json::from_slice(line).map_err(invalid)?;
        match request {
            Request::Reset { seed, game, state } => self.reset(seed, game, state.as_deref()),
            Request::Step { action } => self.step(&action),
            Request::Show {} => match &self.current {
                Some(current) => Ok(current.answer.clone()),
                None => Err(no_game()),
            },
        }
    }

    fn reset(
        &mut self,
        seed: Option<u64>,
        number: Option<u64>,
        state: Option<&str>,
    ) -> Result<Answer, String> {
        let rules = self.rules;
        let (seed, next) = match seed {
            Some(seed) => (Seed(seed), 0),
            None => (self.seed, self.next),
        };
        let number = number.unwrap_or(next);
        let mut random = Random::stream(seed, number);
        let start = match state {
            None => catch(|| rules.start(random.word())).map_err(fault)?,
            Some(text) => match catch(|| rules.parse(text)).map_err(fault)? {
                Ok(state) => state,
                Err(error) => return Err(format!("`state` is no position: {error}")),
            },
        };
        let reward = catch(|| chance_reward(rules, None, start)).map_err(fault)?;
        let sums = Sums { reward, score: reward, moves: 0 };
        let current = catch(|| Current::new(rules, random, start, sums)).map_err(fault)?;
        (self.seed, self.next) = (seed, number.wrapping_add(1));
        Ok(self.current.insert(current).answer.clone())
    }

    fn step(&mut self, action: &Value) -> Result<Answer, String> {
        let rules = self.rules;
        let current = self.current.as_ref().ok_or_else(no_game)?;
        let message = serde_json::json!({ "action": action });
        let action = match read_action(&message, rules.description()) {
            Ok(Some(action)) => action,
            // Null ends a game only as the answer of an agent.
            Ok(None) | Err(ActionError::Type(_)) => {
                return Err(format!(
                    "`action` is {action}, and must be the name or the index of an action"
                ));
            }
            Err(error) => return Err(error.to_string()),
        };
        if current.answer.terminal {
            return Err("the game is over; `reset` starts another".into());
        }
        let Some(chosen) = current.successors.of(action).copied() else {
            return Err(current.illegal(rules, action));
        };
        let before = self.current.take().ok_or_else(no_game)?;
        // After a fault there is no game.
        let current = catch(|| before.after(rules, chosen)).map_err(fault)?;
        Ok(self.current.insert(current).answer.clone())
    }
}

/// The rewards since the last position and since the start, and the moves of a game so far.
struct Sums {
    reward: f64,
    score: f64,
    moves: u64,
}

impl Current {
    /// Draws random words in the order of [`runner_core::play`], so that a program plays the
    /// games of an evaluation with the same seed.
    fn new<G: Game>(rules: &G, mut random: Random, state: State, sums: Sums) -> Self {
        let mut successors = Successors::new();
        rules.successors(state, &mut successors);
        let terminal = successors.is_empty();
        let answer = Answer {
            position: PositionMessage::new(rules, state),
            legal: legal_actions(rules, &successors),
            random: (!terminal).then(|| random.word() >> 11),
            reward: sums.reward,
            score: sums.score,
            moves: sums.moves,
            max_tile: rules.max_tile(state),
            terminal,
        };
        Self { random, state, successors, answer }
    }

    /// Returns the game after a legal action and its chance outcome.
    fn after<G: Game>(mut self, rules: &G, chosen: Successor) -> Self {
        let next = rules.spawn(chosen.afterstate, self.random.word());
        let reward = f64::from(chosen.reward);
        let by_chance = chance_reward(rules, Some(chosen.afterstate), next);
        let sums = Sums {
            reward: reward + by_chance,
            // Added one by one, as an evaluation does.
            score: self.answer.score + reward + by_chance,
            moves: self.answer.moves + 1,
        };
        Self::new(rules, self.random, next, sums)
    }

    fn illegal<G: Game>(&self, rules: &G, action: Action) -> String {
        let legal: Vec<_> = self.answer.legal.iter().map(|legal| legal.action.as_str()).collect();
        format!(
            "`{}` is not legal in {}; legal are {}",
            rules.description().action_name(action),
            rules.write(self.state),
            legal.join(", ")
        )
    }
}

fn chance_reward<G: Game>(rules: &G, from: Option<Afterstate>, to: State) -> f64 {
    if rules.has_chance_rewards() { f64::from(rules.chance_reward(from, to)) } else { 0.0 }
}

fn invalid(why: impl fmt::Display) -> String {
    format!("no valid request: {why}; requests are `reset`, `step` and `show`")
}

fn no_game() -> String {
    "no game has started; `reset` starts one".into()
}

fn fault(fault: Fault) -> String {
    format!("the game failed: {fault}")
}
