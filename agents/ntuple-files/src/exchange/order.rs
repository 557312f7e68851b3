//! The order of a table in a file, and in memory.
//!
//! In the file, the index of an entry has four bits for each cell, in the order of the
//! name. In memory, cells have an order of their own, and the low two bits of all cells
//! come first, then the high two (see [`Lookup`](agent_ntuple_network::Lookup)).

use std::ops::Range;

/// Number of lowest digits that are looked up together.
const DIGITS: usize = 4;

/// Number of entries that have the same other digits.
const PART: usize = 1 << (4 * DIGITS);

/// The order of one table.
pub struct Order {
    /// The summand of the place for the lowest digits.
    low: Vec<u32>,
    /// The summand for the other digits.
    high: Vec<u32>,
}

impl Order {
    /// Returns the order of a table with these cells. In memory each is the digit of the
    /// same index; in the file, all have the order of `named`.
    pub fn new(named: &[u8], cells: &[u8], digits: &[usize]) -> Self {
        let count = named.len();
        let place = |k: usize, content: u32| {
            let digit = cells.iter().position(|&cell| cell == named[k]).map_or(k, |at| digits[at]);
            (content & 3) << (2 * digit) | (content >> 2) << (2 * (count + digit))
        };
        let places = |digits: Range<usize>| -> Vec<u32> {
            let of = |number: u32| {
                let contents = digits.clone().map(|d| number >> (4 * (d - digits.start)) & 15);
                digits.clone().zip(contents).map(|(digit, content)| place(digit, content)).sum()
            };
            (0..1 << (4 * digits.len())).map(of).collect()
        };
        let cut = DIGITS.min(count);
        Self { low: places(0..cut), high: places(cut..count) }
    }

    /// Returns the places of the entries of a part, within the table in memory.
    pub fn places(&self, part: &Range<usize>) -> impl Iterator<Item = usize> {
        let high = self.high[part.start / self.low.len()];
        self.low.iter().map(move |&low| (low | high) as usize)
    }
}

/// Returns the parts of a table: entries that have the same high digits.
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
            let order = Order::new(named, &network.tuples()[0].cells, &lookup.digits()[0]);
            let mut seen = vec![false; lookup.weights()];
            for part in parts(lookup.weights()) {
                for (entry, place) in part.clone().zip(order.places(&part)) {
                    let cell =
                        |(k, &cell): (usize, &u8)| ((entry >> (4 * k) & 15) as u64) << (4 * cell);
                    let position = named.iter().enumerate().map(cell).sum::<u64>();
                    let mut places = [WeightIndex::default()];
                    lookup.indices(Afterstate::from_bits(position.into()), &mut places);
                    assert_eq!(place, places[0].index(), "{text}, entry {entry}");
                    assert!(!std::mem::replace(&mut seen[place], true));
                }
            }
            assert!(seen.into_iter().all(|seen| seen));
        }
    }
}
