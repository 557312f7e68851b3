//! Learners: the functions that a value has in addition if it learns, the session of a training,
//! and the functions that a library exports. The loaded learner is [`DynValue`](crate::DynValue).

use crate::boundary::{List, Object, Plain, Reply, Target, This, from_text, to_text};
use crate::game::{ForGame, GameRef, with_game};
use crate::host::{HostTable, PluginHost};
use crate::panics::the_program;
use abi_stable::StableAbi;
use abi_stable::std_types::{RSlice, RStr, RString};
use bytemuck::TransparentWrapper;
use runner_core::{Control, Fault, Host, Learner, Seed, Start, TrainingProgress, TrainingSession};
use std::path::Path;

/// The additional functions of a value that learns: the methods of [`Learner`]. Results other than
/// `()` are RON. References and strings are borrowed until a function returns.
#[repr(C)]
#[derive(StableAbi)]
#[sabi(unsafe_unconstrained(E))]
pub struct LearnerTable<E> {
    pub train: extern "C" fn(This<'_, E>, GameRef<'_>, &SessionRef<'_>) -> Reply<RString>,
    pub progress: extern "C" fn(This<'_, E>) -> Reply<RString>,
    pub formats: extern "C" fn(This<'_, E>) -> Reply<RString>,
    pub save: extern "C" fn(This<'_, E>, path: RStr<'_>, format: RStr<'_>) -> Reply<()>,
    pub load: extern "C" fn(This<'_, E>, files: RSlice<'_, RStr<'_>>) -> Reply<()>,
}

/// A [`TrainingSession`] as it crosses.
#[repr(C)]
#[derive(StableAbi)]
pub struct SessionRef<'a> {
    /// The tuple of budget and plan, as RON.
    limits: RStr<'a>,
    seed: u64,
    starts: List<'a, Start>,
    /// The host of the session, which receives the reports too.
    host: &'a Object<HostTable>,
}

/// The host that crosses with a session: the services of the session's host that build nothing, and
/// the function that receives reports.
struct SessionHost<'a>(&'a TrainingSession<'a>);

impl Host for SessionHost<'_> {
    fn threads(&self) -> usize {
        self.0.host.threads()
    }

    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        self.0.host.for_each(n, task);
    }

    fn memory(&self) -> u64 {
        self.0.host.memory()
    }
}

impl PluginHost for SessionHost<'_> {
    fn report(&self, progress: &TrainingProgress) -> Control {
        (self.0.report)(progress)
    }
}

/// Calls `task` with a session of the program in the form in which it crosses.
pub fn pass_session<R>(
    session: &TrainingSession<'_>,
    task: impl FnOnce(&SessionRef<'_>) -> R,
) -> R {
    let limits = to_text(&(session.budget, session.plan));
    let seed = session.seed.0;
    let starts = Plain::wrap_slice(session.starts).into();
    let target = Target { label: the_program, implementation: SessionHost(session) };
    Object::lend(&target, &HostTable::<SessionHost<'_>>::EXPORTS, |host| {
        task(&SessionRef { limits: limits.as_rstr(), seed, starts, host })
    })
}

/// Calls `task` with the session that crossed.
fn with_session<R>(session: &SessionRef<'_>, task: impl FnOnce(&TrainingSession<'_>) -> R) -> R {
    let &SessionRef { limits, seed, starts, host } = session;
    let (budget, plan) = from_text(limits.as_str());
    let report = |progress: &TrainingProgress| host.report(progress);
    let starts = Plain::peel_slice(starts.as_slice());
    task(&TrainingSession { budget, plan, seed: Seed(seed), host, report: &report, starts })
}

// Exported by a library.

impl<V: Learner> LearnerTable<ForGame<V>> {
    pub const EXPORTS: Self = Self { train, progress, formats, save, load };
}

extern "C" fn train<V: Learner>(
    learner: This<'_, ForGame<V>>,
    passed: GameRef<'_>,
    session: &SessionRef<'_>,
) -> Reply<RString> {
    learner.answer(|ForGame { plugin, game: own }| {
        with_session(session, |session| {
            to_text(&ok_or_raise(with_game(own, passed, |game| plugin.train(game, session))))
        })
    })
}

/// Raises a fault that a method returns: `answer` makes it the message of the reply.
fn ok_or_raise<T>(result: Result<T, Fault>) -> T {
    result.unwrap_or_else(|fault| fault.raise())
}

extern "C" fn progress<V: Learner>(learner: This<'_, ForGame<V>>) -> Reply<RString> {
    learner.answer(|learner| to_text(&learner.plugin.progress()))
}

extern "C" fn formats<V: Learner>(learner: This<'_, ForGame<V>>) -> Reply<RString> {
    learner.answer(|learner| to_text(&learner.plugin.formats()))
}

extern "C" fn save<V: Learner>(
    learner: This<'_, ForGame<V>>,
    path: RStr<'_>,
    format: RStr<'_>,
) -> Reply<()> {
    learner.answer(|learner| {
        ok_or_raise(learner.plugin.save(Path::new(path.as_str()), format.as_str()));
    })
}

extern "C" fn load<V: Learner>(
    learner: This<'_, ForGame<V>>,
    files: RSlice<'_, RStr<'_>>,
) -> Reply<()> {
    let files: Vec<_> = files.iter().map(|file| Path::new(file.as_str())).collect();
    learner.answer(|learner| ok_or_raise(learner.plugin.load(&files)))
}
