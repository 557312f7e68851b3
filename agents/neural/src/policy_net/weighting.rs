//! Good and bad games, and the weights of games and moves in the loss.

use crate::median;
use runner_core::words;

words! {
    /// The measure of a game.
    #[derive(Copy)]
    pub enum GameWeight {
        Scores = "scores",
        Max = "max",
        Log2Max = "log2_max",
        TileSums = "tile_sums",
    }
}

words! {
    /// The weight of a move; [`weight`](Self::weight) has the equations.
    #[derive(Copy)]
    pub enum MoveWeight {
        Nonzero = "nonzero",
        Linear = "linear_move_num",
        Exponential = "exponential_move_num",
    }
}

/// The result of a game, as all measures need it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GameResult {
    pub score: f64,
    pub max: f64,
    pub tile_sum: f64,
}

impl GameWeight {
    pub fn measure(self, game: &GameResult) -> f64 {
        match self {
            Self::Scores => game.score,
            Self::Max => game.max,
            Self::Log2Max => game.max.max(1.0).log2(),
            Self::TileSums => game.tile_sum,
        }
    }
}

impl MoveWeight {
    /// Returns the weight k of move `number`, counted from 1, of a game with `moves` moves, in
    /// a position with this share of occupied cells.
    pub fn weight(self, number: usize, moves: usize, occupied: impl FnOnce() -> f64) -> f64 {
        let x = number as f64 / moves as f64;
        match self {
            Self::Nonzero => occupied(),
            Self::Linear => x,
            Self::Exponential => 1.0 - (-3.0 * x).exp(),
        }
    }
}

/// The part of a game in the loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judgement {
    /// True if its measure is above the median of all games.
    pub is_good: bool,
    /// The weight j in [0, 1]: the distance from the median as a share of that of the best game,
    /// or of the worst.
    pub weight: f64,
}

pub fn judge(measures: &[f64]) -> Vec<Judgement> {
    let median = median(measures);
    let least = measures.iter().copied().fold(f64::INFINITY, f64::min);
    let most = measures.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let share = |part: f64, all: f64| if all > 0.0 { part / all } else { 0.0 };
    let judge = |&measure: &f64| {
        if measure > median {
            Judgement { is_good: true, weight: share(measure - median, most - median) }
        } else {
            Judgement { is_good: false, weight: share(median - measure, median - least) }
        }
    };
    measures.iter().map(judge).collect()
}

/// Writes the target distribution Y of a move: the move itself if the game was good, the others
/// in equal parts if it was bad.
pub fn target(chosen: usize, is_good: bool, out: &mut [f32]) {
    let others = 1.0 / (out.len().max(2) - 1) as f32;
    for (action, y) in out.iter_mut().enumerate() {
        let is_wanted = (action == chosen) == is_good;
        let share = if is_good { 1.0 } else { others };
        *y = if is_wanted { share } else { 0.0 };
    }
}

/// Returns the mean absolute error between two distributions, and writes its gradient with
/// respect to the logits of `given`, both times `weight`.
pub fn weighted_l1(given: &[f32], target: &[f32], weight: f32, gradient: &mut [f32]) -> f64 {
    let scale = weight / given.len() as f32;
    let sign = |(p, y): (&f32, &f32)| match p - y {
        off if off > 0.0 => scale,
        off if off < 0.0 => -scale,
        _ => 0.0,
    };
    gradient.iter_mut().zip(given.iter().zip(target).map(sign)).for_each(|(g, sign)| *g = sign);
    // Through the softmax.
    let mean: f32 = given.iter().zip(&*gradient).map(|(p, g)| p * g).sum();
    gradient.iter_mut().zip(given).for_each(|(g, p)| *g = p * (*g - mean));
    f64::from(scale) * given.iter().zip(target).map(|(p, y)| f64::from((p - y).abs())).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::softmax;

    #[test]
    fn games_above_the_median_are_good_and_weights_grow_with_the_distance() {
        let judged = judge(&[10.0, 20.0, 30.0, 50.0, 0.0]);
        let expected = [(false, 0.5), (false, 0.0), (true, 1.0 / 3.0), (true, 1.0), (false, 1.0)];
        for (judgement, (is_good, weight)) in judged.into_iter().zip(expected) {
            assert_eq!(judgement.is_good, is_good);
            assert!((judgement.weight - weight).abs() < 1e-12);
        }
        // With an even number the median lies between two games.
        assert_eq!(judge(&[1.0, 3.0]).iter().map(|j| j.is_good).collect::<Vec<_>>(), [false, true]);
        let equal = judge(&[7.0; 4]);
        assert!(equal.iter().all(|j| !j.is_good && j.weight == 0.0));
        assert!(judge(&[]).is_empty());
    }

    #[test]
    fn the_target_is_the_move_of_a_good_game_and_the_other_moves_of_a_bad_one() {
        let mut y = [9.0; 4];
        target(1, true, &mut y);
        assert_eq!(y, [0.0, 1.0, 0.0, 0.0]);
        target(1, false, &mut y);
        assert_eq!(y, [1.0 / 3.0, 0.0, 1.0 / 3.0, 1.0 / 3.0]);
    }

    #[test]
    fn losses_are_those_of_the_published_examples() {
        let given = [0.1, 0.2, 0.6, 0.1];
        let mut gradient = [0.0; 4];
        let good = weighted_l1(&given, &[0.0, 1.0, 0.0, 0.0], 1.0, &mut gradient);
        assert!((good - 0.4).abs() < 1e-6);
        let bad = weighted_l1(&given, &[0.33, 0.0, 0.33, 0.33], 1.0, &mut gradient);
        assert!((bad - 0.2325).abs() < 1e-6);
        let weighted = weighted_l1(&given, &[0.33, 0.0, 0.33, 0.33], 0.5, &mut gradient);
        assert!((weighted - bad / 2.0).abs() < 1e-9);
    }

    #[test]
    fn the_gradient_equals_finite_differences() {
        let logits = [0.3, -1.2, 0.8, 0.05_f32];
        for is_good in [true, false] {
            let mut y = [0.0; 4];
            target(2, is_good, &mut y);
            let loss = |logits: &[f32], gradient: &mut [f32]| {
                let mut p = logits.to_vec();
                softmax(&mut p);
                weighted_l1(&p, &y, 0.7, gradient)
            };
            let (mut gradient, mut unused) = ([0.0; 4], [0.0; 4]);
            loss(&logits, &mut gradient);
            for k in 0..4 {
                let step = 1e-3;
                let shifted = |by: f32| {
                    let mut logits = logits;
                    logits[k] += by;
                    logits
                };
                let more = loss(&shifted(step), &mut unused);
                let less = loss(&shifted(-step), &mut unused);
                let slope = (more - less) / f64::from(2.0 * step);
                assert!((slope - f64::from(gradient[k])).abs() < 1e-3, "{is_good} {k}");
            }
        }
    }

    #[test]
    fn move_weights_are_those_of_their_definition() {
        assert_eq!(MoveWeight::Nonzero.weight(3, 10, || 0.5), 0.5);
        assert_eq!(MoveWeight::Linear.weight(3, 10, || 0.5), 0.3);
        let last = MoveWeight::Exponential.weight(10, 10, || 0.5);
        assert!((last - (1.0 - (-3.0_f64).exp())).abs() < 1e-12);
    }
}
