//! The learners as plugins: one type for all algorithms.

use crate::learner::NtupleNetwork;
use crate::rule::Rule;
use runner_core::{
    Afterstate, BuildContext, BuildError, Fault, ForeignModel, Game, Learner, LearnerPlugin,
    ModelFormat, Parameters, Plugin, Preset, Spec, State, Successors, TrainingProgress,
    TrainingSession, Value, ValuePlugin,
};
use std::path::Path;

/// A learning algorithm: its name, its parameters, and the learner that they build.
pub trait Algorithm: 'static {
    const NAME: &'static str;
    const ABOUT: &'static str;
    type Config: Parameters;
    type Rule: Rule;

    fn presets() -> Vec<Preset> {
        Vec::new()
    }

    /// Builds the learner; `spec` has all parameters.
    fn build(
        config: &Self::Config,
        spec: &Spec,
        context: &BuildContext<'_>,
    ) -> Result<NtupleNetwork<Self::Rule>, BuildError>;
}

/// An n-tuple network that learns by an algorithm.
pub struct Ntuple<A: Algorithm>(NtupleNetwork<A::Rule>);

impl<A: Algorithm> Ntuple<A> {
    /// Loads a model from memory, like [`Learner::load`]. Messages call it `name`.
    pub fn load_bytes(&self, bytes: &[u8], name: &str) -> Result<(), Fault> {
        self.0.load_bytes(bytes, name)
    }
}

impl<A: Algorithm> Plugin for Ntuple<A> {
    const NAME: &'static str = A::NAME;
    const ABOUT: &'static str = A::ABOUT;
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = A::Config;

    fn presets() -> Vec<Preset> {
        A::presets()
    }
}

impl<A: Algorithm> ValuePlugin for Ntuple<A> {
    fn new(config: A::Config, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let spec = Spec::resolved(A::NAME, &config);
        let spec = spec.map_err(|error| BuildError::new(error.message))?;
        A::build(&config, &spec, context).map(Self)
    }
}

impl<A: Algorithm> LearnerPlugin for Ntuple<A> {
    fn foreign(file: &Path, whole: bool) -> Result<Option<ForeignModel>, Fault> {
        agent_ntuple_files::foreign(file, whole, crate::TcNtuple::NAME)
    }
}

impl<A: Algorithm> Value for Ntuple<A> {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        self.0.evaluate(afterstates, values);
    }

    fn estimates_actions(&self) -> bool {
        self.0.estimates_actions()
    }

    fn action_values(
        &self,
        game: &dyn Game,
        state: State,
        successors: &Successors,
        values: &mut [f32],
    ) {
        self.0.action_values(game, state, successors, values);
    }
}

impl<A: Algorithm> Learner for Ntuple<A> {
    fn train<G: Game>(
        &self,
        game: &G,
        session: &TrainingSession<'_>,
    ) -> Result<TrainingProgress, Fault> {
        self.0.train(game, session)
    }

    fn progress(&self) -> TrainingProgress {
        self.0.progress()
    }

    fn formats(&self) -> Vec<ModelFormat> {
        self.0.formats()
    }

    fn save(&self, path: &Path, format: &str) -> Result<(), Fault> {
        self.0.save(path, format)
    }

    fn load(&self, files: &[&Path]) -> Result<(), Fault> {
        self.0.load(files)
    }
}
