//! Ratings of many players over many games.

use crate::intervals::Z;
use crate::superiority::placements;
use serde::{Deserialize, Serialize};
use std::f64::consts::LN_10;

/// Points of rating for odds of 10 to 1, as in chess.
const POINTS: f64 = 400.0;
/// Number of Newton steps at most; fewer than ten are usual.
const STEPS: usize = 100;

#[derive(Clone, PartialEq, Debug)]
pub struct PlayerScores<'a> {
    /// Number of the game, from 0.
    pub game: usize,
    /// Number of the player, from 0.
    pub player: usize,
    /// Scores, sorted; a forfeited game has the score -∞.
    pub scores: &'a [f64],
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Rating {
    /// The rating: 400 more are odds of 10 to 1 to score more. That of the anchor is 0.
    pub rating: f64,
    pub ci95: [f64; 2],
}

/// A pair of players that both played a game.
struct Pair {
    players: [usize; 2],
    /// Probability that the first scores more, kept from 0 and 1 by half a game.
    p: f64,
}

/// Returns the Bradley-Terry ratings of players 0 to `players - 1` on who scores more; none unless
/// games connect all of them, because others cannot be compared. They are differences from the
/// rating of the anchor: the weakest player if none is named.
///
/// Each game in which two players meet counts the same, however many games of it they played.
/// The intervals follow from how each score is placed among those of the other players
/// (the sandwich estimator), so they account for the use of one score in many pairs.
pub fn ratings(samples: &[PlayerScores<'_>], players: usize, anchor: Option<usize>) -> Vec<Rating> {
    let mut meetings = Meetings::new(players);
    let games = samples.iter().map(|sample| sample.game + 1).max().unwrap_or(0);
    for game in 0..games {
        let met: Vec<_> = samples
            .iter()
            .filter(|sample| sample.game == game && !sample.scores.is_empty())
            .collect();
        meetings.add(&met);
    }
    meetings.rate(anchor)
}

/// All pairs, and the covariance of the sums of their probabilities.
struct Meetings {
    players: usize,
    pairs: Vec<Pair>,
    /// Covariance of the scores of the likelihood, row by row.
    spread: Vec<f64>,
}

impl Meetings {
    fn new(players: usize) -> Self {
        Self { players, pairs: Vec::new(), spread: vec![0.0; players * players] }
    }

    /// Adds the pairs of the players of one game.
    fn add(&mut self, met: &[&PlayerScores<'_>]) {
        for (i, a) in met.iter().enumerate() {
            let others: Vec<_> = met.iter().filter(|b| b.player != a.player).collect();
            let placed: Vec<_> = others.iter().map(|b| placements(a.scores, b.scores)).collect();
            let count = a.scores.len() as f64;
            let means: Vec<_> = placed.iter().map(|p| p.iter().sum::<f64>() / count).collect();
            let mut influence = vec![0.0; self.players];
            for k in 0..a.scores.len() {
                influence.fill(0.0);
                for ((b, placed), mean) in others.iter().zip(&placed).zip(&means) {
                    let deviation = (placed[k] - mean) / count;
                    influence[a.player] += deviation;
                    influence[b.player] -= deviation;
                }
                self.add_spread(&influence);
            }
            for b in &met[i + 1..] {
                let position = others.iter().position(|other| other.player == b.player);
                let Some(mean) = position.map(|position| means[position]) else { continue };
                let fewer = count.min(b.scores.len() as f64);
                let p = (mean * fewer + 0.5) / (fewer + 1.0);
                if mean == 0.0 || mean == 1.0 {
                    // The games show no variance, because one player always won.
                    let unseen = (p * (1.0 - p) / fewer).sqrt();
                    influence.fill(0.0);
                    (influence[a.player], influence[b.player]) = (unseen, -unseen);
                    self.add_spread(&influence);
                }
                self.pairs.push(Pair { players: [a.player, b.player], p });
            }
        }
    }

    /// Adds the influence of one score on each player to the covariance.
    fn add_spread(&mut self, influence: &[f64]) {
        for (row, x) in self.spread.chunks_exact_mut(self.players).zip(influence) {
            row.iter_mut().zip(influence).for_each(|(cell, y)| *cell += x * y);
        }
    }

    fn rate(&self, anchor: Option<usize>) -> Vec<Rating> {
        if self.pairs.is_empty() || !self.are_connected() {
            return Vec::new();
        }
        let n = self.players;
        let mut strengths = vec![0.0; n];
        let mut inverse = Vec::new();
        for _ in 0..STEPS {
            let mut gradient = vec![0.0; n];
            // 1/n in every cell makes the matrix regular, and keeps the mean of the strengths at 0.
            let mut curvature = vec![1.0 / n as f64; n * n];
            for &Pair { players: [a, b], p } in &self.pairs {
                let expected = 1.0 / (1.0 + f64::exp(strengths[b] - strengths[a]));
                gradient[a] += p - expected;
                gradient[b] -= p - expected;
                let weight = expected * (1.0 - expected);
                curvature[a * n + a] += weight;
                curvature[b * n + b] += weight;
                curvature[a * n + b] -= weight;
                curvature[b * n + a] -= weight;
            }
            inverse = inverted(curvature, n);
            let step = times(&inverse, &gradient, n);
            let largest = step.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
            // A long step overshoots where the curvature is small.
            let scale = 1.0 / largest.max(1.0);
            strengths.iter_mut().zip(&step).for_each(|(strength, x)| *strength += scale * x);
            if largest < 1e-10 {
                break;
            }
        }
        let weakest = (0..n).min_by(|&a, &b| strengths[a].total_cmp(&strengths[b]));
        let anchor = anchor.or(weakest).unwrap_or(0);
        let rating = |i: usize| {
            let row: Vec<_> =
                (0..n).map(|j| inverse[i * n + j] - inverse[anchor * n + j]).collect();
            let cells = (0..n).flat_map(|j| (0..n).map(move |k| (j, k)));
            let terms = cells.map(|(j, k)| row[j] * self.spread[j * n + k] * row[k]);
            let half = Z * terms.sum::<f64>().max(0.0).sqrt();
            let points = |strength: f64| strength * POINTS / LN_10;
            let difference = strengths[i] - strengths[anchor];
            let ci95 = [points(difference - half), points(difference + half)];
            Rating { rating: points(difference), ci95 }
        };
        (0..n).map(rating).collect()
    }

    fn are_connected(&self) -> bool {
        let mut leader: Vec<usize> = (0..self.players).collect();
        for Pair { players: [a, b], .. } in &self.pairs {
            let (from, to) = (leader[*a].max(leader[*b]), leader[*a].min(leader[*b]));
            leader.iter_mut().filter(|l| **l == from).for_each(|l| *l = to);
        }
        leader.iter().all(|&leader| leader == 0)
    }
}

/// Returns the inverse of a positive definite matrix of `n` rows.
fn inverted(mut matrix: Vec<f64>, n: usize) -> Vec<f64> {
    let mut inverse = vec![0.0; n * n];
    (0..n).for_each(|i| inverse[i * n + i] = 1.0);
    for i in 0..n {
        let pivot = matrix[i * n + i];
        for j in 0..n {
            matrix[i * n + j] /= pivot;
            inverse[i * n + j] /= pivot;
        }
        for k in (0..n).filter(|&k| k != i) {
            let factor = matrix[k * n + i];
            for j in 0..n {
                matrix[k * n + j] -= factor * matrix[i * n + j];
                inverse[k * n + j] -= factor * inverse[i * n + j];
            }
        }
    }
    inverse
}

fn times(matrix: &[f64], vector: &[f64], n: usize) -> Vec<f64> {
    let row = |row: &[f64]| row.iter().zip(vector).map(|(a, x)| a * x).sum();
    matrix.chunks_exact(n).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{exponential, normal};
    use runner_core::Random;

    fn sorted(mut scores: Vec<f64>) -> Vec<f64> {
        scores.sort_by(f64::total_cmp);
        scores
    }

    /// Scores of players 0, 1, ... in each game.
    type Games = Vec<Vec<Vec<f64>>>;

    fn rate(games: &Games) -> Vec<Rating> {
        let samples: Vec<_> = games
            .iter()
            .enumerate()
            .flat_map(|(game, players)| {
                players.iter().enumerate().map(move |(player, scores)| PlayerScores {
                    game,
                    player,
                    scores,
                })
            })
            .collect();
        ratings(&samples, games[0].len(), Some(games[0].len() - 1))
    }

    /// Bradley-Terry by Zermelo's iteration, pair by pair of games.
    fn reference(games: &Games) -> Vec<f64> {
        let players = games[0].len();
        let mut won = vec![vec![0.0; players]; players];
        for game in games {
            for (a, b) in (0..players).flat_map(|a| (0..players).map(move |b| (a, b))) {
                if a == b || game[a].is_empty() || game[b].is_empty() {
                    continue;
                }
                let count = |x: &f64| {
                    game[b].iter().map(|y| if x == y { 0.5 } else { f64::from(x > y) }).sum::<f64>()
                };
                let share =
                    game[a].iter().map(count).sum::<f64>() / (game[a].len() * game[b].len()) as f64;
                let fewer = game[a].len().min(game[b].len()) as f64;
                won[a][b] += (share * fewer + 0.5) / (fewer + 1.0);
            }
        }
        let mut strength = vec![1.0; players];
        for _ in 0..20_000 {
            strength = (0..players)
                .map(|a| {
                    let met = |b: usize| (won[a][b] + won[b][a]) / (strength[a] + strength[b]);
                    won[a].iter().sum::<f64>() / (0..players).map(met).sum::<f64>()
                })
                .collect();
        }
        let logs: Vec<f64> = strength.iter().map(|s: &f64| s.ln()).collect();
        logs.iter().map(|x| (x - logs[players - 1]) * POINTS / LN_10).collect()
    }

    #[test]
    fn ratings_are_those_of_the_slow_iteration() {
        let mut random = Random::from_word(1);
        for case in 0..20 {
            let games: Games = (0..1 + case % 3)
                .map(|_| {
                    (0..4)
                        .map(|player| {
                            let mut score = || exponential(&mut random) * f64::from(1 + player);
                            sorted((0..5 + 3 * player).map(|_| score().round()).collect())
                        })
                        .collect()
                })
                .collect();
            let ratings = rate(&games);
            for (rating, expected) in ratings.iter().zip(reference(&games)) {
                let found = rating.rating;
                assert!((found - expected).abs() < 1e-3, "{case}: {found} {expected}");
            }
        }
    }

    #[test]
    fn intervals_contain_the_true_ratings_in_95_percent() {
        // Logistic scores that are shifted follow the Bradley-Terry model exactly: differences
        // of Gumbel variables are logistic.
        let strengths = [0.6, 0.1, -0.7];
        let mut random = Random::from_word(2);
        let mut contained = 0;
        for _ in 0..500 {
            let mut gumbel = |shift: f64| shift - exponential(&mut random).ln();
            let game: Vec<_> =
                strengths.iter().map(|&s| sorted((0..80).map(|_| gumbel(s)).collect())).collect();
            for (rating, strength) in rate(&vec![game]).iter().zip(&strengths[..2]) {
                let [low, high] = rating.ci95;
                let truth = (strength - strengths[2]) * POINTS / LN_10;
                contained += usize::from(low <= truth && truth <= high);
            }
        }
        // Of 1,000; the pseudo-counts move the ratings by less than 1%.
        assert!((925..=975).contains(&contained), "{contained} of 1000");
    }

    #[test]
    fn player_that_always_wins_has_a_finite_rating_with_a_wide_interval() {
        let mut random = Random::from_word(3);
        let mut draw = |shift: f64| sorted((0..50).map(|_| normal(&mut random) + shift).collect());
        let game = vec![draw(100.0), draw(0.0), draw(0.0)];
        let ratings = rate(&vec![game]);
        let [low, high] = ratings[0].ci95;
        assert!(ratings[0].rating > 300.0 && high - low > 200.0, "{ratings:?}");
        let [low, high] = ratings[1].ci95;
        assert!(high - low > 100.0, "{ratings:?}");
    }

    #[test]
    fn weakest_player_is_the_anchor_unless_another_is_named() {
        let scores = [5.0, 1.0, 3.0].map(|x: f64| sorted(vec![x, x + 1.5, x + 3.0, x + 4.5]));
        let samples: Vec<_> = scores
            .iter()
            .enumerate()
            .map(|(player, scores)| PlayerScores { game: 0, player, scores })
            .collect();
        let [free, named] = [None, Some(2)].map(|anchor| ratings(&samples, 3, anchor));
        assert_eq!((free[1].rating, free[1].ci95), (0.0, [0.0; 2]));
        assert!(free[0].rating > free[2].rating && free[2].rating > 0.0, "{free:?}");
        assert_eq!((named[2].rating, named[2].ci95), (0.0, [0.0; 2]));
        let difference = |ratings: &[Rating]| ratings[0].rating - ratings[1].rating;
        assert!((difference(&free) - difference(&named)).abs() < 1e-9);
    }

    #[test]
    fn players_without_a_common_game_are_not_rated() {
        let (some, none) = (vec![1.0, 2.0, 3.0], Vec::new());
        let first = vec![some.clone(), some.clone(), none.clone(), none.clone()];
        let second = vec![none.clone(), none, some.clone(), some];
        assert!(rate(&vec![first, second]).is_empty());
    }
}
