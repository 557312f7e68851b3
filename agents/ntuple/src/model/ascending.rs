//! Models from before tables were laid out by inner cells first: there, the cells of
//! every tuple ascend.

use crate::network::{ASCENDING, INNER_FIRST, Lookup};
use std::ops::Range;

/// Whether weights in the one order can be read where the other is wanted.
pub fn can_be_read(theirs: &str, ours: &str) -> bool {
    theirs == ours || theirs == ASCENDING && ours == INNER_FIRST
}

/// Where the weights of such a model lie in a lookup that has another order.
pub struct Moved {
    tables: Vec<Table>,
}

struct Table {
    range: Range<usize>,
    /// How many bits a half of all cells has.
    bits: usize,
    /// What each half is in the other order.
    half: Vec<usize>,
}

impl Moved {
    /// For a model in this order, if its weights move.
    pub fn of(order: Option<&str>, lookup: &Lookup) -> Option<Self> {
        if order != Some(ASCENDING) || lookup.order() != INNER_FIRST {
            return None;
        }
        let table = |(digits, range): (&Vec<usize>, &Range<usize>)| {
            let moved = |half: usize| {
                let two = |(k, digit): (usize, &usize)| (half >> (2 * k) & 3) << (2 * digit);
                digits.iter().enumerate().map(two).sum()
            };
            let bits = 2 * digits.len();
            Table { range: range.clone(), bits, half: (0..1 << bits).map(moved).collect() }
        };
        Some(Self { tables: lookup.digits().iter().zip(lookup.ranges()).map(table).collect() })
    }

    /// The place of a weight that lies here in the model.
    pub fn place(&self, theirs: usize) -> usize {
        let number = self.tables.partition_point(|table| table.range.end <= theirs);
        let Some(Table { range, bits, half }) = self.tables.get(number) else { return theirs };
        let content = theirs - range.start;
        let (low, high) = (content & (half.len() - 1), content >> bits & (half.len() - 1));
        // What its extra_fields say is above both halves.
        let extra_fields = content >> (2 * bits) << (2 * bits);
        range.start + (half[low] | half[high] << bits | extra_fields)
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
        assert!(Moved::of(Some(INNER_FIRST), &lookup).is_none());
        let moved = Moved::of(Some(ASCENDING), &lookup).unwrap();
        let mut places: Vec<usize> = (0..lookup.weights()).map(|k| moved.place(k)).collect();
        // Tuples that are read where they stand only stay as they are.
        let fixed = lookup.ranges()[2].start;
        assert!(places[fixed..].iter().copied().eq(fixed..lookup.weights()));
        assert_ne!(places[..fixed], (0..fixed).collect::<Vec<_>>());
        // The extra_fields of 012 stay, and its first cell is no more the lowest digit.
        assert_eq!(lookup.digits()[0], [2, 1, 0]);
        assert_eq!(places[1 << 12 | 1], 1 << 12 | 1 << 4);
        places.sort_unstable();
        assert!(places.into_iter().eq(0..lookup.weights()));
    }
}
