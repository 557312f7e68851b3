//! Where the table of each tuple lies among all weights, and what a weight is
//! called in messages.

use crate::network::{BITS, Network};
use runner_core::board::Geometry;
use std::ops::Range;

/// The tables of a network, one after the other.
pub struct Tables(Vec<(String, Range<usize>)>);

impl Tables {
    /// As [`Lookup`](crate::network::Lookup) lays them out.
    pub fn new(network: &Network, board: &Geometry) -> Self {
        let mut end = 0;
        let table = |(tuple, name): (&crate::network::Tuple, &str)| {
            let marks: u32 = tuple.marks.iter().map(|&mark| board.marks[mark].bits).sum();
            let start = end;
            end += 1 << (BITS * tuple.cells.len() as u32 + marks);
            (name.to_owned(), start..end)
        };
        Self(network.tuples().iter().zip(network.text().split(' ')).map(table).collect())
    }

    /// Where the table of a tuple lies.
    pub fn range(&self, tuple: usize) -> Range<usize> {
        self.0[tuple].1.clone()
    }

    /// How many weights there are.
    pub fn weights(&self) -> usize {
        self.0.last().map_or(0, |(_, range)| range.end)
    }

    /// What a weight is called.
    pub fn name(&self, place: usize) -> String {
        let found = self.0.iter().find(|(_, range)| range.contains(&place));
        let (tuple, range) = found.expect("a place of the network");
        format!("weight {} of the tuple `{tuple}`", place - range.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Lookup;
    use runner_core::{Game, GamePlugin};

    #[test]
    fn the_tables_are_those_of_the_lookup() {
        let game = game_threes::Threes::new(Default::default()).unwrap();
        let board = game.description().geometry.as_ref().unwrap();
        let network = Network::read("012 0145+next 3!", board).unwrap();
        let lookup = Lookup::new(&network, board).unwrap();
        let tables = Tables::new(&network, board);
        assert_eq!(tables.weights(), lookup.weights());
        assert_eq!(tables.range(1).start, 1 << 12);
        assert_eq!(tables.name((1 << 12) - 1), "weight 4095 of the tuple `012`");
        assert_eq!(tables.name(1 << 12), "weight 0 of the tuple `0145+next`");
        assert_eq!(tables.name(lookup.weights() - 1), "weight 15 of the tuple `3!`");
    }
}
