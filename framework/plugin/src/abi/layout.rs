//! The hash of everything that crosses the boundary. A library's note contains the hash of its
//! build, and the loader compares it with its own before any code of the library runs.
//!
//! It covers every field of the types of `runner-core` and `runner-board` that cross by pointer,
//! and the sources that define everything else that crosses: no change there can be forgotten. Comments and the
//! width of indentation do not count.

use runner_board::rows::{BEYOND, Entry, ROWS, Row};
use runner_board::slots;
use runner_core::geometry::{FIFTH_BITS, stride};
use runner_core::{
    Action, Afterstate, Episode, MAX_ACTIONS, Outcome, Playout, Start, State, Successor,
    Successors, Turn,
};
use std::mem::offset_of;

/// The hash of a struct: its size, and the name, the type and the offset of each field. All
/// fields must be named, with their types: anything else does not compile.
macro_rules! fields {
    ($name:ident $(<$life:lifetime>)? { $($field:ident: $type:ty),* }) => {{
        const _: fn(&$name) = |value| {
            let $name { $($field),* } = value;
            $(let _: &$type = $field;)*
        };
        hash_all(&[
            hash_text(stringify!($name)),
            size_of::<$name>() as u64,
            $(
                hash_text(stringify!($field)),
                offset_of!($name, $field) as u64,
                size_of::<$type>() as u64,
            )*
        ])
    }};
}
/// The layout of everything that crosses, with the constants that give the bits of boards a
/// meaning.
pub const LAYOUT: u64 = hash_all(&[
    fields!(State { lo: u64, hi: u64 }),
    fields!(Afterstate { lo: u64, hi: u64 }),
    fields!(Successor { afterstate: Afterstate, reward: f32, action: Action }),
    fields!(Outcome { state: State, probability: f64 }),
    fields!(Episode { score: f64, moves: u64, last: State, finished: bool }),
    fields!(Playout { last: State, score: f64, moves: u64 }),
    fields!(Start { state: State, score: f64 }),
    fields!(Row { first: u32, last: u32, first_reward: f32, last_reward: f32 }),
    fields!(Entry { rank: u8, probability: f64 }),
    fields!(Turn<'_> { state: State, successors: &Successors, random: u64 }),
    // The fields are private, because code that could set the length could read what was not
    // written. `repr(C)` puts the length first and the list behind it.
    size_of::<Successors>() as u64,
    Successors::LENGTH_OFFSET as u64,
    MAX_ACTIONS as u64,
    ROWS as u64,
    BEYOND as u64,
    FIFTH_BITS as u64,
    stride(2, 2) as u64,
    stride(4, 4) as u64,
    stride(4, 5) as u64,
    stride(5, 4) as u64,
    stride(5, 5) as u64,
    slots::transpose(0xfedc_ba98_7654_3210),
    hash_source(include_str!("agent.rs")),
    hash_source(include_str!("call.rs")),
    hash_source(include_str!("cross.rs")),
    hash_source(include_str!("data.rs")),
    hash_source(include_str!("game.rs")),
    hash_source(include_str!("interface.rs")),
    hash_source(include_str!("library.rs")),
    hash_source(include_str!("object.rs")),
    hash_source(include_str!("task.rs")),
    hash_source(include_str!("training.rs")),
    hash_source(include_str!("value.rs")),
    hash_source(include_str!("../proxy/host.rs")),
    hash_source(include_str!("../proxy/session.rs")),
    hash_source(runner_core::__game_methods! { [stringify] [] }),
    hash_source(runner_core::__value_methods! { [stringify] [] }),
]);

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

const fn hash_byte(hash: u64, byte: u8) -> u64 {
    (hash ^ byte as u64).wrapping_mul(FNV_PRIME)
}

const fn hash_text(text: &str) -> u64 {
    let (bytes, mut hash, mut i) = (text.as_bytes(), FNV_OFFSET, 0);
    while i < bytes.len() {
        hash = hash_byte(hash, bytes[i]);
        i += 1;
    }
    hash
}

const fn hash_all(hashes: &[u64]) -> u64 {
    let (mut hash, mut i) = (FNV_OFFSET, 0);
    while i < 8 * hashes.len() {
        hash = hash_byte(hash, (hashes[i / 8] >> (8 * (i % 8))) as u8);
        i += 1;
    }
    hash
}

/// The hash of a source without its comments and white space.
const fn hash_source(source: &str) -> u64 {
    let (bytes, mut hash, mut i) = (source.as_bytes(), FNV_OFFSET, 0);
    while i < bytes.len() {
        if bytes[i] == b'/' && i + 1 < bytes.len() && bytes[i + 1] == b'/' {
            while i < bytes.len() && bytes[i] != b'\n' {
                i += 1;
            }
        } else {
            if !bytes[i].is_ascii_whitespace() {
                hash = hash_byte(hash, bytes[i]);
            }
            i += 1;
        }
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    mod one {
        use super::*;
        #[repr(C)]
        struct List {
            len: usize,
            capacity: usize,
        }
        pub const HASH: u64 = fields!(List { len: usize, capacity: usize });
    }

    mod swapped {
        use super::*;
        #[repr(C)]
        struct List {
            capacity: usize,
            len: usize,
        }
        pub const HASH: u64 = fields!(List { capacity: usize, len: usize });
    }

    mod narrower {
        use super::*;
        #[repr(C)]
        struct List {
            len: u32,
            capacity: usize,
        }
        pub const HASH: u64 = fields!(List { len: u32, capacity: usize });
    }

    #[test]
    fn structs_of_equal_size_with_swapped_or_narrower_fields_have_different_hashes() {
        assert_ne!(one::HASH, swapped::HASH);
        assert_ne!(one::HASH, narrower::HASH);
    }

    #[test]
    fn comments_and_white_space_of_sources_do_not_count_and_everything_else_does() {
        let source = "fn start(random: u64);\n";
        assert_eq!(hash_source(source), hash_source("// Starts.\r\n  fn start(random:\tu64);"));
        assert_ne!(hash_source(source), hash_source("fn start(random: u32);"));
        assert_ne!(hash_source(source), hash_source("fn starts(random: u64);"));
    }
}
