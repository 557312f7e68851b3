//! `alpha-zero`: a network with a policy and a value that learns from games by tree search.
//!
//! The search is PUCT with the priors of the policy, and the leaves have the value of the
//! network: the ratio of the future return to the average result of the current network. Each
//! position becomes a sample: the policy learns the distribution of visits, the value learns the
//! return of the game.
//!
//! A training cycle trains the network with samples of recent games; then the new network plays,
//! and replaces the old one if the median of its scores is higher.
//!
//! In dependency order: `config` (parameters), `estimator` (the network), `replay` (samples),
//! `self_play` (games), `learning` (steps of the optimizer), `training` (cycles), `file`
//! (models). This file makes a learner of them.
#![forbid(unsafe_code)]

mod config;
mod estimator;
mod file;
mod learning;
mod replay;
mod self_play;
mod training;

pub use config::Config;

use agent_mcts::Mcts;
use agent_neural::file::{Identity, Model};
use agent_neural::history::History;
use agent_neural::{Adam, learner};
use config::{Options, Size};
use estimator::{Architecture, Estimator, Weights};
use learning::Optimizer;
use replay::Replay;
use runner_core::{
    Afterstate, BuildContext, BuildError, Fault, Game, Host, Learner, LearnerPlugin, ModelFormat,
    Parameter, Plugin, Preset, Random, Spec, State, Successors, TrainingProgress, TrainingSession,
    Turn, Value, ValuePlugin,
};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use training::{Phase, Progress, Training};

/// The learner `alpha-zero`.
pub struct AlphaZero {
    architecture: Arc<Architecture>,
    options: Options,
    identity: Identity,
    spec: String,
    /// The network that plays.
    best: RwLock<Arc<Weights>>,
    training: Mutex<Training>,
    /// True if it was built with a model.
    plays_only: bool,
    host: Arc<dyn Host>,
}

/// The word from which the parameters of a network are drawn.
const INITIAL: u64 = 0x7a65_726f;
/// Leaves that the search of a move evaluates together.
const LEAVES: usize = 8;

impl AlphaZero {
    fn training(&self) -> MutexGuard<'_, Training> {
        self.training.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn publish(&self, weights: &Weights) {
        let weights = Arc::new(weights.clone());
        *self.best.write().unwrap_or_else(PoisonError::into_inner) = weights;
    }

    fn estimator(&self) -> Estimator {
        let weights = self.best.read().unwrap_or_else(PoisonError::into_inner).clone();
        Estimator { architecture: self.architecture.clone(), weights }
    }
}

impl Value for AlphaZero {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        self.estimator().evaluate(afterstates, values);
    }

    fn estimates_actions(&self) -> bool {
        true
    }

    /// Writes the share of visits of each action in a search.
    fn action_values(
        &self,
        game: &dyn Game,
        state: State,
        successors: &Successors,
        values: &mut [f32],
    ) {
        let estimator = self.estimator();
        let average = estimator.weights.average;
        let options = self.options.search(average, self.architecture.actions, LEAVES);
        let mut search = Mcts::with_options(Some(estimator), None, options, self.host.clone());
        // The same position has the same chance outcomes.
        let random = state.lo ^ state.hi.rotate_left(17);
        let result = search.search(&game, &Turn { state, successors, random });
        let total: u64 = result.actions.iter().map(|action| action.visits).sum();
        for (value, action) in values.iter_mut().zip(&result.actions) {
            // With equal visits the prior decides.
            *value = (action.visits as f32 + action.prior) / (total + 1) as f32;
        }
    }

    fn has_priors(&self) -> bool {
        true
    }

    fn evaluate_states(
        &self,
        game: &dyn Game,
        states: &[State],
        priors: &mut [f32],
        values: &mut [f32],
    ) {
        self.estimator().evaluate_states(game, states, priors, values);
    }
}

impl Learner for AlphaZero {
    fn train<G: Game>(
        &self,
        game: &G,
        session: &TrainingSession<'_>,
    ) -> Result<TrainingProgress, Fault> {
        learner::refuse_training(self.plays_only)?;
        let mut training = self.training();
        let publish = |weights: &Weights| self.publish(weights);
        training.train(game, &self.architecture, &self.options, session, &publish)?;
        Ok(training.progress.history.progress())
    }

    fn progress(&self) -> TrainingProgress {
        self.training().progress.history.progress()
    }

    fn formats(&self) -> Vec<ModelFormat> {
        learner::formats()
    }

    fn save(&self, path: &Path, format: &str) -> Result<(), Fault> {
        let training = self.training();
        file::save(&training, &self.architecture, &self.identity, &self.spec, path, format)
    }

    fn load(&self, files: &[&Path]) -> Result<(), Fault> {
        let loaded = file::load(&learner::open_only(files, &self.identity)?, &self.architecture)?;
        self.publish(&loaded.progress.best);
        *self.training() = loaded;
        Ok(())
    }
}

impl Plugin for AlphaZero {
    const NAME: &'static str = "alpha-zero";
    const ABOUT: &'static str = "a policy-and-value network that learns from its own tree search";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;

    fn parameters() -> Vec<Parameter> {
        Config::parameters()
    }

    fn presets() -> Vec<Preset> {
        vec![
            Preset::new("paper-50", include_str!("../presets/paper-50.ron")),
            Preset::new("paper-100", include_str!("../presets/paper-100.ron")),
            Preset::new("paper-1600", include_str!("../presets/paper-1600.ron")),
        ]
    }
}

impl ValuePlugin for AlphaZero {
    fn new(config: Config, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let Some(board) = &context.game.geometry else {
            return Err(BuildError::new("alpha-zero needs a board, and the game has none"));
        };
        let options = config.options()?;
        let of_model = |error: &dyn std::fmt::Display| BuildError::of("model", error);
        let model = config.model.as_ref().map(|file| Model::open(Path::new(file), file::KIND));
        let model = model.transpose().map_err(|error| of_model(&error))?;
        let theirs = model.as_ref().and_then(|model| Size::read(model.fact("network")));
        let actions = context.game.actions.len();
        let architecture = Architecture::new(config.size(theirs)?, board, actions);
        let network = architecture.text.clone();
        let identity = Identity { kind: file::KIND, game: context.game_spec.to_owned(), network };
        let training = match &model {
            Some(model) => {
                model.check(&identity).map_err(|error| of_model(&error))?;
                file::load(model, &architecture).map_err(|fault| of_model(&fault))?
            }
            None => untrained(&architecture),
        };
        let spec = Spec::resolved(Self::NAME, &config);
        Ok(Self {
            options,
            identity,
            spec: spec.map_err(|error| BuildError::new(error.message))?.to_string(),
            best: RwLock::new(Arc::new(training.progress.best.clone())),
            training: Mutex::new(training),
            architecture: Arc::new(architecture),
            plays_only: model.is_some(),
            host: context.host.clone(),
        })
    }
}

/// Returns a training that has not begun.
fn untrained(architecture: &Architecture) -> Training {
    let parameters = architecture.network.random(&mut Random::from_word(INITIAL));
    let adam = Adam::new(parameters.len());
    let best = Weights { parameters, average: 0.0 };
    let progress = Progress {
        new: best.clone(),
        best,
        phase: Phase::SelfPlay,
        best_scores: Vec::new(),
        new_scores: Vec::new(),
        cycles: 0,
        accepted: 0,
        replay: Replay::default(),
        history: History::default(),
    };
    Training::new(progress, Optimizer::new(architecture, adam))
}

impl LearnerPlugin for AlphaZero {}
