//! A training session as an object: lent by the program, opened by the library of a learner.

use super::RemoteHost;
use super::host::{HostTable, lend_host};
use crate::abi::cross::{Answer, answer, argument, as_text, from_text, longer, to_text};
use crate::abi::data::{List, Slice};
use crate::abi::interface::*;
use crate::abi::object::{Export, Owners};
use crate::guard::Labelled;
use runner_core::{
    CollectedStarts, Control, Fault, Seed, Start, TrainingBudget, TrainingProgress, TrainingSession,
};
use serde::{Deserialize, Serialize};
use std::ptr;

/// The parts of a training session that are known before the training begins.
#[derive(Serialize, Deserialize)]
pub struct Terms {
    budget: TrainingBudget,
    plan: TrainingBudget,
    seed: u64,
    /// How many positions of each label are kept; none if they are not wanted.
    capacity: Option<usize>,
}

as_text! { Terms }

/// A training session, for the length of the training.
macro_rules! session_interface {
    ($make:ident $arguments:tt) => {
        $make! { $arguments
            fn terms(&self) -> Terms;
            fn starts(&self) -> &[Start];
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
    session: Object<SessionTable>,
    host: Object<HostTable>,
}

/// A session on the program's side, which is borrowed for one call.
struct Lent<'a>(&'a TrainingSession<'a>);

impl Lent<'_> {
    fn terms(&self) -> Terms {
        Terms {
            budget: self.0.budget,
            plan: self.0.plan,
            seed: self.0.seed.0,
            capacity: self.0.collected.map(CollectedStarts::capacity),
        }
    }

    fn starts(&self) -> &[Start] {
        self.0.starts
    }

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

session_interface! { interface_proxy [[] Remote, table;] }

// SAFETY: an object of the session crosses, and a session that calls it is opened.
unsafe impl<'b> Argument for &TrainingSession<'b> {
    type Abi = LentSession;

    fn lend<R>(self, task: impl FnOnce(LentSession) -> R) -> R {
        let session = Object { this: ptr::from_ref(self).cast(), table: Exported::TABLE };
        lend_host(self.host, |host| task(LentSession { session, host }))
    }

    unsafe fn open<R>(abi: LentSession, task: impl FnOnce(Self) -> R) -> R {
        // SAFETY: the host is alive until the task of `lend` has returned.
        let host = unsafe { RemoteHost::share(abi.host) };
        let remote = Remote(abi.session);
        let report = |progress: &TrainingProgress| match remote.stops(progress) {
            true => Control::Stop,
            false => Control::Continue,
        };
        let Terms { budget, plan, seed, capacity } = remote.terms();
        let collected = capacity.map(CollectedStarts::new);
        let session = TrainingSession {
            budget,
            plan,
            seed: Seed(seed),
            starts: remote.starts(),
            collected: collected.as_ref(),
            ..TrainingSession::new(&host, &report)
        };
        // SAFETY: the learner does not keep the session, so it may call its lifetimes longer ones.
        let result = task(unsafe { &*ptr::from_ref(&session).cast::<TrainingSession<'b>>() });
        if let Some(collected) = &collected {
            collected.take().iter().for_each(|(label, starts)| remote.keep(label, starts));
        }
        result
    }
}
