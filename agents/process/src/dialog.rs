//! The questions of the protocol, asked of a program that is started when one is needed.

use crate::answer::{self, parse, refused};
use runner_core::{Analysis, Fault, Game, State, Turn, locked};
use runner_protocol::{
    ANSWER_EXCERPT, LegalAction, PositionMessage, Program, ProgramError, VERSION, excerpt,
    legal_actions,
};
use serde::Serialize;
use serde_json::Value;
use std::sync::{Arc, Mutex};
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
        let failed = locked(&self.0);
        (failed.count >= STARTS).then(|| failed.reason.clone())
    }

    fn succeeded(&self) {
        *locked(&self.0) = InARow::default();
    }

    /// Counts a start, unless it began before the last failure.
    fn failed(&self, began: Instant, reason: &str) {
        let mut failed = locked(&self.0);
        if failed.last.is_none_or(|last| began >= last) {
            failed.count += 1;
            (failed.last, failed.reason) = (Some(Instant::now()), reason.to_owned());
        }
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Message {
    Begin(PositionMessage),
    Turn {
        #[serde(flatten)]
        position: PositionMessage,
        /// Random bits for the decision. A number of JSON has 53 of them.
        random: u64,
        legal: Vec<LegalAction>,
    },
    End(PositionMessage),
}

/// The agent `process`: a dialog with a program. A fault ends the program, and the next game starts
/// it again.
pub struct Process {
    setup: Arc<Setup>,
    program: Option<Program>,
    /// Number of turns of the game under way.
    turns: u64,
}

/// The clone starts another program.
impl Clone for Process {
    fn clone(&self) -> Self {
        Self::with_setup(self.setup.clone())
    }
}

impl Process {
    /// Creates an agent whose program is not started yet.
    pub(crate) fn with_setup(setup: Arc<Setup>) -> Self {
        Self { setup, program: None, turns: 0 }
    }

    /// Announces a game, and starts the program if it does not run.
    pub(crate) fn begin_game<G: Game>(&mut self, game: &G, start: State) -> Result<(), Fault> {
        self.turns = 0;
        let begin = line(&Message::Begin(PositionMessage::new(game, start)));
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
        if let Err(error) = self.start().and_then(|()| self.announce(&begin)) {
            let reason = self.end_program(BEGIN, &error);
            self.setup.failed_starts.failed(began, &reason);
            return Err(self.fault(&reason));
        }
        self.setup.failed_starts.succeeded();
        Ok(())
    }

    /// Asks for an analysis, whose action is `None` if the program ends the game.
    pub(crate) fn ask_turn<G: Game>(
        &mut self,
        game: &G,
        turn: &Turn<'_>,
    ) -> Result<Analysis, Fault> {
        if self.program.is_none() {
            self.begin_game(game, turn.state)?;
        }
        self.turns += 1;
        let question = line(&Message::Turn {
            position: PositionMessage::new(game, turn.state),
            random: turn.random >> 11,
            legal: legal_actions(game, turn.successors),
        });
        let answer = self.ask(&question, self.setup.time);
        let analysis = answer.and_then(|answer| answer::read(&answer, game, turn));
        analysis.map_err(|error| self.fault_of(&format!("at turn {}", self.turns), &error))
    }

    pub(crate) fn end_game<G: Game>(&mut self, game: &G, last: State) {
        if let Some(program) = &mut self.program {
            let end = line(&Message::End(PositionMessage::new(game, last)));
            program.tell(&end, self.setup.time);
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

pub fn line(message: &impl Serialize) -> Vec<u8> {
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
