//! A learner with a network, whatever its method: how it is built, evaluated, trained, saved and
//! loaded.

use crate::file::{CHECKPOINT, Contents, Identity, NeuralModel};
use crate::network::Parameters;
use crate::optimizer::{Adam, Optimizer};
use crate::position_network::PositionNetwork;
use runner_core::geometry::Geometry;
use runner_core::{
    Afterstate, BuildContext, BuildError, Fault, Game, Learner, LearnerPlugin, ModelFormat, Plugin,
    Preset, Random, Spec, State, Successors, TrainingProgress, TrainingSession, Value, ValuePlugin,
    ValueScale, catch, unpoisoned,
};
use runner_learning::{History, Run, Trained, TrainingCell};
use std::path::Path;
use std::sync::{Arc, RwLock};

/// The facts and the sections of a model.
pub type Saved = (Vec<(&'static str, String)>, Vec<(&'static str, Vec<u8>)>);

pub trait Method: Plugin + Send + Sync {
    const KIND: &'static str;
    /// The word from which the parameters of an untrained network are drawn. Training games have
    /// seeds of their own.
    const INITIAL: u64;

    /// The parameters of the network that plays, and what else it needs to play.
    type Weights: AsRef<[f32]> + Clone + Send + Sync;
    /// What training changes beside the network that plays, the optimizer and the history.
    type State: Send;

    /// Creates the method for a board. `known` is the network of the model, as text: it has the
    /// sizes that the configuration does not give.
    fn new(
        config: &Self::Config,
        known: Option<&str>,
        board: &Geometry,
        context: &BuildContext<'_>,
    ) -> Result<Self, BuildError>;

    fn model(config: &Self::Config) -> Option<&str>;

    fn network(&self) -> &PositionNetwork;

    /// Returns the network with these parameters, and the state before training or that of a
    /// model.
    fn state(
        &self,
        parameters: Parameters,
        model: Option<&NeuralModel>,
    ) -> Result<(Self::Weights, Self::State), Fault>;

    /// Returns the facts and the sections of a model from which [`state`](Self::state) reads
    /// it.
    fn saved(&self, training: &Training<Self>) -> Saved;

    /// Trains until the run is stopped. `publish` takes each new network that plays.
    fn train<G: Game>(
        &self,
        game: &G,
        training: &mut Training<Self>,
        run: &Run<'_>,
        publish: &dyn Fn(&Self::Weights),
    ) -> Result<(), Fault>;

    /// See [`Value::action_values`].
    fn action_values(
        &self,
        weights: &Arc<Self::Weights>,
        game: &dyn Game,
        state: State,
        successors: &Successors,
        values: &mut [f32],
    );

    /// See [`Value::evaluate_states`].
    fn evaluate_states(
        &self,
        weights: &Arc<Self::Weights>,
        game: &dyn Game,
        states: &[State],
        priors: &mut [f32],
        values: &mut [f32],
    );

    fn scale() -> ValueScale;
}

pub struct Training<M: Method> {
    /// The training so far. It is empty while a [`Run`] counts it.
    pub history: History,
    pub playing: M::Weights,
    pub optimizer: Optimizer,
    pub state: M::State,
}

impl<M: Method> Training<M> {
    fn new(method: &M, model: Option<&NeuralModel>) -> Result<Self, Fault> {
        let network = &method.network().network;
        let (parameters, adam, history) = match model {
            Some(model) => (model.weights(network)?, model.adam(network)?, model.history()?),
            None => {
                let parameters = network.random(&mut Random::from_word(M::INITIAL));
                (parameters, Adam::new(network.parameters()), History::default())
            }
        };
        let (playing, state) = method.state(parameters, model)?;
        Ok(Self { history, playing, optimizer: Optimizer::new(adam), state })
    }
}

impl<M: Method> Trained for Training<M> {
    fn progress(&self) -> TrainingProgress {
        self.history.progress()
    }
}

pub struct NeuralLearner<M: Method> {
    method: M,
    identity: Identity,
    spec: String,
    playing: RwLock<Arc<M::Weights>>,
    training: TrainingCell<Training<M>>,
    /// True if it was built with a model.
    plays_only: bool,
}

impl<M: Method> NeuralLearner<M> {
    fn publish(&self, weights: &M::Weights) {
        let weights = Arc::new(weights.clone());
        *unpoisoned(self.playing.write()) = weights;
    }

    fn playing(&self) -> Arc<M::Weights> {
        unpoisoned(self.playing.read()).clone()
    }
}

impl<M: Method> Value for NeuralLearner<M> {
    fn evaluate(&self, _: &[Afterstate], _: &mut [f32]) {
        let name = M::NAME;
        Fault::new(format!("`{name}` estimates states and actions, and no afterstates")).raise();
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
        self.method.action_values(&self.playing(), game, state, successors, values);
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
        self.method.evaluate_states(&self.playing(), game, states, priors, values);
    }

    fn scale(&self) -> ValueScale {
        M::scale()
    }
}

impl<M: Method> Learner for NeuralLearner<M> {
    fn train<G: Game>(
        &self,
        game: &G,
        session: &TrainingSession<'_>,
    ) -> Result<TrainingProgress, Fault> {
        if self.plays_only {
            return Err(Fault::new(
                "a learner with the `model` parameter only plays; to train, leave `model` out, \
                 or resume the model",
            ));
        }
        self.training.with(|training| {
            let run = Run::new(session, std::mem::take(&mut training.history));
            let publish = |weights: &M::Weights| self.publish(weights);
            // The history outlasts a fault of the game.
            let ended = catch(|| self.method.train(game, training, &run, &publish));
            training.history = run.end();
            ended.flatten()?;
            Ok(training.progress())
        })?
    }

    fn progress(&self) -> TrainingProgress {
        self.training.progress()
    }

    fn formats(&self) -> Vec<ModelFormat> {
        vec![ModelFormat::new(CHECKPOINT, "weights and learning state; training resumes from it")]
    }

    fn save(&self, path: &Path, _: &str) -> Result<(), Fault> {
        self.training.with(|training| {
            let (facts, sections) = self.method.saved(training);
            let contents = Contents {
                identity: &self.identity,
                spec: &self.spec,
                network: &self.method.network().network,
                parameters: training.playing.as_ref(),
                history: &training.history,
                adam: &training.optimizer.adam,
                facts,
                sections,
            };
            contents.write(path)
        })?
    }

    fn load(&self, files: &[&Path]) -> Result<(), Fault> {
        let [file] = files else {
            return Err(Fault::new("the mean of several networks is no network; name one file"));
        };
        let model = NeuralModel::open(file, M::KIND)?;
        model.check(&self.identity)?;
        let restored = Training::new(&self.method, Some(&model))?;
        self.training.with(|training| {
            self.publish(&restored.playing);
            *training = restored;
        })
    }
}

impl<M: Method> Plugin for NeuralLearner<M> {
    const NAME: &'static str = M::NAME;
    const ABOUT: &'static str = M::ABOUT;
    const VERSION: &'static str = M::VERSION;
    type Config = M::Config;

    fn presets() -> Vec<Preset> {
        M::presets()
    }
}

impl<M: Method> ValuePlugin for NeuralLearner<M> {
    fn new(config: M::Config, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let Some(board) = &context.game.geometry else {
            let name = M::NAME;
            return Err(BuildError::new(format!("{name} needs a board, and the game has none")));
        };
        let of_model = |fault: Fault| BuildError::of("model", fault);
        let opened = M::model(&config).map(|file| NeuralModel::open(Path::new(file), M::KIND));
        let model = opened.transpose().map_err(of_model)?;
        let known = model.as_ref().map(|model| model.fact("network"));
        let method = M::new(&config, known, board, context)?;
        let (game, network) = (context.game_spec.to_owned(), method.network().text.clone());
        let identity = Identity { kind: M::KIND, game, network };
        model.iter().try_for_each(|model| model.check(&identity)).map_err(of_model)?;
        let training = Training::new(&method, model.as_ref()).map_err(of_model)?;
        let spec = Spec::resolved(M::NAME, &config);
        Ok(Self {
            method,
            identity,
            spec: spec.map_err(|error| BuildError::new(error.message))?.to_string(),
            playing: RwLock::new(Arc::new(training.playing.clone())),
            training: TrainingCell::new(training),
            plays_only: model.is_some(),
        })
    }
}

impl<M: Method> LearnerPlugin for NeuralLearner<M> {}
