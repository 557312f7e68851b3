//! Where the weights of a network on a board up to 4 x 4 lie in memory.
//!
//! A rank has two halves of two bits. The index of a weight within its table has, from bit 0 on:
//!
//! ```text
//! low half of the first cell       2 bits
//! table of a pair                  1 bit, only if the tuple is paired
//! extra fields                     as many bits as they have
//! low halves of the other cells    2 bits each
//! high halves of all cells         2 bits each, from the first cell on
//! ```
//!
//! Ranks up to 3, which change with every move, thus differ in the lower bits only.
//!
//! Two tuples that share all but one cell are a *pair*: 012345 and 012456 share 0, 1, 2, 4 and 5.
//! Their tables alternate every four weights, and the cell that is not shared, 3 or 6, is the
//! first. A cache line has eight weights with their learning state, four of each table. The shared
//! cells of a position are equal, so it reads one line if the high halves of 3 and 6 are equal
//! too.

use crate::definition::Network;
use crate::layout::neighbours;
use crate::tuple::Tuple;
use runner_core::geometry::Geometry;
use std::cmp::Reverse;

/// Bits of each half of a rank.
pub const HALF_BITS: u32 = 2;

/// The bits of an index that are the low half of the first cell.
pub const FIRST_LOW: u32 = (1 << HALF_BITS) - 1;

/// The bit of an index that is the table of a pair: 1 in the second table.
const PAIR_BIT: u32 = 1 << HALF_BITS;

/// Where the weights of one tuple lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrangement {
    /// Index of the first weight.
    pub start: u32,
    /// The cells, in the order of their bits in an index.
    pub cells: Vec<u8>,
    /// The extra fields, in the order of their bits in an index.
    pub fields: Vec<Field>,
    /// True if the tuple is one of a pair.
    pub is_paired: bool,
    /// True if the tuple is read at its own cells only.
    pub is_fixed: bool,
}

/// An extra field in an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its number among those of the board.
    pub number: usize,
    /// Position of its lowest bit in the index.
    pub start: u32,
    pub bits: u32,
}

impl Arrangement {
    fn new(tuple: &Tuple, cells: Vec<u8>, start: u32, is_paired: bool, board: &Geometry) -> Self {
        let mut bit = HALF_BITS + u32::from(is_paired);
        let mut fields = Vec::new();
        for &number in &tuple.extra_fields {
            let bits = board.extra_fields[number].bits;
            fields.push(Field { number, start: bit, bits });
            bit += bits;
        }
        Self { start, cells, fields, is_paired, is_fixed: tuple.fixed }
    }

    /// Returns the index of the first weight of the table, or of the pair of tables.
    pub fn table_start(&self) -> u32 {
        if self.is_paired { self.start & !PAIR_BIT } else { self.start }
    }

    /// Returns the number of bits between the low half of the first cell and that of the second.
    pub fn gap(&self) -> u32 {
        u32::from(self.is_paired) + self.fields.iter().map(|field| field.bits).sum::<u32>()
    }

    /// Returns the positions of the lowest bits of a cell's low half and high half in an index.
    pub fn halves(&self, cell: u8) -> [u32; 2] {
        let at = self.cells.iter().position(|&other| other == cell).expect("a cell of the tuple");
        let low = HALF_BITS * at as u32;
        let high = low + HALF_BITS * self.cells.len() as u32;
        [low, high].map(|bit| if bit < HALF_BITS { bit } else { bit + self.gap() })
    }
}

pub fn arrange(network: &Network, board: &Geometry) -> Vec<Arrangement> {
    let tuples = network.tuples();
    let mut arranged: Vec<Option<Arrangement>> = vec![None; tuples.len()];
    let mut end = 0;
    for (number, tuple) in tuples.iter().enumerate() {
        if arranged[number].is_some() {
            // The second one of a pair.
            continue;
        }
        let start = end as u32;
        end += Network::table_size(tuple, board);
        let mut others = (number + 1..tuples.len()).filter(|&other| arranged[other].is_none());
        let pair = others.find_map(|other| Some((other, pair(tuple, &tuples[other], board)?)));
        let Some((other, [cells, other_cells])) = pair else {
            let cells = inner_first(&tuple.cells, board);
            arranged[number] = Some(Arrangement::new(tuple, cells, start, false, board));
            continue;
        };
        let other_start = start | PAIR_BIT;
        let partner = Arrangement::new(&tuples[other], other_cells, other_start, true, board);
        arranged[number] = Some(Arrangement::new(tuple, cells, start, true, board));
        arranged[other] = Some(partner);
        end += Network::table_size(tuple, board);
    }
    arranged.into_iter().map(|arranged| arranged.expect("the arrangement of each tuple")).collect()
}

/// Returns the cells of two tuples in the order of their bits, if they are a pair: an image of the
/// other shares all but one cell of the first. In both, the cell that is not shared comes first.
fn pair(tuple: &Tuple, other: &Tuple, board: &Geometry) -> Option<[Vec<u8>; 2]> {
    let is_alike = tuple.cells.len() == other.cells.len()
        && tuple.extra_fields == other.extra_fields
        && !tuple.fixed
        && !other.fixed;
    if !is_alike {
        return None;
    }
    for symmetry in &board.symmetries {
        let image = |cell: u8| symmetry.cells[usize::from(cell)];
        // The cell of the other tuple that has this cell as its image.
        let source = |cell: u8| other.cells.iter().copied().find(|&it| image(it) == cell);
        let (shared, not_shared): (Vec<u8>, Vec<u8>) =
            tuple.cells.iter().partition(|&&cell| source(cell).is_some());
        let &[first] = &not_shared[..] else { continue };
        let shared = inner_first(&shared, board);
        let other_shared: Vec<u8> = shared.iter().filter_map(|&cell| source(cell)).collect();
        let other_first = other.cells.iter().copied().find(|cell| !other_shared.contains(cell))?;
        return Some([
            [&[first], &shared[..]].concat(),
            [&[other_first], &other_shared[..]].concat(),
        ]);
    }
    None
}

/// Returns the cells with the most neighbours first: their tiles change most often.
fn inner_first(cells: &[u8], board: &Geometry) -> Vec<u8> {
    let mut cells = cells.to_vec();
    cells.sort_by_key(|&cell| (Reverse(neighbours(cell.into(), board)), cell));
    cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_core::Game;

    fn arranged(network: &str) -> Vec<Arrangement> {
        let game = game_2048::Game2048::new(Default::default()).unwrap();
        let board = game.description().geometry.as_ref().unwrap();
        arrange(&Network::read(network, board).unwrap(), board)
    }

    #[test]
    fn tables_of_tuples_that_share_all_but_one_cell_alternate() {
        let pairs = |network: &str| arranged(network).iter().filter(|it| it.is_paired).count();
        assert_eq!(["4x6", "8x6", "0123 4567", "012345 0123"].map(pairs), [4, 4, 0, 0]);
        let all = arranged("4x6");
        assert_eq!([&all[0], &all[2]].map(|it| (it.start, it.cells[0])), [(0, 3), (4, 6)]);
        assert_eq!(all[0].cells[1..], all[2].cells[1..]);
        assert_eq!(all[1].start, 2 << 24);
    }

    #[test]
    fn no_two_contents_have_one_index() {
        let all = arranged("0123 0124 56 789!");
        let mut found = std::collections::HashSet::new();
        for it in &all {
            for content in 0..16u32.pow(it.cells.len() as u32) {
                let half = |at: usize| {
                    let [low, high] = it.halves(it.cells[at]);
                    let rank = content >> (4 * at) & 15;
                    (rank & 3) << low | (rank >> 2) << high
                };
                found.insert(it.start + (0..it.cells.len()).map(half).sum::<u32>());
            }
        }
        assert_eq!(found.len(), 2 * (1 << 16) + (1 << 8) + (1 << 12));
        assert_eq!(found.iter().max(), Some(&(found.len() as u32 - 1)));
    }
}
