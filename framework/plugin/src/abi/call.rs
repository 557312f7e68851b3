//! How a call ends, and the simple types that calls pass.

use abi_stable::StableAbi;
use abi_stable::std_types::RString;
use runner_core::{Afterstate, Fault, State};
use std::ptr;

/// The result of a call: null if it succeeded, otherwise the message of its fault.
#[repr(transparent)]
#[derive(StableAbi)]
#[must_use]
pub struct Call(*mut FaultMessage);

/// The message of a fault, freed by the library that made it.
#[repr(C)]
#[derive(StableAbi)]
pub struct FaultMessage {
    text: RString,
    free: unsafe extern "C" fn(*mut FaultMessage),
}

unsafe extern "C" fn free(message: *mut FaultMessage) {
    // SAFETY: only `Call` calls this, once, with the pointer that `fault` made.
    drop(unsafe { Box::from_raw(message) });
}

impl Call {
    /// The result of a call that succeeded.
    pub const DONE: Call = Call(ptr::null_mut());

    /// Creates the result of a call that failed.
    #[cold]
    pub fn fault(message: String) -> Self {
        Self(Box::into_raw(Box::new(FaultMessage { text: message.into(), free })))
    }

    /// Returns true if the call succeeded.
    #[inline(always)]
    pub fn is_done(&self) -> bool {
        self.0.is_null()
    }

    /// Returns the fault of a call that failed.
    #[inline(always)]
    pub fn into_result(self) -> Result<(), Fault> {
        if self.is_done() { Ok(()) } else { Err(self.take_fault()) }
    }

    /// Raises the fault of a call that failed.
    #[inline(always)]
    pub fn or_raise(self) {
        if !self.is_done() {
            self.take_fault().raise();
        }
    }

    #[cold]
    #[inline(never)]
    fn take_fault(self) -> Fault {
        // SAFETY: a pointer that is not null is the message of this call alone.
        Fault(unsafe { &*self.0 }.text.to_string())
    }
}

impl Drop for Call {
    #[inline(always)]
    fn drop(&mut self) {
        if !self.is_done() {
            // SAFETY: the message is freed once, by the function of the library that made
            // it.
            unsafe { ((*self.0).free)(self.0) };
        }
    }
}

/// A pointer to a value of `runner-core` that the callee reads. Its layout is part of
/// [`CORE_LAYOUT`](super::CORE_LAYOUT).
#[repr(transparent)]
#[derive(StableAbi)]
#[sabi(unsafe_unconstrained(T))]
pub struct In<T>(#[sabi(unsafe_opaque_field)] pub *const T);

/// A pointer to a value of `runner-core` that the callee writes or fills. Its layout is
/// part of [`CORE_LAYOUT`](super::CORE_LAYOUT).
#[repr(transparent)]
#[derive(StableAbi)]
#[sabi(unsafe_unconstrained(T))]
pub struct Out<T>(#[sabi(unsafe_opaque_field)] pub *mut T);

impl<T> Clone for In<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for In<T> {}

impl<T> Clone for Out<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Out<T> {}

/// A flag that another thread may set: a pointer to an
/// [`AtomicBool`](std::sync::atomic::AtomicBool).
pub type StopFlag = In<std::sync::atomic::AtomicBool>;

/// A [`State`] or [`Afterstate`].
#[repr(C)]
#[derive(StableAbi, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Position {
    pub lo: u64,
    pub hi: u64,
}

impl From<State> for Position {
    #[inline(always)]
    fn from(s: State) -> Self {
        Self { lo: s.lo, hi: s.hi }
    }
}

impl From<Position> for State {
    #[inline(always)]
    fn from(p: Position) -> Self {
        Self { lo: p.lo, hi: p.hi }
    }
}

impl From<Afterstate> for Position {
    #[inline(always)]
    fn from(s: Afterstate) -> Self {
        Self { lo: s.lo, hi: s.hi }
    }
}

impl From<Position> for Afterstate {
    #[inline(always)]
    fn from(p: Position) -> Self {
        Self { lo: p.lo, hi: p.hi }
    }
}
