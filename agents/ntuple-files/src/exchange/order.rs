//! The order of a table in a file, and in memory.
//!
//! In the file, the index of an entry has four bits for each cell, in the order of the
//! name. In memory, cells have another order (see [`Lookup`](agent_ntuple_network::Lookup)).

use std::ops::Range;

/// Number of lowest digits that are looked up together.
const DIGITS: usize = 4;

/// Number of entries that have the same other digits.
const PART: usize = 1 << (4 * DIGITS);

/// The summands of an entry's place, by the digits of its index.
pub struct Order {
    /// For each content of the lowest digits.
    low: Vec<usize>,
    /// For each content of the other digits.
    high: Vec<usize>,
}

impl Order {
    /// Returns the order of a table whose cells the file names in this order; `axes` are those of
    /// `cells`, see [`axes`](agent_ntuple_network::axes).
    pub fn new(named: &[u8], cells: &[u8], axes: &[Vec<usize>]) -> Self {
        let place = |name| cells.iter().position(|cell| cell == name).expect("the same cells");
        let ordered: Vec<&[usize]> = named.iter().map(|name| &axes[place(name)][..]).collect();
        let (low, high) = ordered.split_at(DIGITS.min(ordered.len()));
        Self { low: sums(low), high: sums(high) }
    }

    pub fn places(&self, part: &Range<usize>) -> impl Iterator<Item = usize> {
        let high = self.high[part.start / self.low.len()];
        self.low.iter().map(move |&low| low + high)
    }
}

/// Returns the sum of the summands for each content of some digits.
fn sums(axes: &[&[usize]]) -> Vec<usize> {
    let mut sums = Vec::new();
    for content in 0..1usize << (4 * axes.len()) {
        let digits = axes.iter().enumerate().map(|(k, axis)| axis[content >> (4 * k) & 15]);
        sums.push(digits.sum());
    }
    sums
}

/// Returns the parts of a table: entries that have the same high digits.
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
                    assert_eq!(lookup.entry(place), indices[0].index(), "{text}, entry {entry}");
                    assert!(!std::mem::replace(&mut seen[place], true));
                }
            }
            assert!(seen.into_iter().all(|seen| seen));
        }
    }
}
