//! The questions of the protocol, asked of a program that is started when one is needed.

use crate::answer::{self, parse, refused};
use runner_core::{Analysis, Description, Fault, Game, State, Turn, locked};
use runner_protocol::{
    ANSWER_EXCERPT, Hello, LegalAction, PositionMessage, Program, ProgramError, VERSION, excerpt,
    legal_actions,
};
use serde::Serialize;
use serde_json::Value;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// A program that fails to start this many times in a row is not started again.
const STARTS: u32 = 3;
/// When an error occurred, for messages.
const BEGIN: &str = "at the start of a game";

/// How the program is started, and how long it may take.
#[derive(Debug)]
pub struct Setup {
    pub command: Vec<String>,
    /// Time limit for an action.
    pub time: Duration,
    /// Time limit for the answers to `hello` and `begin`.
    pub start: Duration,
    /// The line of `hello`.
    pub hello: Vec<u8>,
    pub failed_starts: FailedStarts,
}

/// The number of times in a row that a program has failed to start. Starts that fail at the same
/// time, as on several threads of a busy machine, count once.
#[derive(Debug, Default)]
pub struct FailedStarts(Mutex<InARow>);

#[derive(Debug, Default)]
struct InARow {
    count: u32,
    last: Option<Instant>,
    /// Why the last of them failed.
    reason: String,
}

impl FailedStarts {
    /// Returns why the program does not start, if it has failed often enough.
    fn reason(&self) -> Option<String> {
        let failed = self.locked();
        (failed.count >= STARTS).then(|| failed.reason.clone())
    }

    fn succeeded(&self) {
        *self.locked() = InARow::default();
    }

    /// Counts a start, unless it began before the last failure.
    fn failed(&self, began: Instant, reason: &str) {
        let mut failed = self.locked();
        if failed.last.is_none_or(|last| began >= last) {
            failed.count += 1;
            (failed.last, failed.reason) = (Some(Instant::now()), reason.to_owned());
        }
    }

    fn locked(&self) -> MutexGuard<'_, InARow> {
        locked(&self.0)
    }
}

impl Setup {
    pub fn hello(game_spec: &str, game: &Description, time: Duration) -> Vec<u8> {
        line(&Hello::new(game_spec, game).with_move_seconds(time.as_secs_f64()))
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Message {
    Begin {
        #[serde(flatten)]
        position: PositionMessage,
    },
    Turn {
        #[serde(flatten)]
        position: PositionMessage,
        /// Random bits for the decision. A number of JSON has 53 of them.
        random: u64,
        legal: Vec<LegalAction>,
    },
    End {
        #[serde(flatten)]
        position: PositionMessage,
    },
}

/// A dialog with a program. A fault ends the program, and the next game starts it again.
pub struct Dialog {
    setup: Arc<Setup>,
    program: Option<Program>,
    /// Number of turns of the game under way.
    turns: u64,
}

/// The clone starts another program.
impl Clone for Dialog {
    fn clone(&self) -> Self {
        Self::new(self.setup.clone())
    }
}

impl Dialog {
    /// Creates a dialog whose program is not started yet.
    pub fn new(setup: Arc<Setup>) -> Self {
        Self { setup, program: None, turns: 0 }
    }

    /// Announces a game, and starts the program if it does not run.
    pub fn begin<G: Game>(&mut self, game: &G, start: State) -> Result<(), Fault> {
        self.turns = 0;
        let begin = line(&Message::Begin { position: PositionMessage::new(game, start) });
        if self.program.is_some() {
            match self.announce(&begin) {
                // A program may end after a game, and is started again.
                Err(ProgramError::Ended { .. } | ProgramError::Closed) => self.program = None,
                announced => return announced.map_err(|error| self.fault_of(BEGIN, &error)),
            }
        }
        if let Some(reason) = self.setup.failed_starts.reason() {
            return Err(self.fault(&format!(
                "did not start {STARTS} times in a row and is not started again: it {reason}"
            )));
        }
        let began = Instant::now();
        let started = self.start().and_then(|()| self.announce(&begin));
        match started {
            Ok(()) => {
                self.setup.failed_starts.succeeded();
                Ok(())
            }
            Err(error) => {
                let reason = self.end_program(BEGIN, &error);
                self.setup.failed_starts.failed(began, &reason);
                Err(self.fault(&reason))
            }
        }
    }

    /// Asks for an analysis, whose action is `None` if the program ends the game.
    pub fn ask_turn<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Result<Analysis, Fault> {
        if self.program.is_none() {
            self.begin(game, turn.state)?;
        }
        self.turns += 1;
        let question = line(&Message::Turn {
            position: PositionMessage::new(game, turn.state),
            random: turn.random >> 11,
            legal: legal_actions(game, turn.successors),
        });
        let time = self.setup.time;
        let answer = self.ask(&question, time);
        let answer = answer.and_then(|answer| answer::read(&answer, game, turn));
        answer.map_err(|error| self.fault_of(&format!("at turn {}", self.turns), &error))
    }

    pub fn end<G: Game>(&mut self, game: &G, last: State) {
        let time = self.setup.time;
        if let Some(program) = &mut self.program {
            program.tell(&line(&Message::End { position: PositionMessage::new(game, last) }), time);
        }
    }

    fn start(&mut self) -> Result<(), ProgramError> {
        self.program = Some(Program::start(&self.setup.command)?);
        let (setup, start) = (self.setup.clone(), self.setup.start);
        let answer = self.ask(&setup.hello, start)?;
        let message = ready(&answer)?;
        match message.get("protocol").and_then(Value::as_u64) {
            Some(version) if version == u64::from(VERSION) => Ok(()),
            _ => Err(refused(&answer, &format!("`protocol` must be {VERSION}"))),
        }
    }

    fn announce(&mut self, begin: &[u8]) -> Result<(), ProgramError> {
        let answer = self.ask(begin, self.setup.start)?;
        ready(&answer).map(drop)
    }

    fn ask(&mut self, question: &[u8], limit: Duration) -> Result<Vec<u8>, ProgramError> {
        match &mut self.program {
            Some(program) => program.ask(question, limit),
            None => Err(ProgramError::Closed),
        }
    }

    /// Ends the program after an error, and returns the fault of its game.
    fn fault_of(&mut self, when: &str, error: &ProgramError) -> Fault {
        let message = self.end_program(when, error);
        self.fault(&message)
    }

    /// Ends the program after an error, and returns the message with the last lines of its standard
    /// error.
    fn end_program(&mut self, when: &str, error: &ProgramError) -> String {
        let last_errors = self.program.take().map(Program::end).unwrap_or_default();
        let mut message = format!("{error}, {when}");
        if !last_errors.is_empty() {
            message += &format!("; its standard error ends with: {last_errors}");
        }
        message
    }

    fn fault(&self, message: &str) -> Fault {
        let command = excerpt(self.setup.command.join(" ").as_bytes(), ANSWER_EXCERPT);
        Fault::new(format!("agent `process`: `{command}` {message}"))
    }
}

fn line(message: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(message).expect("messages have string keys");
    line.push(b'\n');
    line
}

fn ready(answer: &[u8]) -> Result<Value, ProgramError> {
    let message = parse(answer)?;
    match message.get("type").and_then(Value::as_str) {
        Some("ready") => Ok(message),
        _ => Err(refused(answer, "expected {\"type\": \"ready\"}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_that_fail_together_count_once() {
        let failed = FailedStarts::default();
        let began = Instant::now();
        (0..STARTS).for_each(|_| failed.failed(began, "was slow"));
        assert_eq!(failed.reason(), None);
        (1..STARTS).for_each(|_| failed.failed(Instant::now(), "was late"));
        assert_eq!(failed.reason().as_deref(), Some("was late"));
        failed.succeeded();
        // The failures before a success count no more.
        (1..STARTS).for_each(|_| failed.failed(Instant::now(), "was late"));
        assert_eq!(failed.reason(), None);
    }
}
