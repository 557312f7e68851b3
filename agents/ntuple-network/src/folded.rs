//! Adding the weights of redundant tuples to those of the tuples that contain them: the same
//! value function with fewer lookups.
//!
//! A folded weight of a later stage is untouched if all weights of its sum are: then the
//! folded weight of the previous stage has the same value.

use crate::definition::Network;
use crate::digits::{Digit, digits};
use crate::folding::{Addition, Folding};
use crate::lookup::Lookup;
use crate::memory::Region;
use crate::promotion::Promotion;
use crate::shape::Shape;
use crate::threads;
use crate::weight::Record;
use runner_core::BuildError;
use std::convert::Infallible;
use std::ops::Range;

/// Maximum number of weights in a block: the offsets of their addends are computed once.
const BLOCK: usize = 1 << 12;

/// Weights that a thread folds at a time, about.
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

/// Folds a network whose weights begin with `initial`. Returns `None` if it has no redundant
/// tuples.
pub fn fold(
    shape: &Shape<'_>,
    records: &[Record<()>],
    initial: f32,
) -> Result<Option<Folded>, BuildError> {
    let Some(folding) = Folding::new(shape.network, shape.board) else { return Ok(None) };
    let network = folding.network().clone();
    let lookup = Lookup::new(&network, shape.board)?;
    let folded = Region::new(lookup.weights()).map_err(|error| {
        let message = format!("no memory for {} folded weights: {error}", lookup.weights());
        BuildError::of("network", message)
    })?;
    let lookups = [shape.lookup, &lookup].map(|lookup| lookup.per_position() as f64);
    let folded_initial = (f64::from(initial) * lookups[0] / lookups[1]) as f32;
    let tuples = folding.kept().iter().map(|&tuple| FoldedTable::new(shape, &folding, tuple));
    let features = (shape.network.tuples().len()..shape.lookup.ranges().len())
        .map(|feature| FoldedTable::of_feature(shape, feature));
    for (number, table) in tuples.chain(features).enumerate() {
        // Each untouched weight of the sum has the initial value.
        let excess = f64::from(initial) * (1 + table.addends.len()) as f64;
        let sums = Sums {
            shape,
            records,
            promotion: shape.promotion(),
            table: &table,
            shift: f64::from(folded_initial) - excess,
            lookup: &lookup,
            first: lookup.ranges()[number].start,
            folded: &folded,
        };
        sums.store_all();
    }
    Ok(Some(Folded { network, lookup, records: folded, initial: folded_initial }))
}

/// The table of a remaining tuple or of a feature, in blocks of consecutive weights.
struct FoldedTable {
    /// Index of its first weight, for the first action and stage.
    first: usize,
    block: usize,
    blocks: usize,
    /// The digits of a block.
    lower: Vec<Digit>,
    /// The digits above them.
    upper: Vec<Digit>,
    addends: Vec<Addend>,
}

/// A redundant tuple that is added to a table.
struct Addend {
    /// Index of its first weight, for the first action and stage.
    first: usize,
    /// Number of the symmetry that maps it into the tuple of the table.
    symmetry: usize,
    /// For each weight of a block, the offset of the weight that is added to it.
    offsets: Vec<usize>,
    /// What each upper digit of the table adds to these offsets, per unit.
    strides: Vec<usize>,
}

impl Addend {
    fn new(shape: &Shape<'_>, addition: &Addition, table: &FoldedTable) -> Self {
        let symmetry = &shape.board.symmetries[addition.symmetry];
        let mut own = digits(shape.network, shape.lookup, addition.from, shape.board);
        for digit in &mut own {
            digit.content = digit.content.mapped(|cell| symmetry.cells[usize::from(cell)]);
        }
        // The stride of the redundant tuple's digit with the same content.
        let stride = |digit: &Digit| {
            own.iter().find(|own| own.content == digit.content).map_or(0, |own| own.stride)
        };
        let mut offsets = Vec::new();
        for place in 0..table.block {
            let parts = table.lower.iter().map(|it| place / it.stride % it.radix * stride(it));
            offsets.push(parts.sum());
        }
        Self {
            first: shape.lookup.ranges()[addition.from].start,
            symmetry: addition.symmetry,
            offsets,
            strides: table.upper.iter().map(stride).collect(),
        }
    }
}

impl FoldedTable {
    fn new(shape: &Shape<'_>, folding: &Folding, tuple: usize) -> Self {
        let mut lower = digits(shape.network, shape.lookup, tuple, shape.board);
        let (mut count, mut block) = (0, 1);
        while count < lower.len() && block * lower[count].radix <= BLOCK {
            block *= lower[count].radix;
            count += 1;
        }
        let upper = lower.split_off(count);
        let blocks = upper.iter().map(|digit| digit.radix).product();
        let first = shape.lookup.ranges()[tuple].start;
        let mut table = Self { first, block, blocks, lower, upper, addends: Vec::new() };
        for addition in folding.additions(tuple) {
            table.addends.push(Addend::new(shape, addition, &table));
        }
        table
    }

    fn of_feature(shape: &Shape<'_>, feature: usize) -> Self {
        let range = shape.lookup.ranges()[feature].clone();
        let (first, blocks) = (range.start, range.len());
        Self { first, block: 1, blocks, lower: vec![], upper: vec![], addends: vec![] }
    }

    /// Returns what the upper digits of a block add to the offsets of an addend.
    fn offset(&self, addend: &Addend, block: usize) -> usize {
        let place = block * self.block;
        let digits = self.upper.iter().zip(&addend.strides);
        digits.map(|(digit, stride)| place / digit.stride % digit.radix * stride).sum()
    }
}

struct Sums<'a> {
    shape: &'a Shape<'a>,
    records: &'a [Record<()>],
    promotion: Option<Promotion>,
    table: &'a FoldedTable,
    /// Constant that is added to every sum.
    shift: f64,
    lookup: &'a Lookup,
    /// Index of the table's first folded weight, for the first action and stage.
    first: usize,
    folded: &'a [Record<()>],
}

impl Sums<'_> {
    fn store_all(&self) {
        let Self { shape, table, .. } = *self;
        let (stages, actions) = (shape.lookup.stages(), shape.network.actions());
        let at_once = (AT_ONCE / table.block).max(1);
        let parts = table.blocks.div_ceil(at_once);
        let tasks = (stages * actions * parts) as u64;
        let Ok(()) = threads::each(shape.host, tasks, |task, (): &mut ()| {
            let (number, first) = (task as usize / parts, task as usize % parts * at_once);
            let blocks = first..table.blocks.min(first + at_once);
            self.store(number / actions, number % actions, blocks);
            Ok::<_, Infallible>(())
        });
    }

    fn store(&self, stage: usize, action: usize, blocks: Range<usize>) {
        let Self { shape, table, records, promotion, .. } = *self;
        let per_action = shape.per_action();
        let start_of = |action: usize| stage * shape.lookup.per_stage() + action * per_action;
        let folded_per_action = self.lookup.per_stage() / shape.network.actions();
        let first_folded =
            stage * self.lookup.per_stage() + action * folded_per_action + self.first;
        // The first stage has nothing to inherit.
        let inherited = promotion.filter(|_| stage > 0);
        let weight = |entry: usize| match inherited {
            Some(promotion) => promotion.weight(records, entry),
            None => records[entry].weight.get(),
        };
        let mut starts = vec![0; table.addends.len()];
        for block in blocks {
            for (start, addend) in starts.iter_mut().zip(&table.addends) {
                let mapped = match shape.network.actions() {
                    1 => 0,
                    _ => shape.board.symmetries[addend.symmetry].actions[action].index(),
                };
                *start = start_of(mapped) + addend.first + table.offset(addend, block);
            }
            let first = start_of(action) + table.first + block * table.block;
            for k in 0..table.block {
                let added = starts.iter().zip(&table.addends);
                let entries = std::iter::once(first + k)
                    .chain(added.map(|(start, addend)| start + addend.offsets[k]))
                    .map(|place| shape.lookup.entry(place));
                let place = first_folded + block * table.block + k;
                let folded = &self.folded[self.lookup.entry(place)].weight;
                if inherited.is_some()
                    && entries.clone().all(|entry| records[entry].weight.is_untouched())
                {
                    continue;
                }
                let sum: f64 = entries.map(|entry| f64::from(weight(entry))).sum();
                let value = (sum + self.shift) as f32;
                if inherited.is_some() {
                    folded.touch(value);
                } else if value != 0.0 {
                    // Memory that nothing has used yet stays unused if the sum is 0.
                    folded.set(value);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
