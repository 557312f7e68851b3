//! A training session as it crosses: borrowed from the program, opened by the library of a learner.

use super::host::{HostTable, PluginHost, RemoteHost, SharedHost};
use crate::abi::cross::{from_text, to_text};
use crate::abi::data::Slice;
use crate::abi::interface::*;
use runner_core::{Control, Host, Seed, Start, TrainingProgress, TrainingSession};
use std::ptr;

/// A training session, borrowed for one call.
#[repr(C)]
pub struct LentSession {
    /// The budget, the plan and the seed, as text.
    limits: Slice<u8>,
    starts: Slice<Start>,
    /// The threads to train on, which also takes the reports.
    host: Object<HostTable>,
}

/// The host of a training, which builds nothing.
struct TrainingHost(&'static TrainingSession<'static>);

impl Host for TrainingHost {
    runner_core::__forward! { [|this| this.0.host]
        fn threads(&self) -> usize;
        fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync));
        fn memory(&self) -> u64;
    }
}

impl PluginHost for TrainingHost {
    fn stops(&self, progress: &TrainingProgress) -> bool {
        (self.0.report)(progress) == Control::Stop
    }
}

// SAFETY: the fields cross with a host that reports to the session, and a session with these fields
// that reports to this host is opened.
unsafe impl<'b> Argument for &TrainingSession<'b> {
    type Abi = *const LentSession;

    fn lend<R>(self, task: impl FnOnce(Self::Abi) -> R) -> R {
        let session: *const TrainingSession<'static> = ptr::from_ref(self).cast();
        // SAFETY: the learner does not keep the session, so its lifetimes may be extended.
        let host = SharedHost::new(TrainingHost(unsafe { &*session }));
        task(&LentSession {
            limits: Slice::text(&to_text(&(self.budget, self.plan, self.seed.0))),
            starts: Slice::of(self.starts),
            host: host.object(),
        })
    }

    unsafe fn open<R>(abi: Self::Abi, task: impl FnOnce(Self) -> R) -> R {
        // SAFETY: `lend` passes a session that is alive until its task has returned, and so are its
        // host, its list and its text.
        let (host, starts, limits) = unsafe {
            let LentSession { limits, starts, host } = &*abi;
            (RemoteHost::share(*host), starts.get(), limits.get_text())
        };
        let (budget, plan, seed) = from_text(limits);
        let report = |progress: &TrainingProgress| host.report(progress);
        let session = TrainingSession {
            budget,
            plan,
            seed: Seed(seed),
            starts,
            ..TrainingSession::new(&host, &report)
        };
        // SAFETY: the learner does not keep the session, so its lifetimes may be extended.
        task(unsafe { &*ptr::from_ref(&session).cast::<TrainingSession<'b>>() })
    }
}
