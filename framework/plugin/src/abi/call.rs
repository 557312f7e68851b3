//! How a call ends.

use super::data::List;
use runner_core::Fault;
use std::ptr;

/// The result of a call: null if it succeeded, otherwise the message of its fault.
#[repr(transparent)]
#[must_use]
pub struct Call(*mut FaultMessage);

/// The message of a fault, freed by the library that made it.
#[repr(C)]
pub struct FaultMessage {
    text: List<u8>,
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

    /// Returns the fault of a call that failed.
    #[inline(always)]
    pub fn into_result(self) -> Result<(), Fault> {
        if self.0.is_null() { Ok(()) } else { Err(self.take_fault()) }
    }

    #[cold]
    #[inline(never)]
    fn take_fault(self) -> Fault {
        // SAFETY: a pointer that is not null is the message of this call alone.
        Fault(unsafe { &*self.0 }.text.text())
    }
}

impl Drop for Call {
    #[inline(always)]
    fn drop(&mut self) {
        if !self.0.is_null() {
            // SAFETY: the message is freed once, by the function of the library that made it.
            unsafe { ((*self.0).free)(self.0) };
        }
    }
}
