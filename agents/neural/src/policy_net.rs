//! `policy-net`: a network that maps a board to probabilities of the moves, and learns from
//! whole games, as in "Playing 2048 with AI, part 2: a reinforcement learning approach".
//!
//! An epoch plays `batch_size` games with moves drawn from the probabilities Ŷ, and then trains
//! with the games of the last `forget_interval` epochs. A game above their median is good, and
//! the target Y of its moves is the move that was made; any other game is bad, and the target is
//! the three other moves in equal parts. The loss is the mean of j k |Ŷ - Y|, with a weight j of
//! the game and a weight k of the move.
//!
//! This file makes a learner of its parts; [`NeuralLearner`] has the rest of it.

mod config;
mod file;
mod games;
mod training;
pub mod weighting;

pub use config::{Activation, Encoding, PolicyNetConfig};
pub use training::WholeGames;

use crate::file::NeuralModel;
use crate::learner::Saved;
use crate::{Buffers, Method, NeuralLearner, Parameters, PositionNetwork, Training};
use config::Shape;
use games::{Batches, probabilities, restrict};
use runner_core::geometry::Geometry;
use runner_core::{
    BuildContext, BuildError, Fault, Game, Plugin, Preset, State, Successors, ValueScale,
};
use runner_learning::Run;
use std::sync::Arc;

pub type PolicyNet = NeuralLearner<WholeGames>;

impl Method for WholeGames {
    const KIND: &'static str = "policy network";
    const INITIAL: u64 = 0x706f_6c69_6379;

    type Weights = Parameters;
    type State = Batches;

    fn new(
        config: &PolicyNetConfig,
        known: Option<&str>,
        board: &Geometry,
        context: &BuildContext<'_>,
    ) -> Result<Self, BuildError> {
        let shape = config.shape(known.and_then(Shape::read));
        let network = shape.network(board, context.game.actions.len());
        Ok(Self { network, config: config.clone() })
    }

    fn model(config: &PolicyNetConfig) -> Option<&str> {
        config.model.as_deref()
    }

    fn network(&self) -> &PositionNetwork {
        &self.network
    }

    fn state(
        &self,
        parameters: Parameters,
        model: Option<&NeuralModel>,
    ) -> Result<(Parameters, Batches), Fault> {
        let batches = match model {
            Some(model) => file::read(model, self.network.network.outputs())?,
            None => Batches::new(),
        };
        Ok((parameters, batches))
    }

    fn saved(&self, training: &Training<Self>) -> Saved {
        (Vec::new(), vec![(file::BATCHES, file::write(&training.state))])
    }

    fn train<G: Game>(
        &self,
        game: &G,
        training: &mut Training<Self>,
        run: &Run<'_>,
        publish: &dyn Fn(&Parameters),
    ) -> Result<(), Fault> {
        while !run.is_stopped() {
            self.epoch(game, training, run)?;
            publish(&training.playing);
            run.update();
        }
        Ok(())
    }

    fn action_values(
        &self,
        weights: &Arc<Parameters>,
        game: &dyn Game,
        state: State,
        successors: &Successors,
        values: &mut [f32],
    ) {
        let mut row = vec![0.0; self.network.network.outputs()];
        self.evaluate_states(weights, game, &[state], &mut row, &mut [0.0]);
        for (value, successor) in values.iter_mut().zip(successors.iter()) {
            *value = row[successor.action.index()];
        }
    }

    /// Writes the probabilities of the legal actions of each position, and no values.
    fn evaluate_states(
        &self,
        weights: &Arc<Parameters>,
        game: &dyn Game,
        states: &[State],
        priors: &mut [f32],
        values: &mut [f32],
    ) {
        values.fill(0.0);
        let mut buffers = Buffers::default();
        probabilities(&self.network, weights, states.iter().copied(), &mut buffers, priors);
        let mut successors = Successors::new();
        let rows = priors.chunks_exact_mut(self.network.network.outputs());
        for (state, row) in states.iter().zip(rows) {
            game.successors(*state, &mut successors);
            restrict(row, &successors);
        }
    }

    fn scale() -> ValueScale {
        ValueScale::Rating { min: 0.0, max: 1.0 }
    }
}

impl Plugin for WholeGames {
    const NAME: &'static str = "policy-net";
    const ABOUT: &'static str = "a policy network that learns from good and bad games";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = PolicyNetConfig;

    fn presets() -> Vec<Preset> {
        vec![Preset::new("document", include_str!("policy_net/presets/document.ron"))]
    }
}
