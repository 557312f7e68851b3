//! Chance distributions: the states that can follow an afterstate, with probabilities.
#![allow(unsafe_code)]

use crate::{State, impl_layout};
use std::mem::MaybeUninit;
use std::ops::Deref;
use std::ptr;

/// A chance outcome: a state and its probability.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Outcome {
    /// The state that follows.
    pub state: State,
    /// Its probability, above 0 and at most 1.
    pub probability: f64,
}

impl_layout!(Outcome { state: State, probability: f64 });

/// A distribution over states. It dereferences to a slice of [`Outcome`]s.
///
/// A caller creates the buffer once, with the game's bound
/// ([`Description::max_outcomes`](crate::Description::max_outcomes)), and the game fills
/// it at every call. It crosses the plugin boundary by reference, so its layout is fixed
/// and it never grows; the library that allocated it also frees it, through the function
/// pointer that it carries.
#[repr(C)]
pub struct Outcomes {
    items: *mut Outcome,
    len: usize,
    capacity: usize,
    free: unsafe extern "C" fn(*mut Outcome, usize),
}

impl_layout!(Outcomes {
    items: *mut Outcome,
    len: usize,
    capacity: usize,
    free: unsafe extern "C" fn(*mut Outcome, usize),
});

// SAFETY: the buffer is owned and holds plain values.
unsafe impl Send for Outcomes {}
// SAFETY: shared access only reads.
unsafe impl Sync for Outcomes {}

impl Outcomes {
    /// Creates an empty list that can hold `capacity` outcomes.
    pub fn with_capacity(capacity: usize) -> Self {
        let items: Box<[MaybeUninit<Outcome>]> = Box::new_uninit_slice(capacity);
        Self { items: Box::into_raw(items).cast(), len: 0, capacity, free }
    }

    /// Returns the number of outcomes that fit.
    #[inline(always)]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Removes all outcomes.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Adds an outcome.
    ///
    /// # Panics
    ///
    /// If the list is full: the game exceeds the bound that it declared.
    #[inline(always)]
    pub fn push(&mut self, probability: f64, state: State) {
        if self.len == self.capacity {
            overflow(self.capacity);
        }
        // SAFETY: `items` has room for `capacity` outcomes, and `len` is below it.
        unsafe { self.items.add(self.len).write(Outcome { state, probability }) };
        self.len += 1;
    }

    /// Adds all outcomes of a slice.
    ///
    /// # Panics
    ///
    /// If they do not fit.
    pub fn extend_from_slice(&mut self, outcomes: &[Outcome]) {
        for outcome in outcomes {
            self.push(outcome.probability, outcome.state);
        }
    }

    /// Returns the sum of all probabilities: 1 for a distribution.
    #[inline]
    pub fn total(&self) -> f64 {
        // Four sums at once: a single sum would wait for each of its additions.
        let (fours, rest) = self.as_chunks::<4>();
        let mut sums = [0.0; 4];
        for four in fours {
            for (sum, outcome) in sums.iter_mut().zip(four) {
                *sum += outcome.probability;
            }
        }
        let rest: f64 = rest.iter().map(|outcome| outcome.probability).sum();
        (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
    }
}

#[cold]
fn overflow(capacity: usize) -> ! {
    panic!("more outcomes than the {capacity} that the game declares as its bound")
}

/// Frees memory that `with_capacity` allocated in this library.
unsafe extern "C" fn free(items: *mut Outcome, capacity: usize) {
    let slice = ptr::slice_from_raw_parts_mut(items.cast::<MaybeUninit<Outcome>>(), capacity);
    // SAFETY: the caller passes what `Box::into_raw` returned, with its length.
    drop(unsafe { Box::from_raw(slice) });
}

impl Drop for Outcomes {
    fn drop(&mut self) {
        // SAFETY: `items` and `capacity` are those of the allocation, and this is the last use.
        unsafe { (self.free)(self.items, self.capacity) };
    }
}

impl Deref for Outcomes {
    type Target = [Outcome];

    #[inline(always)]
    fn deref(&self) -> &[Outcome] {
        // SAFETY: `push` has written every item below `len`.
        unsafe { std::slice::from_raw_parts(self.items, self.len) }
    }
}

impl std::fmt::Debug for Outcomes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
