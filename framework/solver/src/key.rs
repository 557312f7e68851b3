//! Positions as hash keys: one word if all positions of a game fit in one, else two.

use crate::error::Abort;
use std::fmt::Debug;

pub trait Key: Copy + Ord + Send + Sync + Debug + 'static {
    /// Marks an empty slot of a table; no position has this key.
    const NONE: Self;

    /// Returns the key of a position, or `None` if it does not fit.
    fn from_bits(bits: u128) -> Option<Self>;

    fn bits(self) -> u128;

    /// Returns a hash. Every bit of it depends on every bit of the key.
    fn hash(self) -> u64;
}

pub fn key<K: Key>(bits: u128) -> Result<K, Abort> {
    K::from_bits(bits).ok_or(Abort::TooWide)
}

#[inline(always)]
fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ 0x9e37_79b9_7f4a_7c15) * u128::from(b ^ 0xd1b5_4a32_d192_ed03);
    product as u64 ^ (product >> 64) as u64
}

impl Key for u64 {
    const NONE: Self = u64::MAX;

    #[inline(always)]
    fn from_bits(bits: u128) -> Option<Self> {
        (bits < u128::from(u64::MAX)).then_some(bits as u64)
    }

    #[inline(always)]
    fn bits(self) -> u128 {
        self.into()
    }

    #[inline(always)]
    fn hash(self) -> u64 {
        mix(self, 0)
    }
}

/// A key of two words with the alignment of one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Wide {
    hi: u64,
    lo: u64,
}

impl Key for Wide {
    const NONE: Self = Self { hi: u64::MAX, lo: u64::MAX };

    #[inline(always)]
    fn from_bits(bits: u128) -> Option<Self> {
        let key = Self { hi: (bits >> 64) as u64, lo: bits as u64 };
        (key != Self::NONE).then_some(key)
    }

    #[inline(always)]
    fn bits(self) -> u128 {
        u128::from(self.hi) << 64 | u128::from(self.lo)
    }

    #[inline(always)]
    fn hash(self) -> u64 {
        mix(self.lo, self.hi)
    }
}
