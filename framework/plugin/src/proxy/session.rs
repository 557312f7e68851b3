//! A training session as an object, on the program's side.

use crate::abi::This;
use crate::abi::call::{Call, In};
use crate::abi::extension::ExtensionHeader;
use crate::abi::training::{AbiProgress, SessionTable, Starts};
use crate::convert::from_abi_progress;
use crate::guard::guard_program;
use abi_stable::std_types::{ROption, RStr};
use runner_core::{CollectedStarts, Control, TrainingSession};
use std::ptr;

/// The functions of a session whose pointer is that of a [`TrainingSession`].
pub const SESSION: &SessionTable = &SessionTable { extension, report, starts, capacity, keep };

// SAFETY, for every function below: the pointer is that of a session that outlives the
// training, and `out` is valid for one write.
unsafe fn session<'a>(this: This) -> &'a TrainingSession<'a> {
    // SAFETY: see above.
    unsafe { &*this.cast::<TrainingSession<'_>>() }
}

unsafe extern "C" fn extension(_: This, _: u64) -> *const ExtensionHeader {
    ptr::null()
}

unsafe extern "C" fn report(this: This, progress: &AbiProgress, out: *mut bool) -> Call {
    // SAFETY: see above.
    let session = unsafe { session(this) };
    guard_program(|| {
        let control = (session.report)(&from_abi_progress(progress));
        // SAFETY: see above.
        unsafe { out.write(control == Control::Stop) };
    })
}

unsafe extern "C" fn starts(this: This, out: *mut Starts) -> Call {
    // SAFETY: see above.
    let starts = unsafe { session(this) }.starts;
    let starts = Starts { list: In(starts.as_ptr()), count: starts.len() };
    // SAFETY: see above.
    guard_program(|| unsafe { out.write(starts) })
}

unsafe extern "C" fn capacity(this: This, out: *mut ROption<usize>) -> Call {
    // SAFETY: see above.
    let capacity = unsafe { session(this) }.collected.map(CollectedStarts::capacity);
    // SAFETY: see above.
    guard_program(|| unsafe { out.write(capacity.into()) })
}

unsafe extern "C" fn keep(this: This, label: RStr<'_>, starts: Starts) -> Call {
    // SAFETY: see above; the list is borrowed for this call.
    let (session, starts) =
        unsafe { (session(this), std::slice::from_raw_parts(starts.list.0, starts.count)) };
    guard_program(|| {
        if let Some(collected) = session.collected {
            starts.iter().for_each(|start| collected.keep(label.as_str(), *start));
        }
    })
}
