//! `policy-net`: a network that maps a board to probabilities of the moves, and learns from
//! whole games.
//!
//! An epoch plays `batch_size` games with moves drawn from the probabilities Ŷ, and then trains
//! with the games of the last `forget_interval` epochs. A game above their median is good, and
//! the target Y of its moves is the move that was made; any other game is bad, and the target is
//! the three other moves in equal parts. The loss is the mean of j k |Ŷ - Y|, with a weight j of
//! the game and a weight k of the move.
//!
//! In dependency order: `weighting` (good and bad, j, k, the loss), `config` (parameters),
//! `policy` (the network), `games`, `training` (epochs), `file` (models). This file makes a
//! learner of them.
#![forbid(unsafe_code)]

mod config;
mod file;
mod games;
mod policy;
mod training;
pub mod weighting;

pub use config::Config;

use agent_neural::file::{Identity, Model};
use agent_neural::history::History;
use agent_neural::{Adam, Parameters, learner};
use config::{Options, Shape};
use policy::{Buffers, Policy, restrict};
use runner_core::{
    Afterstate, BuildContext, BuildError, Fault, Game, Learner, LearnerPlugin, ModelFormat,
    Parameter, Plugin, Preset, Random, Spec, State, Successors, TrainingProgress, TrainingSession,
    Value, ValuePlugin, ValueScale,
};
use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use training::TrainingState;

/// The learner `policy-net`.
pub struct PolicyNet {
    policy: Policy,
    options: Options,
    identity: Identity,
    spec: String,
    /// The parameters that play; those of the last epoch.
    parameters: RwLock<Arc<Parameters>>,
    state: Mutex<TrainingState>,
    /// True if it was built with a model.
    plays_only: bool,
}

/// The word from which the parameters of a network are drawn. Training games have seeds of
/// their own.
const INITIAL: u64 = 0x706f_6c69_6379;

impl PolicyNet {
    fn state(&self) -> MutexGuard<'_, TrainingState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn publish(&self, parameters: &Parameters) {
        let parameters = Arc::new(parameters.clone());
        *self.parameters.write().unwrap_or_else(PoisonError::into_inner) = parameters;
    }

    /// Writes the probabilities of the legal actions of each position, 0 for the others.
    fn priors(&self, game: &dyn Game, states: &[State], out: &mut [f32]) {
        let parameters = self.parameters.read().unwrap_or_else(PoisonError::into_inner).clone();
        let (mut buffers, mut probabilities) = (Buffers::default(), Vec::new());
        let states = states.iter().copied();
        self.policy.probabilities(&parameters, states.clone(), &mut buffers, &mut probabilities);
        let mut successors = Successors::new();
        for (state, row) in states.zip(probabilities.chunks_exact_mut(self.policy.actions())) {
            game.successors(state, &mut successors);
            restrict(row, &successors);
        }
        out.copy_from_slice(&probabilities);
    }
}

impl Value for PolicyNet {
    fn evaluate(&self, _: &[Afterstate], _: &mut [f32]) {
        Fault::new("`policy-net` has probabilities of actions, and no values of afterstates")
            .raise();
    }

    fn estimates_actions(&self) -> bool {
        true
    }

    fn action_values(
        &self,
        game: &dyn Game,
        state: State,
        successors: &Successors,
        values: &mut [f32],
    ) {
        let mut row = vec![0.0; self.policy.actions()];
        self.priors(game, &[state], &mut row);
        for (value, successor) in values.iter_mut().zip(successors.iter()) {
            *value = row[successor.action.index()];
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
        values.fill(0.0);
        self.priors(game, states, priors);
    }

    fn scale(&self) -> ValueScale {
        ValueScale::Rating { min: 0.0, max: 1.0 }
    }
}

impl Learner for PolicyNet {
    fn train<G: Game>(
        &self,
        game: &G,
        session: &TrainingSession<'_>,
    ) -> Result<TrainingProgress, Fault> {
        learner::refuse_training(self.plays_only)?;
        let state = &mut *self.state();
        state.train(game, &self.policy, &self.options, session, &|p| self.publish(p))?;
        Ok(state.history.progress())
    }

    fn progress(&self) -> TrainingProgress {
        self.state().history.progress()
    }

    fn formats(&self) -> Vec<ModelFormat> {
        learner::formats()
    }

    fn save(&self, path: &Path, format: &str) -> Result<(), Fault> {
        file::save(&self.state(), &self.policy, &self.identity, &self.spec, path, format)
    }

    fn load(&self, files: &[&Path]) -> Result<(), Fault> {
        let loaded = file::load(&learner::open_only(files, &self.identity)?, &self.policy)?;
        self.publish(&loaded.parameters);
        *self.state() = loaded;
        Ok(())
    }
}

impl Plugin for PolicyNet {
    const NAME: &'static str = "policy-net";
    const ABOUT: &'static str = "a policy network that learns from good and bad games";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;

    fn parameters() -> Vec<Parameter> {
        Config::parameters()
    }

    fn presets() -> Vec<Preset> {
        vec![Preset::new("document", include_str!("../presets/document.ron"))]
    }
}

impl ValuePlugin for PolicyNet {
    fn new(config: Config, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let Some(board) = &context.game.geometry else {
            return Err(BuildError::new("policy-net needs a board, and the game has none"));
        };
        let options = config.options()?;
        let of_model = |error: &dyn std::fmt::Display| BuildError::of("model", error);
        let model = config.model.as_ref().map(|file| Model::open(Path::new(file), file::KIND));
        let model = model.transpose().map_err(|error| of_model(&error))?;
        let theirs = model.as_ref().and_then(|model| Shape::read(model.fact("network")));
        let actions = context.game.actions.len();
        let policy = Policy::new(config.shape(theirs)?, board, actions);
        let network = policy.text.clone();
        let identity = Identity { kind: file::KIND, game: context.game_spec.to_owned(), network };
        let state = match &model {
            Some(model) => {
                model.check(&identity).map_err(|error| of_model(&error))?;
                file::load(model, &policy).map_err(|fault| of_model(&fault))?
            }
            None => {
                let parameters = policy.network.random(&mut Random::from_word(INITIAL));
                let adam = Adam::new(parameters.len());
                TrainingState::new(parameters, adam, VecDeque::new(), History::default())
            }
        };
        let spec = Spec::resolved(Self::NAME, &config);
        Ok(Self {
            policy,
            options,
            identity,
            spec: spec.map_err(|error| BuildError::new(error.message))?.to_string(),
            parameters: RwLock::new(Arc::new(state.parameters.clone())),
            state: Mutex::new(state),
            plays_only: model.is_some(),
        })
    }
}

impl LearnerPlugin for PolicyNet {}
