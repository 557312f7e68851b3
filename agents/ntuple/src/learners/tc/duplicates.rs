//! A test for equal indices among eight indices.

use agent_ntuple_network::{LANES, WeightIndex};
use wide::i32x8;

/// Returns true if two indices are equal. Such weights cannot be updated together: a symmetric
/// position reads a weight several times, and each read updates the weight once.
#[inline(always)]
pub fn has_duplicates(indices: &[WeightIndex; LANES]) -> bool {
    // Compares the eight with themselves, rotated by one to four: every pair, without branches.
    let [a, b, c, d, e, f, g, h] = indices.map(|index| index.index() as i32);
    let all = i32x8::from([a, b, c, d, e, f, g, h]);
    let rotations = [
        [b, c, d, e, f, g, h, a],
        [c, d, e, f, g, h, a, b],
        [d, e, f, g, h, a, b, c],
        [e, f, g, h, a, b, c, d],
    ];
    let [one, two, three, four] = rotations.map(|rotated| all.simd_eq(i32x8::from(rotated)));
    (one | two | three | four).any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent_ntuple_network::{Lookup, Network};
    use proptest::prelude::*;
    use runner_core::Afterstate;
    use runner_core::geometry::{Geometry, Symmetry};

    /// Returns indices of weights that are equal where the numbers, 0 to 15, are equal.
    fn indices(numbers: [u8; LANES]) -> [WeightIndex; LANES] {
        // A board has one cell, which holds the number, and a tuple of that cell.
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
