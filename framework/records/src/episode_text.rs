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
//!
//! In games that announce the next tile, such as Threes, a placement is `PTN`: N is the rank of the
//! tile that is announced after it, or the number after the announced ranks for a bonus. A recorded
//! game does not hold the order of its first tiles: they are written in one that a bag allows.
//!
//! `text` holds a line that is read, `announced` the announced tiles.

mod announced;
mod text;

use super::replay::replay;
use super::{GameRecord, ReplayError};
use announced::Announced;
use runner_core::geometry::Geometry;
use runner_core::{Action, Game, Outcomes, State, Successors, TextError};
use std::fmt::Write;
use text::{DIGITS, Text};

/// The letters of the actions up, right, down and left.
const LETTERS: &[u8; 4] = b"URDL";
/// The names of these actions.
const ACTIONS: [&str; 4] = ["up", "right", "down", "left"];

/// Writes and reads the games of one set of rules as text.
pub struct EpisodeText<'a, G> {
    game: &'a G,
    board: &'a Geometry,
    announced: Option<Announced<'a>>,
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
        let announced = match board.extra_fields.as_slice() {
            [] => None,
            [field] if field.name == "next" && field.bits <= 4 => {
                Some(Announced::new(board, field))
            }
            _ => return refuse("its positions hold more than tiles and the next tile"),
        };
        Ok(Self { game, board, announced })
    }

    /// Returns a game as a line without its end. The names must contain neither `@` nor `|`.
    pub fn write(
        &self,
        record: &GameRecord,
        first: &str,
        last: &str,
    ) -> Result<String, ReplayError> {
        let mut line = format!("{first}@0|");
        self.write_start(&mut line, record.start);
        for step in replay(self.game, record) {
            let step = step?;
            line.push('#');
            line.push(LETTERS[step.action.index()].into());
            write_reward(&mut line, step.reward);
            let (before, after) = (step.afterstate.bits(), step.next.bits());
            for cell in 0..self.board.cells() {
                let rank = self.board.rank(after, cell);
                if rank != self.board.rank(before, cell) {
                    place(&mut line, cell, rank);
                    if let Some(announced) = &self.announced {
                        line.push(digit(announced.of(after)));
                    }
                    write_reward(&mut line, step.chance_reward);
                }
            }
        }
        let _ = write!(line, "|{last}@0");
        Ok(line)
    }

    /// Appends the tiles of the first position.
    fn write_start(&self, line: &mut String, start: State) {
        let rank = |cell| (cell, self.board.rank(start.bits(), cell));
        let mut tiles: Vec<_> =
            (0..self.board.cells()).map(rank).filter(|&(_, rank)| rank > 0).collect();
        if self.announced.is_some() {
            announced::order_as_drawn(&mut tiles);
        }
        let mut placed = 0;
        for (index, &(cell, rank)) in tiles.iter().enumerate() {
            place(line, cell, rank);
            if let Some(announced) = &self.announced {
                let next = tiles.get(index + 1).map(|&(_, rank)| usize::from(rank));
                line.push(digit(next.unwrap_or_else(|| announced.of(start.bits()))));
            }
            write_reward(line, self.reward_at_start(&mut placed, cell, rank));
        }
    }

    /// Places a tile of the first position, and returns its reward.
    fn reward_at_start(&self, placed: &mut u128, cell: usize, rank: u8) -> f32 {
        let before = *placed;
        *placed = self.board.with_rank(before, cell, rank);
        let [before, after] =
            [before, *placed].map(|tiles| self.game.chance_reward(None, State::from_bits(tiles)));
        after - before
    }

    /// Reads a line as game `number`, and checks it against the rules.
    pub fn read(&self, line: &str, number: u64) -> Result<GameRecord, TextError> {
        let mut text = Text::new(line);
        text.name_and_time()?;
        text.expect(b'|')?;
        let (start, score) = self.read_start(&mut text)?;
        let mut record = GameRecord::new(number, start, score, false);
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

    /// Reads the tiles before the first action. Returns the position and its score.
    fn read_start(&self, text: &mut Text<'_>) -> Result<(State, f64), TextError> {
        let (mut tiles, mut score) = (0, 0.0);
        let mut next = None;
        while !matches!(text.peek(), Some(b'#' | b'|') | None) {
            let at = text.at;
            let tile = self.read_place(text)?;
            if self.board.rank(tiles, tile.cell) != 0 {
                return Err(TextError::new(at, "two tiles are placed on one cell"));
            }
            if next.is_some_and(|next| next != usize::from(tile.rank)) {
                return Err(TextError::new(at, "another tile was announced"));
            }
            let reward = self.reward_at_start(&mut tiles, tile.cell, tile.rank);
            tile.check_reward(reward)?;
            score += f64::from(reward);
            next = tile.next;
        }
        match (&self.announced, next) {
            (Some(announced), Some(next)) => {
                let start = announced.start(self.game, tiles, next);
                let start = start.ok_or_else(|| text.wrong("no game starts with these tiles"))?;
                Ok((start, score))
            }
            (Some(_), None) => Err(text.wrong("no game starts without a tile")),
            (None, _) => Ok((State::from_bits(tiles), score)),
        }
    }

    /// Reads a tile: its position and rank, and what may follow.
    fn read_place(&self, text: &mut Text<'_>) -> Result<Placed, TextError> {
        let at = text.at;
        let cell = text.digit("a position, 0 to F")?;
        let rank = text.digit("the rank of a tile, 1 to 9 or a letter")?;
        if cell >= self.board.cells() || rank == 0 || rank >= self.board.values.len() {
            let message = "this cell or this tile is not on the board";
            return Err(TextError::new(at, message));
        }
        let mut next = None;
        if let Some(announced) = &self.announced {
            let at = text.at;
            let digit = text.digit("the next tile")?;
            if !announced.range().contains(&digit) {
                return Err(TextError::new(at, "this tile is never announced"));
            }
            next = Some(digit);
        }
        let reward_at = text.at;
        let reward = text.number(b'[', b']')?.unwrap_or(0);
        text.number(b'(', b')')?;
        Ok(Placed { cell, rank: rank as u8, next, reward, reward_at })
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
        check_reward(reward, chosen.reward, reward_at)?;
        text.number(b'(', b')')?;
        let tile_at = text.at;
        let tile = self.read_place(text)?;
        let before = chosen.afterstate.bits();
        let (mut mask, mut next) =
            (self.board.cell_bits(), self.board.with_rank(before, tile.cell, tile.rank));
        if let (Some(announced), Some(tile)) = (&self.announced, tile.next) {
            mask |= announced.mask();
            next = announced.with(next, tile);
        }
        self.game.outcomes(chosen.afterstate, &mut position.outcomes);
        let is_next = |state: State| (state.bits() ^ next) & mask == 0;
        let outcome = position.outcomes.iter().position(|outcome| is_next(outcome.state));
        let (0, Some(outcome)) = (self.board.rank(before, tile.cell), outcome) else {
            let afterstate = self.game.write_afterstate(chosen.afterstate);
            let message = format!("chance cannot place this tile on {afterstate}");
            return Err(TextError::new(tile_at, message));
        };
        let next = position.outcomes[outcome].state;
        let chance_reward = self.game.chance_reward(Some(chosen.afterstate), next);
        tile.check_reward(chance_reward)?;
        record.push(outcome as u64 * ACTIONS.len() as u64 + index as u64);
        record.score += f64::from(chosen.reward);
        record.score += f64::from(chance_reward);
        position.state = next;
        Ok(())
    }
}

struct Placed {
    cell: usize,
    rank: u8,
    /// The tile that is announced after it.
    next: Option<usize>,
    reward: u64,
    /// Offset of the reward.
    reward_at: usize,
}

impl Placed {
    /// Refuses another reward than that of the rules.
    fn check_reward(&self, expected: f32) -> Result<(), TextError> {
        check_reward(self.reward, expected, self.reward_at)
    }
}

/// Refuses a reward, read at this offset, that is not that of the rules.
fn check_reward(reward: u64, expected: f32, at: usize) -> Result<(), TextError> {
    match reward as f64 == f64::from(expected) {
        true => Ok(()),
        false => {
            let message = format!("the reward is {reward}, and the rules give {expected}");
            Err(TextError::new(at, message))
        }
    }
}

/// A position of a game that is read, and buffers for its rules.
struct Position {
    state: State,
    successors: Successors,
    outcomes: Outcomes,
}

fn place(line: &mut String, cell: usize, rank: u8) {
    line.push(digit(cell));
    line.push(digit(rank.into()));
}

/// Appends a reward, unless it is 0.
fn write_reward(line: &mut String, reward: f32) {
    if reward != 0.0 {
        // Rewards of tiles are whole numbers.
        let _ = write!(line, "[{reward}]");
    }
}

fn digit(number: usize) -> char {
    DIGITS[number].into()
}
