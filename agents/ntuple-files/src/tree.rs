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

/// A piece: of each weight the number of smallest steps, 0 if it is not stored; and of each
/// group with stored weights how often its step is doubled.
pub struct Piece {
    pub steps: Vec<i32>,
    pub doublings: Vec<u8>,
    /// The masks of each level, the lowest first.
    masks: Vec<Vec<u8>>,
}

impl Default for Piece {
    fn default() -> Self {
        let masks = (1..=DIGITS).map(|level| vec![0; PIECE >> (2 * level)]).collect();
        Self { steps: vec![0; PIECE], doublings: vec![0; PIECE / GROUP], masks }
    }
}

impl Piece {
    /// Makes the piece empty, as a new one is.
    pub fn clear(&mut self) {
        for (steps, mask) in self.steps.as_chunks_mut::<4>().0.iter_mut().zip(&self.masks[0]) {
            if *mask != 0 {
                *steps = [0; 4];
            }
        }
        self.doublings.fill(0);
        self.masks.iter_mut().for_each(|masks| masks.fill(0));
    }

    /// Calls a function with each place and its number of steps, in order.
    pub fn stored(&self) -> impl Iterator<Item = (usize, i32)> {
        let masks = self.masks[0].iter().enumerate();
        let places = masks.flat_map(|(node, &mask)| bits(mask).map(move |k| 4 * node + k));
        places.map(|place| (place, self.steps[place]))
    }

    /// Encodes this piece, of which `steps` and `doublings` are set.
    pub fn encode(&mut self, coder: &mut impl Coder) {
        let mut below: Vec<bool> = self.steps.iter().map(|&steps| steps != 0).collect();
        for masks in &mut self.masks {
            for (mask, four) in masks.iter_mut().zip(below.as_chunks::<4>().0) {
                *mask = (0..4).fold(0, |mask, k| mask | u8::from(four[k]) << k);
            }
            below = masks.iter().map(|&mask| mask != 0).collect();
        }
        Self::default().code(Some(self), coder);
    }

    /// Decodes a piece; this one must be clear.
    pub fn decode(&mut self, coder: &mut impl Coder) {
        self.code(None, coder);
    }

    /// Encodes what is given, or decodes.
    #[inline(always)]
    fn code(&mut self, given: Option<&Self>, coder: &mut impl Coder) {
        for level in (0..DIGITS).rev() {
            self.code_masks(level, given.map(|given| &*given.masks[level]), coder);
        }
        for node in 0..self.masks[0].len() {
            let mask = self.masks[0][node];
            if mask == 0 {
                continue;
            }
            let group = 4 * node / GROUP;
            let first_mask = self.masks[GROUP_DIGITS - 1][group].trailing_zeros() as usize;
            if node % (GROUP / 4) == first_mask {
                let given = given.map_or(0, |given| given.doublings[group]);
                self.code_doublings(group, given, coder);
            }
            for k in bits(mask) {
                let place = 4 * node + k;
                let given = given.map_or(0, |given| given.steps[place]);
                self.code_steps(place, given, coder);
            }
            if coder.is_exhausted() {
                return;
            }
        }
    }

    #[inline(always)]
    fn code_masks(&mut self, level: usize, given: Option<&[u8]>, coder: &mut impl Coder) {
        let (masks, above) = self.masks.split_at_mut(level + 1);
        let masks = &mut *masks[level];
        let contexts = level.min(LEVELS - 1) * OF_LEVEL;
        let above = above.first().map_or(&[1][..], |above| above);
        for (parent, &children) in above.iter().enumerate() {
            for node in bits(children).map(|k| 4 * parent + k) {
                let digits = digits(node);
                let counts: u32 =
                    before(node, digits).map(|before| SPREAD[usize::from(masks[before])]).sum();
                let shares = &SHARES[digits.count_ones() as usize];
                let context = (0..4).fold(0, |context, k| {
                    5 * context + usize::from(shares[(counts >> (8 * k) & 0xff) as usize])
                });
                let given = given.map_or(0, |given| given[node]);
                masks[node] = coder.symbol(contexts + context, given.into()) as u8 & 15;
            }
            if coder.is_exhausted() {
                return;
            }
        }
    }

    #[inline(always)]
    fn code_doublings(&mut self, group: usize, given: u8, coder: &mut impl Coder) {
        let (mut groups, mut sum) = (0, 0);
        for before in before(group, digits(group)).filter(|&before| before < group) {
            let is_stored = self.masks[GROUP_DIGITS - 1][before] != 0;
            groups += usize::from(is_stored);
            sum += usize::from(is_stored) * usize::from(self.doublings[before]);
        }
        let mean = if groups == 0 { DOUBLINGS } else { (sum + groups / 2) / groups };
        let symbol = coder.symbol(OF_DOUBLINGS + mean, given.into());
        self.doublings[group] = (symbol % DOUBLINGS) as u8;
    }

    #[inline(always)]
    fn code_steps(&mut self, place: usize, given: i32, coder: &mut impl Coder) {
        let doublings = self.doublings[place / GROUP];
        let (mut count, mut sum, mut signs) = (0, 0.0, 0);
        for before in before(place, digits(place)) {
            let steps = self.steps[before];
            count += usize::from(steps != 0);
            sum += steps.unsigned_abs() as f32;
            signs += steps.signum();
        }
        // The exponent of the mean and the highest bit of its mantissa.
        let half_octaves = (sum * INVERSES[count]).to_bits() >> 22;
        let size = match count {
            0 => SIZES - 1,
            _ => {
                (half_octaves as i32 - 2 * 127 - 2 * i32::from(doublings) + 2).clamp(0, 14) as usize
            }
        };
        let context = OF_STEPS + SIGNS * size + (signs.clamp(-2, 2) + 2) as usize;
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
                let length = (class as u32 + 1) / 2;
                let rest = coder.bits(length - 1, number & ((1 << (length - 1)) - 1));
                (2 | (class as u64 + 1) & 1) << (length - 1) | u64::from(rest)
            }
            _ => (0..3).rev().fold(0, |decoded, k| {
                let part = u64::from(number) >> (k * MOST_BITS) & ((1 << MOST_BITS) - 1);
                decoded << MOST_BITS | u64::from(coder.bits(MOST_BITS, part as u32))
            }),
        };
        let steps = i32::try_from(decoded << doublings).unwrap_or(i32::MAX);
        self.steps[place] = if symbol & 1 == 1 { -steps } else { steps };
    }
}

/// Returns the lowest bit of each digit of an index that is not 0.
#[inline(always)]
fn digits(index: usize) -> usize {
    (index | index >> 1) & 0x5555_5555
}

/// Returns the indices before one in which one of these digits is less by 1. Instead of others
/// it returns the index itself, whose content is not coded yet, so that no branch depends on them.
#[inline(always)]
fn before(index: usize, digits: usize) -> impl Iterator<Item = usize> {
    (0..DIGITS).map(move |k| index - (digits & 1 << (2 * k)))
}

#[inline(always)]
fn bits(mask: u8) -> impl Iterator<Item = usize> {
    (0..4).filter(move |k| mask >> k & 1 == 1)
}

/// The bits of a mask, each in a byte of its own.
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

    fn encoded(piece: &mut Piece) -> (Tables, Vec<u8>) {
        let (mut recorder, mut counts) = (Recorder::default(), vec![[0; SYMBOLS]; CONTEXTS]);
        piece.encode(&mut recorder);
        recorder.count(&mut counts);
        let tables = Tables::new(&counts);
        let code = recorder.encode(&tables);
        (tables, code)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20))]

        #[test]
        fn pieces_are_read_back_and_damaged_ones_do_no_harm(
            weights in prop::collection::vec((0..PIECE, 1..=4000i32, any::<bool>()), 1..300),
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
            let (tables, code) = encoded(&mut piece);
            let mut read = Piece::default();
            for _ in 0..2 {
                read.clear();
                let mut decoder = Decoder::new(&code, &tables).unwrap();
                read.decode(&mut decoder);
                prop_assert!(decoder.is_finished());
                prop_assert!(read.steps == piece.steps);
                prop_assert!(read.stored().all(|(place, steps)| steps == piece.steps[place]));
            }
            let mut changed = code;
            let at = at.index(changed.len());
            changed[at] = changed[at].wrapping_add(byte);
            read.clear();
            read.decode(&mut Decoder::new(&changed, &tables).unwrap());
        }
    }
}
