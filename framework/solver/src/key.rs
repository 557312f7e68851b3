//! Positions as keys of tables: one word where all positions of a game fit one,
//! else two.

use std::fmt::Debug;

/// A position as a number.
pub trait Key: Copy + Ord + Send + Sync + Debug + 'static {
    /// Stands for nothing in a table.
    const NONE: Self;

    /// The key of a position with these bits, if it fits.
    fn of(bits: u128) -> Option<Self>;

    /// The bits of the position.
    fn bits(self) -> u128;

    /// All bits of it, mixed: every bit of the result depends on every bit.
    fn hash(self) -> u64;
}

/// Mixes two words.
#[inline(always)]
fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ 0x9e37_79b9_7f4a_7c15) * u128::from(b ^ 0xd1b5_4a32_d192_ed03);
    product as u64 ^ (product >> 64) as u64
}

impl Key for u64 {
    const NONE: Self = u64::MAX;

    #[inline(always)]
    fn of(bits: u128) -> Option<Self> {
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

/// A key of two words, which needs no more alignment than one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Wide {
    hi: u64,
    lo: u64,
}

impl Key for Wide {
    const NONE: Self = Self { hi: u64::MAX, lo: u64::MAX };

    #[inline(always)]
    fn of(bits: u128) -> Option<Self> {
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
