//! A learner that learns nothing: it plays one move from each start position of the
//! session and keeps what follows.

use runner_core::{
    Afterstate, BuildContext, BuildError, Control, Fault, Game, Learner, LearnerPlugin,
    ModelFormat, Plugin, Successors, TrainingProgress, TrainingSession, Value, ValuePlugin,
    parameters,
};
use std::path::Path;
use std::sync::Mutex;

parameters! {
    pub struct Config {
        /// Model file, which is ignored
        pub model: Option<String> = None, file();
    }
}

/// Plays one move from each start position.
#[derive(Default)]
pub struct Starter(Mutex<TrainingProgress>);

impl Value for Starter {
    fn evaluate(&self, _: &[Afterstate], values: &mut [f32]) {
        values.fill(0.0);
    }
}

impl Learner for Starter {
    fn train<G: Game>(
        &self,
        game: &G,
        session: &TrainingSession<'_>,
    ) -> Result<TrainingProgress, Fault> {
        let mut successors = Successors::new();
        let mut progress = self.progress();
        for start in session.starts {
            game.successors(start.state, &mut successors);
            let Some(first) = successors.first() else { continue };
            progress.mean = start.score + f64::from(first.reward);
            progress.moves += 1;
            progress.series = vec![("score".into(), start.score), ("loss".into(), 0.5)];
            if (session.report)(&progress) == Control::Stop {
                break;
            }
        }
        *self.0.lock().unwrap() = progress.clone();
        Ok(progress)
    }

    fn progress(&self) -> TrainingProgress {
        self.0.lock().unwrap().clone()
    }

    fn formats(&self) -> Vec<ModelFormat> {
        vec![ModelFormat::new("moves", "the number of moves")]
    }

    fn save(&self, path: &Path, _: &str) -> Result<(), Fault> {
        std::fs::write(path, self.progress().moves.to_string()).map_err(Fault::new)
    }

    fn load(&self, _: &[&Path]) -> Result<(), Fault> {
        Ok(())
    }
}

impl Plugin for Starter {
    const NAME: &'static str = "starter";
    const ABOUT: &'static str = "plays one move from each start position, for the tests";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;
}

impl ValuePlugin for Starter {
    fn new(_: Config, _: &BuildContext<'_>) -> Result<Self, BuildError> {
        Ok(Self::default())
    }
}

impl LearnerPlugin for Starter {}
