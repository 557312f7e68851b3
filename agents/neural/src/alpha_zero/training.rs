//! Training cycles: games by search, steps of the optimizer, and the gate that a new network
//! has to pass.

use super::config::{AlphaZeroConfig, REPLAY};
use super::estimator::{Estimator, Weights};
use super::learning::Losses;
use super::replay::Replay;
use super::self_play::Simulators;
use crate::{PositionNetwork, Training, median};
use runner_board::SymmetryGroup;
use runner_core::{Game, Host, Playout, Random, Seed, TrainingSession};
use runner_learning::Run;
use std::sync::Arc;

/// Games with random moves whose mean score is the average of an untrained network.
const RANDOM_GAMES: usize = 256;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// The best network plays.
    #[default]
    SelfPlay,
    /// A new network is trained.
    Learning { left: usize },
    /// The new network plays.
    Gate,
}

#[derive(Default)]
pub struct Cycles {
    pub new: Weights,
    pub phase: Phase,
    /// Scores of the games that the network that plays has played last, at most those of a cycle.
    pub best_scores: Vec<f64>,
    /// Scores of the games that the new network has played at the gate. A model does not hold them.
    pub new_scores: Vec<f64>,
    pub count: u64,
    /// Number of networks that passed the gate.
    pub accepted: u64,
    pub replay: Replay,
    pub(crate) simulators: Simulators,
    pub(crate) losses: Losses,
}

/// Learning from the visits of a tree search.
pub struct SelfPlay {
    pub(crate) network: Arc<PositionNetwork>,
    pub(crate) symmetries: SymmetryGroup,
    pub(crate) config: AlphaZeroConfig,
    pub(crate) host: Arc<dyn Host>,
}

impl SelfPlay {
    /// Makes a move in every game. Returns true if enough games have ended.
    pub(super) fn play<G: Game>(
        &self,
        game: &G,
        training: &mut Training<Self>,
        run: &Run<'_>,
        at_gate: bool,
    ) -> bool {
        let Cycles { new, best_scores, new_scores, replay, simulators, .. } = &mut training.state;
        let scores = if at_gate { new_scores } else { best_scores };
        let weights = Arc::new(if at_gate { new.clone() } else { training.playing.clone() });
        let estimator = Estimator { network: self.network.clone(), weights };
        let search = self.config.search(estimator.weights.average, estimator.actions(), 1);
        // Exactly as many games as a cycle has: those that end first are the short ones.
        let left = self.config.games.saturating_sub(scores.len());
        simulators.fill(game, &self.config, &search, left, run);
        let host = run.session().host;
        let (finished, moves) = simulators.advance(game, &estimator, &search, host);
        run.add_moves(moves);
        for game_over in finished {
            run.add_game(game_over.score, game.max_tile(game_over.last));
            scores.push(game_over.score);
            replay.add(game_over.samples, REPLAY);
        }
        scores.len() >= self.config.games
    }

    /// Begins to train the new network, whose values are ratios to the mean of the best scores.
    pub(super) fn begin_learning(&self, cycles: &mut Cycles) {
        cycles.new.average = average(cycles.best_scores.iter());
        cycles.phase = Phase::Learning { left: self.config.steps() };
    }

    pub(super) fn pass_gate(&self, training: &mut Training<Self>, publish: &dyn Fn(&Weights)) {
        let new_scores = std::mem::take(&mut training.state.new_scores);
        let cycles = &mut training.state;
        cycles.count += 1;
        if median(&new_scores) > median(&cycles.best_scores) {
            cycles.accepted += 1;
            // Its games are those that the next network learns from.
            cycles.best_scores = new_scores;
            training.playing = cycles.new.clone();
            publish(&training.playing);
            self.begin_learning(cycles);
        } else {
            cycles.best_scores.clear();
            cycles.phase = Phase::SelfPlay;
        }
    }
}

/// Returns the mean score of random games: the average of a network that knows nothing.
pub(super) fn random_average<G: Game>(game: &G, session: &TrainingSession<'_>) -> f64 {
    let mut random = Random::stream(Seed(!session.seed.0), u64::MAX);
    let starts: Vec<_> = (0..RANDOM_GAMES).map(|_| game.start(random.word())).collect();
    let mut results = vec![Playout::default(); RANDOM_GAMES];
    game.playouts(&starts, random.word(), &mut results);
    average(results.iter().map(|result| &result.score))
}

/// Returns the mean score that values are ratios to: 1 point if games score nothing.
fn average<'a>(scores: impl ExactSizeIterator<Item = &'a f64>) -> f64 {
    let count = scores.len() as f64;
    let mean = scores.sum::<f64>() / count;
    if mean > 0.0 { mean } else { 1.0 }
}
