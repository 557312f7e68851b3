//! Learners: the further functions of a value that learns, with the session of a training, the
//! functions that a library exports, and the loaded learner.

use crate::call::{Call, Out, ask, the_program, try_ask};
use crate::forms::{Plain, from_text, path_text, to_text};
use crate::game::{ForGame, LentGame, lend_game, with_lent_game};
use crate::object::{Object, Target, This, answer, perform};
use crate::services::ServicesTable;
use abi_stable::StableAbi;
use abi_stable::std_types::{RSlice, RStr, RString};
use runner_core::{
    Control, Fault, Game, Host, Learner, ModelFormat, Seed, Start, TrainingProgress,
    TrainingSession,
};
use std::marker::PhantomData;
use std::path::Path;

/// The further functions of a value that learns: the methods of [`Learner`]. Each takes the
/// pointer of the object first, and writes its result through its last argument, unless it fails.
/// References and texts are borrowed until it returns.
#[repr(C)]
#[derive(StableAbi)]
pub struct LearnerTable {
    /// Trains, and writes the progress of all trainings, as RON.
    pub train: extern "C" fn(This, LentGame<'_>, &LentSession<'_>, Out<'_, RString>) -> Call,
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
pub struct LentSession<'a> {
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
fn lend_session<R>(session: &TrainingSession<'_>, task: impl FnOnce(&LentSession<'_>) -> R) -> R {
    let limits = to_text(&(session.budget, session.plan));
    let (seed, starts) = (session.seed.0, Plain::lend(session.starts));
    let lend = |program: &Object<SessionTable>| {
        task(&LentSession { limits: limits.as_rstr(), seed, starts, program })
    };
    let target = Target { label: the_program, value: ProgramSession(session) };
    // SAFETY: the table is one for a `ProgramSession`.
    unsafe { Object::lend(&target, SESSION, lend) }
}

/// The host of a session as a library sees it.
struct SessionHost<'a>(&'a Object<SessionTable>);

// SAFETY: the target of the object is a host, which is both.
unsafe impl Send for SessionHost<'_> {}
// SAFETY: as above.
unsafe impl Sync for SessionHost<'_> {}

impl Host for SessionHost<'_> {
    fn threads(&self) -> usize {
        self.0.table.services.threads(self.0.this)
    }

    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        self.0.table.services.for_each(self.0.this, n, task);
    }

    fn memory(&self) -> u64 {
        self.0.table.services.memory(self.0.this)
    }
}

impl LentSession<'_> {
    /// Calls `task` with the session.
    fn open<R>(&self, task: impl FnOnce(&TrainingSession<'_>) -> R) -> R {
        let &Self { limits, seed, starts, program } = self;
        let (budget, plan) = from_text(limits.as_str());
        let (host, starts) = (&SessionHost(program), Plain::open(starts));
        let report = |progress: &TrainingProgress| {
            let (Object { this, table, .. }, progress) = (host.0, to_text(progress));
            let stops = ask(|out| (table.stops)(*this, progress.as_rstr(), out));
            if stops { Control::Stop } else { Control::Continue }
        };
        let (seed, report) = (Seed(seed), &report);
        task(&TrainingSession { budget, plan, seed, host, report, starts })
    }
}

// Exported by a library.

extern "C" fn train<V: Learner>(
    this: This,
    game: LentGame<'_>,
    session: &LentSession<'_>,
    out: Out<'_, RString>,
) -> Call {
    answer(this, out, |ForGame { plugin, game: own }: &ForGame<V>| {
        let progress = session.open(|session| match game {
            None => plugin.train(own, session),
            Some(game) => with_lent_game(game, |game| plugin.train(game, session)),
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

/// A loaded value that learns, borrowed.
#[derive(Clone, Copy)]
pub struct LoadedLearner<'a> {
    this: This,
    table: &'static LearnerTable,
    own: This,
    value: PhantomData<&'a ()>,
}

impl LoadedLearner<'_> {
    /// The learner of a value.
    pub fn of<T>(value: &Object<T>, table: &'static LearnerTable) -> Self {
        Self { this: value.this, table, own: value.game, value: PhantomData }
    }

    pub fn train<G: Game>(
        self,
        game: &G,
        session: &TrainingSession<'_>,
    ) -> Result<TrainingProgress, Fault> {
        let Self { this, table, own, .. } = self;
        let progress = lend_session(session, |session| {
            lend_game(game, own, |game| try_ask(|out| (table.train)(this, game, session, out)))
        });
        Ok(from_text(&progress?))
    }

    pub fn progress(self) -> TrainingProgress {
        from_text(&ask(|out| (self.table.progress)(self.this, out)))
    }

    pub fn formats(self) -> Vec<ModelFormat> {
        from_text(&ask(|out| (self.table.formats)(self.this, out)))
    }

    pub fn save(self, path: &Path, format: &str) -> Result<(), Fault> {
        (self.table.save)(self.this, path_text(path).into(), format.into()).result()
    }

    pub fn load(self, files: &[&Path]) -> Result<(), Fault> {
        let files: Vec<RStr<'_>> = files.iter().map(|file| path_text(file).into()).collect();
        (self.table.load)(self.this, files[..].into()).result()
    }
}
