//! The layouts of the types of `runner-core` that cross as they are. abi_stable compares them when
//! a library is loaded. They are described here, because that crate does not know abi_stable.

use abi_stable::type_layout::Tag;
use runner_core::geometry::{FIFTH_BITS, stride};
use runner_core::rows::{BEYOND, Entry, ROWS, Row};
use runner_core::slots;
use runner_core::{
    Action, Afterstate, Episode, MAX_ACTIONS, Outcome, Playout, Pulse, Start, State, Successor,
    Successors,
};
use std::mem::offset_of;

/// A type whose layout is compared.
pub trait Layout {
    /// Name, fields and offsets. Size and alignment are compared too.
    const FIELDS: Tag;
}

/// Describes the layouts of types. A list that lacks a field or gives it another type does not
/// compile: the function in it takes a value apart and puts it together by the list.
macro_rules! layouts {
    ($($name:ident { $($field:tt: $type:ty),* })*) => {$(
        impl Layout for $name {
            const FIELDS: Tag = Tag::arr(abi_stable::rslice![
                Tag::str(stringify!($name { $($field: $type),* })),
                $(Tag::uint(offset_of!($name, $field) as u64)),*
            ]);
        }

        const _: fn($name) -> $name = |value| $name {
            $($field: { let field: $type = value.$field; field }),*
        };
    )*};
}

layouts! {
    State { lo: u64, hi: u64 }
    Afterstate { lo: u64, hi: u64 }
    Action { 0: u8 }
    Successor { afterstate: Afterstate, reward: f32, action: Action }
    Outcome { state: State, probability: f64 }
    Episode { score: f64, moves: u64, last: State, finished: bool }
    Playout { last: State, score: f64, moves: u64 }
    Start { state: State, score: f64 }
    Row { first: u32, last: u32, first_reward: f32, last_reward: f32 }
    Entry { rank: u8, probability: f64 }
}

impl Layout for Pulse {
    // One byte, which is private.
    const FIELDS: Tag = Tag::str("Pulse");
}

impl Layout for Successors {
    // The fields are private, because code that could set the length could read uninitialised
    // items. The tag has the number of items, the offset of the length and the type of an item;
    // `repr(C)` gives the rest.
    const FIELDS: Tag = Tag::arr(abi_stable::rslice![
        Tag::uint(MAX_ACTIONS as u64),
        Tag::uint(Self::LENGTH_OFFSET as u64),
        Successor::FIELDS,
    ]);
}

/// The constants and functions of `runner-core` that give the bits of boards their meaning. Both
/// sides must compute the same, so the results are compared as part of the layout of a game.
pub const BOARDS: Tag = Tag::arr(abi_stable::rslice![
    Tag::uint(ROWS as u64),
    Tag::uint(BEYOND as u64),
    Tag::uint(FIFTH_BITS as u64),
    Tag::uint(stride(2, 2) as u64),
    Tag::uint(stride(4, 4) as u64),
    Tag::uint(stride(4, 5) as u64),
    Tag::uint(stride(5, 4) as u64),
    Tag::uint(stride(5, 5) as u64),
    Tag::uint(slots::transpose(0xfedc_ba98_7654_3210)),
]);
