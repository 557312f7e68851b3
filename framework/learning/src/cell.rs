//! The state of a learner between trainings.

use runner_core::{Fault, TrainingProgress, locked};
use std::mem::replace;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;

/// The part of a learner that a training changes.
pub trait Trained {
    /// Returns the progress of all trainings together.
    fn progress(&self) -> TrainingProgress;
}

/// The state of a learner. A training or a save takes it out, so that no lock is held while
/// tasks run on the host's threads: such a thread may run tasks of other callers, which may ask
/// this learner for its progress.
#[derive(Debug)]
pub struct TrainingCell<S>(Mutex<Place<S>>);

#[derive(Debug)]
enum Place<S> {
    /// The state is in the cell.
    Here(S),
    /// A task has the state, which had this progress when it was taken out.
    Taken(TrainingProgress),
}

impl<S: Trained> TrainingCell<S> {
    /// Creates the cell of a state.
    pub fn new(state: S) -> Self {
        Self(Mutex::new(Place::Here(state)))
    }

    /// Runs a task with the state, which is put back if the task panics. No lock is held meanwhile.
    ///
    /// # Errors
    ///
    /// If another task has the state.
    pub fn with<T>(&self, task: impl FnOnce(&mut S) -> T) -> Result<T, Fault> {
        let mut place = locked(&self.0);
        let Place::Here(state) = &*place else {
            return Err(Fault::new(
                "the learner is training or saving its model; wait until it has ended",
            ));
        };
        let taken = Place::Taken(state.progress());
        let Place::Here(mut state) = replace(&mut *place, taken) else { unreachable!() };
        drop(place);
        let result = catch_unwind(AssertUnwindSafe(|| task(&mut state)));
        *locked(&self.0) = Place::Here(state);
        match result {
            Ok(output) => Ok(output),
            Err(panic) => resume_unwind(panic),
        }
    }

    /// Returns the progress of all trainings together. While a task has the state, it is the
    /// progress before the task.
    pub fn progress(&self) -> TrainingProgress {
        match &*locked(&self.0) {
            Place::Here(state) => state.progress(),
            Place::Taken(progress) => progress.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Trained for u64 {
        fn progress(&self) -> TrainingProgress {
            TrainingProgress { moves: *self, ..TrainingProgress::default() }
        }
    }

    #[test]
    fn a_task_with_the_state_holds_no_lock_and_a_second_one_is_refused() {
        let cell = TrainingCell::new(5);
        let within = |state: &mut u64| {
            *state = 7;
            assert!(cell.with(|_| ()).unwrap_err().to_string().contains("training"));
            cell.progress().moves
        };
        assert_eq!(cell.with(within), Ok(5));
        assert_eq!(cell.progress().moves, 7);
    }

    #[test]
    fn a_state_survives_the_panic_of_its_task() {
        let cell = TrainingCell::new(5);
        assert!(runner_core::catch(|| cell.with(|_| panic!("on purpose"))).is_err());
        assert_eq!(cell.with(|state| *state), Ok(5));
    }
}
