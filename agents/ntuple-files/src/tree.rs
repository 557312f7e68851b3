//! The code of a piece of weights that are multiples of a step.
//!
//! Which weights are stored is a tree: a node has four children, at the bottom four weights, and a mask says
//! which of them have stored weights. The masks come first, from the top down. Each stored
//! weight follows with its number of steps. The weights of a group have one step, the smallest one doubled a
//! number of times.
//!
//! Contexts come from the neighbours before: nodes, groups or weights whose index has one digit
//! of two bits less by 1, so that one cell has the tile below.

use runner_files::symbols::{Coder, MOST_BITS};
use std::array::from_fn;

/// Digits of an index within a piece, and levels of the tree.
const DIGITS: usize = 9;

pub const PIECE: usize = 1 << (2 * DIGITS);

const GROUP_DIGITS: usize = 2;

/// Weights that share a step.
pub const GROUP: usize = 1 << (2 * GROUP_DIGITS);

/// The step of a group doubles less often than this.
pub const DOUBLINGS: usize = 16;

/// Contexts of the masks of a level: five for each child.
const OF_LEVEL: usize = 5 * 5 * 5 * 5;
/// The lowest levels have contexts of their own.
const LEVELS: usize = 3;
/// Sizes of neighbours, in half octaves of the group's step; the last one is of none.
const SIZES: usize = 16;
const SIGNS: usize = 5;

const OF_DOUBLINGS: usize = LEVELS * OF_LEVEL;
const OF_STEPS: usize = OF_DOUBLINGS + DOUBLINGS + 1;
pub const CONTEXTS: usize = OF_STEPS + SIZES * SIGNS;

/// Numbers of steps have a symbol for each half octave, and the last one for any size.
const LARGE: usize = 15;

/// What a piece stores.
pub struct Piece {
    /// Of each weight the number of smallest steps, 0 if it is not stored.
    pub steps: Vec<i32>,
    /// Of each group with stored weights how often its step is doubled.
    pub doublings: Vec<u8>,
}

impl Default for Piece {
    fn default() -> Self {
        Self { steps: vec![0; PIECE], doublings: vec![0; PIECE / GROUP] }
    }
}

/// Four siblings: their indices differ in the lowest digit.
type Row<T> = [T; 4];

/// Codes pieces.
pub struct Tree {
    steps: Vec<Row<i32>>,
    /// Of a group with stored weights, [`IS_STORED`] and how often its step is doubled.
    doublings: Vec<Row<u32>>,
    /// The masks of each level, the lowest first. A mask has a byte for each child, 1 or 0.
    masks: Vec<Vec<Row<u32>>>,
}

/// So that a sum over groups has their number too.
const IS_STORED: u32 = 1 << 16;

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
    fn clear(&mut self) {
        for (row, mask) in self.steps.iter_mut().zip(self.masks[0].as_flattened()) {
            if *mask != 0 {
                *row = [0; 4];
            }
        }
        self.doublings.fill([0; 4]);
        self.masks.iter_mut().for_each(|masks| masks.fill([0; 4]));
    }

    /// Encodes a piece.
    pub fn encode(piece: &Piece, coder: &mut impl Coder) {
        let mut given = Self::default();
        given.steps.as_flattened_mut().copy_from_slice(&piece.steps);
        let mut below: Vec<bool> = piece.steps.iter().map(|&steps| steps != 0).collect();
        for masks in &mut given.masks {
            let masks = masks.as_flattened_mut();
            for (mask, four) in masks.iter_mut().zip(below.as_chunks::<4>().0) {
                *mask = (0..4).fold(0, |mask, k| mask | u32::from(four[k]) << (8 * k));
            }
            below = masks.iter().map(|&mask| mask != 0).collect();
        }
        for (coded, &doublings) in
            given.doublings.as_flattened_mut().iter_mut().zip(&piece.doublings)
        {
            *coded = u32::from(doublings);
        }
        Self::default().code(Some(&given), coder, |_, _| ());
    }

    /// Decodes a piece and calls a function with the place of each stored weight and its number of steps.
    pub fn decode(&mut self, coder: &mut impl Coder, stored: impl FnMut(usize, i32)) {
        self.clear();
        self.code(None, coder, stored);
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
        for row in 0..self.steps.len() {
            let mask = self.masks[0].as_flattened()[row];
            if mask != 0 {
                self.code_steps(
                    row,
                    mask,
                    given.map(|given| &given.steps[row]),
                    coder,
                    &mut stored,
                );
                if coder.is_exhausted() {
                    return;
                }
            }
        }
    }

    fn code_masks(&mut self, level: usize, given: Option<&[Row<u32>]>, coder: &mut impl Coder) {
        let (masks, above) = self.masks.split_at_mut(level + 1);
        let masks = &mut *masks[level];
        let contexts = level.min(LEVELS - 1) * OF_LEVEL;
        let above = above.first().map_or(&[1][..], |above| above.as_flattened());
        for (row, &nodes) in above.iter().enumerate().filter(|(_, nodes)| **nodes != 0) {
            let upper = digits(row);
            let before = rows_before(row, upper)
                .fold([0; 4], |sum: Row<u32>, before| from_fn(|k| sum[k] + masks[before][k]));
            for k in children(nodes) {
                let counts = before[k] + if k > 0 { masks[row][k - 1] } else { 0 };
                let shares = &SHARES[upper.count_ones() as usize + usize::from(k > 0)];
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
        let doublings = &mut *self.doublings;
        let masks = self.masks[GROUP_DIGITS].as_flattened();
        for (row, &groups) in masks.iter().enumerate().filter(|(_, groups)| **groups != 0) {
            let before = rows_before(row, digits(row))
                .fold([0; 4], |sum: Row<u32>, before| from_fn(|k| sum[k] + doublings[before][k]));
            for k in children(groups) {
                let sum = before[k] + if k > 0 { doublings[row][k - 1] } else { 0 };
                let (groups, sum) = (sum / IS_STORED, sum % IS_STORED);
                let mean = (sum + groups / 2).checked_div(groups).unwrap_or(DOUBLINGS as u32);
                let given = given.map_or(0, |given| given[row][k] as usize);
                let symbol = coder.symbol(OF_DOUBLINGS + mean as usize, given);
                doublings[row][k] = (symbol % DOUBLINGS) as u32 + IS_STORED;
            }
            if coder.is_exhausted() {
                return;
            }
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
        let doublings = self.doublings.as_flattened()[4 * row / GROUP] % IS_STORED;
        let (mut counts, mut signs, mut sums) = ([0; 4], [0; 4], [0.0; 4]);
        for before in rows_before(row, digits(row)) {
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
            let context = OF_STEPS + SIGNS * size + (signs.clamp(-2, 2) + 2) as usize;
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

/// Returns the lowest bit of each digit of an index that is not 0.
#[inline(always)]
fn digits(index: usize) -> usize {
    (index | index >> 1) & 0x5555_5555
}

/// Returns the rows before one in which one of these digits is less by 1. Instead of others it returns the
/// row itself, which is not coded yet, so that no branch depends on them.
#[inline(always)]
fn rows_before(row: usize, digits: usize) -> impl Iterator<Item = usize> {
    (0..DIGITS - 1).map(move |k| row - (digits & 1 << (2 * k)))
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
    use proptest::prelude::*;
    use runner_files::symbols::{Decoder, Recorder, SYMBOLS, Tables};

    fn encoded(piece: &Piece) -> (Tables, Vec<u8>) {
        let (mut recorder, mut counts) = (Recorder::default(), vec![[0; SYMBOLS]; CONTEXTS]);
        Tree::encode(piece, &mut recorder);
        recorder.count(&mut counts);
        let tables = Tables::new(&counts);
        let code = recorder.encode(&tables);
        (tables, code)
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
            let mut piece = Piece::default();
            for (place, number, is_negative) in weights.into_iter().chain(near) {
                let doublings = (place / GROUP % 7) as u8;
                piece.doublings[place / GROUP] = doublings;
                piece.steps[place] = if is_negative { -number } else { number } << doublings;
            }
            // Larger than any symbol.
            piece.steps[PIECE - 1] = -(i32::MAX >> 6 << 6);
            piece.doublings[PIECE / GROUP - 1] = 6;
            let (tables, code) = encoded(&piece);
            let mut tree = Tree::default();
            for _ in 0..2 {
                let mut decoder = Decoder::new(&code, &tables).unwrap();
                let mut read = vec![0; PIECE];
                tree.decode(&mut decoder, |place, steps| read[place] = steps);
                prop_assert!(decoder.is_finished());
                prop_assert!(read == piece.steps);
            }
            let mut changed = code;
            let at = at.index(changed.len());
            changed[at] = changed[at].wrapping_add(byte);
            tree.decode(&mut Decoder::new(&changed, &tables).unwrap(), |_, _| ());
        }
    }
}
