//! A learner that goes wrong.

use runner_core::{
    Afterstate, BuildContext, BuildError, Fault, Game, Learner, LearnerPlugin, ModelFormat,
    ParameterValue, Plugin, TrainingProgress, TrainingSession, Value, ValuePlugin, parameters,
};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The call that panics, or another fault. `Endless` calls never return.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum At {
    Nowhere,
    Train,
    EndlessTrain,
    Task,
    /// Training returns and has done nothing.
    Idle,
    Unbounded,
    SaveNothing,
    /// The constructor ignores the model.
    IgnoreModel,
    Save,
    /// Saving it a second time does.
    SaveAgain,
    Load,
    Formats,
    NoFormats,
    Progress,
}

impl ParameterValue for At {}

parameters! {
    pub struct Config {
        /// Where it goes wrong
        pub at: At = At::Nowhere, variants::<At>();
        /// Model to play
        pub model: Option<String> = None, file();
    }
}

/// Counts moves that it does not make.
#[derive(Debug)]
pub struct FaultyLearner {
    at: At,
    moves: AtomicU64,
    saved: AtomicU64,
}

impl Value for FaultyLearner {
    fn evaluate(&self, _: &[Afterstate], values: &mut [f32]) {
        values.fill(self.moves.load(Relaxed) as f32);
    }
}

impl Learner for FaultyLearner {
    fn train<G: Game>(
        &self,
        _: &G,
        session: &TrainingSession<'_>,
    ) -> Result<TrainingProgress, Fault> {
        assert!(self.at != At::Train, "the training went wrong");
        if self.at == At::EndlessTrain {
            crate::never_return();
        }
        session.host.for_each(4, &|i| assert!(self.at != At::Task || i != 2, "task 2 went wrong"));
        let moves = session.budget.moves.unwrap_or(1000);
        let moves = match self.at {
            At::Idle => 0,
            At::Unbounded => 10 * moves,
            _ => moves,
        };
        self.moves.fetch_add(moves, Relaxed);
        Ok(self.progress())
    }

    fn progress(&self) -> TrainingProgress {
        assert!(self.at != At::Progress, "reporting the progress went wrong");
        TrainingProgress { moves: self.moves.load(Relaxed), ..TrainingProgress::default() }
    }

    fn formats(&self) -> Vec<ModelFormat> {
        assert!(self.at != At::Formats, "listing the formats went wrong");
        if self.at == At::NoFormats {
            Vec::new()
        } else {
            vec![ModelFormat::new("count", "the moves")]
        }
    }

    fn save(&self, path: &Path, _: &str) -> Result<(), Fault> {
        if self.at == At::SaveNothing {
            return Ok(());
        }
        let text = self.moves.load(Relaxed).to_string();
        fs::write(path, text).map_err(Fault::new)?;
        let times = self.saved.fetch_add(1, Relaxed);
        assert!(
            self.at != At::Save && (self.at != At::SaveAgain || times == 0),
            "saving went wrong"
        );
        Ok(())
    }

    fn load(&self, files: &[&Path]) -> Result<(), Fault> {
        assert!(self.at != At::Load, "loading went wrong");
        for file in files {
            let text = fs::read_to_string(file).map_err(Fault::new)?;
            self.moves.store(text.parse().map_err(Fault::new)?, Relaxed);
        }
        Ok(())
    }
}

impl Plugin for FaultyLearner {
    const NAME: &'static str = "faulty-learner";
    const ABOUT: &'static str = "a learner that goes wrong";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;
}

impl ValuePlugin for FaultyLearner {
    fn new(Config { at, model }: Config, _: &BuildContext<'_>) -> Result<Self, BuildError> {
        let learner = Self { at, moves: AtomicU64::new(0), saved: AtomicU64::new(0) };
        if let (Some(model), false) = (model, at == At::IgnoreModel) {
            learner.load(&[Path::new(&model)]).map_err(|fault| BuildError::of("model", fault))?;
        }
        Ok(learner)
    }
}

impl LearnerPlugin for FaultyLearner {}
