//! Tasks that run on another thread, so that Python's thread can react to Ctrl-C.

use crate::error::raise;
use pyo3::prelude::*;
use runner_core::catch;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

/// Time between two looks for signals and progress.
pub const PAUSE: Duration = Duration::from_millis(20);

/// A thread that does tasks one after another.
pub struct Worker(Sender<Box<dyn FnOnce() + Send>>);

impl Worker {
    pub fn start() -> Self {
        let (tasks, incoming) = mpsc::channel::<Box<dyn FnOnce() + Send>>();
        thread::spawn(move || incoming.into_iter().for_each(|task| task()));
        Self(tasks)
    }

    /// Runs a task without Python's lock. If a signal raises an exception, it is raised at once: a
    /// thread that calls a plugin cannot be ended, so it is left alone.
    pub fn run<T: Send + 'static>(
        &self,
        py: Python<'_>,
        task: impl FnOnce() -> PyResult<T> + Send + 'static,
    ) -> PyResult<T> {
        let (sender, result) = mpsc::channel();
        // The receiver is gone if the task was left alone.
        let task = Box::new(move || drop(sender.send(catch(task))));
        self.0.send(task).expect("the thread waits for tasks");
        py.detach(move || {
            loop {
                match result.recv_timeout(PAUSE) {
                    Ok(result) => return result.map_err(raise).flatten(),
                    Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals())?,
                    Err(RecvTimeoutError::Disconnected) => {
                        unreachable!("the task sends its result")
                    }
                }
            }
        })
    }
}

/// Runs a task on a new thread, as [`Worker::run`] does.
pub fn unless_interrupted<T: Send + 'static>(
    py: Python<'_>,
    task: impl FnOnce() -> PyResult<T> + Send + 'static,
) -> PyResult<T> {
    Worker::start().run(py, task)
}
