//! From the entries of a table in a file of the exchange format to their places.
//!
//! The number of an entry has a digit of four bits for each cell, in the order of the name. In a
//! place, cells have another order (see [`Lookup`](agent_ntuple_network::Lookup)).

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
    /// Returns the order of a table. `named` has the cells in the order of the name, `cells` in
    /// the order of `axes`, see [`axes`](agent_ntuple_network::axes).
    pub fn new(named: &[u8], cells: &[u8], axes: &[Vec<usize>]) -> Self {
        let mut ordered: Vec<&[usize]> = Vec::new();
        for name in named {
            let number = cells.iter().position(|cell| cell == name).expect("the same cells");
            ordered.push(&axes[number]);
        }
        let (low, high) = ordered.split_at(LOW_DIGITS.min(ordered.len()));
        Self { low: summands(low), high: summands(high) }
    }

    /// Returns the place of each entry of one of the [`parts`].
    pub fn places(&self, part: &Range<usize>) -> impl Iterator<Item = usize> {
        let high = self.high[part.start / self.low.len()];
        self.low.iter().map(move |&low| low + high)
    }
}

/// Returns the summand of a place for each value of some digits.
fn summands(axes: &[&[usize]]) -> Vec<usize> {
    let mut summands = Vec::new();
    for value in 0..1usize << (4 * axes.len()) {
        let digits = axes.iter().enumerate().map(|(k, axis)| axis[value >> (4 * k) & 15]);
        summands.push(digits.sum());
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
    use agent_ntuple_network::{
        Inheritance, Lookup, Network, Shape, ValueFunction, WeightIndex, axes,
    };
    use runner_core::{Afterstate, Game, SingleThread};

    #[test]
    fn an_entry_is_where_the_lookup_finds_its_content() {
        let game = game_2048::Game2048::new(Default::default()).unwrap();
        let board = game.description().geometry.as_ref().unwrap();
        for named in [&[0u8, 1, 2, 3, 4, 5][..], &[15, 11, 7, 3, 6], &[4, 1, 0], &[9]] {
            let text: String = named.iter().map(|cell| format!("{cell:x}")).collect();
            // `!`: without symmetries.
            let network = &Network::read(&format!("{text}!"), board).unwrap();
            let lookup = &Lookup::new(network, board).unwrap();
            let (learns, inheritance) = (ValueFunction::Afterstates, Inheritance::None);
            let (game, host) = ("2048", &SingleThread);
            let shape = Shape { network, learns, lookup, inheritance, board, game, host };
            let order = Order::new(named, &network.tuples()[0].cells, &axes(&shape, 0));
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
