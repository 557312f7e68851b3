//! A training session as it crosses: borrowed from the program, opened by the library of a learner.

use super::RemoteHost;
use super::host::{HostTable, lend_host};
use crate::abi::data::{Maybe, Slice};
use crate::abi::interface::*;
use crate::abi::object::{Export, Owners};
use crate::abi::progress::Budget;
use crate::guard::Labelled;
use runner_core::{
    CollectedStarts, Control, Fault, Seed, Start, TrainingProgress, TrainingSession,
};
use std::ptr;

/// The functions that a learner calls during a training.
macro_rules! session_interface {
    ($make:ident $arguments:tt) => {
        $make! { $arguments
            fn stops(&self, progress: &TrainingProgress) -> bool;
            fn keep(&self, label: &str, starts: &[Start]);
        }
    };
}

session_interface! { interface_table [
    /// The functions of a training session.
    SessionTable {}
] }

/// A training session with the threads to train on, borrowed for one call.
#[repr(C)]
pub struct LentSession {
    budget: Budget,
    plan: Budget,
    seed: u64,
    starts: Slice<Start>,
    /// How many positions of each label are kept; none if they are not wanted.
    capacity: Maybe<usize>,
    session: Object<SessionTable>,
    host: Object<HostTable>,
}

/// A session on the program's side, which is borrowed for one call.
struct Lent<'a>(&'a TrainingSession<'a>);

impl Lent<'_> {
    fn stops(&self, progress: &TrainingProgress) -> bool {
        (self.0.report)(progress) == Control::Stop
    }

    fn keep(&self, label: &str, starts: &[Start]) {
        if let Some(collected) = self.0.collected {
            starts.iter().for_each(|start| collected.keep(label, *start));
        }
    }
}

/// The functions of a session whose pointer is that of a [`TrainingSession`].
struct Exported;

impl Labelled for Exported {
    fn label() -> String {
        "the program".into()
    }
}

// SAFETY: `lend` makes all objects, and their borrowers do not keep them.
unsafe impl Export for Exported {
    const OWNERS: Owners = Owners::BORROWED;
}

impl Exported {
    unsafe fn parts<'a>(this: This) -> (Lent<'a>, ()) {
        // SAFETY: `lend` passes the pointer of a session that outlives the training.
        (Lent(unsafe { &*this.cast::<TrainingSession<'a>>() }), ())
    }
}

session_interface! { interface_export [[] Exported, TABLE; SessionTable {}] }

/// A session on the side of the learner, for use by all threads of the training.
struct Remote(Object<SessionTable>);

// SAFETY: a session's functions may be called from any thread.
unsafe impl Sync for Remote {}

impl Remote {
    fn table(&self) -> Result<Object<SessionTable>, Fault> {
        Ok(self.0)
    }
}

session_interface! { interface_proxy [[] Remote, table, unchecked;] }

// SAFETY: the session crosses with an object that reports, and a session that calls it is opened.
unsafe impl<'b> Argument for &TrainingSession<'b> {
    type Abi = *const LentSession;

    fn lend<R>(self, task: impl FnOnce(Self::Abi) -> R) -> R {
        let lend = |host| {
            task(&LentSession {
                budget: self.budget.into(),
                plan: self.plan.into(),
                seed: self.seed.0,
                starts: Slice::of(self.starts),
                capacity: self.collected.map(CollectedStarts::capacity).into(),
                session: Object { this: ptr::from_ref(self).cast(), table: Exported::TABLE },
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
        let remote = Remote(lent.session);
        let report = |progress: &TrainingProgress| {
            if remote.stops(progress) { Control::Stop } else { Control::Continue }
        };
        let collected = Option::from(lent.capacity).map(CollectedStarts::new);
        let session = TrainingSession {
            budget: lent.budget.into(),
            plan: lent.plan.into(),
            seed: Seed(lent.seed),
            // SAFETY: the program lends the list for the length of the training.
            starts: unsafe { lent.starts.get() },
            collected: collected.as_ref(),
            ..TrainingSession::new(&host, &report)
        };
        // SAFETY: the learner does not keep the session, so its lifetimes may be extended.
        let result = task(unsafe { &*ptr::from_ref(&session).cast::<TrainingSession<'b>>() });
        if let Some(collected) = &collected {
            collected.take().iter().for_each(|(label, starts)| remote.keep(label, starts));
        }
        result
    }
}
