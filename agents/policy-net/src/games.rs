//! The games of a batch, with moves drawn from the network's probabilities.

use crate::config::Options;
use crate::policy::{Buffers, Policy, restrict};
use crate::weighting::GameResult;
use runner_core::{Action, Game, Random, State, Successors, TrainingSession};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Games that a task plays at the same time.
const AT_ONCE: usize = 64;

/// A game of a batch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayedGame {
    /// The positions, and the action that was taken in each.
    pub moves: Vec<(State, Action)>,
    /// The result.
    pub result: GameResult,
}

/// A game in progress.
struct Lane {
    random: Random,
    state: State,
    game: PlayedGame,
    /// True if all moves are random.
    is_random: bool,
}

/// Plays games with these numbers, each with its own random stream: the result does not
/// depend on the number of threads. The second half is random if the options say so.
pub fn play<G: Game>(
    game: &G,
    policy: &Policy,
    parameters: &[f32],
    options: &Options,
    session: &TrainingSession<'_>,
    numbers: Range<u64>,
) -> Vec<PlayedGame> {
    let first_random = match options.random_games {
        true => numbers.start + options.batch_size as u64,
        false => u64::MAX,
    };
    let count = (numbers.end - numbers.start) as usize;
    let tasks = count.div_ceil(AT_ONCE);
    let played: Vec<Mutex<Vec<PlayedGame>>> = (0..tasks).map(|_| Mutex::default()).collect();
    session.host.for_each(tasks, &|task| {
        let from = numbers.start + (task * AT_ONCE) as u64;
        let lanes = (from..numbers.end.min(from + AT_ONCE as u64)).map(|number| {
            let mut random = session.random(number);
            let (state, score) = start(game, session, &mut random);
            let result = GameResult { score, ..GameResult::default() };
            let lane = PlayedGame { moves: Vec::new(), result };
            Lane { random, state, game: lane, is_random: number >= first_random }
        });
        let mut lanes: Vec<Lane> = lanes.collect();
        play_lanes(game, policy, parameters, options, &mut lanes);
        let games = lanes.into_iter().map(|lane| lane.game).collect();
        *played[task].lock().unwrap_or_else(PoisonError::into_inner) = games;
    });
    let games = played.into_iter().map(|games| games.into_inner());
    games.flat_map(|games| games.unwrap_or_else(PoisonError::into_inner)).collect()
}

/// Returns the first position of a game, and its score.
fn start<G: Game>(game: &G, session: &TrainingSession<'_>, random: &mut Random) -> (State, f64) {
    match session.starts.len() as u32 {
        0 => {
            let state = game.start(random.word());
            (state, f64::from(game.chance_reward(None, state)))
        }
        count => {
            let start = session.starts[random.below(count) as usize];
            (start.state, start.score)
        }
    }
}

/// Plays games to their ends. The network evaluates the positions of all of them together.
fn play_lanes<G: Game>(
    game: &G,
    policy: &Policy,
    parameters: &[f32],
    options: &Options,
    lanes: &mut [Lane],
) {
    let mut successors: Vec<Successors> = lanes.iter().map(|_| Successors::new()).collect();
    let (mut buffers, mut probabilities) = (Buffers::default(), Vec::new());
    let chance_rewards = game.has_chance_rewards();
    let mut active: Vec<usize> = (0..lanes.len()).collect();
    loop {
        active.retain(|&number| {
            let lane = &mut lanes[number];
            game.successors(lane.state, &mut successors[number]);
            let cut = lane.game.moves.len() as u64 >= u64::from(options.max_moves);
            let goes_on = !successors[number].is_empty() && !cut;
            if !goes_on {
                finish(game, policy, lane);
            }
            goes_on
        });
        if active.is_empty() {
            return;
        }
        let states = active.iter().map(|&number| lanes[number].state);
        policy.probabilities(parameters, states, &mut buffers, &mut probabilities);
        for (&number, row) in active.iter().zip(probabilities.chunks_exact_mut(policy.actions())) {
            let (lane, legal) = (&mut lanes[number], &successors[number]);
            let random = &mut lane.random;
            let is_random = lane.is_random || random.unit() < options.random_frac;
            let place = match is_random {
                true => random.below(legal.len() as u32) as usize,
                false => {
                    restrict(row, legal);
                    draw(legal.iter().map(|s| row[s.action.index()]), random.unit())
                }
            };
            let chosen = legal[place];
            lane.game.moves.push((lane.state, chosen.action));
            lane.state = game.spawn(chosen.afterstate, lane.random.word());
            lane.game.result.score += f64::from(chosen.reward);
            if chance_rewards {
                let reward = game.chance_reward(Some(chosen.afterstate), lane.state);
                lane.game.result.score += f64::from(reward);
            }
        }
    }
}

/// Measures the last position of a game.
fn finish<G: Game>(game: &G, policy: &Policy, lane: &mut Lane) {
    let board = policy.board();
    let value = |cell| board.values.get(usize::from(board.rank(lane.state.bits(), cell)));
    lane.game.result.tile_sum = (0..board.cells()).filter_map(value).sum::<u64>() as f64;
    lane.game.result.max = game.max_tile(lane.state).unwrap_or(0) as f64;
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
