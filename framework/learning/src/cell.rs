//! The state of a learner between trainings.

use runner_core::{Fault, TrainingProgress, locked};
use std::sync::{Mutex, MutexGuard};

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

    /// Runs a task with the state. No lock is held meanwhile.
    ///
    /// # Errors
    ///
    /// If another task has the state.
    pub fn with<T>(&self, task: impl FnOnce(&mut S) -> T) -> Result<T, Fault> {
        let mut place = self.lock();
        let Place::Here(state) = &*place else {
            return Err(Fault::new(
                "the learner is training or saving its model; wait until it has ended",
            ));
        };
        let progress = state.progress();
        let taken = std::mem::replace(&mut *place, Place::Taken(progress));
        drop(place);
        let mut put_back = PutBack { cell: self, taken };
        let Place::Here(state) = &mut put_back.taken else { unreachable!("it was there") };
        Ok(task(state))
    }

    /// Returns the progress of all trainings together. While a task has the state, it is the
    /// progress before the task.
    pub fn progress(&self) -> TrainingProgress {
        match &*self.lock() {
            Place::Here(state) => state.progress(),
            Place::Taken(progress) => progress.clone(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Place<S>> {
        locked(&self.0)
    }
}

/// Puts a state back into its cell when its task returns or panics.
struct PutBack<'a, S: Trained> {
    cell: &'a TrainingCell<S>,
    /// [`Place::Here`] with the state.
    taken: Place<S>,
}

impl<S: Trained> Drop for PutBack<'_, S> {
    fn drop(&mut self) {
        std::mem::swap(&mut *self.cell.lock(), &mut self.taken);
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
