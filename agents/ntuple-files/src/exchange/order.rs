//! From the entries of a table in a file of the exchange format to their places.
//!
//! The number of an entry has a digit of four bits for each cell, in the order of the name. A place
//! has the low two bits of each cell's rank, and above them the high two bits of each. There, cells
//! have another order, see [`Lookup::ordered_cells`](agent_ntuple_network::Lookup::ordered_cells).

use std::ops::Range;

/// Number of low digits.
const LOW_DIGITS: usize = 4;

/// Maximum number of entries of a part.
const PART: usize = 1 << (4 * LOW_DIGITS);

/// The places of the entries of a table. A place is the sum of a number for the entry's low digits
/// and a number for its other digits.
pub struct Order {
    /// The summand for each value of the low digits.
    low: Vec<usize>,
    /// The summand for each value of the other digits.
    high: Vec<usize>,
}

impl Order {
    /// Returns the order of a table. `named` has the cells in the order of the name, `ordered` in
    /// the order of places.
    pub fn new(named: &[u8], ordered: &[u8]) -> Self {
        let mut strides = Vec::new();
        for name in named {
            let at = ordered.iter().position(|cell| cell == name).expect("the same cells");
            strides.push([at, at + ordered.len()].map(|pair| 1 << (2 * pair)));
        }
        let (low, high) = strides.split_at(LOW_DIGITS.min(strides.len()));
        Self { low: summands(low), high: summands(high) }
    }

    /// Returns the place of each entry of one of the [`parts`].
    pub fn places(&self, part: &Range<usize>) -> impl Iterator<Item = usize> {
        let high = self.high[part.start / self.low.len()];
        self.low.iter().map(move |&low| low + high)
    }
}

/// Returns the summand of a place for each value of some digits, from the increase of the place for
/// each unit of a digit's low and high two bits.
fn summands(strides: &[[usize; 2]]) -> Vec<usize> {
    let mut summands = Vec::new();
    for value in 0..1usize << (4 * strides.len()) {
        let mut summand = 0;
        for (k, [low, high]) in strides.iter().enumerate() {
            summand += (value >> (4 * k) & 3) * low + (value >> (4 * k + 2) & 3) * high;
        }
        summands.push(summand);
    }
    summands
}

/// Divides the entries of a table into parts that have equal digits but the low ones.
pub fn parts(entries: usize) -> impl Iterator<Item = Range<usize>> {
    let length = entries.min(PART);
    (0..entries).step_by(length).map(move |first| first..first + length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_ntuple_network::{Lookup, Network, WeightIndex};
    use runner_core::{Afterstate, Game};

    #[test]
    fn an_entry_is_where_the_lookup_finds_its_content() {
        let game = game_2048::Game2048::new(Default::default()).unwrap();
        let board = game.description().geometry.as_ref().unwrap();
        for named in [&[0u8, 1, 2, 3, 4, 5][..], &[15, 11, 7, 3, 6], &[4, 1, 0], &[9]] {
            let text: String = named.iter().map(|cell| format!("{cell:x}")).collect();
            // `!`: without symmetries.
            let network = Network::read(&format!("{text}!"), board).unwrap();
            let lookup = Lookup::new(&network, board).unwrap();
            let order = Order::new(named, &lookup.ordered_cells()[0]);
            let mut seen = vec![false; lookup.weights()];
            for part in parts(lookup.weights()) {
                for (entry, place) in part.clone().zip(order.places(&part)) {
                    let cell =
                        |(k, &cell): (usize, &u8)| ((entry >> (4 * k) & 15) as u64) << (4 * cell);
                    let position = named.iter().enumerate().map(cell).sum::<u64>();
                    let mut indices = [WeightIndex::default()];
                    lookup.indices(Afterstate::from_bits(position.into()), &mut indices);
                    assert_eq!(lookup.index_of(place), indices[0].index(), "{text}, entry {entry}");
                    assert!(!std::mem::replace(&mut seen[place], true));
                }
            }
            assert!(seen.into_iter().all(|seen| seen));
        }
    }
}
