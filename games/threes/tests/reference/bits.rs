//! Converts the reference's positions to 128 bits and back.

use super::{Moved, Next, Position, Reference};
use game_reference::{Board, lines};
use game_threes::Bonus;

/// Returns the `len` bits from `at` on.
fn field(bits: u128, at: u32, len: u32) -> u64 {
    (bits >> at & ((1 << len) - 1)) as u64
}

impl Reference {
    /// Decodes a board with the displayed values 0, 1, 2, 3, 6, 12, ...
    fn board(&self, bits: u128) -> Board {
        let geometry = self.description.geometry.as_ref().unwrap();
        lines::from_ranks(geometry, bits, |rank| match rank {
            0..=3 => rank as u64,
            rank => 3 << (rank - 3),
        })
    }

    fn rank(value: u64) -> usize {
        if value <= 3 { value as usize } else { 3 + (value / 3).ilog2() as usize }
    }

    pub fn position(&self, bits: u128) -> Position {
        let next = match field(bits, 100, 2) {
            3 if self.config.bonus == Bonus::Set => {
                // The number of bonus tiles up to the last one of the set.
                let last = field(bits, 114, 4) as usize;
                Next::Set((last.saturating_sub(3)..last).map(|k| 6 << k).collect())
            }
            3 => Next::Bonus,
            tile => Next::Tile(tile + 1),
        };
        let counts = [(1, 102), (2, 106), (3, 110)];
        let bag = counts.into_iter().flat_map(|(tile, at)| vec![tile; field(bits, at, 4) as usize]);
        Position { board: self.board(bits), next, bag: bag.collect() }
    }

    pub fn state_bits(&self, position: &Position) -> u128 {
        let Position { board, next, bag } = position;
        let geometry = self.description.geometry.as_ref().unwrap();
        let (next, last) = match next {
            Next::Tile(tile) => (tile - 1, 0),
            Next::Bonus => (3, 0),
            Next::Set(tiles) => (3, (tiles.last().unwrap() / 3).ilog2()),
        };
        let count = |tile| bag.iter().filter(|&&other| other == tile).count() as u128;
        lines::to_ranks(geometry, board, Self::rank)
            | u128::from(next) << 100
            | u128::from(last) << 114
            | count(1) << 102
            | count(2) << 106
            | count(3) << 110
    }

    pub fn moved(&self, bits: u128) -> Moved {
        let greatest = match field(bits, 114, 4) {
            _ if self.config.bonus == Bonus::Set => None,
            0 => None,
            rank => Some(3 << (rank - 3)),
        };
        let lines = (0..5).filter(|line| field(bits, 120 + line, 1) == 1);
        Moved {
            position: self.position(bits),
            action: field(bits, 118, 2) as usize,
            lines: lines.map(|line| line as usize).collect(),
            greatest,
        }
    }

    pub fn afterstate_bits(&self, moved: &Moved) -> u128 {
        let Moved { position, action, lines, greatest } = moved;
        let greatest = greatest.map_or(0, Self::rank);
        self.state_bits(position)
            | (greatest as u128) << 114
            | (*action as u128) << 118
            | lines.iter().fold(0, |bits, line| bits | 1 << (120 + line))
    }
}
