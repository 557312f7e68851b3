//! The games of a batch, with moves drawn from the network's probabilities.

use super::config::PolicyNetConfig;
use super::weighting::GameResult;
use crate::{Buffers, PositionNetwork, softmax};
use runner_core::{Action, Game, GameInProgress, State, Successors, locked, unpoisoned};
use runner_learning::Run;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Mutex;

/// Games that a task plays at the same time.
const AT_ONCE: usize = 64;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayedGame {
    /// The positions, and the action that was taken in each.
    pub moves: Vec<(State, Action)>,
    pub result: GameResult,
}

/// The games of the last batches, oldest first.
pub type Batches = VecDeque<Vec<PlayedGame>>;

struct SampledGame {
    playing: GameInProgress,
    moves: Vec<(State, Action)>,
    /// True if all moves are random.
    is_random: bool,
}

/// Plays the games with these numbers. The second half is random if the configuration says so.
pub fn play<G: Game>(
    game: &G,
    network: &PositionNetwork,
    parameters: &[f32],
    config: &PolicyNetConfig,
    run: &Run<'_>,
    numbers: Range<u64>,
) -> Vec<PlayedGame> {
    let first_random =
        if config.random_games { numbers.start + config.batch_size as u64 } else { u64::MAX };
    let count = (numbers.end - numbers.start) as usize;
    let tasks = count.div_ceil(AT_ONCE);
    let played: Vec<Mutex<Vec<PlayedGame>>> = (0..tasks).map(|_| Mutex::default()).collect();
    run.session().host.for_each(tasks, &|task| {
        let first = numbers.start + (task * AT_ONCE) as u64;
        let mut games = Vec::new();
        for number in first..numbers.end.min(first + AT_ONCE as u64) {
            let (playing, moves) = (run.begin(game, number), Vec::new());
            games.push(SampledGame { playing, moves, is_random: number >= first_random });
        }
        play_together(game, network, parameters, config, &mut games);
        *locked(&played[task]) =
            games.into_iter().map(|sampled| sampled.end(game, network)).collect();
    });
    played.into_iter().flat_map(|games| unpoisoned(games.into_inner())).collect()
}

/// Plays games to their ends. The network evaluates the positions of all of them together.
fn play_together<G: Game>(
    game: &G,
    network: &PositionNetwork,
    parameters: &[f32],
    config: &PolicyNetConfig,
    games: &mut [SampledGame],
) {
    let (mut buffers, mut rows) = (Buffers::default(), Vec::new());
    let actions = network.network.outputs();
    let max_moves = config.max_moves.map_or(u64::MAX, u64::from);
    let mut active: Vec<&mut SampledGame> = games.iter_mut().collect();
    loop {
        active.retain_mut(|SampledGame { playing, .. }| {
            playing.list_actions(game) && playing.moves < max_moves
        });
        if active.is_empty() {
            return;
        }
        let states = active.iter().map(|sampled| sampled.playing.state);
        rows.resize(active.len() * actions, 0.0);
        probabilities(network, parameters, states, &mut buffers, &mut rows);
        for (sampled, row) in active.iter_mut().zip(rows.chunks_exact_mut(actions)) {
            let SampledGame { playing, moves, is_random } = &mut **sampled;
            let GameInProgress { random, successors: legal, .. } = playing;
            let is_random = *is_random || random.unit() < config.random_frac.unwrap_or(0.0);
            let place = if is_random {
                random.below(legal.len() as u32) as usize
            } else {
                restrict(row, legal);
                draw(legal.iter().map(|s| row[s.action.index()]), random.unit())
            };
            let chosen = legal[place];
            moves.push((playing.state, chosen.action));
            playing.apply(game, chosen);
        }
    }
}

impl SampledGame {
    fn end<G: Game>(self, game: &G, network: &PositionNetwork) -> PlayedGame {
        let GameInProgress { state, score, .. } = self.playing;
        let board = network.board();
        let value = |cell| board.values.get(usize::from(board.rank(state.bits(), cell)));
        let tile_sum = (0..board.cells()).filter_map(value).sum::<u64>() as f64;
        let max = game.max_tile(state).unwrap_or(0) as f64;
        PlayedGame { moves: self.moves, result: GameResult { score, max, tile_sum } }
    }
}

/// Writes the probabilities of all actions of each position, legal or not.
pub fn probabilities(
    network: &PositionNetwork,
    parameters: &[f32],
    states: impl Iterator<Item = State>,
    buffers: &mut Buffers,
    out: &mut [f32],
) {
    let outputs = network.outputs(parameters, states, buffers);
    for (row, outputs) in out.chunks_exact_mut(network.network.outputs()).zip(outputs) {
        row.copy_from_slice(outputs);
        softmax(row);
    }
}

/// Replaces the probabilities of all actions by those of the legal ones, which sum to 1; the
/// others become 0. If all legal ones are 0 they become equal.
pub fn restrict(probabilities: &mut [f32], successors: &Successors) {
    let legal = |action: usize| successors.iter().any(|s| s.action.index() == action);
    let mut sum = 0.0;
    for (action, p) in probabilities.iter_mut().enumerate() {
        *p = if legal(action) { *p } else { 0.0 };
        sum += *p;
    }
    for successor in successors.iter() {
        let p = &mut probabilities[successor.action.index()];
        *p = if sum > 0.0 { *p / sum } else { 1.0 / successors.len() as f32 };
    }
}

/// Returns the place that a uniform number in [0, 1) selects from probabilities.
fn draw(probabilities: impl Iterator<Item = f32>, unit: f64) -> usize {
    let (mut left, mut last) = (unit, 0);
    for (place, p) in probabilities.enumerate() {
        left -= f64::from(p);
        last = place;
        if left < 0.0 {
            break;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_core::Random;

    #[test]
    fn places_are_drawn_with_their_probabilities() {
        let mut random = Random::from_word(1);
        let mut counts = [0; 3];
        for _ in 0..10_000 {
            counts[draw([0.2, 0.0, 0.8].into_iter(), random.unit())] += 1;
        }
        assert_eq!(counts[1], 0);
        assert!((1800..2200).contains(&counts[0]), "{counts:?}");
        // Rounding may leave a little more than the sum.
        assert_eq!(draw([0.5, 0.4].into_iter(), 0.999), 1);
    }
}
