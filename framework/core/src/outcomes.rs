//! Chance distributions: the states that can follow an afterstate, with probabilities.
#![allow(unsafe_code)]

use crate::State;
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

/// A distribution over states. It dereferences to a slice of [`Outcome`]s.
///
/// A caller creates the buffer once, with the game's bound
/// ([`Description::max_outcomes`](crate::Description::max_outcomes)), and the game fills
/// it at every call. It never grows.
pub struct Outcomes {
    items: *mut Outcome,
    len: usize,
    capacity: usize,
    /// False for a list over memory of somebody else.
    owned: bool,
}

// SAFETY: the memory is the list's alone and holds plain values.
unsafe impl Send for Outcomes {}
// SAFETY: shared access only reads.
unsafe impl Sync for Outcomes {}

impl Outcomes {
    /// Creates an empty list that can hold `capacity` outcomes.
    pub fn with_capacity(capacity: usize) -> Self {
        let items: Box<[MaybeUninit<Outcome>]> = Box::new_uninit_slice(capacity);
        Self { items: Box::into_raw(items).cast(), len: 0, capacity, owned: true }
    }

    /// Creates an empty list over memory that it does not free, and that another list gave as
    /// its [spare capacity](Outcomes::spare_capacity_mut).
    ///
    /// # Safety
    ///
    /// Nobody else uses the memory during the lifetime of the list.
    pub unsafe fn over(memory: &mut [MaybeUninit<Outcome>]) -> Self {
        let capacity = memory.len();
        Self { items: memory.as_mut_ptr().cast(), len: 0, capacity, owned: false }
    }

    /// The memory behind the last outcome. [`set_len`](Outcomes::set_len) adds what is written
    /// there.
    #[inline(always)]
    pub fn spare_capacity_mut(&mut self) -> &mut [MaybeUninit<Outcome>] {
        let rest = self.capacity - self.len;
        // SAFETY: `items` has room for `capacity` outcomes, of which the first `len` are in use.
        unsafe { std::slice::from_raw_parts_mut(self.items.add(self.len).cast(), rest) }
    }

    /// Sets the number of outcomes.
    ///
    /// # Safety
    ///
    /// It does not exceed the capacity, and all outcomes below it have been written.
    #[inline(always)]
    pub unsafe fn set_len(&mut self, len: usize) {
        self.len = len;
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

impl Drop for Outcomes {
    fn drop(&mut self) {
        if self.owned {
            let items = self.items.cast::<MaybeUninit<Outcome>>();
            let items = ptr::slice_from_raw_parts_mut(items, self.capacity);
            // SAFETY: `with_capacity` took the memory from a box of this length, and this is
            // its last use.
            drop(unsafe { Box::from_raw(items) });
        }
    }
}

impl Deref for Outcomes {
    type Target = [Outcome];

    #[inline(always)]
    fn deref(&self) -> &[Outcome] {
        // SAFETY: every item below `len` has been written, by `push` or as `set_len` demands.
        unsafe { std::slice::from_raw_parts(self.items, self.len) }
    }
}

impl std::fmt::Debug for Outcomes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
