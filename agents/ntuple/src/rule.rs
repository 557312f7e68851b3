//! How a weight moves by an error: each rule is one file.
//!
//! Weights lie in one array, what a rule remembers of them in another: a move's
//! choice reads a hundred weights, its correction a third of them, and only that
//! one needs the memory.

mod autostep;
mod tc;
mod tc_wide;
mod td;

pub use autostep::{Autostep, AutostepMemory};
pub use tc::{Accumulate, Tc, TcMemory, WarmUp};
pub use tc_wide::{TcWide, TcWideMemory};
pub use td::Td;

use crate::memory::{Cells, Zeroed};
use crate::network::Place;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// A 32-bit float that threads share: an update that another one overtakes is
/// lost, and nothing else can happen.
#[derive(Debug, Default)]
#[repr(transparent)]
pub struct Weight(AtomicU32);

// SAFETY: it is one atomic, and all bits zero are the number 0.
unsafe impl Zeroed for Weight {}

impl Weight {
    /// What it is now.
    #[inline(always)]
    pub fn get(&self) -> f32 {
        f32::from_bits(self.0.load(Relaxed))
    }

    /// Changes it.
    #[inline(always)]
    pub fn set(&self, value: f32) {
        self.0.store(value.to_bits(), Relaxed);
    }
}

/// What a rule remembers of a weight.
pub trait Memory: Zeroed + Default + 'static {
    /// How many words it has.
    const WORDS: usize;

    /// A word, for files.
    fn word(&self, number: usize) -> u32;

    /// Sets a word.
    fn set_word(&self, number: usize, value: u32);

    /// Whether a word can be this.
    fn allows(word: u32) -> bool {
        f32::from_bits(word).is_finite()
    }

    /// Sets it to the state of a weight that was never updated. Memory in that state is not
    /// written, so that pages which nothing has used yet stay unused.
    fn reset(&self) {
        let fresh = Self::default();
        for number in 0..Self::WORDS {
            let word = fresh.word(number);
            if self.word(number) != word {
                self.set_word(number, word);
            }
        }
    }

    /// The sum of errors and that of absolute errors, for rules that keep them.
    fn sums(&self) -> Option<(f32, f32)> {
        None
    }

    /// Sets them, for rules that keep them.
    fn set_sums(&self, _sum: f32, _size: f32) {}
}

/// A learning rule.
pub trait Rule: Copy + Send + Sync + 'static {
    /// What it remembers of each weight.
    type Memory: Memory;

    /// The name of the form of its memory, for the files that hold it.
    const MEMORY: &'static str;

    /// Whether it changes in the course of a training, which must be known from one
    /// end to the other then.
    fn is_planned(self) -> bool {
        false
    }

    /// The rule as it is when this share of the training is done, from 0 to 1.
    fn at(self, done: f64) -> Self {
        let _ = done;
        self
    }

    /// Moves the weights at these places, which made an estimate that was wrong by
    /// `error`, a part of the way: by `factor` times what a whole update would do.
    fn update(&self, table: Table<'_, Self::Memory>, places: &[Place], error: f32, factor: f32);
}

/// Weights with what is remembered of them.
#[derive(Debug)]
pub struct Table<'a, M> {
    /// The weights.
    pub weights: Cells<'a, Weight>,
    /// As many memories.
    pub memory: Cells<'a, M>,
}

impl<M> Clone for Table<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for Table<'_, M> {}

/// Weights are read and changed so many at a time, with the same arithmetic on
/// all: the images of one tuple on a square board.
pub const AT_ONCE: usize = 8;

/// The sum of the weights at these places.
#[inline(always)]
pub fn sum(weights: Cells<'_, Weight>, places: &[Place]) -> f32 {
    // Several sums at once: additions of floats are not reordered by the compiler,
    // and each would wait for the one before.
    let mut sums = [0.0; AT_ONCE];
    let (eights, rest) = places.as_chunks::<AT_ONCE>();
    for eight in eights {
        for (sum, &place) in sums.iter_mut().zip(eight) {
            *sum += weights.at(place).get();
        }
    }
    for (sum, &place) in sums.iter_mut().zip(rest) {
        *sum += weights.at(place).get();
    }
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

/// Whether two of these places are the same: both images then change one weight,
/// one after the other.
#[inline(always)]
fn has_twins(places: &[Place; AT_ONCE]) -> bool {
    // Each is held against the next, the second next, and so on, in a ring.
    let &[a, b, c, d, e, f, g, h] = places;
    let rings = [
        [b, c, d, e, f, g, h, a],
        [c, d, e, f, g, h, a, b],
        [d, e, f, g, h, a, b, c],
        [e, f, g, h, a, b, c, d],
    ];
    let mut any = [false; AT_ONCE];
    for ring in rings {
        for k in 0..AT_ONCE {
            any[k] |= places[k] == ring[k];
        }
    }
    any != [false; AT_ONCE]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Lookup, Network};
    use proptest::prelude::*;
    use runner_core::Afterstate;
    use runner_core::board::{Geometry, Symmetry};

    /// Places of which the k-th and the l-th are the same where the k-th and l-th
    /// number are.
    fn places(numbers: [u8; AT_ONCE]) -> [Place; AT_ONCE] {
        // Each is a tuple of one cell, and its number lies in that.
        let symmetries = vec![Symmetry { cells: vec![0], actions: vec![] }];
        let (values, extra_fields) = (vec![0; 16], vec![]);
        let board = Geometry { rows: 1, cols: 1, values, symmetries, extra_fields, merges: vec![] };
        let network = Network::read("0", &board).unwrap();
        let lookup = Lookup::new(&network, &board).unwrap();
        numbers.map(|number| {
            let mut place = [Place::default()];
            lookup.places(Afterstate::new(number.into(), 0), &mut place);
            place[0]
        })
    }

    #[test]
    fn two_alike_are_found_wherever_they_are() {
        let all = [0, 1, 2, 3, 4, 5, 6, 7];
        assert!(!has_twins(&places(all)));
        for one in 0..AT_ONCE {
            for other in (0..AT_ONCE).filter(|&other| other != one) {
                let mut numbers = all;
                numbers[one] = numbers[other];
                assert!(has_twins(&places(numbers)), "{one} and {other}");
            }
        }
    }

    proptest! {
        #[test]
        fn twins_are_found_exactly_where_two_are_alike(
            numbers in prop::array::uniform8(0u8..16)
        ) {
            let alike = (0..AT_ONCE).any(|k| numbers[..k].contains(&numbers[k]));
            prop_assert_eq!(has_twins(&places(numbers)), alike);
        }
    }
}
