//! Notes that several commands print.

use runner_console::notes::note;
use runner_console::progress::ProgressLine;
use runner_core::Spec;
use runner_play::learners::{describe_models, loading};
use runner_play::registry::Registry;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Time after which a line says that a player is being loaded.
const QUIET_LOADING: Duration = Duration::from_millis(300);

/// Builds a player. If this takes long, a line on the terminal names what is loaded.
pub fn while_loading<T>(player: &Spec, build: impl FnOnce() -> T) -> T {
    let (done, is_done) = channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            if is_done.recv_timeout(QUIET_LOADING) == Err(RecvTimeoutError::Timeout) {
                let mut line = ProgressLine::new(false);
                line.show(&loading(player));
                // The line stays until the player is built.
                let _ = is_done.recv();
            }
        });
        // Dropped even if `build` panics, which ends the other thread, for which the scope waits.
        let _done = done;
        build()
    })
}

/// Notes the size and the training of each model in the spec of an agent.
pub fn note_models(agent: &Spec, registry: &Registry) {
    describe_models(agent, registry).into_iter().for_each(note);
}
