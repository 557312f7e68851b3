//! Networks from their definition alone: slow, and what the fast lookup is held
//! against.

pub mod learner;

use agent_ntuple::network::{Lookup, Network, Tuple};
use runner_core::board::Geometry;
use runner_core::{Action, Afterstate};

/// A weight: the number of its tuple, and what lies in the cells and extra_fields of it.
/// Where each action has tables, the tuples of the second go on counting where those
/// of the first end, and so on.
pub type Key = (usize, Vec<u8>);

/// The weights of a position: of each tuple, what it finds on the board as each
/// symmetry shows it, or, if it is fixed, on the board as it stands.
pub fn keys(network: &Network, board: &Geometry, position: Afterstate) -> Vec<Key> {
    keys_for(network, board, position, Action(0))
}

/// Those of a position and an action, which a symmetry shows as another one; the first
/// where actions are not told apart.
pub fn keys_for(
    network: &Network,
    board: &Geometry,
    position: Afterstate,
    action: Action,
) -> Vec<Key> {
    let top = (network.alphabet() - 1) as u8;
    let tuples = network.tuples();
    let mut keys = Vec::new();
    for (number, tuple) in tuples.iter().enumerate() {
        let images = if tuple.fixed { 1 } else { board.symmetries.len() };
        for symmetry in 0..images {
            let image = board.transform(position.bits(), symmetry);
            let cells = tuple.cells.iter().map(|&cell| board.rank(image, cell.into()));
            let extra_fields = tuple.extra_fields.iter().map(|&mark| {
                let mark = &board.extra_fields[mark];
                (position.bits() >> mark.bit) as u8 & ((1 << mark.bits) - 1) as u8
            });
            let there = match network.actions() {
                1 => 0,
                _ => board.symmetries[symmetry].actions[action.index()].index(),
            };
            let content = cells.map(|rank| rank.min(top)).chain(extra_fields).collect();
            keys.push((there * tuples.len() + number, content));
        }
    }
    keys
}

/// Where a weight lies among all: table by table; in a table, the low two bits of
/// every cell are the lowest digits of the place, then come the high two bits of
/// every cell, then the extra_fields. The cells are in the order of the table. In another
/// alphabet than that of 16 ranks the extra_fields are the lowest digits, then come the cells.
pub fn place(network: &Network, board: &Geometry, key: &Key) -> u64 {
    let bits = |mark: usize| 1u64 << board.extra_fields[mark].bits;
    let ranks = network.alphabet() as u64;
    let size = |tuple: &Tuple| {
        let extra_fields: u64 = tuple.extra_fields.iter().map(|&mark| bits(mark)).product();
        ranks.pow(tuple.cells.len() as u32) * extra_fields
    };
    let (number, content) = key;
    let tuples = network.tuples();
    let start: u64 = (0..*number).map(|before| size(&tuples[before % tuples.len()])).sum();
    let tuple = &tuples[number % tuples.len()];
    let (cells, extra_fields) = content.split_at(tuple.cells.len());
    let lookup = Lookup::new(network, board).unwrap();
    let digits = &lookup.digits()[number % tuples.len()];
    let mut in_order = vec![0; cells.len()];
    for (&digit, &rank) in digits.iter().zip(cells) {
        in_order[digit] = rank;
    }
    let cells = in_order;
    let extra_fields =
        extra_fields.iter().zip(&tuple.extra_fields).map(|(&mark, &k)| (mark, bits(k)));
    // Each with how many it could be.
    let mut digits: Vec<(u8, u64)> = Vec::new();
    if ranks == 16 {
        digits.extend(cells.iter().map(|rank| (rank & 3, 4)));
        digits.extend(cells.iter().map(|rank| (rank >> 2, 4)));
        digits.extend(extra_fields);
    } else {
        digits.extend(extra_fields);
        digits.extend(cells.iter().map(|&rank| (rank, ranks)));
    }
    let within = digits.iter().rev().fold(0, |sum, &(digit, of)| sum * of + u64::from(digit));
    start + within
}
