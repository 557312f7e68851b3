//! Values of many positions: the weights of one are fetched while others are summed.

use crate::index::WeightIndex;
use crate::lookup::{Lookup, MAX_LOOKUPS};
use runner_core::Afterstate;

/// Number of positions whose weights are fetched at a time. Their cache lines fit the first-level cache.
const AHEAD: usize = 8;

/// Number of lookups of a position up to which a short list of indices is enough.
const FEW_LOOKUPS: usize = 32;

/// Writes the value of each position: `fetch` gets the indices of its weights some positions ahead, and
/// may change them; `value` gets the same indices later.
#[inline(always)]
pub(crate) fn evaluate(
    lookup: &Lookup,
    positions: &[Afterstate],
    values: &mut [f32],
    fetch: impl Fn(&mut [WeightIndex]),
    value: impl Fn(&[WeightIndex]) -> f32,
) {
    let n = lookup.per_position();
    // A long list would have to be cleared for every call.
    let (mut few, mut many);
    let indices: &mut [WeightIndex] = if n <= FEW_LOOKUPS {
        few = [WeightIndex::default(); AHEAD * FEW_LOOKUPS];
        &mut few
    } else {
        many = [WeightIndex::default(); MAX_LOOKUPS];
        &mut many
    };
    let ahead = (indices.len() / n).min(AHEAD);
    let mut next = 0;
    for (k, &position) in positions.iter().enumerate() {
        let indices = &mut indices[next * n..][..n];
        if let Some(earlier) = k.checked_sub(ahead) {
            values[earlier] = value(indices);
        }
        lookup.indices(position, indices);
        fetch(indices);
        next = if next + 1 == ahead { 0 } else { next + 1 };
    }
    for k in positions.len().saturating_sub(ahead)..positions.len() {
        values[k] = value(&indices[k % ahead * n..][..n]);
    }
}
