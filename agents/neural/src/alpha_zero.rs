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
//! This file makes a learner of its parts; [`NeuralLearner`] has the rest of it.

mod config;
mod estimator;
mod file;
mod learning;
mod replay;
mod self_play;
mod training;

pub use config::{AlphaZeroConfig, Unit, Unvisited};
pub use training::SelfPlay;

use crate::file::NeuralModel;
use crate::learner::Saved;
use crate::{Method, NeuralLearner, Parameters, PositionNetwork, Training};
use agent_mcts::Mcts;
use config::Size;
use estimator::{Estimator, Weights, network};
use runner_board::SymmetryGroup;
use runner_core::geometry::Geometry;
use runner_core::{
    BuildContext, BuildError, Fault, Game, Plugin, Preset, State, Successors, Turn, Value,
    ValueScale,
};
use runner_learning::{Run, over_at_start};
use std::sync::Arc;
use training::{Cycles, Phase, random_average};

pub type AlphaZero = NeuralLearner<SelfPlay>;

/// Leaves that the search of a move evaluates together.
const LEAVES: usize = 8;

impl SelfPlay {
    fn estimator(&self, weights: &Arc<Weights>) -> Estimator {
        Estimator { network: self.network.clone(), weights: weights.clone() }
    }
}

impl Method for SelfPlay {
    const KIND: &'static str = "policy-and-value network";
    const INITIAL: u64 = 0x7a65_726f;

    type Weights = Weights;
    type State = Cycles;

    fn new(
        config: &AlphaZeroConfig,
        known: Option<&str>,
        board: &Geometry,
        context: &BuildContext<'_>,
    ) -> Result<Self, BuildError> {
        let size = config.size(known.and_then(Size::read));
        let network = Arc::new(network(size, board, context.game.actions.len()));
        let (config, host) = (config.clone(), context.host.clone());
        Ok(Self { network, symmetries: SymmetryGroup::new(board), config, host })
    }

    fn model(config: &AlphaZeroConfig) -> Option<&str> {
        config.model.as_deref()
    }

    fn network(&self) -> &PositionNetwork {
        &self.network
    }

    fn state(
        &self,
        parameters: Parameters,
        model: Option<&NeuralModel>,
    ) -> Result<(Weights, Cycles), Fault> {
        let average = model.map_or(Ok(0.0), |model| model.finite("average"))?;
        let weights = Weights { parameters, average };
        let cycles = match model {
            Some(model) => file::read(model, &self.network, self.config.steps())?,
            None => Cycles { new: weights.clone(), ..Cycles::default() },
        };
        Ok((weights, cycles))
    }

    fn saved(&self, training: &Training<Self>) -> Saved {
        file::write(&training.playing, &training.state)
    }

    fn train<G: Game>(
        &self,
        game: &G,
        training: &mut Training<Self>,
        run: &Run<'_>,
        publish: &dyn Fn(&Weights),
    ) -> Result<(), Fault> {
        if training.playing.average <= 0.0 {
            training.playing.average = random_average(game, run.session());
            training.state.new.average = training.playing.average;
            publish(&training.playing);
        }
        while !run.is_stopped() {
            match training.state.phase {
                Phase::SelfPlay => {
                    if self.play(game, training, run, false) {
                        if training.state.replay.len() == 0 {
                            let start = run.begin(game, 0).state;
                            return Err(over_at_start(game, start, self.config.games as u64));
                        }
                        self.begin_learning(&mut training.state);
                    }
                }
                Phase::Learning { left } => {
                    self.learn(training, run.session())?;
                    training.state.phase =
                        if left > 1 { Phase::Learning { left: left - 1 } } else { Phase::Gate };
                }
                Phase::Gate => {
                    if self.play(game, training, run, true) {
                        self.pass_gate(training, publish);
                    }
                }
            }
            let Cycles { count, accepted, losses, .. } = &training.state;
            run.set_series([
                ("cycles", *count as f64),
                ("accepted", *accepted as f64),
                ("average", training.playing.average),
                ("policy loss", losses.policy),
                ("value loss", losses.value),
            ]);
            run.update();
        }
        Ok(())
    }

    /// Writes the share of visits of each action in a search.
    fn action_values(
        &self,
        weights: &Arc<Weights>,
        game: &dyn Game,
        state: State,
        successors: &Successors,
        values: &mut [f32],
    ) {
        let estimator = self.estimator(weights);
        let options = self.config.search(weights.average, estimator.actions(), LEAVES);
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

    fn evaluate_states(
        &self,
        weights: &Arc<Weights>,
        game: &dyn Game,
        states: &[State],
        priors: &mut [f32],
        values: &mut [f32],
    ) {
        self.estimator(weights).evaluate_states(game, states, priors, values);
    }

    fn scale() -> ValueScale {
        ValueScale::Points
    }
}

impl Plugin for SelfPlay {
    const NAME: &'static str = "alpha-zero";
    const ABOUT: &'static str = "a policy-and-value network that learns from its own tree search";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = AlphaZeroConfig;

    fn presets() -> Vec<Preset> {
        vec![
            Preset::new("paper-50", include_str!("alpha_zero/presets/paper-50.ron")),
            Preset::new("paper-100", include_str!("alpha_zero/presets/paper-100.ron")),
            Preset::new("paper-1600", include_str!("alpha_zero/presets/paper-1600.ron")),
        ]
    }
}
