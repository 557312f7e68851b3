//! Random streams: one seed for a run, one stream for each game.
//!
//! Games hold no generator. Their functions receive 64 random bits for each chance event.

use rand_core::{SeedableRng, TryRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;

/// The seed of a whole run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seed(pub u64);

/// A stream of random words: xoshiro256++. It implements [`rand_core::Rng`], so
/// everything in the crate `rand` works with it.
///
/// ```
/// use rand::RngExt;
/// let mut random = runner_core::Random::from_word(1);
/// let die = random.random_range(1..=6);
/// assert!((1..=6).contains(&die));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Random(Xoshiro256PlusPlus);

/// The index of the stream of training game 0. Evaluations draw from streams with lower indices.
const FIRST_TRAINING_STREAM: u64 = 1 << 63;

/// The increment of SplitMix64: 2^64 divided by the golden ratio.
const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

impl Random {
    /// Creates the stream of game number `index` of the run with this seed.
    ///
    /// The streams of a run differ from each other, and do not depend on the number of
    /// threads or on how the run was divided.
    ///
    /// ```
    /// use runner_core::{Random, Seed};
    /// let mut a = Random::stream(Seed(1), 7);
    /// assert_eq!(a.word(), Random::stream(Seed(1), 7).word());
    /// assert_ne!(a.word(), Random::stream(Seed(1), 8).word());
    /// ```
    pub fn stream(seed: Seed, index: u64) -> Self {
        Self::from_word(mix(mix(seed.0) ^ index.wrapping_mul(GOLDEN_GAMMA)))
    }

    /// Creates the stream of training game number `index`. No evaluated game with this
    /// seed draws from it.
    pub fn training_stream(seed: Seed, index: u64) -> Self {
        Self::stream(seed, FIRST_TRAINING_STREAM | index)
    }

    /// Creates a stream from one random word, for rules and agents that need more than
    /// the 64 bits that they receive.
    pub fn from_word(word: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(word))
    }

    /// Returns the next 64 random bits.
    #[inline(always)]
    pub fn word(&mut self) -> u64 {
        match self.0.try_next_u64() {
            Ok(word) => word,
        }
    }

    /// Returns a uniform number below `bound`, which must not be 0.
    #[inline(always)]
    pub fn below(&mut self, bound: u32) -> u32 {
        scale((self.word() >> 32) as u32, bound)
    }

    /// Returns a uniform number in [0, 1), with 53 random bits.
    #[inline(always)]
    pub fn unit(&mut self) -> f64 {
        (self.word() >> 11) as f64 / (1u64 << 53) as f64
    }
}

impl TryRng for Random {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.0.try_next_u32()
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0.try_next_u64()
    }

    fn try_fill_bytes(&mut self, dst: &mut [u8]) -> Result<(), Infallible> {
        self.0.try_fill_bytes(dst)
    }
}

/// Maps 32 random bits to a number below `bound`. The bias is below `bound / 2^32`, too
/// small for any run to measure.
#[inline(always)]
pub const fn scale(random: u32, bound: u32) -> u32 {
    ((random as u64 * bound as u64) >> 32) as u32
}

/// A bijection of 64 bits in which every input bit affects every output bit (the
/// finaliser of SplitMix64): distinct inputs give distinct streams.
const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
