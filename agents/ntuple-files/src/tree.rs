//! The code of a piece of weights that are multiples of a step.
//!
//! Which weights are stored is a tree: a node has four children, at the bottom four weights, and a mask says
//! which of them have stored weights. The masks come first, from the top down. Then each group with
//! stored weights has a step, the smallest one doubled a number of times, and each stored weight its number of
//! steps.
//!
//! The context of a node, group or weight comes from its neighbours, which are coded earlier: their
//! index is lower by 1 in one base-4 digit. A cell has two digits, so its tile is one or four ranks
//! lower.

use crate::symbols::{Coder, MOST_BITS};
use std::array::from_fn;

/// Base-4 digits of an index within a piece, and levels of the tree.
const DIGITS: usize = 9;

/// Weights in a piece.
pub const PIECE: usize = 1 << (2 * DIGITS);

const GROUP_DIGITS: usize = 2;

/// Weights that share a step.
pub const GROUP: usize = 1 << (2 * GROUP_DIGITS);

/// The step of a group doubles less often than this.
pub const DOUBLINGS: usize = 16;

/// Contexts of the masks of a level: five for each child.
const MASK_CONTEXTS: usize = 5 * 5 * 5 * 5;
/// The two lowest levels have their own contexts, and all higher ones share the third set.
const MASK_SETS: usize = 3;
/// Sizes of neighbours, in half octaves of the group's step; the last one: no neighbour is stored.
const SIZES: usize = 16;
/// Sums of the neighbours' signs, from -2 to 2.
const SIGNS: usize = 5;

const FIRST_OF_DOUBLINGS: usize = MASK_SETS * MASK_CONTEXTS;
const FIRST_OF_STEPS: usize = FIRST_OF_DOUBLINGS + DOUBLINGS + 1;
pub const CONTEXTS: usize = FIRST_OF_STEPS + SIZES * SIGNS;

/// Numbers of steps have a class for each half octave; after this one all bits of the number follow.
const LARGE: usize = 15;

/// Four siblings: their indices differ in the lowest digit.
type Row<T> = [T; 4];

/// A piece that is encoded or decoded.
pub struct Tree {
    /// Of each weight the number of smallest steps, 0 if it is not stored.
    steps: Vec<Row<i32>>,
    /// Of each group with stored weights how often its step is doubled.
    doublings: Vec<Row<u32>>,
    /// The masks of each level, the lowest first. A mask has a byte for each child, 1 or 0.
    masks: Vec<Vec<Row<u32>>>,
}

impl Default for Tree {
    fn default() -> Self {
        let rows = |level: usize| PIECE.div_ceil(1 << (2 * level + 2));
        Self {
            steps: vec![[0; 4]; rows(0)],
            doublings: vec![[0; 4]; rows(GROUP_DIGITS)],
            masks: (1..=DIGITS).map(|level| vec![[0; 4]; rows(level)]).collect(),
        }
    }
}

impl Tree {
    /// Returns the numbers of steps of each group, and how often its step is doubled.
    pub fn groups_mut(&mut self) -> impl Iterator<Item = (&mut [i32; GROUP], &mut u32)> {
        let groups = self.steps.as_flattened_mut().as_chunks_mut().0.iter_mut();
        groups.zip(self.doublings.as_flattened_mut())
    }

    /// Encodes this piece, if it has stored weights, with a coder that is new.
    pub fn encode<C: Coder + Default>(mut self) -> Option<C> {
        let mut below: Vec<bool> =
            self.steps.as_flattened().iter().map(|&steps| steps != 0).collect();
        for masks in &mut self.masks {
            let masks = masks.as_flattened_mut();
            for (mask, four) in masks.iter_mut().zip(below.as_chunks::<4>().0) {
                *mask = (0..4).fold(0, |mask, k| mask | u32::from(four[k]) << (8 * k));
            }
            below = masks.iter().map(|&mask| mask != 0).collect();
        }
        let mut coder = C::default();
        below[0].then(|| {
            Self::default().code(Some(&self), &mut coder, |_, _| ());
            coder
        })
    }

    /// Decodes a piece and calls a function with the place of each stored weight and its number of steps.
    pub fn decode(&mut self, coder: &mut impl Coder, stored: impl FnMut(usize, i32)) {
        self.clear();
        self.code(None, coder, stored);
    }

    fn clear(&mut self) {
        // Only rows with a mask have steps, and masks that have one above: most have none.
        let (lowest, above) = self.masks.split_at_mut(1);
        let rows = self.steps.as_chunks_mut().0.iter_mut().zip(&mut lowest[0]);
        for ((steps, masks), parent) in rows.zip(above[0].as_flattened()) {
            if *parent != 0 {
                (*steps, *masks) = ([[0; 4]; 4], [0; 4]);
            }
        }
        self.doublings.fill([0; 4]);
        above.iter_mut().for_each(|masks| masks.fill([0; 4]));
    }

    /// Encodes what is given, or decodes.
    fn code(
        &mut self,
        given: Option<&Self>,
        coder: &mut impl Coder,
        mut stored: impl FnMut(usize, i32),
    ) {
        for level in (0..DIGITS).rev() {
            self.code_masks(level, given.map(|given| &*given.masks[level]), coder);
        }
        self.code_doublings(given.map(|given| &*given.doublings), coder);
        for parent in 0..self.masks[0].len() {
            for k in children(self.masks[1].as_flattened()[parent]) {
                let (row, mask) = (4 * parent + k, self.masks[0][parent][k]);
                let given = given.map(|given| &given.steps[row]);
                self.code_steps(row, mask, given, coder, &mut stored);
                if coder.is_exhausted() {
                    return;
                }
            }
        }
    }

    fn code_masks(&mut self, level: usize, given: Option<&[Row<u32>]>, coder: &mut impl Coder) {
        let (masks, above) = self.masks.split_at_mut(level + 1);
        let masks = &mut *masks[level];
        let contexts = level.min(MASK_SETS - 1) * MASK_CONTEXTS;
        let parents = above.first().map_or(&[1][..], |above| above.as_flattened());
        for (row, &parent) in parents.iter().enumerate().filter(|(_, parent)| **parent != 0) {
            let digits = nonzero_digits(row);
            let sums = sum_before(masks, row, digits);
            for k in children(parent) {
                let counts = sums[k] + if k > 0 { masks[row][k - 1] } else { 0 };
                let shares = &SHARES[digits.count_ones() as usize + usize::from(k > 0)];
                let share =
                    |child: usize| usize::from(shares[(counts >> (8 * child) & 15) as usize]);
                let context = ((share(0) * 5 + share(1)) * 5 + share(2)) * 5 + share(3);
                let given = given.map_or(0, |given| packed(given[row][k]));
                masks[row][k] = SPREAD[coder.symbol(contexts + context, given) % 16];
            }
            if coder.is_exhausted() {
                return;
            }
        }
    }

    fn code_doublings(&mut self, given: Option<&[Row<u32>]>, coder: &mut impl Coder) {
        /// Added for each stored group, so that the upper bits of a sum are the number of groups.
        const IS_STORED: u32 = 1 << 16;
        let doublings = &mut *self.doublings;
        let parents = self.masks[GROUP_DIGITS].as_flattened();
        for (row, &parent) in parents.iter().enumerate().filter(|(_, parent)| **parent != 0) {
            let sums = sum_before(doublings, row, nonzero_digits(row));
            for k in children(parent) {
                let sum = sums[k] + if k > 0 { doublings[row][k - 1] } else { 0 };
                let (groups, sum) = (sum / IS_STORED, sum % IS_STORED);
                let mean = (sum + groups / 2).checked_div(groups).unwrap_or(DOUBLINGS as u32);
                let given = given.map_or(0, |given| given[row][k] as usize);
                let symbol = coder.symbol(FIRST_OF_DOUBLINGS + mean as usize, given);
                doublings[row][k] = (symbol % DOUBLINGS) as u32 + IS_STORED;
            }
            if coder.is_exhausted() {
                break;
            }
        }
        for doublings in doublings.as_flattened_mut() {
            *doublings %= IS_STORED;
        }
    }

    fn code_steps(
        &mut self,
        row: usize,
        mask: u32,
        given: Option<&Row<i32>>,
        coder: &mut impl Coder,
        stored: &mut impl FnMut(usize, i32),
    ) {
        let doublings = self.doublings.as_flattened()[4 * row / GROUP];
        let (mut counts, mut signs, mut sums) = ([0; 4], [0; 4], [0.0; 4]);
        for before in rows_before(row, nonzero_digits(row)) {
            let steps = self.steps[before];
            counts = from_fn(|k| counts[k] + i32::from(steps[k] != 0));
            signs = from_fn(|k| signs[k] + i32::from(steps[k] > 0) - i32::from(steps[k] < 0));
            sums = from_fn(|k| sums[k] + (steps[k] as f32).abs());
        }
        for k in children(mask) {
            let place = 4 * row + k;
            let last = if k > 0 { self.steps[row][k - 1] } else { 0 };
            let count = (counts[k] + i32::from(last != 0)) as usize;
            let signs = signs[k] + last.signum();
            // The exponent of the mean and the highest bit of its mantissa.
            let mean = (sums[k] + (last as f32).abs()) * INVERSES[count];
            let half_octaves = (mean.to_bits() >> 22) as i32;
            let size = (half_octaves - 2 * 127 - 2 * doublings as i32 + 2).clamp(0, 14);
            let size = if count == 0 { SIZES - 1 } else { size as usize };
            let context = FIRST_OF_STEPS + SIGNS * size + (signs.clamp(-2, 2) + 2) as usize;
            let given = given.map_or(0, |given| given[k]);
            let steps = code_number(given, doublings, context, coder);
            self.steps[row][k] = steps;
            stored(place, steps);
        }
    }
}

/// Codes a number of smallest steps that is a multiple of the group's step.
#[inline(always)]
fn code_number(given: i32, doublings: u32, context: usize, coder: &mut impl Coder) -> i32 {
    let number = given.unsigned_abs() >> doublings;
    let length = number.max(1).ilog2();
    let class = match number {
        0..4 => number.saturating_sub(1) as usize,
        _ => (2 * length + (number >> (length - 1) & 1) - 1) as usize,
    };
    let symbol = coder.symbol(context, class.min(LARGE) << 1 | usize::from(given < 0));
    let class = symbol >> 1;
    let decoded = match class {
        0..3 => class as u64 + 1,
        3..LARGE => {
            let length = (class as u32).div_ceil(2);
            let rest = coder.bits(length - 1, number & ((1 << (length - 1)) - 1));
            (2 | (class as u64 + 1) & 1) << (length - 1) | u64::from(rest)
        }
        _ => (0..3).rev().fold(0, |decoded, k| {
            let part = u64::from(number) >> (k * MOST_BITS) & ((1 << MOST_BITS) - 1);
            decoded << MOST_BITS | u64::from(coder.bits(MOST_BITS, part as u32))
        }),
    };
    let steps = i32::try_from(decoded << doublings).unwrap_or(i32::MAX);
    if symbol & 1 == 1 { -steps } else { steps }
}

/// Returns a bit mask with the low bit of each base-4 digit that is not 0.
#[inline(always)]
fn nonzero_digits(index: usize) -> usize {
    (index | index >> 1) & 0x5555_5555
}

/// Returns for each digit the row that is lower by 1 in it. For a digit that is 0 it returns `row` itself,
/// which is still zero and adds nothing, so that no branch is needed.
#[inline(always)]
fn rows_before(row: usize, nonzero_digits: usize) -> impl Iterator<Item = usize> {
    (0..DIGITS - 1).map(move |k| row - (nonzero_digits & 1 << (2 * k)))
}

/// Returns the sum of the rows before one.
#[inline(always)]
fn sum_before(rows: &[Row<u32>], row: usize, nonzero_digits: usize) -> Row<u32> {
    rows_before(row, nonzero_digits)
        .fold([0; 4], |sum, before| from_fn(|k| sum[k] + rows[before][k]))
}

/// Returns the children that a mask has.
#[inline(always)]
fn children(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let child = mask.trailing_zeros() / 8;
        (mask != 0).then(|| {
            mask &= mask - 1;
            child as usize
        })
    })
}

/// Returns a mask with a bit for each child.
fn packed(mask: u32) -> usize {
    (0..4).fold(0, |packed, k| packed | (mask >> (7 * k)) as usize & 1 << k)
}

/// The masks whose [`packed`] ones are 0 to 15.
const SPREAD: [u32; 16] = {
    let mut spread = [0; 16];
    let mut mask = 0;
    while mask < 16 {
        spread[mask] = (mask & 1 | (mask & 2) << 7 | (mask & 4) << 14 | (mask & 8) << 21) as u32;
        mask += 1;
    }
    spread
};

/// For a number of neighbours, and of those that have stored weights: their share, from none to all
/// in five classes.
const SHARES: [[u8; DIGITS + 1]; DIGITS + 1] = {
    let mut shares = [[0; DIGITS + 1]; DIGITS + 1];
    let mut all = 1;
    while all <= DIGITS {
        let mut some = 1;
        while some <= all {
            shares[all][some] = 1 + (some * 4 - 1) as u8 / all as u8;
            some += 1;
        }
        all += 1;
    }
    shares
};

const INVERSES: [f32; DIGITS + 1] = {
    let mut inverses = [0.0; DIGITS + 1];
    let mut count = 1;
    while count <= DIGITS {
        inverses[count] = 1.0 / count as f32;
        count += 1;
    }
    inverses
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbols::{Decoder, Recorder, SYMBOLS, Tables};
    use proptest::prelude::*;

    fn encoded(piece: Tree) -> (Tables, Vec<u8>) {
        let (recorder, mut counts) =
            (piece.encode::<Recorder>().unwrap_or_default(), vec![[0; SYMBOLS]; CONTEXTS]);
        recorder.count(&mut counts);
        let tables = Tables::new(&counts);
        let code = recorder.encode(&tables).unwrap();
        (tables, code)
    }

    /// Returns a piece with these numbers of steps, which must be multiples of the steps of their groups.
    fn piece(steps: &[i32], doublings: impl Fn(usize) -> u32) -> Tree {
        let mut piece = Tree::default();
        let groups = piece.groups_mut().zip(steps.as_chunks().0).enumerate();
        for (number, ((steps, its_doublings), given)) in groups {
            (*steps, *its_doublings) = (*given, doublings(number));
        }
        piece
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20))]

        #[test]
        fn pieces_are_read_back_and_damaged_ones_do_no_harm(
            weights in prop::collection::vec((0..PIECE - GROUP, 1..=4000i32, any::<bool>()), 1..300),
            near in prop::collection::vec((0..500usize, 1..=5i32, any::<bool>()), 0..300),
            at: prop::sample::Index,
            byte: u8,
        ) {
            let doublings = |group| (group % 7) as u32;
            let mut steps = vec![0; PIECE];
            for (place, number, is_negative) in weights.into_iter().chain(near) {
                let number = number << doublings(place / GROUP);
                steps[place] = if is_negative { -number } else { number };
            }
            // Larger than any symbol.
            steps[PIECE - 1] = -(i32::MAX >> 6 << 6);
            let (tables, code) = encoded(piece(&steps, doublings));
            let mut tree = Tree::default();
            for _ in 0..2 {
                let mut decoder = Decoder::new(&code, &tables).unwrap();
                let mut read = vec![0; PIECE];
                tree.decode(&mut decoder, |place, steps| read[place] = steps);
                prop_assert!(decoder.is_finished());
                prop_assert!(read == steps);
            }
            // Tables with all symbols, also those that no context has.
            let all = Tables::new(&vec![[1; SYMBOLS]; CONTEXTS]);
            tree.decode(&mut Decoder::new(&code, &all).unwrap(), |_, _| ());
            let mut changed = code;
            let at = at.index(changed.len());
            changed[at] = changed[at].wrapping_add(byte);
            tree.decode(&mut Decoder::new(&changed, &tables).unwrap(), |_, _| ());
        }
    }
}
