//! The encoding of a piece of weights that are multiples of a step.
//!
//! Each [`GROUP`] weights are a group with one step: the smallest step, doubled a number of times.
//! A weight is stored if its number of steps is not 0, and a group if one of its weights is. A
//! piece is these lists, one after the other, deflated (RFC 1951) together:
//!
//! 1. the number of stored groups;
//! 2. for each group, the number of groups between it and the stored group before it;
//! 3. for each group, how often its step is doubled (a byte);
//! 4. for each group, the low byte of its mask, which has a bit for each stored weight; then for
//!    each group, the high byte;
//! 5. for each stored weight, its code. If it is m or -m steps of its group, the code is 2 (m -
//!    1), plus 1 for -m.
//!
//! All numbers but bytes are varints. The groups are in order in lists 2 and 3, and sorted by
//! their doublings in lists 4 and 5: that makes similar masks and codes neighbours and a file 5%
//! smaller.

use crate::steps::Group;
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use runner_files::varint;

/// Number of weights of a group.
pub const GROUP: usize = 16;

/// Number of weights of a piece. Larger pieces make smaller files, but fewer threads have work.
pub const PIECE: usize = 1 << 25;

/// The compression level of miniz_oxide, of 0 to 10.
const LEVEL: u8 = 10;

/// Maximum number of bytes of a group in lists 2 to 5: a varint of 32 bits has up to five.
const MOST_BYTES: usize = 5 + 1 + 2 + 5 * GROUP;

pub fn encode(groups: &[Group]) -> Vec<u8> {
    let mut lists = Vec::new();
    varint::push(groups.len() as u128, &mut lists);
    let mut next = 0;
    for group in groups {
        varint::push((group.number - next) as u128, &mut lists);
        next = group.number + 1;
    }
    lists.extend(groups.iter().map(|group| group.doublings));
    let mut by_step: Vec<&Group> = groups.iter().collect();
    by_step.sort_by_key(|group| group.doublings);
    for half in 0..2 {
        lists.extend(by_step.iter().map(|group| group.mask().to_le_bytes()[half]));
    }
    for group in by_step {
        for &steps in group.steps.iter().filter(|steps| **steps != 0) {
            let magnitude = u128::from(steps.unsigned_abs() >> group.doublings);
            varint::push(2 * (magnitude - 1) + u128::from(steps < 0), &mut lists);
        }
    }
    compress_to_vec(&lists, LEVEL)
}

/// Decodes a piece: calls `take` with the place within the piece and the number of smallest steps
/// of each stored weight, in order. Returns `None` if the bytes are not such a piece.
pub fn decode(bytes: &[u8], weights: usize, mut take: impl FnMut(usize, i32)) -> Option<()> {
    let most_groups = weights.div_ceil(GROUP);
    let limit = varint::MAX_BYTES + most_groups * MOST_BYTES;
    let lists = decompress_to_vec_with_limit(bytes, limit).ok()?;
    let mut at = 0;
    let count = usize::try_from(varint::read(&lists, &mut at).ok()?).ok()?;
    if count > most_groups {
        return None;
    }
    let (mut groups, mut next) = (Vec::with_capacity(count), 0u64);
    for _ in 0..count {
        let number = next + u64::from(next_number(&lists, &mut at)?);
        next = number + 1;
        groups.push(number as usize);
    }
    let (doublings, rest) = lists[at..].split_at_checked(count)?;
    let (low_bytes, rest) = rest.split_at_checked(count)?;
    let (high_bytes, code_bytes) = rest.split_at_checked(count)?;
    let mut by_step: Vec<usize> = (0..count).collect();
    by_step.sort_by_key(|&group| doublings[group]);
    // The mask of each group, and the number of codes before its first one.
    let (mut masks, mut first_codes, mut stored) = (vec![0; count], vec![0; count], 0);
    for (&group, (low, high)) in by_step.iter().zip(low_bytes.iter().zip(high_bytes)) {
        masks[group] = u16::from_le_bytes([*low, *high]);
        first_codes[group] = stored;
        stored += masks[group].count_ones() as usize;
    }
    let (mut codes, mut end) = (Vec::with_capacity(stored), 0);
    for _ in 0..stored {
        codes.push(next_number(code_bytes, &mut end)?);
    }
    if end < code_bytes.len() {
        return None;
    }
    for group in 0..count {
        let (mut mask, mut codes_of_group) = (masks[group], codes[first_codes[group]..].iter());
        let step = 2i32.checked_pow(doublings[group].into())?;
        while mask != 0 {
            let place = GROUP * groups[group] + mask.trailing_zeros() as usize;
            let code = codes_of_group.next()?;
            mask &= mask - 1;
            let steps = i32::try_from(code / 2 + 1).ok()?.checked_mul(step)?;
            if place >= weights {
                return None;
            }
            take(place, if code % 2 == 1 { -steps } else { steps });
        }
    }
    Some(())
}

/// Reads the varint at `at`, and moves `at` behind it.
#[inline]
fn next_number(bytes: &[u8], at: &mut usize) -> Option<u32> {
    u32::try_from(varint::read(bytes, at).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A small piece, so that a test is fast.
    const WEIGHTS: usize = 1 << 12;

    /// Returns the groups of these weights: place, magnitude, sign.
    fn groups(weights: &[(usize, i32, bool)], doublings: impl Fn(usize) -> u8) -> Vec<Group> {
        let new = |number| Group { number, doublings: doublings(number), steps: [0; GROUP] };
        let mut groups: Vec<Group> = (0..WEIGHTS / GROUP).map(new).collect();
        for &(place, magnitude, is_negative) in weights {
            let group = &mut groups[place / GROUP];
            let steps = magnitude << group.doublings;
            group.steps[place % GROUP] = if is_negative { -steps } else { steps };
        }
        groups.retain(|group| group.mask() != 0);
        groups
    }

    proptest! {
        #[test]
        fn pieces_are_read_back_and_damaged_ones_do_no_harm(
            weights in prop::collection::vec((0..WEIGHTS, 1..=4000i32, any::<bool>()), 0..300),
            at: prop::sample::Index,
            byte: u8,
        ) {
            let mut weights = weights;
            // As large as a number of steps can be.
            weights.push((WEIGHTS - 1, i32::MAX >> 6, true));
            let groups = groups(&weights, |number| (number % 7) as u8);
            let code = encode(&groups);
            let mut read = Vec::new();
            prop_assert!(decode(&code, WEIGHTS, |place, steps| read.push((place, steps))).is_some());
            let places = |group: &Group| {
                let all = (0..GROUP).map(|k| (GROUP * group.number + k, group.steps[k]));
                all.filter(|weight| weight.1 != 0).collect::<Vec<_>>()
            };
            prop_assert_eq!(read, groups.iter().flat_map(places).collect::<Vec<_>>());
            // The last weight has no place in a smaller piece.
            prop_assert!(decode(&code, WEIGHTS - 1, |_, _| ()).is_none());
            prop_assert!(decode(&code[..code.len() - 1], WEIGHTS, |_, _| ()).is_none());
            let mut changed = code;
            let at = at.index(changed.len());
            changed[at] = changed[at].wrapping_add(byte);
            decode(&changed, WEIGHTS, |place, _| assert!(place < WEIGHTS));
        }

        #[test]
        fn lists_that_are_not_those_of_a_piece_do_no_harm(lists: Vec<u8>) {
            decode(&compress_to_vec(&lists, 1), WEIGHTS, |place, _| assert!(place < WEIGHTS));
        }
    }
}
