//! Learners: the further functions of a value that learns, with the session of a training, and the
//! functions that a library exports. The loaded learner is the loaded value, in `value`.

use crate::boundary::{
    Call, Object, Out, Plain, Shared, Target, This, answer, from_text, perform, to_text,
};
use crate::game::{ForGame, GameRef, with_game};
use crate::panics::the_program;
use crate::services::ServicesTable;
use abi_stable::StableAbi;
use abi_stable::std_types::{RSlice, RStr, RString};
use bytemuck::TransparentWrapper;
use runner_core::{Control, Fault, Host, Learner, Seed, Start, TrainingProgress, TrainingSession};
use std::path::Path;

/// The further functions of a value that learns: the methods of [`Learner`]. Each takes the
/// pointer of the object first, and writes its result through its last argument, unless it fails.
/// References and strings are borrowed until it returns.
#[repr(C)]
#[derive(StableAbi)]
pub struct LearnerTable {
    /// Trains, and writes the progress of all trainings, as RON.
    pub train: extern "C" fn(This, GameRef<'_>, &SessionRef<'_>, Out<'_, RString>) -> Call,
    /// Writes the progress of all trainings, as RON.
    pub progress: extern "C" fn(This, Out<'_, RString>) -> Call,
    /// Writes the formats of models, as RON.
    pub formats: extern "C" fn(This, Out<'_, RString>) -> Call,
    /// Saves the model to a path in a format.
    pub save: extern "C" fn(This, RStr<'_>, RStr<'_>) -> Call,
    /// Loads the mean of the models at these paths.
    pub load: extern "C" fn(This, RSlice<'_, RStr<'_>>) -> Call,
}

/// A [`TrainingSession`].
#[repr(C)]
#[derive(StableAbi)]
pub struct SessionRef<'a> {
    /// Budget and plan, as RON.
    limits: RStr<'a>,
    seed: u64,
    starts: RSlice<'a, Plain<Start>>,
    program: &'a Object<SessionTable>,
}

/// The functions of the program for a session.
#[repr(C)]
#[derive(StableAbi)]
pub struct SessionTable {
    services: ServicesTable,
    /// Reports the progress, as RON, and writes whether to stop.
    stops: extern "C" fn(This, RStr<'_>, Out<'_, bool>) -> Call,
}

impl Shared for SessionTable {}

// Exported by the program, for a session.

/// A session of this side.
struct ProgramSession<'a>(&'a TrainingSession<'a>);

impl Host for ProgramSession<'_> {
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

extern "C" fn stops(this: This, progress: RStr<'_>, out: Out<'_, bool>) -> Call {
    answer(this, out, |session: &ProgramSession<'_>| {
        (session.0.report)(&from_text(progress.as_str())) == Control::Stop
    })
}

const SESSION: &SessionTable =
    &SessionTable { services: ServicesTable::of::<ProgramSession<'_>>(), stops };

/// Calls `task` with a session as it crosses.
pub fn pass_session<R>(
    session: &TrainingSession<'_>,
    task: impl FnOnce(&SessionRef<'_>) -> R,
) -> R {
    let target = Target { label: the_program, value: ProgramSession(session) };
    // SAFETY: the table is one for a `ProgramSession`, and the target is dropped after the object.
    let program = &unsafe { Object::borrowed(&target, SESSION) };
    let limits = to_text(&(session.budget, session.plan));
    let starts = Plain::wrap_slice(session.starts).into();
    task(&SessionRef { limits: limits.as_rstr(), seed: session.seed.0, starts, program })
}

/// The program of a session, as a library sees it. It builds nothing.
impl Host for Object<SessionTable> {
    fn threads(&self) -> usize {
        self.table.services.threads(self.this)
    }

    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        self.table.services.for_each(self.this, n, task);
    }

    fn memory(&self) -> u64 {
        self.table.services.memory(self.this)
    }
}

/// Calls `task` with a session of the program.
fn with_session<R>(session: &SessionRef<'_>, task: impl FnOnce(&TrainingSession<'_>) -> R) -> R {
    let &SessionRef { limits, seed, starts, program } = session;
    let (budget, plan) = from_text(limits.as_str());
    let report = |progress: &TrainingProgress| {
        let progress = to_text(progress);
        let is_over =
            program.ask(|program, this, out| (program.stops)(this, progress.as_rstr(), out));
        if is_over { Control::Stop } else { Control::Continue }
    };
    let (seed, starts) = (Seed(seed), Plain::peel_slice(starts.as_slice()));
    task(&TrainingSession { budget, plan, seed, host: program, report: &report, starts })
}

// Exported by a library.

extern "C" fn train<V: Learner>(
    this: This,
    game: GameRef<'_>,
    session: &SessionRef<'_>,
    out: Out<'_, RString>,
) -> Call {
    answer(this, out, |ForGame { plugin, game: own }: &ForGame<V>| {
        let progress = with_session(session, |session| match game {
            None => plugin.train(own, session),
            Some(game) => with_game(game, |game| plugin.train(game, session)),
        });
        to_text(&succeeded(progress))
    })
}

/// Raises the fault of a method, which is the message of the call.
fn succeeded<T>(result: Result<T, Fault>) -> T {
    result.unwrap_or_else(|fault| fault.raise())
}

extern "C" fn progress<V: Learner>(this: This, out: Out<'_, RString>) -> Call {
    answer(this, out, |learner: &ForGame<V>| to_text(&learner.plugin.progress()))
}

extern "C" fn formats<V: Learner>(this: This, out: Out<'_, RString>) -> Call {
    answer(this, out, |learner: &ForGame<V>| to_text(&learner.plugin.formats()))
}

extern "C" fn save<V: Learner>(this: This, path: RStr<'_>, format: RStr<'_>) -> Call {
    perform(this, |learner: &ForGame<V>| {
        succeeded(learner.plugin.save(Path::new(path.as_str()), format.as_str()));
    })
}

extern "C" fn load<V: Learner>(this: This, files: RSlice<'_, RStr<'_>>) -> Call {
    perform(this, |learner: &ForGame<V>| {
        let files: Vec<_> = files.iter().map(|file| Path::new(file.as_str())).collect();
        succeeded(learner.plugin.load(&files));
    })
}

impl<V: Learner> Target<ForGame<V>> {
    pub const LEARNER: &'static LearnerTable = &LearnerTable {
        train: train::<V>,
        progress: progress::<V>,
        formats: formats::<V>,
        save: save::<V>,
        load: load::<V>,
    };
}
