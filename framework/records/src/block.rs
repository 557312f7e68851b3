//! The byte layout of one recorded game.

use crate::metadata::Starts;
use runner_core::{Game, Start, State};
use runner_files::varint::{self, VarintError};

/// Maximum length of a body, enough for a hundred million moves. A larger length in a file is
/// damage.
const MAX_BODY: usize = 1 << 28;

/// Number of bytes of a body before its codes.
const FIXED: usize = 8 + 16 + 8 + 8 + 1;

/// An encoded game, ready to be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block(Vec<u8>);

impl Block {
    /// Returns the bytes: length, body, checksum.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// A game that cannot be encoded, or that violates the rules. Moves are counted from 1.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("game {game}{message}")]
pub struct GameError {
    pub(super) game: u64,
    pub(super) message: String,
}

/// A recorded game, its moves still encoded.
#[derive(Clone, PartialEq, Debug)]
pub struct GameRecord {
    pub number: u64,
    pub start: State,
    /// Score according to the run that recorded it.
    pub score: f64,
    /// Whether the rules ended it, rather than the agent or a limit.
    pub finished: bool,
    pub(super) starts: Starts,
    pub(super) moves: u64,
    pub(super) codes: Vec<u8>,
}

impl GameRecord {
    pub(super) fn new(number: u64, start: State, score: f64, finished: bool) -> Self {
        let starts = Starts::OfRules;
        Self { number, start, score, finished, starts, moves: 0, codes: Vec::new() }
    }

    pub fn moves(&self) -> u64 {
        self.moves
    }

    /// Returns the first position and its score.
    pub fn first<G: Game>(&self, game: &G) -> Start {
        match self.starts {
            Starts::Given => Start { state: self.start, score: 0.0 },
            Starts::OfRules | Starts::Edited => Start::new(game, self.start),
        }
    }

    pub(super) fn push(&mut self, code: u64) {
        varint::push(code.into(), &mut self.codes);
        self.moves += 1;
    }

    /// Returns the code at an offset into the encoded moves, and the offset of the next one;
    /// `None` at the end.
    pub(super) fn code(&self, at: usize) -> Option<(u64, usize)> {
        next_code(&self.codes, at).ok().flatten()
    }

    /// Encodes the game as a block; `None` if it is too long.
    pub fn to_block(&self) -> Option<Block> {
        let length = FIXED + self.codes.len();
        if length > MAX_BODY {
            return None;
        }
        let mut bytes = Vec::with_capacity(length + 8);
        bytes.extend((length as u32).to_le_bytes());
        bytes.extend(self.number.to_le_bytes());
        bytes.extend(self.start.bits().to_le_bytes());
        bytes.extend(self.score.to_le_bytes());
        bytes.extend(self.moves.to_le_bytes());
        bytes.push(u8::from(self.finished));
        bytes.extend(&self.codes);
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
        Some(Block(bytes))
    }

    pub(super) fn is_length(length: usize) -> bool {
        (FIXED..=MAX_BODY).contains(&length)
    }

    /// Decodes a body of a valid length and checksum. A body that was written wrong is an
    /// error anyway.
    pub(super) fn from_body(body: &[u8]) -> Result<Self, &'static str> {
        let (fixed, codes) = body.split_at(FIXED);
        let mut at = 0;
        let mut record = Self {
            number: u64::from_le_bytes(take(fixed, &mut at)),
            start: State::from_bits(u128::from_le_bytes(take(fixed, &mut at))),
            score: f64::from_le_bytes(take(fixed, &mut at)),
            moves: u64::from_le_bytes(take(fixed, &mut at)),
            finished: false,
            starts: Starts::OfRules,
            codes: Vec::new(),
        };
        record.finished = match take(fixed, &mut at) {
            [0] => false,
            [1] => true,
            _ => return Err("its `finished` byte is neither 0 nor 1"),
        };
        let (mut at, mut moves) = (0, 0);
        while let Some((_, next)) = next_code(codes, at)? {
            at = next;
            moves += 1;
        }
        if moves != record.moves {
            return Err("its number of moves differs from the number that it states");
        }
        record.codes = codes.to_vec();
        Ok(record)
    }
}

/// Takes the next `N` bytes, which must be there.
fn take<const N: usize>(bytes: &[u8], at: &mut usize) -> [u8; N] {
    let mut taken = [0; N];
    taken.copy_from_slice(&bytes[*at..*at + N]);
    *at += N;
    taken
}

/// Reads the code at an offset; returns it with the offset of the next one.
fn next_code(codes: &[u8], mut at: usize) -> Result<Option<(u64, usize)>, &'static str> {
    if at == codes.len() {
        return Ok(None);
    }
    let code = varint::read(codes, &mut at);
    match code.and_then(|code| u64::try_from(code).map_err(|_| VarintError::Invalid)) {
        Ok(code) => Ok(Some((code, at))),
        Err(VarintError::Truncated) => Err("it ends within the code of a move"),
        Err(VarintError::Invalid) => Err("the code of a move is no valid LEB128"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(codes: &[u64]) -> GameRecord {
        let mut record = GameRecord::new(7, State::new(1, 2), 12.5, true);
        codes.iter().for_each(|&code| record.push(code));
        record
    }

    #[test]
    fn a_body_reads_back() {
        let record = record(&[1, 300, u64::MAX]);
        let block = record.to_block().unwrap();
        let body = &block.bytes()[4..block.bytes().len() - 4];
        assert_eq!(GameRecord::from_body(body), Ok(record));
    }

    #[test]
    fn wrong_body_with_a_valid_checksum_is_refused() {
        let valid = record(&[]).to_block().unwrap();
        let valid = &valid.bytes()[4..4 + FIXED];
        let with = |codes: &[u8], moves: u64, finished: u8| {
            let mut body = [valid, codes].concat();
            body[32..40].copy_from_slice(&moves.to_le_bytes());
            body[40] = finished;
            GameRecord::from_body(&body).map(|record| record.moves)
        };
        assert_eq!(with(&[0x81, 0x01], 1, 0), Ok(1));
        assert!(with(&[0x81, 0x01], 2, 0).unwrap_err().contains("number of moves"));
        assert!(with(&[], u64::MAX, 0).unwrap_err().contains("number of moves"));
        assert!(with(&[], 0, 2).unwrap_err().contains("neither 0 nor 1"));
        assert!(with(&[0x81], 1, 0).unwrap_err().contains("within"));
        assert!(with(&[0x81, 0x00], 1, 0).unwrap_err().contains("LEB128"), "1 in two bytes");
        let mut beyond = [0xff; 10];
        beyond[9] = 0x02;
        assert!(with(&beyond, 1, 0).unwrap_err().contains("LEB128"), "2^64");
        assert!(with(&[0xff; 40], 1, 0).unwrap_err().contains("LEB128"), "no end");
    }
}
