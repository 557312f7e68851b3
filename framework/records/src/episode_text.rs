//! Games as text, one a line, in the format that university courses judge programs by (the
//! statistics of 2048-Framework):
//!
//! ```text
//! greedy:2048@0|0111#L[4]32#D41|2048@0
//! ```
//!
//! A line has three parts between bars. The first and the last each hold a name and a time in
//! milliseconds. Between them are the moves: `PT` is chance that places a tile at the position P, a
//! hexadecimal digit that counts cells row by row, with the rank T, 1 to 9 or a letter from A for 10.
//! `#D` is an action, D one of `U`, `R`, `D` and `L`. A reward in brackets and a time in parentheses
//! may follow; a missing one is 0. Recorded games hold no times: none are written, and those that
//! are read are dropped.

use super::replay::replay;
use super::{GameRecord, ReplayError};
use runner_core::board::Geometry;
use runner_core::{Action, Game, Outcomes, State, Successors, TextError};
use std::fmt::Write;

/// The digits of ranks, and the first sixteen of them those of positions.
const DIGITS: &[u8; 36] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
/// The letters of the actions up, right, down and left.
const LETTERS: &[u8; 4] = b"URDL";
/// The names of these actions.
const ACTIONS: [&str; 4] = ["up", "right", "down", "left"];

/// Writes and reads the games of one set of rules as text.
pub struct EpisodeText<'a, G> {
    game: &'a G,
    board: &'a Geometry,
}

impl<'a, G: Game> EpisodeText<'a, G> {
    /// Refuses games whose positions the format cannot express.
    pub fn new(game: &'a G) -> Result<Self, String> {
        let description = game.description();
        let refuse =
            |reason: &str| Err(format!("the text of episodes cannot express this game: {reason}"));
        let Some(board) = &description.geometry else {
            return refuse("it has no board");
        };
        if description.actions != ACTIONS {
            return refuse("its actions are not up, right, down and left");
        }
        if board.cells() > 16 || board.values.len() > DIGITS.len() {
            return refuse("it has more than 16 cells or 35 tiles");
        }
        if !board.extra_fields.is_empty() || game.has_chance_rewards() {
            return refuse("its positions hold more than tiles, or chance has rewards");
        }
        Ok(Self { game, board })
    }

    /// Returns a game as a line without its end. The names must contain neither `@` nor `|`.
    pub fn write(
        &self,
        record: &GameRecord,
        first: &str,
        last: &str,
    ) -> Result<String, ReplayError> {
        let mut line = format!("{first}@0|");
        for cell in 0..self.board.cells() {
            let rank = self.board.rank(record.start.bits(), cell);
            if rank > 0 {
                place(&mut line, cell, rank);
            }
        }
        for step in replay(self.game, record) {
            let step = step?;
            line.push('#');
            line.push(LETTERS[step.action.index()].into());
            if step.reward != 0.0 {
                // Rewards of tiles are whole numbers.
                let _ = write!(line, "[{}]", step.reward);
            }
            let (before, after) = (step.afterstate.bits(), step.next.bits());
            for cell in 0..self.board.cells() {
                let rank = self.board.rank(after, cell);
                if rank != self.board.rank(before, cell) {
                    place(&mut line, cell, rank);
                }
            }
        }
        let _ = write!(line, "|{last}@0");
        Ok(line)
    }

    /// Reads a line as game `number`, and checks it against the rules.
    pub fn read(&self, line: &str, number: u64) -> Result<GameRecord, TextError> {
        let mut text = Text { bytes: line.as_bytes(), at: 0 };
        text.name_and_time()?;
        text.expect(b'|')?;
        let start = self.read_start(&mut text)?;
        let mut record = GameRecord::new(number, start, 0.0, false);
        let mut at = Position {
            state: start,
            successors: Successors::new(),
            outcomes: Outcomes::with_capacity(self.game.description().max_outcomes),
        };
        while text.peek() == Some(b'#') {
            self.read_move(&mut text, &mut at, &mut record)?;
        }
        let end = text.at;
        text.expect(b'|')?;
        text.name_and_time()?;
        if text.peek().is_some() {
            return Err(text.wrong("the line must end here"));
        }
        self.game.successors(at.state, &mut at.successors);
        record.finished = at.successors.is_empty();
        let verified = replay(self.game, &record).verify();
        verified.map_err(|error| TextError::new(end, error.to_string()))?;
        Ok(record)
    }

    /// Reads the tiles before the first action.
    fn read_start(&self, text: &mut Text<'_>) -> Result<State, TextError> {
        let mut bits = 0;
        while !matches!(text.peek(), Some(b'#' | b'|') | None) {
            let at = text.at;
            let (cell, rank) = self.read_place(text)?;
            if self.board.rank(bits, cell) != 0 {
                return Err(TextError::new(at, "two tiles are placed on one cell"));
            }
            bits = self.board.with_rank(bits, cell, rank);
        }
        Ok(State::from_bits(bits))
    }

    /// Reads a tile: its position and rank, and what may follow.
    fn read_place(&self, text: &mut Text<'_>) -> Result<(usize, u8), TextError> {
        let at = text.at;
        let cell = text.digit("a position, 0 to F")?;
        let rank = text.digit("the rank of a tile, 1 to 9 or a letter")?;
        if cell >= self.board.cells() || rank == 0 || rank >= self.board.values.len() {
            let message = "this cell or this tile is not on the board";
            return Err(TextError::new(at, message));
        }
        if text.number(b'[', b']')?.is_some_and(|reward| reward != 0) {
            return Err(text.wrong("chance has no reward"));
        }
        text.number(b'(', b')')?;
        Ok((cell, rank as u8))
    }

    /// Reads an action and the tile that follows it.
    fn read_move(
        &self,
        text: &mut Text<'_>,
        position: &mut Position,
        record: &mut GameRecord,
    ) -> Result<(), TextError> {
        let at = text.at;
        text.expect(b'#')?;
        let letter = LETTERS.iter().position(|&letter| text.peek() == Some(letter));
        let Some(index) = letter else {
            return Err(text.wrong("an action is one of U, R, D and L"));
        };
        text.at += 1;
        let action = Action(index as u8);
        self.game.successors(position.state, &mut position.successors);
        let Some(chosen) = position.successors.of(action).copied() else {
            let state = self.game.write(position.state);
            let message = format!("`{}` is not legal in {state}", ACTIONS[index]);
            return Err(TextError::new(at, message));
        };
        let reward_at = text.at;
        let reward = text.number(b'[', b']')?.unwrap_or(0);
        if reward as f64 != f64::from(chosen.reward) {
            let message = format!("the reward is {reward}, and the rules give {}", chosen.reward);
            return Err(TextError::new(reward_at, message));
        }
        text.number(b'(', b')')?;
        let tile_at = text.at;
        let (cell, rank) = self.read_place(text)?;
        let before = chosen.afterstate.bits();
        let next = State::from_bits(self.board.with_rank(before, cell, rank));
        self.game.outcomes(chosen.afterstate, &mut position.outcomes);
        let outcome = position.outcomes.iter().position(|outcome| outcome.state == next);
        let (0, Some(outcome)) = (self.board.rank(before, cell), outcome) else {
            let afterstate = self.game.write_afterstate(chosen.afterstate);
            let message = format!("chance cannot place this tile on {afterstate}");
            return Err(TextError::new(tile_at, message));
        };
        record.push(outcome as u64 * ACTIONS.len() as u64 + index as u64);
        record.score += f64::from(chosen.reward);
        position.state = next;
        Ok(())
    }
}

/// A position of a game that is read, and buffers for its rules.
struct Position {
    state: State,
    successors: Successors,
    outcomes: Outcomes,
}

/// Writes a tile on a cell.
fn place(line: &mut String, cell: usize, rank: u8) {
    line.push(DIGITS[cell].into());
    line.push(DIGITS[usize::from(rank)].into());
}

/// A line, and the offset of the next byte.
struct Text<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Text<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn wrong(&self, message: &str) -> TextError {
        TextError::new(self.at, message)
    }

    fn expect(&mut self, byte: u8) -> Result<(), TextError> {
        match self.peek() == Some(byte) {
            true => self.at += 1,
            false => return Err(self.wrong(&format!("expected `{}`", char::from(byte)))),
        }
        Ok(())
    }

    /// Reads a name, and after `@` a time.
    fn name_and_time(&mut self) -> Result<(), TextError> {
        let name = self.bytes[self.at..].iter().take_while(|byte| !b"@|".contains(byte));
        self.at += name.count();
        self.expect(b'@')?;
        self.digits().map(drop)
    }

    /// Reads a number between brackets, if they are there.
    fn number(&mut self, open: u8, close: u8) -> Result<Option<u64>, TextError> {
        if self.peek() != Some(open) {
            return Ok(None);
        }
        self.at += 1;
        let number = self.digits()?;
        self.expect(close)?;
        Ok(Some(number))
    }

    fn digits(&mut self) -> Result<u64, TextError> {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = str::from_utf8(&rest[..length]).ok().and_then(|digits| digits.parse().ok());
        let number = number.ok_or_else(|| self.wrong("expected a number of at most 19 digits"))?;
        self.at += length;
        Ok(number)
    }

    /// Reads a digit of base 36.
    fn digit(&mut self, what: &str) -> Result<usize, TextError> {
        let digit = self.peek().and_then(|byte| DIGITS.iter().position(|&digit| digit == byte));
        let digit = digit.ok_or_else(|| self.wrong(&format!("expected {what}")))?;
        self.at += 1;
        Ok(digit)
    }
}
