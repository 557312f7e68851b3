//! The forms in which data crosses the boundary: plain values as they are, lists as pointer and
//! length, and everything rare and structured as RON text. abi_stable compares the layouts of the
//! forms.

use abi_stable::StableAbi;
use abi_stable::std_types::{RSlice, RSliceMut, RString};
use abi_stable::type_layout::Tag;
use runner_board::rows::{BEYOND, Entry, ROWS, Row};
use runner_board::slots;
use runner_core::geometry::{FIFTH_BITS, stride};
use runner_core::{
    Action, Afterstate, Episode, Fault, MAX_ACTIONS, Outcome, Outcomes, Playout, Pulse, Start,
    State, Successor, Successors,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::marker::PhantomData;
use std::mem::offset_of;
use std::path::Path;
use std::{ptr, slice};

/// A value of `runner-core` or `runner-board` that crosses as it is.
#[repr(transparent)]
#[derive(Clone, Copy, StableAbi)]
#[sabi(unsafe_unconstrained(T), bound(T: Layout), tag = <T as Layout>::FIELDS)]
pub struct Plain<T>(#[sabi(unsafe_opaque_field)] pub T);

/// A type whose layout is compared.
pub trait Layout {
    /// Name, fields and offsets. Size and alignment are compared too.
    const FIELDS: Tag;
}

/// Describes the layouts of types. All fields must be named, with their types: anything else does
/// not compile.
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
    const FIELDS: Tag = Tag::str("Pulse");
}

impl Layout for Successors {
    // The fields are private, because code that could set the length could read what was not
    // written. `repr(C)` puts the length first and the items behind it.
    const FIELDS: Tag = Tag::arr(abi_stable::rslice![
        Tag::uint(MAX_ACTIONS as u64),
        Tag::uint(Self::LENGTH_OFFSET as u64),
        Successor::FIELDS,
    ]);
}

/// The constants that give the bits of boards a meaning, which are compared too.
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

impl<T> Plain<T> {
    #[inline(always)]
    pub fn of(value: &T) -> &Self {
        // SAFETY: the wrapper is transparent.
        unsafe { &*ptr::from_ref(value).cast() }
    }

    #[inline(always)]
    pub fn of_mut(value: &mut T) -> &mut Self {
        // SAFETY: the wrapper is transparent.
        unsafe { &mut *ptr::from_mut(value).cast() }
    }

    /// Lends a slice.
    #[inline(always)]
    pub fn lend(list: &[T]) -> RSlice<'_, Self> {
        // SAFETY: the wrapper is transparent.
        RSlice::from_slice(unsafe { slice::from_raw_parts(list.as_ptr().cast(), list.len()) })
    }

    /// Lends a slice for writing.
    #[inline(always)]
    pub fn lend_mut(list: &mut [T]) -> RSliceMut<'_, Self> {
        let (at, len) = (list.as_mut_ptr().cast(), list.len());
        // SAFETY: the wrapper is transparent.
        RSliceMut::from_mut_slice(unsafe { slice::from_raw_parts_mut(at, len) })
    }

    /// Returns a slice that the other side lends.
    #[inline(always)]
    pub fn open(list: RSlice<'_, Self>) -> &[T] {
        let list = list.as_slice();
        // SAFETY: the wrapper is transparent.
        unsafe { slice::from_raw_parts(list.as_ptr().cast(), list.len()) }
    }

    /// Returns a slice that the other side lends for writing.
    #[inline(always)]
    pub fn open_mut(list: RSliceMut<'_, Self>) -> &mut [T] {
        let list = list.into_mut_slice();
        // SAFETY: the wrapper is transparent.
        unsafe { slice::from_raw_parts_mut(list.as_mut_ptr().cast(), list.len()) }
    }
}

/// A list of [`Outcomes`] that is lent. Its type has no size known in advance, so the game that
/// fills it cannot exchange it for a list of its own.
#[repr(C)]
#[derive(StableAbi)]
pub struct LentOutcomes<'a> {
    /// The length, and the items behind it.
    list: *mut usize,
    capacity: usize,
    lent: PhantomData<&'a mut Plain<Outcome>>,
}

impl<'a> LentOutcomes<'a> {
    #[inline(always)]
    pub fn of(list: &'a mut Outcomes) -> Self {
        let (list, capacity) = list.as_raw();
        Self { list, capacity, lent: PhantomData }
    }

    #[inline(always)]
    pub fn open(self) -> &'a mut Outcomes {
        // SAFETY: `of` borrowed the list for `'a`.
        unsafe { Outcomes::from_raw(self.list, self.capacity) }
    }
}

/// An `Option`. The tag is as wide as a word: a copy of a narrower one would wait for its padding.
#[repr(C, u64)]
#[derive(Clone, Copy, StableAbi)]
pub enum Maybe<T> {
    None,
    Some(T),
}

impl<T> Maybe<T> {
    #[inline(always)]
    pub fn of(option: Option<T>) -> Self {
        option.map_or(Self::None, Self::Some)
    }

    #[inline(always)]
    pub fn open(self) -> Option<T> {
        match self {
            Self::None => None,
            Self::Some(value) => Some(value),
        }
    }
}

/// Writes data as text, in RON.
pub fn to_text(data: &impl Serialize) -> RString {
    ron::to_string(data).unwrap_or_else(|error| Fault::new(error).raise()).into()
}

/// Reads data that [`to_text`] wrote.
pub fn from_text<T: DeserializeOwned>(text: &str) -> T {
    let wrong = |error| Fault::new(format!("`{text}` cannot be read: {error}"));
    ron::from_str(text).unwrap_or_else(|error| wrong(error).raise())
}

/// Returns the text of a path. Raises a fault if it is not valid UTF-8.
pub fn path_text(path: &Path) -> &str {
    let wrong = || Fault::new(format!("the path {} is not valid UTF-8", path.display()));
    path.to_str().unwrap_or_else(|| wrong().raise())
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_core::{Analysis, Fact};

    #[test]
    fn facts_of_an_analysis_keep_their_kind_and_every_bit() {
        let facts = [
            Fact::Count(3),
            Fact::Count(u64::MAX),
            Fact::Number(3.0),
            Fact::Number(-1e300),
            Fact::Number(0.1 + 0.2),
            Fact::Number(f64::INFINITY),
            Fact::Text("3".into()),
            Fact::Text("\u{1b}[31m \"quoted\"".into()),
        ];
        let facts = facts.into_iter().map(|fact| ("name".to_owned(), fact)).collect();
        let action_values = vec![(Action(1), 0.1), (Action(2), f32::NEG_INFINITY)];
        let analysis = Analysis { choice: Some(Action(1)), action_values, facts };
        assert_eq!(from_text::<Analysis>(&to_text(&analysis)), analysis);
        let nan = Analysis { facts: vec![("nan".into(), Fact::Number(f64::NAN))], ..analysis };
        let read: Analysis = from_text(&to_text(&nan));
        assert!(matches!(read.facts[0].1, Fact::Number(number) if number.is_nan()));
    }
}
