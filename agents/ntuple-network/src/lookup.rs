//! From a position to the indices of its weights.
//!
//! The index of a tuple's content within its table is, from the lowest
//! bit on: the extra fields, the low two bits of each cell, the high two bits of each cell.
//! Small tiles, which change with every move, thus share cache lines: one line holds all
//! contents of two cells of small tiles, or of one such cell with every announcement of Threes,
//! which a search reads together. On boards up to 4 x 4 the cells are in the order of
//! an image of the tuple, see [`layout`]; on larger boards they ascend.
//!
//! If each action has its own tables, those of the first action come first. A symmetry maps an
//! action to another one, so an image is looked up in the tables of the mapped action. If each
//! stage has its own tables, those of the first stage, for all actions, come first.
//!
//! This is the order of model files, in which a weight has a *place*. In memory, the cache
//! lines of a table are permuted by its key, see [`memory`](crate::memory).

use crate::cellwise::{CellwiseImages, StageTables};
use crate::definition::Network;
use crate::feature_tables::FeatureTables;
use crate::index::{Place, WeightIndex};
use crate::layout;
use crate::ranks;
use crate::symmetry::{SplitBoard, SplitSymmetries, split};
use crate::table::{CELL_BITS, Table};
use crate::tuple::{Tuple, network_error};
use runner_board::Stages;
use runner_core::geometry::{FIFTH_BITS, Geometry};
use runner_core::{Action, Afterstate, BuildError};
use std::ops::Range;

/// The order of a tuple's weights on boards up to 4 x 4, as model files name it.
pub const INNER_FIRST: &str = "low and high halves of cells, inner cells first";
/// The order of a tuple's weights on larger boards, as model files name it.
pub const ASCENDING: &str = "low and high halves of cells";
/// The orders of tables with extra fields, which are the lowest digits.
const EXTRA_INNER_FIRST: &str = "extra fields, low and high halves of cells, inner cells first";
const EXTRA_ASCENDING: &str = "extra fields, low and high halves of cells";

pub const MAX_TUPLES: usize = 64;

/// Maximum number of lookups of a position: of the most tuples in 16 symmetries.
pub const MAX_LOOKUPS: usize = 16 * MAX_TUPLES;

/// Number of weights, of 4 bytes each, in a cache line.
const LINE: usize = 16;

/// Number of bits of a weight's index that a key can change.
const KEY_BITS: u32 = 16;

/// Returns the index of the weight at a place of model files. `keys` has the key of each
/// `2^KEY_BITS` places; a network that permutes no table has none.
#[inline]
pub(crate) fn entry(keys: &[u16], place: usize) -> usize {
    place ^ keys.get(place >> KEY_BITS).map_or(0, |&key| usize::from(key))
}

/// Returns the key of a table: the bits of an index that are inverted, of those above a cache line
/// (see [`memory`](crate::memory)).
fn key(number: usize) -> u16 {
    // The keys of all tables differ in the six bits that determine the set of a first-level
    // cache, because the factor is odd.
    (number * 0x9e5 * LINE) as u16
}

/// Computes the indices of a position's weights: for each image of the board in every free
/// tuple, then for the board itself in every fixed tuple, then for every feature.
#[derive(Clone, Debug)]
pub struct Lookup {
    images: Images,
    /// Tables that are read in every image.
    free: Vec<Table>,
    fixed: Vec<Table>,
    features: FeatureTables,
    has_extra_fields: bool,
    per_position: usize,
    ranges: Vec<Range<usize>>,
    digits: Vec<Vec<usize>>,
    order: &'static str,
    per_stage: usize,
    stages: Option<Stages>,
    fifth_bits: bool,
    slots: Vec<u8>,
    /// The key of each `2^KEY_BITS` weights; none if no table is permuted.
    keys: Vec<u16>,
}

#[derive(Clone, Debug)]
enum Images {
    /// By arithmetic on one word, without tables per action.
    Split(SplitSymmetries),
    Cellwise(CellwiseImages),
}

impl Lookup {
    pub fn new(network: &Network, board: &Geometry) -> Result<Self, BuildError> {
        let count = network.tuples().len() + network.features().len();
        if count > MAX_TUPLES {
            return Err(network_error(format!(
                "{count} tuples and features; the maximum is {MAX_TUPLES}"
            )));
        }
        if board.symmetries.is_empty() {
            return Err(BuildError::new(
                "the game lists no symmetry of its board; it must list the identity",
            ));
        }
        let split = SplitSymmetries::of(board).filter(|_| network.actions() == 1);
        let mut start = 0u64;
        let tables = (network.actions() * network.stage_count()) as u64;
        let is_too_large = |weights: u64| weights.saturating_mul(tables) > 1 << 32;
        let too_large = || network_error("the tables have more than 2^32 weights");
        let (mut ranges, mut digits) = (Vec::new(), Vec::new());
        let (mut free, mut fixed) = (Vec::new(), Vec::new());
        for tuple in network.tuples() {
            let first = start;
            start += Network::table(tuple, board);
            ranges.push(first as usize..start as usize);
            if is_too_large(start) {
                return Err(too_large());
            }
            let cells = match split {
                Some(_) if !tuple.fixed => layout::image(&tuple.cells, board),
                _ => tuple.cells.clone(),
            };
            let mut ascending = Tuple { cells: cells.clone(), ..tuple.clone() };
            ascending.cells.sort_unstable();
            let digit =
                |cell: &u8| ascending.cells.iter().take_while(|other| *other < cell).count();
            digits.push(cells.iter().map(digit).collect());
            let table = Table::new(&ascending, board, first as u32);
            if tuple.fixed { &mut fixed } else { &mut free }.push(table);
        }
        let mut features = Vec::new();
        for &feature in network.features() {
            feature.check(board)?;
            let first = start;
            start += feature.weights(board);
            if is_too_large(start) {
                return Err(too_large());
            }
            ranges.push(first as usize..start as usize);
            features.push((first as u32, feature));
        }
        let has_extra_fields = network.tuples().iter().any(|tuple| !tuple.extra_fields.is_empty());
        let images = match split {
            Some(symmetries) => Images::Split(symmetries),
            None => Images::Cellwise(CellwiseImages::new(board, network.actions(), start)?),
        };
        let count = match &images {
            Images::Split(symmetries) => symmetries.count(),
            Images::Cellwise(images) => images.count(),
        };
        let per_position = free.len() * count + fixed.len() + features.len();
        if per_position > MAX_LOOKUPS {
            return Err(network_error(format!(
                "{per_position} lookups of a position; the maximum is {MAX_LOOKUPS}"
            )));
        }
        // If the tables of later stages and actions begin elsewhere within such a block than those
        // of the first, one key does not fit all of them.
        let block = 1usize << KEY_BITS;
        let mut keys = vec![0; start as usize / block];
        if start.is_multiple_of(block as u64) || tables == 1 {
            for (number, table) in free.iter_mut().chain(&mut fixed).enumerate() {
                let range = ranges.iter().find(|range| range.start == table.start as usize);
                let range = range.expect("the table of a tuple");
                if range.start.is_multiple_of(block) && range.end.is_multiple_of(block) {
                    let key = key(number);
                    keys[range.start / block..range.end / block].fill(key);
                    table.key = key.into();
                }
            }
        }
        Ok(Self {
            keys: keys.repeat(tables as usize),
            images,
            has_extra_fields,
            per_position,
            features: FeatureTables::new(&features, board),
            per_stage: start as usize * network.actions(),
            stages: network.stages().cloned(),
            ranges,
            digits,
            order: match (split, has_extra_fields) {
                (Some(_), false) => INNER_FIRST,
                (Some(_), true) => EXTRA_INNER_FIRST,
                (None, false) => ASCENDING,
                (None, true) => EXTRA_ASCENDING,
            },
            free,
            fixed,
            fifth_bits: board.has_fifth_bits(),
            slots: (0..board.cells()).map(|cell| board.slot(cell) as u8).collect(),
        })
    }

    /// Returns the same lookup, with the weights of the stage `last` for all later ones.
    pub fn limited(&self, last: usize) -> Self {
        let stages = self.stages.as_ref().map(|stages| stages.limited(last));
        Self { stages, ..self.clone() }
    }

    /// Returns the number of lookups of a position, that is, of weights whose sum is its value.
    #[inline(always)]
    pub fn per_position(&self) -> usize {
        self.per_position
    }

    pub fn weights(&self) -> usize {
        self.per_stage * self.stages()
    }

    #[inline(always)]
    pub fn per_stage(&self) -> usize {
        self.per_stage
    }

    pub fn stages(&self) -> usize {
        self.stages.as_ref().map_or(1, Stages::count)
    }

    pub fn stage(&self, position: Afterstate) -> usize {
        match (&self.stages, &self.images) {
            (None, _) => 0,
            (Some(stages), Images::Split(_)) => self.stage_and_board(stages, position).0,
            (Some(stages), Images::Cellwise(images)) => {
                stages.of_ranks(&mut images.ranks(position))
            }
        }
    }

    /// Returns the index range of each tuple's table, in the network's order, then those of the
    /// features; of the first action and stage if each has its own tables.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// Returns, for each tuple in the network's order, which digit of its table each cell is; 0
    /// is the lowest.
    pub fn digits(&self) -> &[Vec<usize>] {
        &self.digits
    }

    /// Returns the order of a tuple's weights, as model files name it.
    pub fn order(&self) -> &'static str {
        self.order
    }

    /// Returns the same lookup without permutations of tables, for benchmarks.
    #[doc(hidden)]
    pub fn unpermuted(&self) -> Self {
        let mut lookup = self.clone();
        lookup.keys.fill(0);
        lookup.free.iter_mut().chain(&mut lookup.fixed).for_each(|table| table.key = 0);
        lookup
    }

    pub(crate) fn keys(&self) -> &[u16] {
        &self.keys
    }

    /// Returns the index of the weight at a place of model files.
    pub fn entry(&self, place: usize) -> usize {
        entry(&self.keys, place)
    }

    /// Writes the indices of the position's weights to `out`, whose length must be
    /// [`per_position`](Lookup::per_position).
    #[inline(always)]
    pub fn indices(&self, position: Afterstate, out: &mut [WeightIndex]) {
        self.indices_of_all([position].into_iter(), out, Place::index);
    }

    /// Writes the indices of several positions, one after the other, to `out`. `visit` gets the place of
    /// each weight and returns the index to write. It may prefetch the weight, or return an index into
    /// another table, as [`StepNetwork`](crate::StepNetwork) does.
    #[inline(always)]
    pub fn indices_of_all(
        &self,
        positions: impl Iterator<Item = Afterstate> + Clone,
        out: &mut [WeightIndex],
        visit: impl Fn(Place) -> WeightIndex + Copy,
    ) {
        // The kind of board is tested once for all positions, and so is the number of tuples: the
        // presets' numbers are constants, so that the loops are unrolled.
        if let Images::Cellwise(images) = &self.images {
            for (position, out) in positions.zip(out.chunks_exact_mut(self.per_position)) {
                self.cellwise_indices(images, position, Action(0), out, visit);
            }
            return;
        }
        match self.free.len() {
            4 => self.split_positions::<4>(positions, out, visit),
            5 => self.split_positions::<5>(positions, out, visit),
            6 => self.split_positions::<6>(positions, out, visit),
            7 => self.split_positions::<7>(positions, out, visit),
            8 => self.split_positions::<8>(positions, out, visit),
            _ => self.split_positions::<0>(positions, out, visit),
        }
    }

    /// Writes the indices of split boards, in `TABLES` tables that are read in every image; 0 is any
    /// number. Not inlined, because the unrolled loops are long.
    #[inline(never)]
    fn split_positions<const TABLES: usize>(
        &self,
        positions: impl Iterator<Item = Afterstate> + Clone,
        out: &mut [WeightIndex],
        visit: impl Fn(Place) -> WeightIndex + Copy,
    ) {
        let Images::Split(symmetries) = &self.images else { return };
        let is_full = symmetries.is_full() && !self.has_extra_fields;
        let each = positions.clone().zip(out.chunks_exact_mut(self.per_position));
        if is_full && self.stages.is_none() {
            for (position, out) in each {
                let images = SplitSymmetries::FULL.all(split(self.narrow_board(position)));
                self.split_indices::<TABLES, false>(&images, 0, 0, out, visit);
            }
        } else if is_full {
            for (position, out) in each {
                let (start, board) = self.start_and_board(position);
                let images = SplitSymmetries::FULL.all(split(board));
                self.split_indices::<TABLES, false>(&images, 0, start, out, visit);
            }
        } else {
            for (position, out) in each {
                let (start, board) = self.start_and_board(position);
                let images = &symmetries.all(split(board))[..symmetries.count()];
                self.split_indices::<TABLES, true>(images, position.hi, start, out, visit);
            }
        }
        if !self.features.is_empty() {
            for (position, out) in positions.zip(out.chunks_exact_mut(self.per_position)) {
                let (start, board) = self.start_and_board(position);
                let rank = |slot: u8| (board >> (CELL_BITS * u32::from(slot)) & 15) as usize;
                let out = &mut out[self.per_position - self.features.len()..];
                self.features.indices(start, rank, out, visit);
            }
        }
    }

    /// Writes the indices of a position's weights for an action. Pass the first action if all
    /// actions share their tables.
    #[inline(always)]
    pub fn indices_for(
        &self,
        position: Afterstate,
        action: Action,
        out: &mut [WeightIndex],
        visit: impl Fn(Place) -> WeightIndex + Copy,
    ) {
        match &self.images {
            Images::Split(_) => self.indices_of_all([position].into_iter(), out, visit),
            Images::Cellwise(images) => {
                self.cellwise_indices(images, position, action, out, visit);
            }
        }
    }

    fn cellwise_indices(
        &self,
        images: &CellwiseImages,
        position: Afterstate,
        action: Action,
        out: &mut [WeightIndex],
        visit: impl Fn(Place) -> WeightIndex + Copy,
    ) {
        let mut ranks = images.ranks(position);
        let stage = self.stages.as_ref().map_or(0, |stages| stages.of_ranks(&mut ranks));
        let start = self.stage_start(stage);
        let tables = StageTables { start, free: &self.free, fixed: &self.fixed };
        let (tuples, features) = out.split_at_mut(self.per_position - self.features.len());
        images.indices(&tables, &ranks, position.hi, action, tuples, visit);
        let start = start + images.start(action);
        self.features.indices(start, |slot| ranks[usize::from(slot)], features, visit);
    }

    /// Returns the index of the first weight of a position's stage, and its board with four bits per
    /// cell.
    #[inline(always)]
    fn start_and_board(&self, position: Afterstate) -> (u32, u64) {
        match &self.stages {
            None => (0, self.narrow_board(position)),
            Some(stages) => {
                let (stage, board) = self.stage_and_board(stages, position);
                (self.stage_start(stage), board)
            }
        }
    }

    #[inline(always)]
    fn stage_start(&self, stage: usize) -> u32 {
        (stage * self.per_stage) as u32
    }

    #[inline(always)]
    fn narrow_board(&self, position: Afterstate) -> u64 {
        if self.has_higher_ranks(position) {
            self.narrow_board_by_ranks(position)
        } else {
            position.lo
        }
    }

    /// Returns the stage of a position, and its board as that stage distinguishes it, with four bits
    /// per cell.
    #[inline(always)]
    fn stage_and_board(&self, stages: &Stages, position: Afterstate) -> (usize, u64) {
        if self.has_higher_ranks(position) {
            self.stage_and_board_by_ranks(stages, position)
        } else {
            stages.of_board(position.lo)
        }
    }

    #[inline(always)]
    fn has_higher_ranks(&self, position: Afterstate) -> bool {
        self.fifth_bits && position.hi >> (FIFTH_BITS - 64) != 0
    }

    #[cold]
    fn narrow_board_by_ranks(&self, position: Afterstate) -> u64 {
        ranks::narrow_board(&ranks::ranks(position, &self.slots, true))
    }

    #[cold]
    fn stage_and_board_by_ranks(&self, stages: &Stages, position: Afterstate) -> (usize, u64) {
        let mut ranks = ranks::ranks(position, &self.slots, true);
        (stages.of_ranks(&mut ranks), ranks::narrow_board(&ranks))
    }

    #[inline(always)]
    fn split_indices<const TABLES: usize, const EXTRA_FIELDS: bool>(
        &self,
        images: &[SplitBoard],
        hi: u64,
        start: u32,
        out: &mut [WeightIndex],
        visit: impl Fn(Place) -> WeightIndex,
    ) {
        let index = |table: &Table, content| {
            let content = if EXTRA_FIELDS { table.whole_content(content, hi) } else { content };
            visit(Place { number: start + table.start + content, key: table.key })
        };
        let count = if TABLES > 0 { TABLES } else { self.free.len() };
        let (tables, (free, fixed)) = (&self.free[..count], out.split_at_mut(images.len() * count));
        for (slot, table) in fixed.iter_mut().zip(&self.fixed) {
            *slot = index(table, table.content(images[0]));
        }
        // Without `pext`, the same shifts for all images are vector instructions.
        #[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
        if let Some(images) = images.as_array::<8>() {
            for (number, table) in tables.iter().enumerate() {
                for (slots, content) in free.chunks_exact_mut(count).zip(table.contents(images)) {
                    slots[number] = index(table, content);
                }
            }
            return;
        }
        for (number, &image) in images.iter().enumerate() {
            for (slot, table) in free[number * count..][..count].iter_mut().zip(tables) {
                *slot = index(table, table.content(image));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_core::Game;
    use std::collections::HashSet;

    #[test]
    fn equal_contents_of_two_tables_have_different_low_address_bits() {
        let game = game_2048::Game2048::new(Default::default()).unwrap();
        let board = game.description().geometry.as_ref().unwrap();
        for (network, stages) in [("8x6", 1), ("4x6", 2), ("0123 01 4567", 1)] {
            let network = Network::read(network, board).unwrap();
            let list = (stages > 1).then(|| Stages::read("16384", board).unwrap());
            let network = network.with_stages(list);
            let lookup = Lookup::new(&network, board).unwrap();
            let large = lookup.ranges.iter().filter(|range| range.len() >= 1 << KEY_BITS);
            let first_lines = large.map(|range| lookup.entry(range.start) / LINE % 64);
            let first_lines: Vec<usize> = first_lines.collect();
            assert_eq!(first_lines.iter().collect::<HashSet<_>>().len(), first_lines.len());
            // No place leaves its table, and the same permutation leads back.
            for place in (0..lookup.weights()).step_by(4093) {
                let entry = lookup.entry(place);
                let table = |place: usize| {
                    lookup.ranges.iter().find(|range| range.contains(&(place % lookup.per_stage)))
                };
                assert_eq!((lookup.entry(entry), table(entry)), (place, table(place)));
            }
        }
    }
}
