//! Networks from their definition alone: slow, and what the fast lookup is held
//! against.

pub mod learner;

use agent_ntuple::network::Network;
use runner_core::Afterstate;
use runner_core::board::Geometry;

/// A weight: the number of its tuple, and what lies in the cells and marks of it.
pub type Key = (usize, Vec<u8>);

/// Ranks above this one count as it.
const TOP_RANK: u8 = 15;

/// The weights of a position: of each tuple, what it finds on the board as each
/// symmetry shows it, or, if it is fixed, on the board as it stands.
pub fn keys(network: &Network, board: &Geometry, position: Afterstate) -> Vec<Key> {
    let mut keys = Vec::new();
    for (number, tuple) in network.tuples().iter().enumerate() {
        let images = if tuple.fixed { 1 } else { board.symmetries.len() };
        for symmetry in 0..images {
            let image = board.transform(position.bits(), symmetry);
            let cells = tuple.cells.iter().map(|&cell| board.rank(image, cell.into()));
            let marks = tuple.marks.iter().map(|&mark| {
                let mark = &board.marks[mark];
                (position.bits() >> mark.bit) as u8 & ((1 << mark.bits) - 1) as u8
            });
            keys.push((number, cells.map(|rank| rank.min(TOP_RANK)).chain(marks).collect()));
        }
    }
    keys
}

/// Where a weight lies among all: table by table; in a table, the low two bits of
/// every cell are the lowest digits of the place, then come the high two bits of
/// every cell, then the marks.
pub fn place(network: &Network, board: &Geometry, key: &Key) -> u64 {
    let bits_of = |number: usize| {
        let tuple = &network.tuples()[number];
        let marks: u32 = tuple.marks.iter().map(|&mark| board.marks[mark].bits).sum();
        4 * tuple.cells.len() as u32 + marks
    };
    let (number, content) = key;
    let start: u64 = (0..*number).map(|before| 1 << bits_of(before)).sum();
    let tuple = &network.tuples()[*number];
    let (cells, marks) = content.split_at(tuple.cells.len());
    let mut digits: Vec<(u8, u32)> = Vec::new();
    digits.extend(cells.iter().map(|rank| (rank & 3, 2)));
    digits.extend(cells.iter().map(|rank| (rank >> 2, 2)));
    digits.extend(marks.iter().zip(&tuple.marks).map(|(&m, &k)| (m, board.marks[k].bits)));
    let within = digits.iter().rev().fold(0, |sum, &(digit, bits)| sum << bits | u64::from(digit));
    start + within
}
