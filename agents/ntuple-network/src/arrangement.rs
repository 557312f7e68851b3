//! Where the weights of a network on a board up to 4 x 4 lie in memory.
//!
//! A cache line has eight weights with the memory of their rule. Its three bits are the low two bits of one
//! cell, so that a line holds four contents of a cell, and a bit that tells two tables apart: two tuples
//! that share all but one cell have their tables in turn, with that cell lowest. A position reads both
//! with equal contents of the shared cells, so where the large bits of the two other cells are equal too, it
//! reads one line in place of two.
//!
//! The index of a weight is, from the lowest bit on: the low two bits of the first cell, the table of
//! a pair, the extra fields, the low two bits of the other cells, the high two bits of all cells.
//! Small tiles, which change with every move, thus lie close to each other.

use crate::definition::Network;
use crate::layout::neighbours;
use crate::tuple::Tuple;
use runner_core::geometry::Geometry;
use std::cmp::Reverse;

/// Bits of a cell's content in either half of an index.
pub const HALF: u32 = 2;

/// Where the weights of one tuple lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrangement {
    /// Index of the first weight.
    pub start: u32,
    /// The cells, in the order of their bits.
    pub cells: Vec<u8>,
    /// The extra fields, in the order of their bits.
    pub fields: Vec<Field>,
    /// True if each weight has one of another tuple beside it.
    pub is_paired: bool,
    /// True if the tuple is read at its own cells only.
    pub is_fixed: bool,
}

/// An extra field in an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its number among those of the board.
    pub number: usize,
    /// Position of its lowest bit.
    pub start: u32,
    pub bits: u32,
}

impl Arrangement {
    fn new(tuple: &Tuple, cells: Vec<u8>, start: u32, is_paired: bool, board: &Geometry) -> Self {
        let mut next = HALF + u32::from(is_paired);
        let mut fields = Vec::new();
        for &number in &tuple.extra_fields {
            let bits = board.extra_fields[number].bits;
            fields.push(Field { number, start: next, bits });
            next += bits;
        }
        Self { start, cells, fields, is_paired, is_fixed: tuple.fixed }
    }

    /// Returns by how many bits all but the low two bits of the first cell are moved up in an index.
    pub fn gap(&self) -> u32 {
        u32::from(self.is_paired) + self.fields.iter().map(|field| field.bits).sum::<u32>()
    }

    /// Returns the positions of a cell's low and high half in an index.
    pub fn halves(&self, cell: u8) -> [u32; 2] {
        let at = self.cells.iter().position(|&other| other == cell).expect("a cell of the tuple");
        let low = HALF * at as u32;
        let moved = |bit: u32| if bit < HALF { bit } else { bit + self.gap() };
        [moved(low), moved(low + HALF * self.cells.len() as u32)]
    }
}

/// Returns the arrangement of each tuple of a network.
pub fn arrange(network: &Network, board: &Geometry) -> Vec<Arrangement> {
    let tuples = network.tuples();
    let mut arranged: Vec<Option<Arrangement>> = vec![None; tuples.len()];
    let mut end = 0;
    for (number, tuple) in tuples.iter().enumerate() {
        if arranged[number].is_some() {
            continue;
        }
        let start = end as u32;
        end += Network::table(tuple, board);
        let mut partners = (number + 1..tuples.len()).filter(|&other| arranged[other].is_none());
        let pair = partners.find_map(|other| Some((other, pair(tuple, &tuples[other], board)?)));
        let Some((other, Pair { cells, other_cells })) = pair else {
            let cells = inner_first(&tuple.cells, board);
            arranged[number] = Some(Arrangement::new(tuple, cells, start, false, board));
            continue;
        };
        let beside = start + (1 << HALF);
        let partner = Arrangement::new(&tuples[other], other_cells, beside, true, board);
        arranged[number] = Some(Arrangement::new(tuple, cells, start, true, board));
        arranged[other] = Some(partner);
        end += Network::table(tuple, board);
    }
    arranged.into_iter().map(|arranged| arranged.expect("the arrangement of each tuple")).collect()
}

/// The cells of two tuples that share all but their first one, in the order of their bits.
struct Pair {
    cells: Vec<u8>,
    other_cells: Vec<u8>,
}

/// Returns the cells of two tuples if an image of the second one shares all but one cell with the
/// first.
fn pair(tuple: &Tuple, other: &Tuple, board: &Geometry) -> Option<Pair> {
    let is_alike = tuple.cells.len() == other.cells.len()
        && tuple.extra_fields == other.extra_fields
        && !tuple.fixed
        && !other.fixed;
    if !is_alike {
        return None;
    }
    for symmetry in &board.symmetries {
        let image = |cell: u8| symmetry.cells[usize::from(cell)];
        let source = |cell: u8| other.cells.iter().copied().find(|&it| image(it) == cell);
        let (shared, private): (Vec<u8>, Vec<u8>) =
            tuple.cells.iter().partition(|&&cell| source(cell).is_some());
        let &[first] = &private[..] else { continue };
        let shared = inner_first(&shared, board);
        let other_shared: Vec<u8> = shared.iter().filter_map(|&cell| source(cell)).collect();
        let other_first = other.cells.iter().copied().find(|cell| !other_shared.contains(cell))?;
        return Some(Pair {
            cells: [&[first], &shared[..]].concat(),
            other_cells: [&[other_first], &other_shared[..]].concat(),
        });
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
    fn tuples_that_share_all_but_one_cell_lie_in_turn() {
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
