//! The scores of the playouts of one list of actions.

use runner_core::{Action, Game, Playout, Random, State, Successor};

/// Number of playouts in one call of the game.
pub const BATCH: usize = 128;

/// Totals of the scores of some playouts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PlayoutSample {
    pub playouts: u64,
    pub sum: f64,
    pub min: f64,
    pub max: f64,
    /// Moves of all playouts, the fixed ones included.
    pub moves: u64,
}

impl Default for PlayoutSample {
    fn default() -> Self {
        let (min, max) = (f64::INFINITY, f64::NEG_INFINITY);
        Self { playouts: 0, sum: 0.0, min, max, moves: 0 }
    }
}

impl PlayoutSample {
    pub fn add(&mut self, other: &Self) {
        self.playouts += other.playouts;
        self.sum += other.sum;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.moves += other.moves;
    }

    /// Returns the value of the action by the weights of the mean, the lowest and the highest
    /// score; there must be playouts.
    pub fn value(&self, weights: [f64; 3]) -> f64 {
        let scores = [self.sum / self.playouts as f64, self.min, self.max];
        // A weight of 0 times an infinite score is not a number, so zeros are left out.
        let weighted = weights.iter().zip(scores).filter(|(weight, _)| **weight > 0.0);
        weighted.map(|(weight, score)| weight * score).sum()
    }
}

/// Plays `count` playouts, at most [`BATCH`], that begin with an action and then with some
/// more fixed ones.
pub fn play<G: Game>(
    game: &G,
    first: &Successor,
    further: &[Action],
    count: usize,
    mut random: Random,
) -> PlayoutSample {
    let chance = |from: &Successor, word| {
        let state = game.spawn(from.afterstate, word);
        let reward = game.chance_reward(Some(from.afterstate), state);
        (state, f64::from(from.reward) + f64::from(reward))
    };
    let (mut starts, mut scores) = ([State::default(); BATCH], [0.0; BATCH]);
    let mut moves = 0;
    for (start, score) in starts[..count].iter_mut().zip(&mut scores) {
        (*start, *score) = chance(first, random.word());
        moves += 1;
        for &action in further {
            if let Some(successor) = game.successor(*start, action) {
                let (next, reward) = chance(&successor, random.word());
                *start = next;
                *score += reward;
                moves += 1;
            }
        }
    }
    let mut results = [Playout::default(); BATCH];
    game.playouts(&starts[..count], random.word(), &mut results[..count]);
    let mut sample = PlayoutSample { playouts: count as u64, moves, ..PlayoutSample::default() };
    for (result, score) in results[..count].iter().zip(scores) {
        let score = score + result.score;
        sample.sum += score;
        sample.min = sample.min.min(score);
        sample.max = sample.max.max(score);
        sample.moves += result.moves;
    }
    sample
}
