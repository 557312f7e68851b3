//! Notes that several commands print.

use runner_console::notes::note;
use runner_console::progress::ProgressLine;
use runner_core::Spec;
use runner_play::learners::describe_models;
use runner_play::registry::Registry;
use runner_spec::quantity::counted;
use runner_tournament::Event;
use std::time::Instant;

pub fn note_forfeits(forfeited: u64) {
    if forfeited > 0 {
        let games = counted(forfeited, "game");
        note(format!("note: {games} forfeited; `runner plugins doctor` examines plugins"));
    }
}

/// Prints the size and the training of each model in the spec of an agent.
pub fn note_models(agent: &Spec, registry: &Registry) {
    describe_models(agent, registry).into_iter().for_each(note);
}

/// The progress line of a tournament or of a shard of one.
pub struct TournamentLine {
    start: Instant,
    line: ProgressLine,
}

impl TournamentLine {
    pub fn new() -> Self {
        Self { start: Instant::now(), line: ProgressLine::new(true) }
    }

    pub fn show(&mut self, event: Event) {
        match event {
            Event::Note(text) => note(text),
            Event::Progress(progress) => self.line.show_after(self.start.elapsed(), &progress),
        }
    }
}
