//! Plugins that work, and that no other crate has: a table of values that learns by TD(0) on one
//! thread, deterministically, so that a training that was interrupted and resumed gives the table
//! of an uninterrupted one; an agent that plays the greedy policy of a value; a game that wraps a
//! game, an agent that wraps agents, a value with action priors, and a learner that starts from
//! given positions.
#![deny(unsafe_code)]

mod agent;
mod follow;
mod game;
mod learner;
mod model;
mod policy;
mod state;
mod table;
mod training;

pub use agent::Alternate;
pub use follow::Follow;
pub use game::{Without, WithoutConfig};
pub use learner::Starter;
pub use policy::Policy;
pub use table::{Config, Table};

use runner_core::{
    Afterstate, BuildContext, BuildError, Fault, Game, Learner, LearnerPlugin, ModelFormat, Plugin,
    TrainingProgress, TrainingSession, Value, ValuePlugin,
};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicU32;

runner_plugin::export_plugin! {
    games: [Without],
    values: [Policy],
    learners: [Starter, Table],
    agents: [Alternate, Follow],
}

impl Value for Table {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        for (value, &afterstate) in values.iter_mut().zip(afterstates) {
            *value = self.value(afterstate);
        }
    }
}

impl Learner for Table {
    fn train<G: Game>(
        &self,
        game: &G,
        session: &TrainingSession<'_>,
    ) -> Result<TrainingProgress, Fault> {
        Ok(training::train(self, game, session))
    }

    fn progress(&self) -> TrainingProgress {
        self.training().progress()
    }

    fn formats(&self) -> Vec<ModelFormat> {
        vec![
            ModelFormat::new(model::FULL, "the table and the current game"),
            ModelFormat::new(model::TEXT, "one number per line, as another program writes it"),
        ]
    }

    fn save(&self, path: &Path, format: &str) -> Result<(), Fault> {
        model::save(self, path, format)
    }

    fn load(&self, files: &[&Path]) -> Result<(), Fault> {
        model::load(self, files)
    }
}

impl Plugin for Table {
    const NAME: &'static str = "table";
    const ABOUT: &'static str = "a table that learns, for the tests";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;
}

impl ValuePlugin for Table {
    fn new(config: Config, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let entries = (0..1usize << config.size).map(|_| AtomicU32::new(0)).collect();
        let (game, training) = (context.game_spec.to_owned(), Mutex::default());
        let table = Self { config, game, entries, training };
        if let Some(model) = &table.config.model {
            table.load(&[Path::new(model)]).map_err(|fault| BuildError::of("model", fault))?;
        }
        Ok(table)
    }
}

impl LearnerPlugin for Table {}
