//! Equal indices among the eight that are updated together.

use agent_ntuple_network::{LANES, WeightIndex};
use wide::i32x8;

/// Returns true if two indices are equal. A symmetric position reads one weight several times,
/// and each read must update it, one after the other.
#[inline(always)]
pub fn has_duplicates(indices: &[WeightIndex; LANES]) -> bool {
    // Compares each index with the next four in a ring: every pair, without branches.
    let [a, b, c, d, e, f, g, h] = indices.map(|index| index.index() as i32);
    let all = i32x8::from([a, b, c, d, e, f, g, h]);
    let rings = [
        [b, c, d, e, f, g, h, a],
        [c, d, e, f, g, h, a, b],
        [d, e, f, g, h, a, b, c],
        [e, f, g, h, a, b, c, d],
    ];
    let [one, two, three, four] = rings.map(|ring| all.simd_eq(i32x8::from(ring)));
    (one | two | three | four).any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_ntuple_network::{Lookup, Network};
    use proptest::prelude::*;
    use runner_core::Afterstate;
    use runner_core::geometry::{Geometry, Symmetry};

    fn indices(numbers: [u8; LANES]) -> [WeightIndex; LANES] {
        // A board of one cell that holds the number, and a tuple of that cell.
        let symmetries = vec![Symmetry { cells: vec![0], actions: vec![] }];
        let values = vec![0; 16];
        let board = Geometry { rows: 1, cols: 1, values, symmetries, ..Geometry::default() };
        let network = Network::read("0", &board).unwrap();
        let lookup = Lookup::new(&network, &board).unwrap();
        numbers.map(|number| {
            let mut index = [WeightIndex::default()];
            lookup.indices(Afterstate::new(number.into(), 0), &mut index);
            index[0]
        })
    }

    proptest! {
        #[test]
        fn duplicates_are_found_exactly_where_two_are_equal(
            numbers in prop::array::uniform8(0u8..16)
        ) {
            let equal = (0..LANES).any(|k| numbers[..k].contains(&numbers[k]));
            prop_assert_eq!(has_duplicates(&indices(numbers)), equal);
        }
    }
}
