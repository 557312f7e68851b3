//! The legal actions of a state, held without a heap: the list that crosses
//! every hot loop and the plugin boundary.

use crate::{Action, Afterstate};
use std::mem::MaybeUninit;
use std::ops::Deref;

/// The most actions that a game may have: a set of them fits one word.
pub const MAX_ACTIONS: usize = 64;

/// A legal action with what it leads to.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Successor {
    /// The position after the action, before chance.
    pub afterstate: Afterstate,
    /// What the action earned.
    pub reward: f32,
    /// The action.
    pub action: Action,
}

/// Every legal action of one state, in the order of the game's action list.
///
/// A buffer that a caller makes once and a game fills again and again; nothing
/// is zeroed. It reads as a slice.
#[repr(C)]
pub struct Successors {
    len: usize,
    items: [MaybeUninit<Successor>; MAX_ACTIONS],
}

impl Successors {
    /// An empty list.
    #[inline(always)]
    pub const fn new() -> Self {
        Self { len: 0, items: [const { MaybeUninit::uninit() }; MAX_ACTIONS] }
    }

    /// Forgets what is in the list.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Adds a legal action.
    ///
    /// # Panics
    ///
    /// If the list already holds [`MAX_ACTIONS`].
    #[inline(always)]
    pub fn push(&mut self, action: Action, afterstate: Afterstate, reward: f32) {
        self.push_if(true, action, afterstate, reward);
    }

    /// Adds an action if it is legal, without a branch that could be mispredicted:
    /// it is written in any case, and counted if it is to stay.
    ///
    /// # Panics
    ///
    /// If the list already holds [`MAX_ACTIONS`].
    #[inline(always)]
    pub fn push_if(&mut self, legal: bool, action: Action, afterstate: Afterstate, reward: f32) {
        let Some(item) = self.items.get_mut(self.len) else { full() };
        *item = MaybeUninit::new(Successor { afterstate, reward, action });
        self.len += usize::from(legal);
    }

    /// The entry of `action`, if it is legal.
    #[inline]
    pub fn of(&self, action: Action) -> Option<&Successor> {
        self.iter().find(|s| s.action == action)
    }
}

#[cold]
fn full() -> ! {
    panic!("more than the {MAX_ACTIONS} legal actions that a state may have")
}

impl Default for Successors {
    fn default() -> Self {
        Self::new()
    }
}

impl Deref for Successors {
    type Target = [Successor];

    #[inline(always)]
    #[allow(unsafe_code)]
    fn deref(&self) -> &[Successor] {
        // SAFETY: `push_if` is the only way to grow `len`, and it has written every
        // item below it; `len` never exceeds the array, as it checks.
        unsafe { std::slice::from_raw_parts(self.items.as_ptr().cast(), self.len) }
    }
}

impl std::fmt::Debug for Successors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
