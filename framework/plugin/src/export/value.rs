//! A value as an object, and what a learner can do besides.

use super::{OwnedSite, build, identity};
use crate::abi::{
    AbiBudget, AbiModelFormat, AbiProgress, AbiTrainingSession, AbiValueScale, BuildRefused,
    BuildSite, Built, LearnerEntry, LearnerTable, LineTables, Position, Status, This, ValueEntry,
    ValueObject, ValueTable,
};
use crate::guard::{Who, guard, take_fault};
use crate::proxy::{DynGame, RemoteHost, TableGame, to_abi_progress};
use abi_stable::std_types::{ROption, RResult, RSlice, RStr, RString, RVec};
use runner_core::{
    Afterstate, Control, Fault, LearnerPlugin, ModelFormat, Seed, Successors, TrainingBudget,
    TrainingProgress, TrainingSession, ValuePlugin, ValueScale,
};
use std::marker::PhantomData;
use std::path::Path;
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

/// The entry of a value in its library's contents.
pub fn value_entry<V: ValuePlugin>() -> ValueEntry {
    let learner = ROption::RNone;
    ValueEntry { identity: identity::<V>(), learner, build: build_value::<V, Plain> }
}

/// The entry of a value that learns.
pub fn learner_entry<V: LearnerPlugin>() -> ValueEntry {
    let learner = ROption::RSome(LearnerEntry { foreign: foreign::<V> });
    ValueEntry { identity: identity::<V>(), learner, build: build_value::<V, Learns> }
}

/// A value with the game that it estimates.
struct Desk<V> {
    value: V,
    game: Arc<DynGame>,
}

struct TheValue<V>(PhantomData<V>);

impl<V: ValuePlugin> Who for TheValue<V> {
    fn who() -> String {
        format!("value `{}`", V::NAME)
    }
}

/// What a kind of value has in its table.
trait Kind<V> {
    const LEARNER: ROption<LearnerTable>;
}

struct Plain;
struct Learns;

impl<V> Kind<V> for Plain {
    const LEARNER: ROption<LearnerTable> = ROption::RNone;
}

impl<V: LearnerPlugin> Kind<V> for Learns {
    const LEARNER: ROption<LearnerTable> = ROption::RSome(LearnerTable {
        train: train::<V>,
        progress: progress::<V>,
        forms: forms::<V>,
        save: save::<V>,
        load: load::<V>,
    });
}

unsafe extern "C" fn build_value<V: ValuePlugin, K: Kind<V>>(
    spec: RStr<'_>,
    site: &BuildSite<'_>,
) -> RResult<Built<ValueObject>, BuildRefused> {
    build::<V, TheValue<V>, _>(spec, |config| {
        // SAFETY: the site's objects live for the length of this call.
        let site = unsafe { OwnedSite::new(site) }?;
        let value = V::new(config, &site.site())?;
        let this = Arc::into_raw(Arc::new(Desk { value, game: site.game }));
        Ok(ValueObject { this: this.cast(), table: Table::<V, K>::TABLE })
    })
    .map(|(object, spec)| Built { object, spec })
}

struct Table<V, K>(PhantomData<(V, K)>);

// SAFETY, for every function below: the ABI demands that `this` is the pointer of
// an object with this very table, which `build_value` made from an `Arc<Desk<V>>`
// and which lives until its last owner has released it.
unsafe fn desk<'a, V>(this: This) -> &'a Desk<V> {
    // SAFETY: see above.
    unsafe { &*this.cast::<Desk<V>>() }
}

impl<V: ValuePlugin, K: Kind<V>> Table<V, K> {
    const TABLE: &'static ValueTable = &ValueTable {
        share: Self::share,
        release: Self::release,
        take_fault,
        extension: Self::extension,
        evaluate: Self::evaluate,
        exact_values: Self::exact_values,
        scale: Self::scale,
        estimates_actions: Self::estimates_actions,
        action_values: Self::action_values,
        line_values: Self::line_values,
        learner: K::LEARNER,
    };

    unsafe extern "C" fn share(this: This) {
        // SAFETY: see above.
        unsafe { Arc::increment_strong_count(this.cast::<Desk<V>>()) };
    }

    unsafe extern "C" fn release(this: This) {
        // A value whose drop panics has nothing left to report to.
        let _ = guard::<TheValue<V>, _>(|| {
            // SAFETY: see above.
            unsafe { Arc::decrement_strong_count(this.cast::<Desk<V>>()) };
        });
    }

    unsafe extern "C" fn extension(_: This, _: u64) -> *const u8 {
        ptr::null()
    }

    unsafe extern "C" fn evaluate(
        this: This,
        afterstates: *const u8,
        values: *mut f32,
        n: usize,
    ) -> Status {
        // SAFETY: see above; the caller passes two slices of this length.
        unsafe { Self::ask(this, afterstates, values, n, V::evaluate) }
    }

    unsafe extern "C" fn exact_values(
        this: This,
        afterstates: *const u8,
        worths: *mut f32,
        n: usize,
    ) -> Status {
        // SAFETY: see above; the caller passes two slices of this length.
        unsafe { Self::ask(this, afterstates, worths, n, V::exact_values) }
    }

    /// Has the value answer for each afterstate.
    ///
    /// # Safety
    ///
    /// `afterstates` and `answers` are slices of length `n`.
    unsafe fn ask(
        this: This,
        afterstates: *const u8,
        answers: *mut f32,
        n: usize,
        question: impl FnOnce(&V, &[Afterstate], &mut [f32]),
    ) -> Status {
        // SAFETY: see above.
        let (desk, afterstates, answers) = unsafe {
            (
                desk::<V>(this),
                std::slice::from_raw_parts(afterstates.cast::<Afterstate>(), n),
                std::slice::from_raw_parts_mut(answers, n),
            )
        };
        match guard::<TheValue<V>, _>(|| question(&desk.value, afterstates, answers)) {
            Ok(()) => Status::Done,
            Err(_) => Status::Fault,
        }
    }

    unsafe extern "C" fn scale(this: This) -> ROption<AbiValueScale> {
        // SAFETY: see above.
        let desk = unsafe { desk::<V>(this) };
        let scale = guard::<TheValue<V>, _>(|| desk.value.scale());
        scale.ok().map(to_abi_scale).into()
    }

    unsafe extern "C" fn estimates_actions(this: This) -> Status {
        // SAFETY: see above.
        let desk = unsafe { desk::<V>(this) };
        match guard::<TheValue<V>, _>(|| desk.value.estimates_actions()) {
            Ok(true) => Status::Done,
            Ok(false) => Status::None,
            Err(_) => Status::Fault,
        }
    }

    unsafe extern "C" fn action_values(
        this: This,
        state: Position,
        successors: *const u8,
        worths: *mut f32,
    ) -> Status {
        // SAFETY: see above; the caller passes a list whose layout was checked at load,
        // and a place for the worth of each.
        let (desk, successors, worths) = unsafe {
            let successors = &*successors.cast::<Successors>();
            let worths = std::slice::from_raw_parts_mut(worths, successors.len());
            (desk::<V>(this), successors, worths)
        };
        match guard::<TheValue<V>, _>(|| {
            desk.value.action_values(&*desk.game, state.into(), successors, worths);
        }) {
            Ok(()) => Status::Done,
            Err(_) => Status::Fault,
        }
    }

    unsafe extern "C" fn line_values(this: This) -> ROption<LineTables> {
        // SAFETY: see above.
        let desk = unsafe { desk::<V>(this) };
        let worths = guard::<TheValue<V>, _>(|| desk.value.line_values());
        // The tables are borrowed from the value, so they live as long.
        let lent = worths.ok().flatten().map(|worths| LineTables {
            across: worths.tables().0.as_ptr(),
            down: worths.tables().1.as_ptr(),
            absent: worths.absent(),
            least: worths.least(),
        });
        lent.into()
    }
}

unsafe extern "C" fn train<V: LearnerPlugin>(
    this: This,
    session: &AbiTrainingSession,
) -> RResult<AbiProgress, RString> {
    // SAFETY: see above.
    let desk = unsafe { desk::<V>(this) };
    flatten(guard::<TheValue<V>, _>(|| {
        // SAFETY: the host lives for the length of this call at least.
        let host = unsafe { RemoteHost::share(session.host) };
        let reporter = Reporter { report: session.report, session: session.reporter };
        let report = |progress: &TrainingProgress| reporter.report(progress);
        let session = TrainingSession {
            budget: from_abi_budget(&session.budget),
            plan: from_abi_budget(&session.plan),
            seed: Seed(session.seed),
            ..TrainingSession::new(&host, &report)
        };
        let done = match TableGame::over(&desk.game) {
            Some(game) => desk.value.train(&game, &session),
            None => desk.value.train(&*desk.game, &session),
        };
        done.map(|progress| to_abi_progress(&progress))
    }))
}

fn from_abi_budget(budget: &AbiBudget) -> TrainingBudget {
    TrainingBudget {
        moves: budget.moves.into_option(),
        episodes: budget.episodes.into_option(),
        time: budget.nanoseconds.into_option().map(Duration::from_nanos),
    }
}

/// Where a training's reports go.
struct Reporter {
    report: unsafe extern "C" fn(This, AbiProgress) -> bool,
    session: This,
}

// SAFETY: a session's report function is `Sync` on its own side.
unsafe impl Sync for Reporter {}

impl Reporter {
    fn report(&self, progress: &TrainingProgress) -> Control {
        // SAFETY: function and session belong together, and outlive the training.
        let stop = unsafe { (self.report)(self.session, to_abi_progress(progress)) };
        if stop { Control::Stop } else { Control::Continue }
    }
}

unsafe extern "C" fn progress<V: LearnerPlugin>(this: This) -> RResult<AbiProgress, RString> {
    // SAFETY: see above.
    let desk = unsafe { desk::<V>(this) };
    flatten(guard::<TheValue<V>, _>(|| Ok(to_abi_progress(&desk.value.progress()))))
}

unsafe extern "C" fn forms<V: LearnerPlugin>(this: This) -> RResult<RVec<AbiModelFormat>, RString> {
    // SAFETY: see above.
    let desk = unsafe { desk::<V>(this) };
    let form =
        |form: ModelFormat| AbiModelFormat { name: form.name.into(), about: form.about.into() };
    flatten(guard::<TheValue<V>, _>(|| Ok(desk.value.formats().into_iter().map(form).collect())))
}

unsafe extern "C" fn save<V: LearnerPlugin>(
    this: This,
    path: RStr<'_>,
    form: RStr<'_>,
) -> RResult<(), RString> {
    // SAFETY: see above.
    let desk = unsafe { desk::<V>(this) };
    flatten(guard::<TheValue<V>, _>(|| desk.value.save(Path::new(path.as_str()), form.as_str())))
}

unsafe extern "C" fn load<V: LearnerPlugin>(
    this: This,
    files: RSlice<'_, RStr<'_>>,
) -> RResult<(), RString> {
    // SAFETY: see above.
    let desk = unsafe { desk::<V>(this) };
    let files: Vec<&Path> = files.iter().map(|file| Path::new(file.as_str())).collect();
    flatten(guard::<TheValue<V>, _>(|| desk.value.load(&files)))
}

fn to_abi_scale(scale: ValueScale) -> AbiValueScale {
    match scale {
        ValueScale::Points => AbiValueScale { rating: false, least: 0.0, most: 0.0 },
        ValueScale::Rating { min: least, max: most } => AbiValueScale { rating: true, least, most },
    }
}

unsafe extern "C" fn foreign<V: LearnerPlugin>(
    path: RStr<'_>,
    whole: bool,
) -> RResult<ROption<RString>, RString> {
    flatten(guard::<TheValue<V>, _>(|| {
        let model = V::foreign(Path::new(path.as_str()), whole)?;
        let text = model.map(|model| ron::to_string(&model).map_err(Fault::new)).transpose()?;
        Ok(text.map(RString::from).into())
    }))
}

fn flatten<T>(result: Result<Result<T, Fault>, crate::guard::Faulted>) -> RResult<T, RString> {
    match result {
        Ok(Ok(done)) => RResult::ROk(done),
        Ok(Err(fault)) => RResult::RErr(fault.0.into()),
        Err(fault) => RResult::RErr(fault.into()),
    }
}
