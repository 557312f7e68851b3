//! Models from before the tables had their inner cells first: there, the cells of every
//! tuple ascend.

use crate::network::{ASCENDING, INNER_FIRST, Lookup};
use std::ops::Range;

/// Returns true if weights in one order can be read where another one is needed.
pub fn can_be_read(theirs: &str, ours: &str) -> bool {
    theirs == ours || theirs == ASCENDING && ours == INNER_FIRST
}

/// A permutation of weights: from the order of an older model to that of the lookup.
pub struct Permutation {
    tables: Vec<Table>,
}

struct Table {
    range: Range<usize>,
    /// Bits of one half of all cells.
    bits: usize,
    /// For each content of a half, the content in the other order.
    half: Vec<usize>,
}

impl Permutation {
    /// Returns the permutation for a model in this order, or none if weights stay where
    /// they are.
    pub fn new(order: Option<&str>, lookup: &Lookup) -> Option<Self> {
        if order != Some(ASCENDING) || lookup.order() != INNER_FIRST {
            return None;
        }
        let table = |(digits, range): (&Vec<usize>, &Range<usize>)| {
            let permuted = |half: usize| {
                let two = |(k, digit): (usize, &usize)| (half >> (2 * k) & 3) << (2 * digit);
                digits.iter().enumerate().map(two).sum()
            };
            let bits = 2 * digits.len();
            Table { range: range.clone(), bits, half: (0..1 << bits).map(permuted).collect() }
        };
        Some(Self { tables: lookup.digits().iter().zip(lookup.ranges()).map(table).collect() })
    }

    /// Returns the place of the weight that is at `theirs` in the model.
    pub fn place(&self, theirs: usize) -> usize {
        let number = self.tables.partition_point(|table| table.range.end <= theirs);
        let Some(Table { range, bits, half }) = self.tables.get(number) else { return theirs };
        let content = theirs - range.start;
        let (low, high) = (content & (half.len() - 1), content >> bits & (half.len() - 1));
        // Extra fields are above both halves.
        let extra = content >> (2 * bits) << (2 * bits);
        range.start + (half[low] | half[high] << bits | extra)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::Network;
    use runner_core::Game;

    #[test]
    fn weights_move_to_where_they_are_looked_up() {
        let game = game_threes::Threes::new(Default::default()).unwrap();
        let board = game.description().geometry.as_ref().unwrap();
        let network = Network::read("012+next 0145 3! 59!", board).unwrap();
        let lookup = Lookup::new(&network, board).unwrap();
        assert!(Permutation::new(Some(INNER_FIRST), &lookup).is_none());
        let permutation = Permutation::new(Some(ASCENDING), &lookup).unwrap();
        let mut places: Vec<usize> = (0..lookup.weights()).map(|k| permutation.place(k)).collect();
        // Tuples that are read without symmetries stay as they are.
        let fixed = lookup.ranges()[2].start;
        assert!(places[fixed..].iter().copied().eq(fixed..lookup.weights()));
        assert_ne!(places[..fixed], (0..fixed).collect::<Vec<_>>());
        // The extra field of 012 stays, and its first cell is not the lowest digit any more.
        assert_eq!(lookup.digits()[0], [2, 1, 0]);
        assert_eq!(places[1 << 12 | 1], 1 << 12 | 1 << 4);
        places.sort_unstable();
        assert!(places.into_iter().eq(0..lookup.weights()));
    }
}
