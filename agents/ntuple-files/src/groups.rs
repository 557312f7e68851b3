//! The code of a piece of weights that are multiples of a step.
//!
//! [`GROUP`] weights are a group with one step, the smallest one doubled a number of times. A weight is stored
//! if its number of steps is not 0. A piece has a list for each property of its groups with stored weights,
//! one list after the other, all of them deflated (RFC 1951) together:
//!
//! 1. the number of these groups;
//! 2. for each group, the number of groups without stored weights before it;
//! 3. for each group, how often its step is doubled (a byte);
//! 4. the masks of the groups: the bytes of their first eight weights, then those of the others, with a bit
//!    for each stored weight;
//! 5. for each stored weight, its number of steps of its group: 2 (m - 1) for a magnitude of m, plus 1 if it
//!    is negative.
//!
//! The numbers are varints. The last two lists are ordered by the doublings: groups with equal steps have
//! similar masks and numbers, so this makes a file 5% smaller.

use crate::steps::Group;
use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use runner_files::varint;

/// Weights that share a step.
pub const GROUP: usize = 16;

/// Weights in a piece. More make smaller files, and fewer give several threads work.
pub const PIECE: usize = 1 << 25;

/// The compression level of miniz_oxide, of 0 to 10.
const LEVEL: u8 = 10;

/// At most this many bytes of all lists belong to a group: varints of 32 bits have up to five.
const MOST_BYTES: usize = 5 + 1 + 2 + 5 * GROUP;

/// Encodes a piece: the groups with stored weights, in their order.
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

/// Decodes a piece: calls `stored` with the place in the piece and the number of smallest steps of each
/// stored weight, from the first on. Returns `None` if the bytes are no piece of this many weights.
pub fn decode(bytes: &[u8], weights: usize, mut stored: impl FnMut(usize, i32)) -> Option<()> {
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
    let (high_bytes, numbers) = rest.split_at_checked(count)?;
    let mut by_step: Vec<usize> = (0..count).collect();
    by_step.sort_by_key(|&group| doublings[group]);
    let (mut masks, mut firsts, mut all) = (vec![0; count], vec![0; count], 0);
    for (&group, (low, high)) in by_step.iter().zip(low_bytes.iter().zip(high_bytes)) {
        masks[group] = u16::from_le_bytes([*low, *high]);
        firsts[group] = all;
        all += masks[group].count_ones() as usize;
    }
    let (mut codes, mut end) = (Vec::with_capacity(all), 0);
    for _ in 0..all {
        codes.push(next_number(numbers, &mut end)?);
    }
    if end < numbers.len() {
        return None;
    }
    for group in 0..count {
        let (mut mask, mut its_codes) = (masks[group], codes[firsts[group]..].iter());
        let step = 2i32.checked_pow(doublings[group].into())?;
        while mask != 0 {
            let place = GROUP * groups[group] + mask.trailing_zeros() as usize;
            let code = its_codes.next()?;
            mask &= mask - 1;
            let steps = i32::try_from(code / 2 + 1).ok()?.checked_mul(step)?;
            if place >= weights {
                return None;
            }
            stored(place, if code % 2 == 1 { -steps } else { steps });
        }
    }
    Some(())
}

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
