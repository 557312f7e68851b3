//! The two kinds of position and the action between them: plain 16-byte values that
//! only their game can interpret.

use serde::{Deserialize, Serialize};

macro_rules! position {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
        #[repr(C)]
        pub struct $name {
            /// Bits 0 to 63.
            pub lo: u64,
            /// Bits 64 to 127.
            pub hi: u64,
        }

        impl $name {
            /// Creates the position from two words.
            #[inline(always)]
            pub const fn new(lo: u64, hi: u64) -> Self {
                Self { lo, hi }
            }

            /// Creates the position from 128 bits.
            #[inline(always)]
            pub const fn from_bits(bits: u128) -> Self {
                Self { lo: bits as u64, hi: (bits >> 64) as u64 }
            }

            /// Returns all 128 bits as one number.
            #[inline(always)]
            pub const fn bits(self) -> u128 {
                (self.hi as u128) << 64 | self.lo as u128
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!(stringify!($name), "({:#x}, {:#x})"), self.lo, self.hi)
            }
        }
    };
}

position! {
    /// A position in which the player moves next.
    ///
    /// The position with all bits set is reserved, see [`State::RESERVED`].
    State
}

position! {
    /// A position in which chance moves next: the result of a player's action.
    ///
    /// It contains everything that chance depends on, and nothing that a player could
    /// not know.
    Afterstate
}

impl State {
    /// The position with all bits set, which no game may use. It marks a position
    /// that is not known yet, such as the end of a step before the chance event.
    pub const RESERVED: State = State { lo: u64::MAX, hi: u64::MAX };
}

/// An action, as its index in the game's fixed list of actions
/// ([`Description::actions`](crate::Description::actions)).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[repr(transparent)]
pub struct Action(pub u8);

impl Action {
    /// Returns the index in the game's list.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
