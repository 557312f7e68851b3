//! From a position to the indices of its weights.
//!
//! In model files, a weight has a *place*: the tables lie one after the other, and the number of a tuple's
//! content within its table is, from the lowest bit on: the extra fields, the low two bits of each cell,
//! the high two bits of each cell. On boards up to 4 x 4 the cells are in the order of
//! an image of the tuple, see [`layout`]; on larger boards they ascend.
//!
//! If each action has its own tables, those of the first action come first. A symmetry maps an
//! action to another one, so an image is looked up in the tables of the mapped action. If each
//! stage has its own tables, those of the first stage, for all actions, come first.
//!
//! In memory, the weights of boards up to 4 x 4 lie as an [`Arrangement`] says; [`Places`](crate::Places)
//! are the records in the order of model files.

use crate::arrangement::{Arrangement, HALF, arrange};
use crate::cellwise::{CellwiseImages, StageTables};
use crate::definition::Network;
use crate::feature_tables::FeatureTables;
use crate::index::WeightIndex;
use crate::lanes::{Lanes, MAX_LANE_CELLS};
use crate::layout;
use crate::place_map::{Order, PlaceMap};
use crate::ranks;
use crate::stages::Stages;
use crate::table::{CELL_BITS, Table};
use crate::tuple::{Tuple, network_error};
use runner_core::geometry::{FIFTH_BITS, Geometry};
use runner_core::{Action, Afterstate, BuildError};
use std::ops::Range;
use std::sync::Arc;

/// The order of a tuple's weights on boards up to 4 x 4, as model files name it.
const INNER_FIRST: &str = "low and high halves of cells, inner cells first";
/// The order of a tuple's weights on larger boards, as model files name it.
const ASCENDING: &str = "low and high halves of cells";
/// The orders of tables with extra fields, which are the lowest digits.
const EXTRA_INNER_FIRST: &str = "extra fields, low and high halves of cells, inner cells first";
const EXTRA_ASCENDING: &str = "extra fields, low and high halves of cells";

pub const MAX_TUPLES: usize = 64;

/// Maximum number of lookups of a position: of the most tuples in 16 symmetries.
pub const MAX_LOOKUPS: usize = 16 * MAX_TUPLES;

/// Computes the indices of a position's weights: for each image of the board in every free
/// tuple, then for the board itself in every fixed tuple, then for every feature.
#[derive(Clone, Debug)]
pub struct Lookup {
    images: Images,
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
    places: Arc<PlaceMap>,
}

#[derive(Clone, Debug)]
pub struct PartOfLookup {
    pub lookup: Lookup,
    /// The positions of these lookups among all.
    pub positions: Vec<usize>,
}

#[derive(Clone, Debug)]
enum Images {
    /// Several lookups at a time, on boards up to 4 x 4 without tables per action.
    Lanes(Lanes),
    /// One lookup at a time.
    Cellwise {
        images: CellwiseImages,
        /// Tables that are read in every image.
        free: Vec<Table>,
        fixed: Vec<Table>,
    },
}

impl Images {
    fn count(&self) -> usize {
        match self {
            Self::Lanes(lanes) => lanes.count(),
            Self::Cellwise { images, free, fixed } => images.count() * free.len() + fixed.len(),
        }
    }
}

impl Lookup {
    pub fn new(network: &Network, board: &Geometry) -> Result<Self, BuildError> {
        check(network, board)?;
        let ranges = ranges(network, board);
        let is_small = network.actions() == 1 && layout::has_all_symmetries(board);
        let cells = place_cells(network, board, is_small);
        let digits: Vec<Vec<usize>> = cells.iter().map(|cells| digits_of(cells)).collect();
        let is_short = |tuple: &Tuple| tuple.cells.len() <= MAX_LANE_CELLS;
        let has_lanes = is_small && network.tuples().iter().all(is_short);
        let arranged = if has_lanes { arrange(network, board) } else { Vec::new() };
        let images = if has_lanes {
            Images::Lanes(Lanes::new(&arranged, board))
        } else {
            cellwise(network, board, cells, &ranges)?
        };
        let per_position = images.count() + network.features().len();
        if per_position > MAX_LOOKUPS {
            return Err(network_error(format!(
                "{per_position} lookups of a position; the maximum is {MAX_LOOKUPS}"
            )));
        }
        let has_extra_fields = network.tuples().iter().any(|tuple| !tuple.extra_fields.is_empty());
        Ok(Self {
            images,
            features: FeatureTables::new(network, &ranges, board),
            has_extra_fields,
            per_position,
            order: match (is_small, has_extra_fields) {
                (true, false) => INNER_FIRST,
                (true, true) => EXTRA_INNER_FIRST,
                (false, false) => ASCENDING,
                (false, true) => EXTRA_ASCENDING,
            },
            per_stage: network.weights(board) as usize * network.actions(),
            stages: network.stages().cloned(),
            fifth_bits: board.has_fifth_bits(),
            slots: (0..board.cells()).map(|cell| board.slot(cell) as u8).collect(),
            places: Arc::new(place_map(network, &ranges, &arranged, &digits)),
            ranges,
            digits,
        })
    }

    /// Returns two parts of about the same size that have no table in common, if there are such
    /// parts: of boards with eight symmetries.
    pub fn halves(&self) -> Option<[PartOfLookup; 2]> {
        let Images::Lanes(lanes) = &self.images else { return None };
        let sides = lanes.sides()?;
        let half = |side: usize| {
            let numbers: Vec<usize> = (0..sides.len()).filter(|&k| sides[k] == side).collect();
            let (part, mut positions) = lanes.part(&numbers);
            let features = if side == 0 {
                positions.extend(lanes.count()..self.per_position);
                self.features.clone()
            } else {
                self.features.without_tables()
            };
            let per_position = positions.len();
            let images = Images::Lanes(part);
            let lookup = Self { images, features, per_position, ..self.clone() };
            PartOfLookup { lookup, positions }
        };
        Some([0, 1].map(half))
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
        let Some(stages) = &self.stages else { return 0 };
        match &self.images {
            Images::Lanes(_) => self.stage_and_board(stages, position).0,
            Images::Cellwise { images, .. } => stages.of_ranks(&mut images.ranks(position)),
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

    pub(crate) fn places(&self) -> &PlaceMap {
        &self.places
    }

    /// Returns the index of the weight at a place of model files.
    pub fn entry(&self, place: usize) -> usize {
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
        match &self.images {
            Images::Cellwise { .. } => {
                each.for_each(|(position, out)| self.indices_for(position, Action(0), out));
            }
            Images::Lanes(lanes) => {
                for (position, out) in each {
                    let (start, board) = self.start_and_board(position);
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

    fn feature_indices(&self, board: u64, start: u32, out: &mut [WeightIndex]) {
        let rank = |slot: u8| (board >> (CELL_BITS * u32::from(slot)) & 15) as usize;
        self.features.indices(start, rank, out);
    }

    /// Writes the indices of a position's weights for an action. Pass the first action if all
    /// actions share their tables.
    #[inline(always)]
    pub fn indices_for(&self, position: Afterstate, action: Action, out: &mut [WeightIndex]) {
        match &self.images {
            Images::Lanes(_) => self.indices(position, out),
            Images::Cellwise { images, free, fixed } => {
                let mut ranks = images.ranks(position);
                let stage = self.stages.as_ref().map_or(0, |stages| stages.of_ranks(&mut ranks));
                let start = self.stage_start(stage);
                let tables = StageTables { start, free, fixed };
                let (tuples, features) = out.split_at_mut(self.per_position - self.features.len());
                images.indices(&tables, &ranks, position.hi, action, tuples);
                let start = start + images.start(action);
                self.features.indices(start, |slot| ranks[usize::from(slot)], features);
            }
        }
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
    #[inline(never)]
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
}

/// Returns an error if a network has too many tables or weights, or is none of this board.
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
    if network.weights(board).saturating_mul(tables as u64) > 1 << 32 {
        return Err(network_error("the tables have more than 2^32 weights"));
    }
    Ok(())
}

/// Returns the places of each tuple's table and then of each feature's, for the first action and stage.
fn ranges(network: &Network, board: &Geometry) -> Vec<Range<usize>> {
    let tuples = network.tuples().iter().map(|tuple| Network::table(tuple, board));
    let features = network.features().iter().map(|feature| feature.weights(board));
    let mut ranges = Vec::new();
    let mut end = 0;
    for weights in tuples.chain(features) {
        let start = end;
        end += weights as usize;
        ranges.push(start..end);
    }
    ranges
}

/// Returns the cells by which the places of each tuple are ordered: its own, or those of its image.
fn place_cells(network: &Network, board: &Geometry, is_small: bool) -> Vec<Vec<u8>> {
    let ordered = |tuple: &Tuple| {
        if is_small && !tuple.fixed {
            layout::image(&tuple.cells, board)
        } else {
            tuple.cells.clone()
        }
    };
    network.tuples().iter().map(ordered).collect()
}

/// Returns, for each cell, how many of the others have lower numbers.
fn digits_of(cells: &[u8]) -> Vec<usize> {
    cells.iter().map(|cell| cells.iter().filter(|other| *other < cell).count()).collect()
}

fn cellwise(
    network: &Network,
    board: &Geometry,
    cells: Vec<Vec<u8>>,
    ranges: &[Range<usize>],
) -> Result<Images, BuildError> {
    let (mut free, mut fixed) = (Vec::new(), Vec::new());
    for ((tuple, mut cells), range) in network.tuples().iter().zip(cells).zip(ranges) {
        cells.sort_unstable();
        let ascending = Tuple { cells, ..tuple.clone() };
        let table = Table::new(&ascending, board, range.start as u32);
        if tuple.fixed {
            fixed.push(table);
        } else {
            free.push(table);
        }
    }
    let images = CellwiseImages::new(board, network.actions(), network.weights(board))?;
    Ok(Images::Cellwise { images, free, fixed })
}

/// Returns where the places of each table lie in memory: those of tuples as arranged, if they are,
/// and all others in the same order.
fn place_map(
    network: &Network,
    ranges: &[Range<usize>],
    arranged: &[Arrangement],
    digits: &[Vec<usize>],
) -> PlaceMap {
    let mut in_memory: Vec<_> = ranges.iter().map(|range| (range.start, Order::Same)).collect();
    for (number, arrangement) in arranged.iter().enumerate() {
        let order = memory_order(arrangement, &network.tuples()[number], &digits[number]);
        in_memory[number] = (arrangement.start as usize, order);
    }
    let per_table = ranges.last().map_or(0, |last| last.end);
    let mut map = PlaceMap::default();
    for table in 0..network.actions() * network.stage_count() {
        for (range, (start, order)) in ranges.iter().zip(&in_memory) {
            map.push(range.len(), table * per_table + start, order.clone());
        }
    }
    map
}

/// Returns how the places of a tuple's table are ordered in memory. `digits` are those of its cells in the
/// table.
fn memory_order(arrangement: &Arrangement, tuple: &Tuple, digits: &[usize]) -> Order {
    let mut positions = Vec::new();
    for field in &arrangement.fields {
        positions.extend(field.start..field.start + field.bits);
    }
    for half in [0, 1] {
        for digit in 0..digits.len() {
            let cell = digits.iter().position(|&it| it == digit).expect("a cell for each digit");
            let start = arrangement.halves(tuple.cells[cell])[half];
            positions.extend(start..start + HALF);
        }
    }
    Order::of_bits(&positions)
}
