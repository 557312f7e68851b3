//! A loaded value, and what it can do if it learns.

use super::{lend_host, raise};
use crate::abi::{
    AbiBudget, AbiModelFormat, AbiProgress, AbiTrainingSession, AbiValueScale, LearnerTable,
    Status, This, ValueObject,
};
use abi_stable::std_types::{RSlice, RStr};
use runner_core::lines::LineValues;
use runner_core::rows::ROWS;
use runner_core::{
    Afterstate, Control, Fault, Game, Learner, ModelFormat, State, Successors, TrainingBudget,
    TrainingProgress, TrainingSession, Value, ValueScale,
};
use std::mem::ManuallyDrop;
use std::path::Path;
use std::ptr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// A value behind the plugin boundary. Clones share it.
pub struct DynValue {
    object: ValueObject,
    /// Copied when they are first asked for.
    line_values: OnceLock<Option<LineValues>>,
}

// SAFETY: a value is `Send + Sync` on its own side (`Value` demands it).
unsafe impl Send for DynValue {}
// SAFETY: as above.
unsafe impl Sync for DynValue {}

impl DynValue {
    /// Takes over an object that was built for this caller.
    ///
    /// # Safety
    ///
    /// The object must be alive, and one of its shares the caller's to give.
    pub(crate) unsafe fn own(object: ValueObject) -> Self {
        Self { object, line_values: OnceLock::new() }
    }

    /// Gives the share away.
    pub(crate) fn into_object(self) -> ValueObject {
        let mut this = ManuallyDrop::new(self);
        drop(this.line_values.take());
        this.object
    }

    /// Whether it can train.
    pub fn is_learner(&self) -> bool {
        self.object.table.learner.is_some()
    }

    fn learner(&self) -> Result<LearnerTable, Fault> {
        let learner = self.object.table.learner.into_option();
        learner.ok_or_else(|| Fault::new("this value does not learn"))
    }
}

impl Clone for DynValue {
    fn clone(&self) -> Self {
        // SAFETY: the object is alive; the share made here is the clone's.
        unsafe { (self.object.table.share)(self.object.this) };
        Self { object: self.object, line_values: self.line_values.clone() }
    }
}

impl Drop for DynValue {
    fn drop(&mut self) {
        // SAFETY: this proxy is one of the owners.
        unsafe { (self.object.table.release)(self.object.this) };
    }
}

impl DynValue {
    fn copy_line_worths(&self) -> Option<LineValues> {
        // SAFETY: the object is alive.
        let tables = unsafe { (self.object.table.line_values)(self.object.this) }.into_option()?;
        let copy = |from: *const f32| -> Arc<[f32; ROWS]> {
            // SAFETY: the value lends a whole table, valid for as long as the value.
            Arc::new(unsafe { *from.cast::<[f32; ROWS]>() })
        };
        let across = copy(tables.across);
        let down = if tables.down == tables.across { across.clone() } else { copy(tables.down) };
        Some(LineValues::from_tables(across, down, tables.absent, tables.least))
    }
}

impl Value for DynValue {
    #[inline]
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        assert_eq!(afterstates.len(), values.len());
        let n = values.len();
        let from = afterstates.as_ptr().cast();
        // SAFETY: the object is alive, and both slices have this length.
        let status =
            unsafe { (self.object.table.evaluate)(self.object.this, from, values.as_mut_ptr(), n) };
        if status != Status::Done {
            raise(self.object.table.take_fault);
        }
    }

    fn exact_values(&self, afterstates: &[Afterstate], worths: &mut [f32]) {
        assert_eq!(afterstates.len(), worths.len());
        let n = worths.len();
        let from = afterstates.as_ptr().cast();
        // SAFETY: the object is alive, and both slices have this length.
        let status = unsafe {
            (self.object.table.exact_values)(self.object.this, from, worths.as_mut_ptr(), n)
        };
        if status != Status::Done {
            raise(self.object.table.take_fault);
        }
    }

    fn scale(&self) -> ValueScale {
        // SAFETY: the object is alive.
        match unsafe { (self.object.table.scale)(self.object.this) }.into_option() {
            Some(AbiValueScale { rating: true, least, most }) => {
                ValueScale::Rating { min: least, max: most }
            }
            Some(_) => ValueScale::Points,
            None => raise(self.object.table.take_fault),
        }
    }

    fn estimates_actions(&self) -> bool {
        // SAFETY: the object is alive.
        match unsafe { (self.object.table.estimates_actions)(self.object.this) } {
            Status::Done => true,
            Status::None => false,
            Status::Fault => raise(self.object.table.take_fault),
        }
    }

    /// It was built for its game, so the game that is given is not handed on.
    #[inline]
    fn action_values(
        &self,
        _: &dyn Game,
        state: State,
        successors: &Successors,
        worths: &mut [f32],
    ) {
        assert_eq!(successors.len(), worths.len());
        let (state, from) = (state.into(), ptr::from_ref(successors).cast());
        // SAFETY: the object is alive, and there is a place for the worth of each.
        let status = unsafe {
            (self.object.table.action_values)(self.object.this, state, from, worths.as_mut_ptr())
        };
        if status != Status::Done {
            raise(self.object.table.take_fault);
        }
    }

    fn line_values(&self) -> Option<&LineValues> {
        self.line_values.get_or_init(|| self.copy_line_worths()).as_ref()
    }
}

/// A learner was built for its game, so the game that is given is not handed on.
impl Learner for DynValue {
    fn train<G: Game>(
        &self,
        _: &G,
        session: &TrainingSession<'_>,
    ) -> Result<TrainingProgress, Fault> {
        let learner = self.learner()?;
        lend_host(session.host, |host| {
            let session = AbiTrainingSession {
                budget: to_abi_budget(&session.budget),
                plan: to_abi_budget(&session.plan),
                seed: session.seed.0,
                host,
                report,
                reporter: ptr::from_ref(session).cast(),
            };
            // SAFETY: the object is alive, and all that the session lends outlives the call.
            let done = unsafe { (learner.train)(self.object.this, &session) };
            done.into_result().map(from_abi_progress).map_err(|fault| Fault(fault.into()))
        })
    }

    fn progress(&self) -> TrainingProgress {
        let told = self.learner().and_then(|learner| {
            // SAFETY: the object is alive.
            let told = unsafe { (learner.progress)(self.object.this) };
            told.into_result().map_err(|fault| Fault(fault.into()))
        });
        from_abi_progress(told.unwrap_or_else(|fault| fault.raise()))
    }

    fn formats(&self) -> Vec<ModelFormat> {
        let told = self.learner().and_then(|learner| {
            // SAFETY: the object is alive.
            let told = unsafe { (learner.forms)(self.object.this) };
            told.into_result().map_err(|fault| Fault(fault.into()))
        });
        let form =
            |form: AbiModelFormat| ModelFormat { name: form.name.into(), about: form.about.into() };
        told.unwrap_or_else(|fault| fault.raise()).into_iter().map(form).collect()
    }

    fn save(&self, path: &Path, form: &str) -> Result<(), Fault> {
        let (path, form) = (utf8(path)?, RStr::from_str(form));
        // SAFETY: the object is alive.
        let done = unsafe { (self.learner()?.save)(self.object.this, path, form) };
        done.into_result().map_err(|fault| Fault(fault.into()))
    }

    fn load(&self, files: &[&Path]) -> Result<(), Fault> {
        let files = files.iter().map(|file| utf8(file)).collect::<Result<Vec<_>, _>>()?;
        // SAFETY: the object is alive.
        let done = unsafe { (self.learner()?.load)(self.object.this, RSlice::from_slice(&files)) };
        done.into_result().map_err(|fault| Fault(fault.into()))
    }
}

/// A time of more than 584 years is as good as any.
fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn to_abi_budget(budget: &TrainingBudget) -> AbiBudget {
    AbiBudget {
        moves: budget.moves.into(),
        episodes: budget.episodes.into(),
        nanoseconds: budget.time.map(nanoseconds).into(),
    }
}

/// A path as it crosses the boundary.
pub fn utf8(path: &Path) -> Result<RStr<'_>, Fault> {
    let text = path.to_str().map(RStr::from_str);
    text.ok_or_else(|| Fault::new(format!("the path {} is not valid UTF-8", path.display())))
}

/// Hands a report on to the session behind the pointer.
unsafe extern "C" fn report(session: This, progress: AbiProgress) -> bool {
    // SAFETY: `train` passes a session that outlives the call that reports.
    let session = unsafe { &*session.cast::<TrainingSession<'_>>() };
    (session.report)(&from_abi_progress(progress)) == Control::Stop
}

fn from_abi_progress(p: AbiProgress) -> TrainingProgress {
    TrainingProgress {
        moves: p.moves,
        episodes: p.episodes,
        elapsed: Duration::from_nanos(p.nanoseconds),
        window: p.window,
        mean: p.mean,
        max_tile: p.max_tile,
        ended: p.ended,
        series: Vec::new(),
    }
}

/// TrainingProgress as it crosses the boundary.
pub fn to_abi_progress(p: &TrainingProgress) -> AbiProgress {
    AbiProgress {
        moves: p.moves,
        episodes: p.episodes,
        nanoseconds: nanoseconds(p.elapsed),
        window: p.window,
        mean: p.mean,
        max_tile: p.max_tile,
        ended: p.ended,
    }
}
