//! The legal actions of a state, in a list without heap memory: it crosses every hot loop
//! and the plugin boundary.

use crate::{Action, Afterstate};
use std::mem::MaybeUninit;
use std::ops::Deref;

/// The maximum number of actions of a game: a set of actions fits one word.
pub const MAX_ACTIONS: usize = 64;

/// A legal action with its reward and afterstate.
#[derive(Clone, Copy, PartialEq, Debug)]
#[repr(C)]
pub struct Successor {
    /// The position after the action, before chance.
    pub afterstate: Afterstate,
    /// The reward of the action.
    pub reward: f32,
    /// The action.
    pub action: Action,
}

/// The legal actions of one state, in the order of the game's action list. It
/// dereferences to a slice of [`Successor`]s.
///
/// A caller creates the buffer once and the game fills it at every call; nothing is
/// zeroed.
#[repr(C)]
pub struct Successors {
    len: usize,
    items: [MaybeUninit<Successor>; MAX_ACTIONS],
}

impl Successors {
    /// The offset in bytes of the length, to compare the layouts of two builds.
    #[doc(hidden)]
    pub const LENGTH_OFFSET: usize = std::mem::offset_of!(Self, len);

    /// Creates an empty list.
    #[inline(always)]
    pub const fn new() -> Self {
        Self { len: 0, items: [const { MaybeUninit::uninit() }; MAX_ACTIONS] }
    }

    /// Removes all actions.
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

    /// Adds an action if it is legal. There is no branch to mispredict: the action is
    /// always written, and counted only if it is legal.
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

    /// Returns the successor of `action`, or `None` if the action is not legal.
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
        // SAFETY: only `push_if` increases `len`; it has written every item below `len`
        // and checks that `len` does not exceed the array.
        unsafe { std::slice::from_raw_parts(self.items.as_ptr().cast(), self.len) }
    }
}

impl std::fmt::Debug for Successors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
