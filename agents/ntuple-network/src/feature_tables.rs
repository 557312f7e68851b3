//! The tables of a network's features: how the ranks of a board become an index.

use crate::definition::Network;
use crate::feature::{self, Feature, MAX_COUNT, Relation};
use crate::index::WeightIndex;
use crate::tuple::{ALPHABET, MAX_RANKS};
use runner_core::geometry::Geometry;
use std::ops::Range;

/// Bits of a counter of cells: a board has at most 25.
const COUNTER: u32 = 5;

#[derive(Clone, Debug)]
pub(crate) struct FeatureTables {
    slots: Vec<u8>,
    adjacent: Vec<[u8; 2]>,
    /// Each with the index of its first weight.
    tables: Vec<(u32, FeatureTable)>,
}

#[derive(Clone, Debug)]
enum FeatureTable {
    /// By counts of cells, of which each rank adds to one at most.
    Counts {
        /// Increase of the counters for a cell of each rank.
        units: Box<[u64; MAX_RANKS]>,
        counters: u32,
        /// The highest count that is distinguished.
        max: u32,
    },
    Present,
    Adjacent(Box<Relation>),
}

impl FeatureTables {
    pub fn without_tables(&self) -> Self {
        Self { tables: Vec::new(), ..self.clone() }
    }

    /// Creates the tables of a network's features. `ranges` are those of all its tables.
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

    #[inline(always)]
    pub fn len(&self) -> usize {
        self.tables.len()
    }

    /// Writes the index of a position in each table; `start` is added to each, and `rank` returns
    /// the rank in a slot.
    #[inline(always)]
    pub fn indices(&self, start: u32, rank: impl Fn(u8) -> usize, out: &mut [WeightIndex]) {
        let rank = |slot: u8| rank(slot).min(ALPHABET - 1);
        for (out, (first, table)) in out.iter_mut().zip(&self.tables) {
            let content = match table {
                FeatureTable::Counts { units, counters, max } => {
                    let counts = self.slots.iter().map(|&slot| units[rank(slot)]).sum();
                    number(counts, *counters, *max)
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

/// Returns the number whose digits are the counters, the first one lowest.
#[inline(always)]
fn number(counts: u64, counters: u32, max: u32) -> u32 {
    let count = |counter: u32| (counts >> (COUNTER * counter)) as u32 & ((1 << COUNTER) - 1);
    (0..counters).rev().fold(0, |number, counter| number * (max + 1) + count(counter).min(max))
}
