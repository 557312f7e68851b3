//! The tables of a network's features: how the ranks of a board become an index for each of them.

use crate::definition::Network;
use crate::feature::{self, Feature, MAX_COUNT, Relation};
use crate::index::WeightIndex;
use crate::tuple::{ALPHABET, MAX_RANKS};
use runner_core::geometry::Geometry;
use std::ops::Range;

/// Bits of a counter of cells: a board has at most 25. Counter k lies at bit `5 * k` of a word.
const COUNTER: u32 = 5;

#[derive(Clone, Debug)]
pub(crate) struct FeatureTables {
    /// The slot of each cell of the board.
    slots: Vec<u8>,
    /// The slots of each pair of adjacent cells.
    adjacent: Vec<[u8; 2]>,
    /// Each with the index of its first weight.
    tables: Vec<(u32, FeatureTable)>,
}

/// The property that a feature counts.
#[derive(Clone, Debug)]
enum FeatureTable {
    /// Cells of certain ranks. A cell increases one counter at most.
    Counts {
        /// For each rank, the summand of a word of counters.
        units: Box<[u64; MAX_RANKS]>,
        /// Number of counters.
        counters: u32,
        /// The highest count that is distinguished.
        max: u32,
    },
    /// Different ranks, without rank 0.
    Present,
    /// Pairs of adjacent cells whose ranks are related.
    Adjacent(Box<Relation>),
}

impl FeatureTables {
    pub fn without_tables(&self) -> Self {
        Self { tables: Vec::new(), ..self.clone() }
    }

    /// Creates the tables of features. `ranges` are the places of all tables, features last.
    pub fn new(network: &Network, ranges: &[Range<usize>], board: &Geometry) -> Self {
        let slot = |cell| board.slot(cell) as u8;
        let mut tables = Vec::new();
        for (&feature, range) in network.features().iter().zip(&ranges[network.tuples().len()..]) {
            tables.push((range.start as u32, FeatureTable::new(feature, board)));
        }
        Self {
            slots: (0..board.cells()).map(slot).collect(),
            adjacent: feature::adjacent(board).map(|pair| pair.map(slot)).collect(),
            tables,
        }
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// Writes the index of a position's weight in each table. `start` is the index of the first
    /// weight of the stage and action, and `rank` returns the rank in a slot.
    #[inline(always)]
    pub fn indices(&self, start: u32, rank: impl Fn(u8) -> usize, out: &mut [WeightIndex]) {
        let rank = |slot: u8| rank(slot).min(ALPHABET - 1);
        for (out, (first, table)) in out.iter_mut().zip(&self.tables) {
            let content = match table {
                FeatureTable::Counts { units, counters, max } => {
                    let counts = self.slots.iter().map(|&slot| units[rank(slot)]).sum();
                    index_of_counts(counts, *counters, *max)
                }
                FeatureTable::Present => {
                    let ranks =
                        self.slots.iter().fold(0u32, |ranks, &slot| ranks | 1 << rank(slot));
                    (ranks & !1).count_ones()
                }
                FeatureTable::Adjacent(related) => {
                    let bit = |&[a, b]: &[u8; 2]| related[rank(a)] >> rank(b) & 1;
                    self.adjacent.iter().map(bit).sum()
                }
            };
            *out = WeightIndex::new(start + first + content);
        }
    }
}

impl FeatureTable {
    fn new(feature: Feature, board: &Geometry) -> Self {
        let mut units = Box::new([0; MAX_RANKS]);
        match feature {
            Feature::Empty => {
                units[0] = 1;
                Self::Counts { units, counters: 1, max: board.cells() as u32 }
            }
            Feature::Large(least) => {
                let ranks = feature::large_ranks(least, board);
                let counters = ranks.len() as u32;
                for (rank, counter) in ranks.zip(0..) {
                    units[rank] = 1 << (COUNTER * counter);
                }
                Self::Counts { units, counters, max: MAX_COUNT as u32 }
            }
            Feature::Distinct => Self::Present,
            Feature::Pairs => {
                Self::Adjacent(feature::relation(board, |a, b| board.merge(a, b)).into())
            }
            Feature::Neighbours => Self::Adjacent(
                feature::relation(board, |a, b| feature::is_double(board, a, b)).into(),
            ),
        }
    }
}

/// Returns the number whose digits are the counts up to `max`, with the first one lowest.
#[inline(always)]
fn index_of_counts(counts: u64, counters: u32, max: u32) -> u32 {
    let count = |counter: u32| (counts >> (COUNTER * counter)) as u32 & ((1 << COUNTER) - 1);
    (0..counters).rev().fold(0, |index, counter| index * (max + 1) + count(counter).min(max))
}
