//! Values of many positions. Weights are prefetched while those of earlier positions are summed.

use crate::index::WeightIndex;
use crate::lookup::{Lookup, MAX_LOOKUPS};
use runner_core::Afterstate;

/// Maximum number of positions between fetch and sum. Their cache lines fit the first-level cache.
const AHEAD: usize = 8;

/// Maximum number of lookups of a position for which the shorter list of indices is used.
const FEW_LOOKUPS: usize = 32;

/// Writes the value of each position. `fetch` prefetches weights, and may change their indices.
/// `value` gets these indices up to [`AHEAD`] positions later.
#[inline(always)]
pub(crate) fn evaluate(
    lookup: &Lookup,
    positions: &[Afterstate],
    values: &mut [f32],
    fetch: impl Fn(&mut [WeightIndex]),
    value: impl Fn(&[WeightIndex]) -> f32,
) {
    let n = lookup.per_position();
    // Each call clears its list, so it is short if that is enough.
    let (mut few, mut many);
    let indices: &mut [WeightIndex] = if n <= FEW_LOOKUPS {
        few = [WeightIndex::default(); AHEAD * FEW_LOOKUPS];
        &mut few
    } else {
        many = [WeightIndex::default(); MAX_LOOKUPS];
        &mut many
    };
    let ahead = (indices.len() / n).min(AHEAD);
    // The list is a ring: position k has part `k % ahead`, which is `next`.
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
