//! The functions of an exported value that learns.

use super::bound::{Ability, Label, bound};
use crate::abi::This;
use crate::abi::call::{Call, In};
use crate::abi::game::GameObject;
use crate::abi::objects::{AbiSession, LearnerTable};
use crate::abi::training::{AbiModelFormat, AbiProgress, Starts};
use crate::convert::{from_abi_budget, to_abi_progress};
use crate::guard::guard_result;
use crate::proxy::{DynGame, RemoteHost, TableGame};
use abi_stable::std_types::{ROption, RSlice, RStr, RString, RVec};
use runner_core::{
    CollectedStarts, Control, Fault, LearnerPlugin, ModelFormat, Seed, Start, TrainingProgress,
    TrainingSession,
};
use std::path::Path;
use std::sync::Arc;

/// The ability of a value that learns.
pub struct Learns;

impl<V: LearnerPlugin> Ability<V> for Learns {
    const LEARNER: ROption<LearnerTable> = ROption::RSome(LearnerTable {
        train: train::<V>,
        progress: progress::<V>,
        formats: formats::<V>,
        save: save::<V>,
        load: load::<V>,
    });
}

// SAFETY, for every function below: the ABI demands that `this` is the pointer of an object
// whose table has these functions, so it was made from an `Arc<BoundValue<V>>`, and that
// the object is alive. `out` is valid for one write.

unsafe extern "C" fn train<V: LearnerPlugin>(
    this: This,
    borrowed: *const GameObject,
    session: &AbiSession,
    out: *mut AbiProgress,
) -> Call {
    // SAFETY: see above.
    let bound = unsafe { bound::<V>(this) };
    guard_result::<Label<V>>(|| {
        // SAFETY: everything that the session lends is valid during this call.
        let (host, remote) = unsafe { (RemoteHost::share(session.host), Remote::new(session)) };
        let report = |progress: &TrainingProgress| remote.report(progress);
        let collected = remote.capacity()?.map(CollectedStarts::new);
        let starts = remote.starts()?;
        let core = TrainingSession {
            budget: from_abi_budget(&session.budget),
            plan: from_abi_budget(&session.plan),
            seed: Seed(session.seed),
            starts,
            collected: collected.as_ref(),
            ..TrainingSession::new(&host, &report)
        };
        let game = match borrowed.is_null() {
            true => bound.game.clone(),
            // SAFETY: a borrowed game is valid during this call, and the proxy is dropped before
            // its end: a learner gets a reference only.
            false => Arc::new(unsafe { DynGame::borrowed(*borrowed) }),
        };
        let done = match TableGame::over(&game) {
            Some(game) => bound.value.train(&game, &core),
            None => bound.value.train(&*game, &core),
        };
        if let Some(collected) = &collected {
            remote.keep(collected)?;
        }
        // SAFETY: see above.
        unsafe { out.write(to_abi_progress(&done?)) };
        Ok(())
    })
}

/// The session's object, for use by all threads of the training.
struct Remote<'a>(&'a AbiSession);

// SAFETY: a session's functions may be called from any thread.
unsafe impl Sync for Remote<'_> {}

impl<'a> Remote<'a> {
    /// # Safety
    ///
    /// The session is alive as long as this value.
    unsafe fn new(session: &'a AbiSession) -> Self {
        Self(session)
    }

    fn report(&self, progress: &TrainingProgress) -> Control {
        let mut stop = false;
        let progress = to_abi_progress(progress);
        // SAFETY: `new` promises that the session is alive.
        unsafe { (self.0.table.report)(self.0.this, &progress, &mut stop) }.or_raise();
        if stop { Control::Stop } else { Control::Continue }
    }

    fn capacity(&self) -> Result<Option<usize>, Fault> {
        let mut capacity = ROption::RNone;
        // SAFETY: as above.
        unsafe { (self.0.table.capacity)(self.0.this, &mut capacity) }.into_result()?;
        Ok(capacity.into_option())
    }

    fn starts(&self) -> Result<&'a [Start], Fault> {
        let mut starts = Starts { list: In(std::ptr::null()), count: 0 };
        // SAFETY: as above.
        unsafe { (self.0.table.starts)(self.0.this, &mut starts) }.into_result()?;
        Ok(match starts.count {
            0 => &[],
            // SAFETY: the session lends a list of this length for its own lifetime.
            count => unsafe { std::slice::from_raw_parts(starts.list.0, count) },
        })
    }

    fn keep(&self, collected: &CollectedStarts) -> Result<(), Fault> {
        collected.take().iter().try_for_each(|(label, starts)| {
            let list = Starts { list: In(starts.as_ptr()), count: starts.len() };
            // SAFETY: as above, and the list is valid during the call.
            unsafe { (self.0.table.keep)(self.0.this, RStr::from_str(label), list) }.into_result()
        })
    }
}

unsafe extern "C" fn progress<V: LearnerPlugin>(this: This, out: *mut AbiProgress) -> Call {
    // SAFETY: see above.
    let bound = unsafe { bound::<V>(this) };
    guard_result::<Label<V>>(|| {
        // SAFETY: see above.
        unsafe { out.write(to_abi_progress(&bound.value.progress())) };
        Ok(())
    })
}

unsafe extern "C" fn formats<V: LearnerPlugin>(this: This, out: *mut RVec<AbiModelFormat>) -> Call {
    // SAFETY: see above.
    let bound = unsafe { bound::<V>(this) };
    let format = |f: ModelFormat| AbiModelFormat { name: f.name.into(), about: f.about.into() };
    guard_result::<Label<V>>(|| {
        // SAFETY: see above.
        unsafe { out.write(bound.value.formats().into_iter().map(format).collect()) };
        Ok(())
    })
}

unsafe extern "C" fn save<V: LearnerPlugin>(this: This, path: RStr<'_>, format: RStr<'_>) -> Call {
    // SAFETY: see above.
    let bound = unsafe { bound::<V>(this) };
    guard_result::<Label<V>>(|| bound.value.save(Path::new(path.as_str()), format.as_str()))
}

unsafe extern "C" fn load<V: LearnerPlugin>(this: This, files: RSlice<'_, RStr<'_>>) -> Call {
    // SAFETY: see above.
    let bound = unsafe { bound::<V>(this) };
    guard_result::<Label<V>>(|| {
        let files: Vec<&Path> = files.iter().map(|file| Path::new(file.as_str())).collect();
        bound.value.load(&files)
    })
}

/// The function of [`LearnerEntry`](crate::abi::library::LearnerEntry).
///
/// # Safety
///
/// `out` is valid for one write.
pub unsafe extern "C" fn foreign<V: LearnerPlugin>(
    path: RStr<'_>,
    whole: bool,
    out: *mut ROption<RString>,
) -> Call {
    guard_result::<Label<V>>(|| {
        let model = V::foreign(Path::new(path.as_str()), whole)?;
        let text = model.map(|model| ron::to_string(&model).map_err(Fault::new)).transpose()?;
        // SAFETY: the caller's promise.
        unsafe { out.write(text.map(RString::from).into()) };
        Ok(())
    })
}
