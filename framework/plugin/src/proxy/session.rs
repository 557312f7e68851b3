//! A training session as it crosses: borrowed from the program, opened by the library of a learner.

use super::host::{HostTable, PluginHost, RemoteHost, SharedHost};
use crate::abi::data::Slice;
use crate::abi::interface::*;
use crate::abi::training::Budget;
use runner_core::{Control, Host, Seed, Start, TrainingProgress, TrainingSession};
use std::ptr;

/// A training session, borrowed for one call.
#[repr(C)]
pub struct LentSession {
    budget: Budget,
    plan: Budget,
    seed: u64,
    starts: Slice<Start>,
    /// The host: its threads train, and it receives the reports.
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

// SAFETY: `open` rebuilds the session from the fields that `lend` wrote; the host passes
// its reports to the original session.
unsafe impl<'b> Argument for &TrainingSession<'b> {
    type Abi = *const LentSession;

    fn lend<R>(self, task: impl FnOnce(Self::Abi) -> R) -> R {
        let session: *const TrainingSession<'static> = ptr::from_ref(self).cast();
        // SAFETY: the learner does not keep the session, so its lifetimes may be extended.
        let host = SharedHost::new(TrainingHost(unsafe { &*session }));
        task(&LentSession {
            budget: self.budget.into(),
            plan: self.plan.into(),
            seed: self.seed.0,
            starts: Slice::of(self.starts),
            host: host.object(),
        })
    }

    unsafe fn open<R>(abi: Self::Abi, task: impl FnOnce(Self) -> R) -> R {
        // SAFETY: `lend` passes a session that is alive until its task has returned.
        let LentSession { budget, plan, seed, starts, host } = unsafe { &*abi };
        // SAFETY: so are its host and its list.
        let (host, starts) = unsafe { (RemoteHost::share(*host), starts.get()) };
        let report = |progress: &TrainingProgress| host.report(progress);
        let session = TrainingSession {
            budget: (*budget).into(),
            plan: (*plan).into(),
            seed: Seed(*seed),
            starts,
            ..TrainingSession::new(&host, &report)
        };
        // SAFETY: the learner does not keep the session, so its lifetimes may be extended.
        task(unsafe { &*ptr::from_ref(&session).cast::<TrainingSession<'b>>() })
    }
}
