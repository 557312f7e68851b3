//! Epochs: a batch of games, and steps of the optimizer over the last batches.

use crate::config::Options;
use crate::games::{PlayedGame, play};
use crate::policy::Policy;
use crate::weighting::{Judgement, MoveWeight, judge, softmax, target, weighted_l1};
use agent_neural::gradient::{GradientSum, Part};
use agent_neural::history::{Clock, History};
use agent_neural::{Adam, Parameters};
use runner_core::{Action, Fault, Game, Host, State, TrainingSession};
use std::collections::VecDeque;
use std::ops::Range;

/// Everything that training changes.
#[derive(Debug, Default)]
pub struct TrainingState {
    /// The parameters of the network.
    pub parameters: Parameters,
    /// The optimizer.
    pub adam: Option<Adam>,
    /// The last batches, oldest first.
    pub batches: VecDeque<Vec<PlayedGame>>,
    /// Progress.
    pub history: History,
    /// Buffers.
    sum: GradientSum,
}

/// A move with its weight in the loss.
struct Sample {
    state: State,
    action: Action,
    is_good: bool,
    weight: f32,
}

impl TrainingState {
    /// Creates the state of a training that continues from `history`.
    pub fn new(
        parameters: Parameters,
        adam: Adam,
        batches: VecDeque<Vec<PlayedGame>>,
        history: History,
    ) -> Self {
        Self { parameters, adam: Some(adam), batches, history, sum: GradientSum::default() }
    }

    /// Trains for the session's budget. `publish` receives the parameters after each epoch.
    pub fn train<G: Game>(
        &mut self,
        game: &G,
        policy: &Policy,
        options: &Options,
        session: &TrainingSession<'_>,
        publish: &dyn Fn(&Parameters),
    ) -> Result<(), Fault> {
        self.history.seed = session.seed.0;
        let mut clock = Clock::new(session, &self.history);
        while !clock.update(&mut self.history) {
            self.epoch(game, policy, options, session)?;
            publish(&self.parameters);
        }
        Ok(())
    }

    /// Plays a batch and trains with the last batches.
    fn epoch<G: Game>(
        &mut self,
        game: &G,
        policy: &Policy,
        options: &Options,
        session: &TrainingSession<'_>,
    ) -> Result<(), Fault> {
        let factor = if options.random_games { 2 } else { 1 };
        let first = self.history.next_game;
        let numbers = first..first + (factor * options.batch_size) as u64;
        self.history.next_game = numbers.end;
        let games = play(game, policy, &self.parameters, options, session, numbers);
        let tiles = &game.description().tiles;
        let own = &games[..options.batch_size.min(games.len())];
        self.history.moves += games.iter().map(|game| game.moves.len() as u64).sum::<u64>();
        self.history.episodes += games.len() as u64;
        // Random games are not those of the network: they are not in its mean.
        for PlayedGame { result, .. } in own {
            self.history.recent.add(result.score, result.max as u64, tiles);
        }
        let mean = own.iter().map(|game| game.result.score).sum::<f64>() / own.len() as f64;
        self.batches.push_back(games);
        while self.batches.len() > options.forget_interval {
            self.batches.pop_front();
        }
        let samples = samples(&self.batches, policy, options);
        let mut loss = 0.0;
        for first in 0..options.steps {
            loss += self.step(policy, options, session.host, &samples, first)?;
        }
        loss /= options.steps as f64;
        self.history.series = vec![("batch mean".into(), mean), ("loss".into(), loss)];
        Ok(())
    }

    /// Makes a step of the optimizer over the samples `first`, `first + steps` and so on.
    /// Returns their mean loss.
    fn step(
        &mut self,
        policy: &Policy,
        options: &Options,
        host: &dyn Host,
        samples: &[Sample],
        first: usize,
    ) -> Result<f64, Fault> {
        let place = |k: usize| first + k * options.steps;
        let count = samples.len().saturating_sub(first).div_ceil(options.steps);
        if count == 0 {
            return Ok(0.0);
        }
        let (parameters, network) = (&self.parameters, &policy.network);
        let actions = policy.actions();
        let scale = 1.0 / count as f32;
        let task = |range: Range<usize>, part: &mut Part| {
            let Part { activations, gradient, losses, rows, numbers, errors } = part;
            let states = range.clone().map(|k| samples[place(k)].state);
            let input = policy.encode(states, rows, numbers);
            errors.clear();
            errors.extend_from_slice(network.forward(parameters, input, activations));
            let (mut given, mut wanted) = (vec![0.0; actions], vec![0.0; actions]);
            for (k, row) in range.zip(errors.chunks_exact_mut(actions)) {
                let sample = &samples[place(k)];
                given.copy_from_slice(row);
                softmax(&mut given);
                target(sample.action.index(), sample.is_good, &mut wanted);
                losses[0] += weighted_l1(&given, &wanted, scale * sample.weight, row);
            }
            network.backward(parameters, input, errors, activations, gradient);
        };
        let (gradient, [loss, _]) = self.sum.compute(host, network, count, &task);
        if !loss.is_finite() || gradient.iter().any(|x| !x.is_finite()) {
            return Err(Fault::new(
                "the training has diverged: its loss is no finite number; a smaller `lr` may help",
            ));
        }
        let adam = self.adam.get_or_insert_with(|| Adam::new(network.parameters()));
        adam.step(&mut self.parameters, &gradient, options.lr, 0.0);
        Ok(loss)
    }
}

/// Returns the moves of all games that have a weight.
fn samples(batches: &VecDeque<Vec<PlayedGame>>, policy: &Policy, options: &Options) -> Vec<Sample> {
    let games: Vec<&PlayedGame> = batches.iter().flatten().collect();
    let measure = |game: &&PlayedGame| options.game_weight.measure(&game.result);
    let judgements = judge(&games.iter().map(measure).collect::<Vec<_>>());
    let mut samples = Vec::new();
    for (game, Judgement { is_good, weight }) in games.into_iter().zip(judgements) {
        if weight == 0.0 {
            continue;
        }
        for (number, &(state, action)) in (1..).zip(&game.moves) {
            let occupied = match options.move_weight {
                MoveWeight::Nonzero => occupied(policy, state),
                _ => 0.0,
            };
            let k = options.move_weight.weight(number, game.moves.len(), occupied);
            samples.push(Sample { state, action, is_good, weight: (weight * k) as f32 });
        }
    }
    samples
}

/// Returns the share of cells that are occupied.
fn occupied(policy: &Policy, state: State) -> f64 {
    let board = policy.board();
    let cells = board.cells();
    let occupied = (0..cells).filter(|&cell| board.rank(state.bits(), cell) > 0).count();
    occupied as f64 / cells as f64
}
