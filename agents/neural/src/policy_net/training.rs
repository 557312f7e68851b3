//! Epochs: a batch of games, and steps of the optimizer over the last batches.

use super::config::PolicyNetConfig;
use super::games::{Batches, PlayedGame, play};
use super::weighting::{Judgement, judge, target, weighted_l1};
use crate::{PositionNetwork, Step, Training, softmax};
use runner_core::geometry::Geometry;
use runner_core::{Action, Fault, Game, Host, MAX_ACTIONS, State};
use runner_learning::{Run, over_at_start};

/// Learning from good and bad games.
pub struct WholeGames {
    pub(crate) network: PositionNetwork,
    pub(crate) config: PolicyNetConfig,
}

/// A move with its weight in the loss.
struct Sample {
    state: State,
    action: Action,
    is_good: bool,
    weight: f32,
}

impl WholeGames {
    /// Plays a batch and trains with the last batches.
    pub(crate) fn epoch<G: Game>(
        &self,
        game: &G,
        training: &mut Training<Self>,
        run: &Run<'_>,
    ) -> Result<(), Fault> {
        let config = &self.config;
        let factor = if config.random_games { 2 } else { 1 };
        let numbers = run.claim_games((factor * config.batch_size) as u64);
        let games = play(game, &self.network, &training.playing, config, run, numbers);
        let moves: usize = games.iter().map(|game| game.moves.len()).sum();
        if moves == 0 {
            return Err(over_at_start(game, run.begin(game, 0).state, games.len() as u64));
        }
        run.add_moves(moves as u64);
        // Random games are not those of the network: they are not in its mean.
        let (own, random) = games.split_at(config.batch_size.min(games.len()));
        for PlayedGame { result, .. } in own {
            run.add_game(result.score, Some(result.max as u64));
        }
        random.iter().for_each(|_| run.add_game_without_score());
        let mean = own.iter().map(|game| game.result.score).sum::<f64>() / own.len() as f64;
        training.state.push_back(games);
        while training.state.len() > config.forget_interval {
            training.state.pop_front();
        }
        let samples = samples(&training.state, self.network.board(), config);
        let mut loss = 0.0;
        for first in 0..config.steps {
            loss += self.step(training, run.session().host, &samples, first)?;
        }
        loss /= config.steps as f64;
        run.set_series([("batch mean", mean), ("loss", loss)]);
        Ok(())
    }

    /// Makes a step of the optimizer over the samples `first`, `first + steps` and so on.
    /// Returns their mean loss.
    fn step(
        &self,
        training: &mut Training<Self>,
        host: &dyn Host,
        samples: &[Sample],
        first: usize,
    ) -> Result<f64, Fault> {
        let PolicyNetConfig { steps, lr, .. } = self.config;
        let sample = |k: usize| &samples[first + k * steps];
        let count = samples.len().saturating_sub(first).div_ceil(steps);
        let scale = 1.0 / count as f32;
        let state = |k: usize| sample(k).state;
        let loss = |k: usize, row: &mut [f32]| {
            let Sample { action, is_good, weight, .. } = *sample(k);
            let (mut given, mut wanted) = ([0.0; MAX_ACTIONS], [0.0; MAX_ACTIONS]);
            let (given, wanted) = (&mut given[..row.len()], &mut wanted[..row.len()]);
            given.copy_from_slice(row);
            softmax(given);
            target(action.index(), is_good, wanted);
            [weighted_l1(given, wanted, scale * weight, row), 0.0]
        };
        let (state, loss) = (&state, &loss);
        let step = Step { samples: count, state, loss, rate: lr, parameter: "lr", decay: 0.0 };
        let Training { optimizer, playing, .. } = training;
        let [loss, _] = optimizer.step(&self.network, playing, step, host)?;
        Ok(loss)
    }
}

fn samples(batches: &Batches, board: &Geometry, config: &PolicyNetConfig) -> Vec<Sample> {
    let games: Vec<&PlayedGame> = batches.iter().flatten().collect();
    let measure = |game: &&PlayedGame| config.game_penalty_type.measure(&game.result);
    let judgements = judge(&games.iter().map(measure).collect::<Vec<_>>());
    let mut samples = Vec::new();
    for (game, Judgement { is_good, weight }) in games.into_iter().zip(judgements) {
        if weight == 0.0 {
            continue;
        }
        for (number, &(state, action)) in (1..).zip(&game.moves) {
            let occupied = || occupied(board, state);
            let k = config
                .move_penalty_type
                .map_or(1.0, |kind| kind.weight(number, game.moves.len(), occupied));
            samples.push(Sample { state, action, is_good, weight: (weight * k) as f32 });
        }
    }
    samples
}

fn occupied(board: &Geometry, state: State) -> f64 {
    let cells = board.cells();
    let occupied = (0..cells).filter(|&cell| board.rank(state.bits(), cell) > 0).count();
    occupied as f64 / cells as f64
}
