//! A loaded value, and a loaded learner.

use super::lend_game::lend_game;
use super::lend_host::lend_host;
use super::session::SESSION;
use crate::abi::call::In;
use crate::abi::extension;
use crate::abi::objects::{AbiSession, LearnerTable, ValueObject};
use crate::abi::training::{AbiModelFormat, AbiProgress};
use crate::abi::value::{LineTables, PolicyTable, ValueFacts};
use crate::abi::{ABI_MINOR, This};
use crate::convert::{from_abi_progress, to_abi_budget, utf8};
use abi_stable::std_types::{ROption, RSlice, RStr, RString, RVec};
use runner_board::lines::LineValues;
use runner_board::rows::ROWS;
use runner_core::{
    Afterstate, Fault, Game, Learner, ModelFormat, State, Successors, TrainingProgress,
    TrainingSession, Value, ValueScale, uniform_priors,
};
use std::any::Any;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::path::Path;
use std::ptr;
use std::sync::{Arc, OnceLock};

/// A value behind the plugin boundary. Clones share it. It plays the game that it is
/// given: its own without a detour, any other one through a borrowed object.
pub struct DynValue {
    object: ValueObject,
    /// The game object that it was built for.
    bound: This,
    facts: OnceLock<ValueFacts>,
    /// Copied at the first use.
    line_values: OnceLock<Option<LineValues>>,
    /// Its action priors, if its library knows that extension.
    policy: Option<&'static PolicyTable>,
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
        // SAFETY: the caller's promise.
        let bound = unsafe { (object.table.game)(object.this) };
        let policy = match ABI_MINOR {
            0 => None,
            // SAFETY: the caller's promise.
            _ => unsafe { extension::find::<PolicyTable>(object.table.extension, object.this) },
        };
        let (facts, line_values) = (OnceLock::new(), OnceLock::new());
        Self { object, bound, facts, line_values, policy }
    }

    /// Gives the share away.
    pub(crate) fn into_object(self) -> ValueObject {
        let mut this = ManuallyDrop::new(self);
        // The share is given away; what this proxy allocated is not.
        drop(this.line_values.take());
        this.object
    }

    /// Returns true if it can train.
    pub fn is_learner(&self) -> bool {
        self.object.table.learner.is_some()
    }

    fn learner(&self) -> Result<LearnerTable, Fault> {
        match self.object.table.learner.into_option() {
            Some(learner) => Ok(learner),
            None => Err(Fault::new(format!("{} does not learn", self.label()))),
        }
    }

    /// Returns kind, name and file of the value, for messages.
    pub fn label(&self) -> String {
        let mut label = RString::new();
        // SAFETY: the object is alive.
        unsafe { (self.object.table.label)(self.object.this, &mut label) }.or_raise();
        label.into()
    }

    fn facts(&self) -> &ValueFacts {
        self.facts.get_or_init(|| {
            let mut facts = MaybeUninit::uninit();
            // SAFETY: the object is alive.
            unsafe { (self.object.table.facts)(self.object.this, facts.as_mut_ptr()) }.or_raise();
            // SAFETY: a call that succeeded has written its result.
            unsafe { facts.assume_init() }
        })
    }

    fn copy_line_values(&self) -> Option<LineValues> {
        let mut tables: ROption<LineTables> = ROption::RNone;
        // SAFETY: the object is alive.
        unsafe { (self.object.table.line_values)(self.object.this, &mut tables) }.or_raise();
        let tables = tables.into_option()?;
        let copy = |from: In<[f32; ROWS]>| -> Arc<[f32; ROWS]> {
            let mut table = Arc::<[f32; ROWS]>::new_uninit();
            let to = Arc::get_mut(&mut table).expect("the table is not shared yet");
            // SAFETY: the value lends a whole table for its own lifetime.
            unsafe {
                to.as_mut_ptr().copy_from_nonoverlapping(from.0, 1);
                table.assume_init()
            }
        };
        let across = copy(tables.across);
        let down = match tables.down.0 == tables.across.0 {
            true => across.clone(),
            false => copy(tables.down),
        };
        Some(LineValues::from_tables(across, down, tables.absent, tables.least))
    }
}

impl Clone for DynValue {
    fn clone(&self) -> Self {
        // SAFETY: the object is alive; the share made here is the clone's.
        unsafe { (self.object.table.share)(self.object.this) };
        Self {
            object: self.object,
            bound: self.bound,
            facts: self.facts.clone(),
            line_values: self.line_values.clone(),
            policy: self.policy,
        }
    }
}

impl Drop for DynValue {
    fn drop(&mut self) {
        // SAFETY: this proxy is one of the owners.
        unsafe { (self.object.table.release)(self.object.this) };
    }
}

impl Value for DynValue {
    #[inline]
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        assert_eq!(afterstates.len(), values.len());
        let ValueObject { this, table } = self.object;
        let (from, count) = (In(afterstates.as_ptr()), values.len());
        // SAFETY: the object is alive, and both slices have this length.
        unsafe { (table.evaluate)(this, from, values.as_mut_ptr(), count) }.or_raise();
    }

    fn exact_values(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        assert_eq!(afterstates.len(), values.len());
        let ValueObject { this, table } = self.object;
        let (from, count) = (In(afterstates.as_ptr()), values.len());
        // SAFETY: the object is alive, and both slices have this length.
        unsafe { (table.exact_values)(this, from, values.as_mut_ptr(), count) }.or_raise();
    }

    fn scale(&self) -> ValueScale {
        match self.facts().rating {
            ROption::RSome(rating) => ValueScale::Rating { min: rating.min, max: rating.max },
            ROption::RNone => ValueScale::Points,
        }
    }

    fn estimates_actions(&self) -> bool {
        self.facts().estimates_actions
    }

    #[inline]
    fn action_values(
        &self,
        game: &dyn Game,
        state: State,
        successors: &Successors,
        values: &mut [f32],
    ) {
        assert_eq!(successors.len(), values.len());
        let ValueObject { this, table } = self.object;
        let (from, to) = (In(ptr::from_ref(successors)), values.as_mut_ptr());
        // SAFETY: the object is alive, and there is a place for the value of each
        // successor.
        lend_game(&game, self.bound, |game| unsafe {
            (table.action_values)(this, game, state.into(), from, to)
        })
        .or_raise();
    }

    fn has_priors(&self) -> bool {
        let Some(policy) = self.policy else { return false };
        let mut has_priors = false;
        // SAFETY: the object is alive.
        unsafe { (policy.has_priors)(self.object.this, &mut has_priors) }.or_raise();
        has_priors
    }

    fn evaluate_states(
        &self,
        game: &dyn Game,
        states: &[State],
        priors: &mut [f32],
        values: &mut [f32],
    ) {
        let Some(policy) = self.policy else {
            return uniform_priors(self, game, states, priors, values);
        };
        let (count, actions) = (states.len(), game.description().actions.len());
        assert_eq!((priors.len(), values.len()), (count * actions, count));
        let (from, priors, values) =
            (In(states.as_ptr()), priors.as_mut_ptr(), values.as_mut_ptr());
        // SAFETY: the object is alive, and the lists have the lengths that the function
        // demands.
        lend_game(&game, self.bound, |game| unsafe {
            (policy.evaluate_states)(self.object.this, game, from, count, priors, values)
        })
        .or_raise();
    }

    fn tables(&self) -> Option<&dyn Any> {
        let lines = self.line_values.get_or_init(|| self.copy_line_values());
        lines.as_ref().map(|lines| lines as _)
    }
}

impl Learner for DynValue {
    fn train<G: Game>(
        &self,
        game: &G,
        session: &TrainingSession<'_>,
    ) -> Result<TrainingProgress, Fault> {
        let learner = self.learner()?;
        let mut progress = MaybeUninit::uninit();
        let call = lend_host(session.host, |host| {
            let session = AbiSession {
                budget: to_abi_budget(&session.budget),
                plan: to_abi_budget(&session.plan),
                seed: session.seed.0,
                host,
                this: ptr::from_ref(session).cast(),
                table: SESSION,
            };
            // SAFETY: the object is alive, and everything that the session lends outlives
            // the call.
            lend_game(game, self.bound, |game| unsafe {
                (learner.train)(self.object.this, game, &session, progress.as_mut_ptr())
            })
        });
        call.into_result()?;
        // SAFETY: a call that succeeded has written its result.
        Ok(from_abi_progress(&unsafe { progress.assume_init() }))
    }

    fn progress(&self) -> TrainingProgress {
        let learner = self.learner().unwrap_or_else(|fault| fault.raise());
        let mut progress = MaybeUninit::<AbiProgress>::uninit();
        // SAFETY: the object is alive.
        unsafe { (learner.progress)(self.object.this, progress.as_mut_ptr()) }.or_raise();
        // SAFETY: a call that succeeded has written its result.
        from_abi_progress(&unsafe { progress.assume_init() })
    }

    fn formats(&self) -> Vec<ModelFormat> {
        let learner = self.learner().unwrap_or_else(|fault| fault.raise());
        let mut formats = RVec::new();
        // SAFETY: the object is alive.
        unsafe { (learner.formats)(self.object.this, &mut formats) }.or_raise();
        let format = |f: AbiModelFormat| ModelFormat { name: f.name.into(), about: f.about.into() };
        formats.into_iter().map(format).collect()
    }

    fn save(&self, path: &Path, format: &str) -> Result<(), Fault> {
        let (path, format) = (utf8(path)?, RStr::from_str(format));
        // SAFETY: the object is alive.
        unsafe { (self.learner()?.save)(self.object.this, path, format) }.into_result()
    }

    fn load(&self, files: &[&Path]) -> Result<(), Fault> {
        let files = files.iter().map(|file| utf8(file)).collect::<Result<Vec<_>, _>>()?;
        let learner = self.learner()?;
        // SAFETY: the object is alive.
        unsafe { (learner.load)(self.object.this, RSlice::from_slice(&files)) }.into_result()
    }
}
