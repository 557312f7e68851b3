//! A training session as it crosses: borrowed from the program, opened by the library of a learner.

use super::RemoteHost;
use super::host::{HostTable, lend_host};
use crate::abi::data::Slice;
use crate::abi::interface::*;
use crate::abi::progress::{Budget, Progress};
use crate::guard::Labelled;
use runner_core::{Control, Seed, Start, TrainingProgress, TrainingSession};
use std::ptr;

/// A training session with the threads to train on, borrowed for one call.
#[repr(C)]
pub struct LentSession {
    budget: Budget,
    plan: Budget,
    seed: u64,
    starts: Slice<Start>,
    /// Reports to `session`. The answer is true if the training is to stop.
    report: unsafe extern "C" fn(This, *const Progress, *mut bool) -> Call,
    /// The [`TrainingSession`] of the program.
    session: This,
    host: Object<HostTable>,
}

// SAFETY: a session may be used by all threads of the training, and so may its parts.
unsafe impl Sync for LentSession {}

struct Program;

impl Labelled for Program {
    fn label() -> String {
        "the program".into()
    }
}

unsafe extern "C" fn report(session: This, progress: *const Progress, out: *mut bool) -> Call {
    // SAFETY: `lend` passes the pointer of a session that outlives the training.
    let session = unsafe { &*session.cast::<TrainingSession<'_>>() };
    let stops = |progress: &TrainingProgress| (session.report)(progress) == Control::Stop;
    // SAFETY: `open` lends the progress for this call, and passes a place for the answer.
    unsafe { answer::<Program, bool>(out, || <&TrainingProgress>::open(progress, stops)) }
}

// SAFETY: the session crosses with a function that reports to it, and a session that calls this
// function is opened.
unsafe impl<'b> Argument for &TrainingSession<'b> {
    type Abi = *const LentSession;

    fn lend<R>(self, task: impl FnOnce(Self::Abi) -> R) -> R {
        let lend = |host| {
            task(&LentSession {
                budget: self.budget.into(),
                plan: self.plan.into(),
                seed: self.seed.0,
                starts: Slice::of(self.starts),
                report,
                session: ptr::from_ref(self).cast(),
                host,
            })
        };
        lend_host(self.host, lend)
    }

    unsafe fn open<R>(abi: Self::Abi, task: impl FnOnce(Self) -> R) -> R {
        // SAFETY: `lend` passes a session that is alive until its task has returned.
        let lent = unsafe { &*abi };
        // SAFETY: so is the host.
        let host = unsafe { RemoteHost::share(lent.host) };
        let report = |progress: &TrainingProgress| {
            let mut stops = false;
            // SAFETY: the session of the program is alive, and both pointers are valid for the call.
            let call =
                progress.lend(|form| unsafe { (lent.report)(lent.session, form, &mut stops) });
            call.into_result().unwrap_or_else(|fault| fault.raise());
            if stops { Control::Stop } else { Control::Continue }
        };
        let session = TrainingSession {
            budget: lent.budget.into(),
            plan: lent.plan.into(),
            seed: Seed(lent.seed),
            // SAFETY: the program lends the list for the length of the training.
            starts: unsafe { lent.starts.get() },
            ..TrainingSession::new(&host, &report)
        };
        // SAFETY: the learner does not keep the session, so its lifetimes may be extended.
        task(unsafe { &*ptr::from_ref(&session).cast::<TrainingSession<'b>>() })
    }
}
