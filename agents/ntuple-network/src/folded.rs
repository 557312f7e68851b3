//! Folding: the weights of redundant tuples are added to those of the tuples that contain them,
//! which gives the same value function with fewer lookups.
//!
//! A folded weight of a later stage stays untouched if all weights of its sum are untouched: like
//! them, it then has the value of the previous stage. Positions in tables are places, not indices.

use crate::definition::Network;
use crate::digits::{Digit, digits};
use crate::folding::{Addition, Folding};
use crate::lookup::Lookup;
use crate::memory::Region;
use crate::promotion::Promotion;
use crate::shape::Shape;
use crate::threads;
use crate::weight::{Record, Weight};
use runner_core::BuildError;
use std::convert::Infallible;
use std::ops::Range;

/// Maximum number of weights in a block. All blocks of a table have equal offsets of addends.
const BLOCK: usize = 1 << 12;

/// About the number of weights that a thread folds at a time.
const AT_ONCE: usize = 1 << 18;

/// A network without redundant tuples, and its weights.
pub struct Folded {
    pub network: Network,
    pub lookup: Lookup,
    pub records: Region<Record<()>>,
    /// Value of every weight before training, so that untouched weights have the same sum as in
    /// the network with redundant tuples.
    pub initial: f32,
}

/// Folds a network whose weights begin with `initial`.
pub fn fold(
    shape: &Shape<'_>,
    folding: Folding,
    records: &[Record<()>],
    initial: f32,
) -> Result<Folded, BuildError> {
    let lookup = Lookup::new(&folding.network, shape.board)?;
    let folded = Region::new(lookup.weights()).map_err(|error| {
        let message = format!("no memory for {} folded weights: {error}", lookup.weights());
        BuildError::of("network", message)
    })?;
    let [lookups, folded_lookups] = [shape.lookup, &lookup].map(|it| it.per_position() as f64);
    let folded_initial = (f64::from(initial) * lookups / folded_lookups) as f32;
    let tuples = folding.kept.iter().map(|&tuple| FoldedTable::new(shape, &folding, tuple));
    let features = (shape.network.tuples().len()..shape.lookup.ranges().len())
        .map(|feature| FoldedTable::of_feature(shape, feature));
    for (number, table) in tuples.chain(features).enumerate() {
        // Each untouched weight of the sum has the initial value.
        let untouched_sum = f64::from(initial) * (1 + table.addends.len()) as f64;
        let sums = Sums {
            shape,
            records,
            promotion: shape.promotion(),
            table: &table,
            shift: f64::from(folded_initial) - untouched_sum,
            lookup: &lookup,
            first: lookup.ranges()[number].start,
            folded: &folded,
        };
        sums.store_all();
    }
    let network = folding.network;
    Ok(Folded { network, lookup, records: folded, initial: folded_initial })
}

/// The table of a kept tuple or of a feature, in blocks of consecutive places.
struct FoldedTable {
    /// Its first place, for the first action and stage.
    first: usize,
    /// Number of weights of a block.
    block_size: usize,
    blocks: usize,
    /// The digits of a place within a block.
    lower: Vec<Digit>,
    /// The digits above them.
    upper: Vec<Digit>,
    addends: Vec<Addend>,
}

/// A redundant tuple that is added to a table.
struct Addend {
    /// The first place of its table, for the first action and stage.
    first: usize,
    /// Number of the symmetry that maps it into the tuple of the table.
    symmetry: usize,
    /// For each weight of a block, the part of the addend's place that its lower digits determine.
    offsets: Vec<usize>,
    /// For each upper digit of the table, the increase of the addend's place for each unit.
    strides: Vec<usize>,
}

impl Addend {
    fn new(shape: &Shape<'_>, addition: &Addition, table: &FoldedTable) -> Self {
        let symmetry = &shape.board.symmetries[addition.symmetry];
        let mut own = digits(shape, addition.from);
        for digit in &mut own {
            digit.content = digit.content.mapped(|cell| symmetry.cells[usize::from(cell)]);
        }
        // The stride of the redundant tuple's digit with the same content, or 0 if it has none.
        let stride = |digit: &Digit| {
            own.iter().find(|own| own.content == digit.content).map_or(0, |own| own.stride)
        };
        Self {
            first: shape.lookup.ranges()[addition.from].start,
            symmetry: addition.symmetry,
            offsets: (0..table.block_size)
                .map(|place| offset(place, &table.lower, table.lower.iter().map(stride)))
                .collect(),
            strides: table.upper.iter().map(stride).collect(),
        }
    }
}

/// Returns the part of an addend's place for some digits of a place, by the addend's strides.
fn offset(place: usize, digits: &[Digit], strides: impl Iterator<Item = usize>) -> usize {
    let values = digits.iter().map(|digit| place / digit.stride % digit.radix);
    values.zip(strides).map(|(value, stride)| value * stride).sum()
}

impl FoldedTable {
    fn new(shape: &Shape<'_>, folding: &Folding, tuple: usize) -> Self {
        let mut lower = digits(shape, tuple);
        let (mut count, mut block_size) = (0, 1);
        while count < lower.len() && block_size * lower[count].radix <= BLOCK {
            block_size *= lower[count].radix;
            count += 1;
        }
        let upper = lower.split_off(count);
        let blocks = upper.iter().map(|digit| digit.radix).product();
        let first = shape.lookup.ranges()[tuple].start;
        let mut table = Self { first, block_size, blocks, lower, upper, addends: Vec::new() };
        for addition in folding.additions(tuple) {
            table.addends.push(Addend::new(shape, addition, &table));
        }
        table
    }

    /// Returns the table of a feature: blocks of one weight, to which nothing is added.
    fn of_feature(shape: &Shape<'_>, feature: usize) -> Self {
        let range = shape.lookup.ranges()[feature].clone();
        let (first, blocks) = (range.start, range.len());
        Self { first, block_size: 1, blocks, lower: vec![], upper: vec![], addends: vec![] }
    }
}

/// The computation of one table's folded weights.
struct Sums<'a> {
    shape: &'a Shape<'a>,
    records: &'a [Record<()>],
    promotion: Option<Promotion>,
    table: &'a FoldedTable,
    /// Constant that is added to every sum.
    shift: f64,
    /// The lookup of the folded network.
    lookup: &'a Lookup,
    /// The first place of the table in the folded network, for the first action and stage.
    first: usize,
    folded: &'a [Record<()>],
}

impl Sums<'_> {
    fn store_all(&self) {
        let Self { shape, table, .. } = *self;
        let (stages, actions) = (shape.lookup.stages(), shape.network.actions());
        let at_once = (AT_ONCE / table.block_size).max(1);
        let parts = table.blocks.div_ceil(at_once);
        let tasks = stages * actions * parts;
        let Ok(()) = threads::each(shape.host, tasks, |task, (): &mut ()| {
            let (number, first) = (task / parts, task % parts * at_once);
            let blocks = first..table.blocks.min(first + at_once);
            self.store_blocks(number / actions, number % actions, blocks);
            Ok::<_, Infallible>(())
        });
    }

    fn store_blocks(&self, stage: usize, action: usize, blocks: Range<usize>) {
        let Self { shape, table, lookup, .. } = *self;
        let start_of =
            |action: usize| stage * shape.lookup.per_stage() + action * shape.per_action();
        let folded_per_action = lookup.per_stage() / shape.network.actions();
        let folded_start = stage * lookup.per_stage() + action * folded_per_action + self.first;
        // The first stage has nothing to inherit.
        let inherited = self.promotion.filter(|_| stage > 0);
        let mut indices = Vec::with_capacity(1 + table.addends.len());
        for block in blocks {
            let place = block * table.block_size;
            let mut starts = Vec::with_capacity(table.addends.len());
            for addend in &table.addends {
                let mapped = match shape.network.actions() {
                    1 => 0,
                    _ => shape.board.symmetries[addend.symmetry].actions[action].index(),
                };
                let upper = offset(place, &table.upper, addend.strides.iter().copied());
                starts.push(start_of(mapped) + addend.first + upper);
            }
            let own_start = start_of(action) + table.first + place;
            for k in 0..table.block_size {
                indices.clear();
                indices.push(shape.lookup.index_of(own_start + k));
                for (start, addend) in starts.iter().zip(&table.addends) {
                    indices.push(shape.lookup.index_of(start + addend.offsets[k]));
                }
                let folded = lookup.index_of(folded_start + place + k);
                self.store_sum(&indices, inherited, &self.folded[folded].weight);
            }
        }
    }

    /// Stores the sum of the weights with these indices, some of which may inherit their values.
    fn store_sum(&self, indices: &[usize], inherited: Option<Promotion>, folded: &Weight) {
        let records = self.records;
        let Some(promotion) = inherited else {
            let sum: f64 =
                indices.iter().map(|&index| f64::from(records[index].weight.get())).sum();
            let value = (sum + self.shift) as f32;
            // Memory that nothing has used yet stays unused if the sum is 0.
            if value != 0.0 {
                folded.set(value);
            }
            return;
        };
        if indices.iter().any(|&index| !records[index].weight.is_untouched()) {
            let weights = indices.iter().map(|&index| promotion.weight(records, index));
            folded.touch((weights.map(f64::from).sum::<f64>() + self.shift) as f32);
        }
    }
}

#[cfg(test)]
mod tests;
