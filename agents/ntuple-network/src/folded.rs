//! Adding the weights of redundant tuples to those of the tuples that contain them: the same
//! value function with fewer lookups.
//!
//! A folded weight of a later stage is untouched if all weights of its sum are: then the
//! folded weight of the previous stage has the same value.

use crate::definition::Network;
use crate::digits::{Digit, digits};
use crate::folding::Folding;
use crate::lookup::Lookup;
use crate::memory::Region;
use crate::promotion::Promotion;
use crate::shape::Shape;
use crate::threads;
use crate::weight::{Record, Weight};
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
    let tuples = folding.kept().iter().map(|&tuple| Table::new(shape, &folding, tuple));
    let features = shape.network.tuples().len()..shape.lookup.ranges().len();
    let features = features.map(|feature| Table::of_feature(shape, feature));
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
struct Table {
    /// Index of its first weight, for the first action and stage.
    first: usize,
    block: usize,
    blocks: usize,
    /// The digits above those of a block.
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

impl Table {
    fn new(shape: &Shape<'_>, folding: &Folding, tuple: usize) -> Self {
        let digits_of = |tuple| digits(shape.network, shape.lookup, tuple, shape.board);
        let (mut lower, mut block) = (digits_of(tuple), 1);
        let lower_count = lower.iter().take_while(|digit| {
            block *= digit.radix;
            block <= BLOCK
        });
        let upper = lower.split_off(lower_count.count());
        let block = lower.iter().map(|digit| digit.radix).product();
        let start = |tuple: usize| shape.lookup.ranges()[tuple].start;
        let addends = folding.additions(tuple).map(|addition| {
            let symmetry = &shape.board.symmetries[addition.symmetry];
            let own = digits_of(addition.from);
            // The stride of the redundant tuple's digit with the same content.
            let stride = |digit: &Digit| {
                let mapped = |own: &&Digit| {
                    let cell = |cell: u8| symmetry.cells[usize::from(cell)];
                    own.content.mapped(cell) == digit.content
                };
                own.iter().find(mapped).map_or(0, |own| own.stride)
            };
            let offset = |place: usize| {
                let value = |digit: &Digit| place / digit.stride % digit.radix;
                lower.iter().map(|digit| value(digit) * stride(digit)).sum()
            };
            Addend {
                first: start(addition.from),
                symmetry: addition.symmetry,
                offsets: (0..block).map(offset).collect(),
                strides: upper.iter().map(stride).collect(),
            }
        });
        let blocks = upper.iter().map(|digit| digit.radix).product();
        Self { first: start(tuple), block, blocks, addends: addends.collect(), upper }
    }

    fn of_feature(shape: &Shape<'_>, feature: usize) -> Self {
        let range = shape.lookup.ranges()[feature].clone();
        let (first, blocks) = (range.start, range.len());
        Self { first, block: 1, blocks, upper: Vec::new(), addends: Vec::new() }
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
    table: &'a Table,
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
        let done = threads::each(shape.host, tasks, |task, (): &mut ()| {
            let (task, part) = (task as usize / parts, task as usize % parts);
            let first = part * at_once;
            self.store(task / actions, task % actions, first..table.blocks.min(first + at_once));
            Ok::<_, Infallible>(())
        });
        match done {
            Ok(()) => {}
        }
    }

    fn store(&self, stage: usize, action: usize, blocks: Range<usize>) {
        let Self { shape, table, records, promotion, .. } = *self;
        let per_action = shape.per_action();
        let tables = |action: usize| stage * shape.lookup.per_stage() + action * per_action;
        let folded_per_action = self.lookup.per_stage() / shape.network.actions();
        let first_folded =
            stage * self.lookup.per_stage() + action * folded_per_action + self.first;
        // The first stage has nothing to inherit.
        let promotion = promotion.filter(|_| stage > 0);
        let mut starts = vec![0; table.addends.len()];
        for block in blocks {
            for (start, addend) in starts.iter_mut().zip(&table.addends) {
                let action = match shape.network.actions() {
                    1 => 0,
                    _ => shape.board.symmetries[addend.symmetry].actions[action].index(),
                };
                *start = tables(action) + addend.first + table.offset(addend, block);
            }
            let first = tables(action) + table.first + block * table.block;
            for k in 0..table.block {
                let addends = starts.iter().zip(&table.addends);
                let addends = addends.map(|(start, addend)| start + addend.offsets[k]);
                let mut entries = std::iter::once(first + k)
                    .chain(addends)
                    .map(|place| shape.lookup.entry(place));
                let folded = first_folded + block * table.block + k;
                let folded = &self.folded[self.lookup.entry(folded)].weight;
                match promotion {
                    None => {
                        let sum = entries.map(|entry| f64::from(records[entry].weight.get())).sum();
                        self.set(folded, sum);
                    }
                    Some(_)
                        if entries.clone().all(|entry| records[entry].weight.is_untouched()) => {}
                    Some(promotion) => {
                        let weight = |entry| f64::from(promotion.weight(records, entry));
                        let sum = entries.by_ref().map(weight).sum::<f64>();
                        folded.touch((sum + self.shift) as f32);
                    }
                }
            }
        }
    }

    /// Stores a sum. Memory that nothing has used yet stays unused if the sum is 0.
    fn set(&self, folded: &Weight, sum: f64) {
        let sum = (sum + self.shift) as f32;
        if sum != 0.0 {
            folded.set(sum);
        }
    }
}

#[cfg(test)]
mod tests;
