//! The bytes of one game: the only place that knows their layout.

use runner_core::State;
use runner_files::varint::{self, VarintError};

/// No block is longer: a game of a hundred million moves would fit. A length
/// beyond it is damage, and is not read.
const MAX_BODY: usize = 1 << 28;

/// The bytes of a body before its codes.
const FIXED: usize = 8 + 16 + 8 + 8 + 1;

/// A game as bytes, ready to be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block(Vec<u8>);

impl Block {
    /// The bytes: length, body, checksum.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// A game as a file holds it, with its moves still in code.
#[derive(Clone, PartialEq, Debug)]
pub struct GameRecord {
    /// Its number in the run.
    pub number: u64,
    /// The position in which it began.
    pub start: State,
    /// Its score, by the one who recorded it.
    pub score: f64,
    /// Whether the rules ended it.
    pub finished: bool,
    /// How many moves it has.
    pub(super) moves: u64,
    pub(super) codes: Vec<u8>,
}

impl GameRecord {
    /// A game without a move so far.
    pub(super) fn new(number: u64, start: State, score: f64, finished: bool) -> Self {
        Self { number, start, score, finished, moves: 0, codes: Vec::new() }
    }

    /// How many moves it has.
    pub fn moves(&self) -> u64 {
        self.moves
    }

    pub(super) fn push(&mut self, code: u64) {
        varint::push(code.into(), &mut self.codes);
        self.moves += 1;
    }

    /// The code at a place among the coded bytes, and where the next one begins.
    /// `None` at their end.
    pub(super) fn code(&self, at: usize) -> Option<(u64, usize)> {
        next_code(&self.codes, at).ok().flatten()
    }

    /// The game as a block; `None` if it is too long for one.
    pub(super) fn to_block(&self) -> Option<Block> {
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

    /// Whether a block may have a body of this length.
    pub(super) fn is_length(length: usize) -> bool {
        (FIXED..=MAX_BODY).contains(&length)
    }

    /// Reads a body whose length is one and whose checksum is right, or says what
    /// is wrong with it all the same.
    pub(super) fn from_body(body: &[u8]) -> Result<Self, &'static str> {
        let (fixed, codes) = body.split_at(FIXED);
        let mut at = 0;
        let mut record = Self {
            number: u64::from_le_bytes(take(fixed, &mut at)),
            start: State::from_bits(u128::from_le_bytes(take(fixed, &mut at))),
            score: f64::from_le_bytes(take(fixed, &mut at)),
            moves: u64::from_le_bytes(take(fixed, &mut at)),
            finished: false,
            codes: Vec::new(),
        };
        record.finished = match take(fixed, &mut at) {
            [0] => false,
            [1] => true,
            _ => return Err("its mark of being finished is neither 0 nor 1"),
        };
        let (mut at, mut moves) = (0, 0);
        while let Some((_, next)) = next_code(codes, at)? {
            at = next;
            moves += 1;
        }
        if moves != record.moves {
            return Err("it holds another number of moves than it says");
        }
        record.codes = codes.to_vec();
        Ok(record)
    }
}

/// The next `N` of bytes that are known to be there.
fn take<const N: usize>(bytes: &[u8], at: &mut usize) -> [u8; N] {
    let mut taken = [0; N];
    taken.copy_from_slice(&bytes[*at..*at + N]);
    *at += N;
    taken
}

/// The code that begins at a place, and where the next one begins.
fn next_code(codes: &[u8], mut at: usize) -> Result<Option<(u64, usize)>, &'static str> {
    if at == codes.len() {
        return Ok(None);
    }
    let code = varint::read(codes, &mut at);
    match code.and_then(|code| u64::try_from(code).map_err(|_| VarintError::Invalid)) {
        Ok(code) => Ok(Some((code, at))),
        Err(VarintError::Truncated) => Err("it ends in the middle of a move's code"),
        Err(VarintError::Invalid) => Err("a move's code is not spelt as it should be"),
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
    fn codes_read_back_and_take_seven_bits_a_byte() {
        // The largest of one byte, of two, of any.
        for (code, bytes) in [(0, 1), (127, 1), (128, 2), (16_383, 2), (16_384, 3), (u64::MAX, 10)]
        {
            let record = record(&[code, 5]);
            assert_eq!(record.code(0), Some((code, bytes)));
            assert_eq!(record.code(bytes), Some((5, bytes + 1)));
            assert_eq!(record.code(bytes + 1), None);
        }
    }

    #[test]
    fn a_body_reads_back() {
        let record = record(&[1, 300, u64::MAX]);
        let block = record.to_block().unwrap();
        let body = &block.bytes()[4..block.bytes().len() - 4];
        assert_eq!(GameRecord::from_body(body), Ok(record));
    }

    #[test]
    fn what_a_right_checksum_may_still_hide_is_refused() {
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
        assert!(with(&[0x81], 1, 0).unwrap_err().contains("middle"));
        assert!(with(&[0x81, 0x00], 1, 0).unwrap_err().contains("spelt"), "1 in two bytes");
        let mut beyond = [0xff; 10];
        beyond[9] = 0x02;
        assert!(with(&beyond, 1, 0).unwrap_err().contains("spelt"), "2^64");
        assert!(with(&[0xff; 40], 1, 0).unwrap_err().contains("spelt"), "no end");
    }
}
