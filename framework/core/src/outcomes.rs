//! Chance distributions: the states that can follow an afterstate, with probabilities.
#![allow(unsafe_code)]

use crate::State;
use std::alloc::{Layout, alloc, handle_alloc_error};
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
/// A caller creates the list once, with the game's bound
/// ([`Description::max_outcomes`](crate::Description::max_outcomes)), and the game fills it at
/// every call. It never grows.
///
/// The type has no size known in advance, so that a game cannot exchange the caller's list for
/// another one:
///
/// ```compile_fail,E0277
/// # use runner_core::Outcomes;
/// fn outcomes(own: &mut Outcomes, out: &mut Outcomes) {
///     std::mem::swap(own, out);
/// }
/// ```
#[repr(C)]
pub struct Outcomes {
    len: usize,
    /// One item for each outcome that fits. The items below `len` are initialised.
    items: [MaybeUninit<Outcome>],
}

impl Outcomes {
    /// Creates an empty list that can hold `capacity` outcomes.
    ///
    /// # Panics
    ///
    /// If the list would be larger than the address space.
    pub fn with_capacity(capacity: usize) -> Box<Self> {
        let (list, _offset_of_items) = Layout::array::<Outcome>(capacity)
            .and_then(|items| Layout::new::<usize>().extend(items))
            .expect("the capacity fits the address space");
        let layout = list.pad_to_align();
        // SAFETY: `repr(C)` gives a list with this capacity this layout: the length, and then the
        // items. The layout is not empty. With a length of 0 no item needs to be initialised.
        unsafe {
            let memory = alloc(layout);
            if memory.is_null() {
                handle_alloc_error(layout);
            }
            memory.cast::<usize>().write(0);
            Box::from_raw(ptr::slice_from_raw_parts_mut(memory, capacity) as *mut Self)
        }
    }

    /// Returns the address and the capacity of the list, to pass it across the plugin boundary.
    #[doc(hidden)]
    #[inline(always)]
    pub fn as_raw(&mut self) -> (*mut usize, usize) {
        (ptr::from_mut(self).cast(), self.capacity())
    }

    /// Returns the list whose address and capacity [`as_raw`](Self::as_raw) returned.
    ///
    /// # Safety
    ///
    /// `list` and `capacity` are from one call of `as_raw`. The list that it was called on stays
    /// borrowed mutably for `'a`.
    #[doc(hidden)]
    #[inline(always)]
    pub unsafe fn from_raw<'a>(list: *mut usize, capacity: usize) -> &'a mut Self {
        // SAFETY: the caller's promise.
        unsafe { &mut *(ptr::slice_from_raw_parts_mut(list, capacity) as *mut Self) }
    }

    /// Returns the number of outcomes that fit.
    #[inline(always)]
    pub fn capacity(&self) -> usize {
        self.items.len()
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
        let Some(item) = self.items.get_mut(self.len) else { overflow(self.items.len()) };
        *item = MaybeUninit::new(Outcome { state, probability });
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

impl Deref for Outcomes {
    type Target = [Outcome];

    #[inline(always)]
    fn deref(&self) -> &[Outcome] {
        // SAFETY: only `push` increases `len`; it has written every item below `len` and checks
        // that `len` does not exceed the capacity.
        unsafe { std::slice::from_raw_parts(self.items.as_ptr().cast(), self.len) }
    }
}

impl std::fmt::Debug for Outcomes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
