//! Training cycles: games by search, steps of the optimizer, and the gate that a new network
//! has to pass.

use crate::config::Options;
use crate::estimator::{Architecture, Estimator, Weights};
use crate::learning::{Losses, Optimizer};
use crate::replay::Replay;
use crate::self_play::Simulators;
use agent_neural::history::{Clock, History};
use runner_core::{Fault, Game, Playout, Random, Seed, TrainingSession};
use std::sync::Arc;

/// Games with random moves whose mean score is the average of an untrained network.
const RANDOM_GAMES: usize = 256;

/// The phase of a training.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// The best network plays.
    #[default]
    SelfPlay,
    /// A new network is trained.
    Learning {
        /// Steps of the optimizer that are left.
        left: usize,
    },
    /// The new network plays.
    Gate,
}

/// Everything that training changes, unfinished games aside.
#[derive(Debug)]
pub struct Progress {
    /// The network that plays.
    pub best: Weights,
    /// The network that learns.
    pub new: Weights,
    /// The current phase.
    pub phase: Phase,
    /// Scores of the games that the best network has played last, at most those of a cycle.
    pub best_scores: Vec<f64>,
    /// Scores of the games that the new network has played at the gate.
    pub new_scores: Vec<f64>,
    /// Number of cycles, and of those whose network passed the gate.
    pub cycles: u64,
    /// Number of networks that passed the gate.
    pub accepted: u64,
    /// The positions of recent games.
    pub replay: Replay,
    /// Counters.
    pub history: History,
}

/// A training with its games in progress.
pub struct Training {
    /// The contents of a checkpoint.
    pub progress: Progress,
    /// The optimizer of the new network.
    pub optimizer: Optimizer,
    simulators: Simulators,
    losses: Losses,
}

impl Training {
    /// Continues a training.
    pub fn new(progress: Progress, optimizer: Optimizer) -> Self {
        Self { progress, optimizer, simulators: Simulators::default(), losses: Losses::default() }
    }

    /// Trains for the session's budget. `publish` receives each new best network.
    pub fn train<G: Game>(
        &mut self,
        game: &G,
        architecture: &Arc<Architecture>,
        options: &Options,
        session: &TrainingSession<'_>,
        publish: &dyn Fn(&Weights),
    ) -> Result<(), Fault> {
        self.progress.history.seed = session.seed.0;
        if self.progress.best.average <= 0.0 {
            let average = random_average(game, session);
            self.progress.best.average = average;
            self.progress.new.average = average;
            publish(&self.progress.best);
        }
        let mut clock = Clock::new(session, &self.progress.history);
        while !clock.update(&mut self.progress.history) {
            match self.progress.phase {
                Phase::SelfPlay => {
                    if self.play(game, architecture, options, session, false) {
                        let scores = &self.progress.best_scores;
                        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
                        self.progress.new.average = mean.max(f64::MIN_POSITIVE);
                        self.progress.phase = Phase::Learning { left: options.steps };
                    }
                }
                Phase::Learning { left } => {
                    self.learn(architecture, options, session)?;
                    self.progress.phase = match (left - 1, options.gate) {
                        (0, true) => Phase::Gate,
                        (0, false) => {
                            self.accept(Vec::new(), publish);
                            Phase::SelfPlay
                        }
                        (left, _) => Phase::Learning { left },
                    };
                }
                Phase::Gate => {
                    if self.play(game, architecture, options, session, true) {
                        self.pass_gate(options, publish);
                    }
                }
            }
            self.report();
        }
        Ok(())
    }

    /// Makes a move in every game. Returns true if enough games have ended.
    fn play<G: Game>(
        &mut self,
        game: &G,
        architecture: &Arc<Architecture>,
        options: &Options,
        session: &TrainingSession<'_>,
        at_gate: bool,
    ) -> bool {
        let Self { progress, simulators, .. } = self;
        let Progress { best, new, history, replay, best_scores, new_scores, .. } = progress;
        let scores = if at_gate { new_scores } else { best_scores };
        let weights = Arc::new(if at_gate { new.clone() } else { best.clone() });
        let estimator = Estimator { architecture: architecture.clone(), weights };
        let search = options.search(estimator.weights.average, architecture.actions, 1);
        let tiles = &game.description().tiles;
        // Exactly as many games as a cycle has: those that end first are the short ones.
        let left = options.games.saturating_sub(scores.len());
        simulators.fill(game, options, left, || {
            history.next_game += 1;
            session.random(history.next_game - 1)
        });
        let (finished, moves) = simulators.advance(game, &estimator, &search, session.host);
        history.moves += moves;
        for game_over in finished {
            history.episodes += 1;
            history.recent.add(game_over.score, game.max_tile(game_over.last).unwrap_or(0), tiles);
            scores.push(game_over.score);
            replay.add(game_over.samples, options.replay);
        }
        scores.len() >= options.games
    }

    /// Makes a step of the optimizer.
    fn learn(
        &mut self,
        architecture: &Architecture,
        options: &Options,
        session: &TrainingSession<'_>,
    ) -> Result<(), Fault> {
        let Self { progress, optimizer, losses, .. } = self;
        let Progress { new, replay, .. } = progress;
        // A stream that no game draws from.
        let mut random = Random::stream(Seed(!session.seed.0), optimizer.adam.steps);
        *losses = optimizer.step(architecture, new, replay, options, &mut random, session.host)?;
        Ok(())
    }

    /// Compares the new network with the best one.
    fn pass_gate(&mut self, options: &Options, publish: &dyn Fn(&Weights)) {
        let progress = &mut self.progress;
        let new_scores = std::mem::take(&mut progress.new_scores);
        if median(&new_scores) > median(&progress.best_scores) {
            self.accept(new_scores, publish);
            // Its games are those that the next network learns from.
            let scores = &self.progress.best_scores;
            let mean = scores.iter().sum::<f64>() / scores.len() as f64;
            self.progress.new.average = mean.max(f64::MIN_POSITIVE);
            self.progress.phase = Phase::Learning { left: options.steps };
        } else {
            progress.cycles += 1;
            progress.best_scores.clear();
            progress.phase = Phase::SelfPlay;
        }
    }

    /// Makes the new network the best one.
    fn accept(&mut self, scores: Vec<f64>, publish: &dyn Fn(&Weights)) {
        let progress = &mut self.progress;
        progress.cycles += 1;
        progress.accepted += 1;
        progress.best = progress.new.clone();
        progress.best_scores = scores;
        publish(&progress.best);
    }

    /// Writes the series of the progress.
    fn report(&mut self) {
        let Self { progress, losses, .. } = self;
        let series = [
            ("cycles", progress.cycles as f64),
            ("accepted", progress.accepted as f64),
            ("average", progress.best.average),
            ("policy loss", losses.policy),
            ("value loss", losses.value),
        ];
        let series = series.into_iter().map(|(name, figure)| (name.to_owned(), figure));
        progress.history.series = series.collect();
    }
}

/// Returns the mean score of random games: the average of a network that knows nothing.
fn random_average<G: Game>(game: &G, session: &TrainingSession<'_>) -> f64 {
    let mut random = Random::stream(Seed(!session.seed.0), u64::MAX);
    let starts: Vec<_> = (0..RANDOM_GAMES).map(|_| game.start(random.word())).collect();
    let mut results = vec![Playout::default(); RANDOM_GAMES];
    game.playouts(&starts, random.word(), &mut results);
    let mean = results.iter().map(|result| result.score).sum::<f64>() / RANDOM_GAMES as f64;
    mean.max(f64::MIN_POSITIVE)
}

/// Returns the median, 0 of no scores.
fn median(scores: &[f64]) -> f64 {
    let mut sorted = scores.to_vec();
    sorted.sort_by(f64::total_cmp);
    match (sorted.len() / 2, sorted.len() % 2) {
        (0, 0) => 0.0,
        (middle, 0) => (sorted[middle - 1] + sorted[middle]) / 2.0,
        (middle, _) => sorted[middle],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_lie_between_equally_many_scores() {
        assert_eq!(median(&[]), 0.0);
        assert_eq!(median(&[3.0, 1.0, 8.0]), 3.0);
        assert_eq!(median(&[3.0, 1.0, 8.0, 5.0]), 4.0);
    }
}
