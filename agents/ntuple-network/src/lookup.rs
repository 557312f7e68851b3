//! From a position to the indices of its weights.
//!
//! A weight has two numbers. Its *index* is where it lies in memory. Its *place* is its number in
//! model files, which stays the same if the order in memory changes.
//!
//! Places are ordered by stage, if stages have their own tables, then by action, if actions have.
//! Then come the tables of tuples and those of features.
//!
//! Within the table of a tuple, a place has these digits, the lowest first: the extra fields, the
//! low two bits of each cell's rank, the high two bits of each cell's rank. With the ranks 13,
//! `0b11_01`, and 2, `0b00_10`, in the first and the second of two cells, the place is
//! `0b0011_1001`. The cells are in the order of an image of the tuple on boards up to 4 x 4 (see
//! [`layout`]), and ascend on others.
//!
//! Indices have the order of an [`Arrangement`] on boards up to 4 x 4, and equal places on others.
//! A [`PlaceMap`] has the index of each place.
//!
//! If each action has its own tables, an image of the board reads those of the mapped action.

use crate::arrangement::{Arrangement, HALF_BITS, arrange};
use crate::cellwise::Cellwise;
use crate::definition::Network;
use crate::feature_tables::FeatureTables;
use crate::index::WeightIndex;
use crate::lanes::{Lanes, MAX_LANE_CELLS};
use crate::layout;
use crate::place_map::{Order, PlaceMap};
use crate::ranks::{self, Ranks};
use crate::stages::Stages;
use crate::table::{CELL_BITS, Table};
use crate::tuple::{Tuple, network_error};
use runner_core::geometry::{FIFTH_BITS, Geometry};
use runner_core::{Action, Afterstate, BuildError};
use std::ops::Range;
use std::sync::Arc;

/// The names of the orders of places within a table, as model files have them: cells in the order
/// of an image or ascending, each without and with extra fields.
const INNER_FIRST: &str = "low and high halves of cells, inner cells first";
const ASCENDING: &str = "low and high halves of cells";
const EXTRA_INNER_FIRST: &str = "extra fields, low and high halves of cells, inner cells first";
const EXTRA_ASCENDING: &str = "extra fields, low and high halves of cells";

/// Maximum number of tuples and features.
pub const MAX_TUPLES: usize = 64;

/// Maximum number of lookups of a position: of the most tuples in 16 symmetries.
pub const MAX_LOOKUPS: usize = 16 * MAX_TUPLES;

/// Computes the indices of a position's weights. Each index is one *lookup*: of a free tuple in
/// one image of the board, of a fixed tuple in the board itself, or of a feature.
///
/// The indices are in this order: all free tuples in all images, all fixed tuples, all features.
#[derive(Clone, Debug)]
pub struct Lookup {
    tuples: TupleLookups,
    features: FeatureTables,
    has_extra_fields: bool,
    /// Number of lookups of a position.
    per_position: usize,
    /// The places of each table of the first action and stage: of tuples, then of features.
    ranges: Vec<Range<usize>>,
    ordered_cells: Vec<Vec<u8>>,
    order: &'static str,
    /// Number of weights of a stage.
    per_stage: usize,
    /// `None` if the network has one stage, which distinguishes all ranks.
    stages: Option<Stages>,
    has_fifth_bits: bool,
    /// The slot of each cell of the board.
    slots: Vec<u8>,
    places: Arc<PlaceMap>,
}

/// A lookup that returns a part of the indices of another one.
#[derive(Clone, Debug)]
pub struct PartOfLookup {
    pub lookup: Lookup,
    /// For each index that this lookup returns, its number among those that the other one returns.
    pub numbers: Vec<usize>,
}

/// The lookups of all tuples.
#[derive(Clone, Debug)]
enum TupleLookups {
    /// Eight at a time, on boards up to 4 x 4 without tables per action.
    Lanes(Lanes),
    /// One at a time.
    Cellwise(Cellwise),
}

impl Lookup {
    pub fn new(network: &Network, board: &Geometry) -> Result<Self, BuildError> {
        check(network, board)?;
        let ranges = ranges(network, board);
        // Whether the cells of free tuples are in the order of an image.
        let is_inner_first = network.actions() == 1 && layout::has_all_symmetries(board);
        let ordered = |tuple: &Tuple| ordered_cells(tuple, board, is_inner_first);
        let ordered_cells: Vec<Vec<u8>> = network.tuples().iter().map(ordered).collect();
        let is_short = |tuple: &Tuple| tuple.cells.len() <= MAX_LANE_CELLS;
        let has_lanes = is_inner_first && network.tuples().iter().all(is_short);
        let arranged = if has_lanes { arrange(network, board) } else { Vec::new() };
        let tuples = if has_lanes {
            TupleLookups::Lanes(Lanes::new(&arranged, board))
        } else {
            TupleLookups::Cellwise(cellwise(network, board, is_inner_first, &ranges)?)
        };
        let images_of = |tuple: &Tuple| if tuple.fixed { 1 } else { board.symmetries.len() };
        let per_position =
            network.tuples().iter().map(images_of).sum::<usize>() + network.features().len();
        if per_position > MAX_LOOKUPS {
            return Err(network_error(format!(
                "{per_position} lookups of a position; the maximum is {MAX_LOOKUPS}"
            )));
        }
        let has_extra_fields = network.tuples().iter().any(|tuple| !tuple.extra_fields.is_empty());
        Ok(Self {
            tuples,
            features: FeatureTables::new(network, &ranges, board),
            has_extra_fields,
            per_position,
            order: match (is_inner_first, has_extra_fields) {
                (true, false) => INNER_FIRST,
                (true, true) => EXTRA_INNER_FIRST,
                (false, false) => ASCENDING,
                (false, true) => EXTRA_ASCENDING,
            },
            per_stage: network.weights_per_action(board) as usize * network.actions(),
            stages: network.stages().cloned(),
            has_fifth_bits: board.has_fifth_bits(),
            slots: (0..board.cells()).map(|cell| board.slot(cell) as u8).collect(),
            places: Arc::new(place_map(network, &ranges, &arranged, &ordered_cells)),
            ranges,
            ordered_cells,
        })
    }

    /// Returns two parts of about the same size that have no table in common; the first one has
    /// the features. `None` if there are none, as on boards with less than eight symmetries.
    pub fn parts(&self) -> Option<[PartOfLookup; 2]> {
        let TupleLookups::Lanes(lanes) = &self.tuples else { return None };
        let [first, second] = lanes.sides()?;
        let part = |eights: &[usize], features: FeatureTables| {
            let tuples = TupleLookups::Lanes(lanes.part(eights));
            let mut numbers: Vec<usize> =
                eights.iter().flat_map(|&eight| lanes.numbers(eight)).collect();
            if !features.is_empty() {
                numbers.extend(lanes.count()..self.per_position);
            }
            let per_position = numbers.len();
            let lookup = Self { tuples, features, per_position, ..self.clone() };
            PartOfLookup { lookup, numbers }
        };
        let without_features = self.features.without_tables();
        Some([part(&first, self.features.clone()), part(&second, without_features)])
    }

    /// Returns the same lookup, with the weights of the stage `last` for all later stages.
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

    /// Returns the number of weights of a stage.
    #[inline(always)]
    pub fn per_stage(&self) -> usize {
        self.per_stage
    }

    pub fn stages(&self) -> usize {
        self.stages.as_ref().map_or(1, Stages::count)
    }

    pub fn stage(&self, position: Afterstate) -> usize {
        let Some(stages) = &self.stages else { return 0 };
        match &self.tuples {
            TupleLookups::Lanes(_) => self.stage_and_board(stages, position).0,
            TupleLookups::Cellwise(_) => stages.of_ranks(&mut self.ranks(position)),
        }
    }

    /// Returns the places of each tuple's table, in the network's order, then those of each
    /// feature's. They are those of the first action and stage if each has its own tables.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// Returns the cells of each tuple in the order of their digits in a place, the lowest first.
    pub fn ordered_cells(&self) -> &[Vec<u8>] {
        &self.ordered_cells
    }

    /// Returns the name of the order of places within a table, as model files have it.
    pub fn order(&self) -> &'static str {
        self.order
    }

    pub(crate) fn places(&self) -> &PlaceMap {
        &self.places
    }

    /// Returns the index of the weight at a place of model files.
    pub fn index_of(&self, place: usize) -> usize {
        self.places.index(place)
    }

    /// Writes the indices of the position's weights to `out`, whose length must be
    /// [`per_position`](Lookup::per_position).
    #[inline(always)]
    pub fn indices(&self, position: Afterstate, out: &mut [WeightIndex]) {
        self.indices_of_all([position].into_iter(), out);
    }

    /// Writes the indices of several positions, one after the other, to `out`.
    #[inline(always)]
    pub fn indices_of_all(
        &self,
        positions: impl Iterator<Item = Afterstate>,
        out: &mut [WeightIndex],
    ) {
        let each = positions.zip(out.chunks_exact_mut(self.per_position));
        match &self.tuples {
            TupleLookups::Cellwise(_) => {
                each.for_each(|(position, out)| self.indices_for(position, Action(0), out));
            }
            TupleLookups::Lanes(lanes) => {
                for (position, out) in each {
                    let (start, board) = self.stage_start_and_board(position);
                    if self.has_extra_fields {
                        lanes.indices_with_fields(board, position.hi, start, out);
                    } else {
                        lanes.indices(board, start, out);
                    }
                    if !self.features.is_empty() {
                        self.feature_indices(board, start, &mut out[lanes.count()..]);
                    }
                }
            }
        }
    }

    fn feature_indices(&self, board: u64, stage_start: u32, out: &mut [WeightIndex]) {
        let rank = |slot: u8| (board >> (CELL_BITS * u32::from(slot)) & 15) as usize;
        self.features.indices(stage_start, rank, out);
    }

    /// Writes the indices of a position's weights for an action, the first if all share their
    /// tables.
    #[inline(always)]
    pub fn indices_for(&self, position: Afterstate, action: Action, out: &mut [WeightIndex]) {
        match &self.tuples {
            TupleLookups::Lanes(_) => self.indices(position, out),
            TupleLookups::Cellwise(cellwise) => {
                let mut ranks = self.ranks(position);
                // This also lowers the ranks to those that the stage distinguishes.
                let stage = self.stages.as_ref().map_or(0, |stages| stages.of_ranks(&mut ranks));
                let start = self.stage_start(stage);
                let (tuples, features) = out.split_at_mut(cellwise.count());
                cellwise.indices(start, &ranks, position.hi, action, tuples);
                let action_start = start + cellwise.start(action);
                self.features.indices(action_start, |slot| ranks[usize::from(slot)], features);
            }
        }
    }

    /// Like [`stage_and_board`](Self::stage_and_board), with the index of the stage's first weight.
    #[inline(always)]
    fn stage_start_and_board(&self, position: Afterstate) -> (u32, u64) {
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

    /// Returns the board of a position with four bits per cell. Ranks above 15 become 15.
    #[inline(always)]
    fn narrow_board(&self, position: Afterstate) -> u64 {
        if self.has_higher_ranks(position) {
            self.narrow_board_by_ranks(position)
        } else {
            position.lo
        }
    }

    /// Returns the stage of a position, and its board as that stage reads it, four bits per cell.
    #[inline(never)]
    fn stage_and_board(&self, stages: &Stages, position: Afterstate) -> (usize, u64) {
        if self.has_higher_ranks(position) {
            self.stage_and_board_by_ranks(stages, position)
        } else {
            stages.of_board(position.lo)
        }
    }

    /// Returns true if a cell has a rank above 15.
    #[inline(always)]
    fn has_higher_ranks(&self, position: Afterstate) -> bool {
        self.has_fifth_bits && position.hi >> (FIFTH_BITS - 64) != 0
    }

    #[cold]
    fn narrow_board_by_ranks(&self, position: Afterstate) -> u64 {
        ranks::narrow_board(&self.ranks(position))
    }

    #[cold]
    fn stage_and_board_by_ranks(&self, stages: &Stages, position: Afterstate) -> (usize, u64) {
        let mut ranks = self.ranks(position);
        (stages.of_ranks(&mut ranks), ranks::narrow_board(&ranks))
    }

    fn ranks(&self, position: Afterstate) -> Ranks {
        ranks::ranks(position, &self.slots, self.has_fifth_bits)
    }
}

/// Returns an error if a network has too many tables or weights, or does not fit the board.
fn check(network: &Network, board: &Geometry) -> Result<(), BuildError> {
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
    for feature in network.features() {
        feature.check(board)?;
    }
    let tables = network.actions() * network.stage_count();
    if network.weights_per_action(board).saturating_mul(tables as u64) > 1 << 32 {
        return Err(network_error("the tables have more than 2^32 weights"));
    }
    Ok(())
}

fn ranges(network: &Network, board: &Geometry) -> Vec<Range<usize>> {
    let tuples = network.tuples().iter().map(|tuple| Network::table_size(tuple, board));
    let features = network.features().iter().map(|feature| feature.table_size(board));
    let mut ranges = Vec::new();
    let mut end = 0;
    for weights in tuples.chain(features) {
        let start = end;
        end += weights as usize;
        ranges.push(start..end);
    }
    ranges
}

/// Returns the image of a tuple's cells that determines the order of its places.
fn ordering_image(tuple: &Tuple, board: &Geometry, is_inner_first: bool) -> Vec<u8> {
    if is_inner_first && !tuple.fixed {
        layout::image(&tuple.cells, board)
    } else {
        tuple.cells.clone()
    }
}

fn ordered_cells(tuple: &Tuple, board: &Geometry, is_inner_first: bool) -> Vec<u8> {
    let image = ordering_image(tuple, board, is_inner_first);
    let mut cells: Vec<(u8, u8)> = image.into_iter().zip(tuple.cells.iter().copied()).collect();
    cells.sort_unstable();
    cells.into_iter().map(|(_, cell)| cell).collect()
}

fn cellwise(
    network: &Network,
    board: &Geometry,
    is_inner_first: bool,
    ranges: &[Range<usize>],
) -> Result<Cellwise, BuildError> {
    let (mut free, mut fixed) = (Vec::new(), Vec::new());
    for (tuple, range) in network.tuples().iter().zip(ranges) {
        let mut cells = ordering_image(tuple, board, is_inner_first);
        cells.sort_unstable();
        let image = Tuple { cells, ..tuple.clone() };
        let table = Table::new(&image, board, range.start as u32);
        if tuple.fixed {
            fixed.push(table);
        } else {
            free.push(table);
        }
    }
    Cellwise::new(board, network.actions(), network.weights_per_action(board), [free, fixed])
}

/// Returns the index of each place. `arranged` has the arrangement of each tuple, or nothing: then
/// indices equal places, as those of features always do.
fn place_map(
    network: &Network,
    ranges: &[Range<usize>],
    arranged: &[Arrangement],
    ordered_cells: &[Vec<u8>],
) -> PlaceMap {
    // For each table, the index of its first weight, and its order in memory.
    let mut in_memory: Vec<_> = ranges.iter().map(|range| (range.start, Order::Same)).collect();
    for (number, arrangement) in arranged.iter().enumerate() {
        let order = memory_order(arrangement, &ordered_cells[number]);
        in_memory[number] = (arrangement.start as usize, order);
    }
    let per_action = ranges.last().map_or(0, |last| last.end);
    let mut map = PlaceMap::default();
    for number in 0..network.actions() * network.stage_count() {
        for (range, (start, order)) in ranges.iter().zip(&in_memory) {
            map.push(range.len(), number * per_action + start, order.clone());
        }
    }
    map
}

fn memory_order(arrangement: &Arrangement, ordered_cells: &[u8]) -> Order {
    // The position in an index of each bit of a place.
    let mut bits = Vec::new();
    for field in &arrangement.fields {
        bits.extend(field.start..field.start + field.bits);
    }
    for half in [0, 1] {
        for &cell in ordered_cells {
            let start = arrangement.halves(cell)[half];
            bits.extend(start..start + HALF_BITS);
        }
    }
    Order::of_bits(&bits)
}
