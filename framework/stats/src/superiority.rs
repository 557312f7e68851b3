//! The probability that a game of one player scores more than a game of another.

use crate::intervals::wilson_rate;
use crate::moments::Moments;
use serde::{Deserialize, Serialize};

/// The probability that a game of A scores more than a game of B, where equal scores count
/// half: the statistic of Mann and Whitney divided by the number of pairs.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Superiority {
    pub p: f64,
    pub ci95: [f64; 2],
}

impl Superiority {
    /// Compares the sorted scores of two players; `None` if one of them has no game. A game that
    /// was lost whatever the other scored, such as a forfeited one, has the score -∞.
    ///
    /// The variance of the probability is that of DeLong (1988): it follows from how the games
    /// of each player are placed among those of the other. The interval is Wilson's for a
    /// rate with this variance.
    ///
    /// ```
    /// # use runner_stats::Superiority;
    /// let compared = Superiority::of(&[1.0, 3.0], &[2.0, 3.0]).unwrap();
    /// // 1 loses twice; 3 wins against 2 and is equal to 3.
    /// assert_eq!(compared.p, 1.5 / 4.0);
    /// ```
    pub fn of(a: &[f64], b: &[f64]) -> Option<Self> {
        let fewer = a.len().min(b.len()) as f64;
        if fewer == 0.0 {
            return None;
        }
        let [in_b, in_a] = [placements(a, b), placements(b, a)].map(|placed| moments(&placed));
        let p = in_b.mean;
        let variance = in_b.variance() / a.len() as f64 + in_a.variance() / b.len() as f64;
        // The number of independent pairs of games that would be as precise.
        let trials = match p * (1.0 - p) / variance {
            trials if trials > 0.0 && trials.is_finite() => trials.min((a.len() + b.len()) as f64),
            _ => fewer,
        };
        Some(Self { p, ci95: wilson_rate(p, trials) })
    }
}

/// Returns the share of `others` that each of `scores` beats, where equal ones count half. Both
/// are sorted, and `others` is not empty unless `scores` is.
pub fn placements(scores: &[f64], others: &[f64]) -> Vec<f64> {
    if others.is_empty() {
        return Vec::new();
    }
    let (mut below, mut not_above) = (0, 0);
    let place = |&score: &f64| {
        below += others[below..].iter().take_while(|&&other| other < score).count();
        not_above = not_above.max(below);
        not_above += others[not_above..].iter().take_while(|&&other| other <= score).count();
        (below + not_above) as f64 / (2 * others.len()) as f64
    };
    scores.iter().map(place).collect()
}

fn moments(numbers: &[f64]) -> Moments {
    let mut moments = Moments::default();
    numbers.iter().for_each(|&number| moments.push(number));
    moments
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

    /// Counts pair by pair.
    fn reference(a: &[f64], b: &[f64]) -> f64 {
        let won = |x: f64, y: f64| if x == y { 0.5 } else { f64::from(x > y) };
        let pairs = a.iter().flat_map(|&x| b.iter().map(move |&y| won(x, y)));
        pairs.sum::<f64>() / (a.len() * b.len()) as f64
    }

    #[test]
    fn probability_is_the_share_of_the_pairs_that_are_won() {
        let mut random = Random::from_word(1);
        for case in 0..200 {
            // Few values, so that many scores are equal; some games are forfeited.
            let mut draw = |n: u32| {
                let score = |x: u32| if x == 0 { f64::NEG_INFINITY } else { f64::from(x) };
                sorted((0..1 + random.below(n)).map(|_| score(random.below(7))).collect())
            };
            let (a, b) = (draw(9), draw(20));
            let compared = Superiority::of(&a, &b).unwrap();
            let reversed = Superiority::of(&b, &a).unwrap();
            assert!((compared.p - reference(&a, &b)).abs() < 1e-12, "{case}: {a:?} {b:?}");
            assert!((compared.p + reversed.p - 1.0).abs() < 1e-12);
            let [low, high] = compared.ci95;
            assert!(0.0 <= low && low <= compared.p && compared.p <= high && high <= 1.0);
            assert!((low + reversed.ci95[1] - 1.0).abs() < 1e-9, "{compared:?} {reversed:?}");
        }
        assert_eq!(Superiority::of(&[], &[1.0]), None);
        assert_eq!(Superiority::of(&[1.0], &[]), None);
    }

    #[test]
    fn interval_contains_the_probability_in_95_percent() {
        let mut random = Random::from_word(2);
        // Normal scores one standard deviation apart: P = Φ(1/√2) = 0.760250. Exponential
        // scores with means 1 and 3: P = 3/4. Scores 3 deviations apart: Φ(3/√2) = 0.983053.
        type Draw = fn(&mut Random) -> f64;
        let cases: [(Draw, Draw, f64); 3] = [
            (|r| normal(r) + 1.0, normal, 0.760_250),
            (|r| 3.0 * exponential(r), exponential, 0.75),
            (|r| normal(r) + 3.0, normal, 0.983_053),
        ];
        for (a, b, expected) in cases {
            let contained = (0..1000)
                .filter(|_| {
                    let mut draw =
                        |from: Draw, n| sorted((0..n).map(|_| from(&mut random)).collect());
                    let (a, b) = (draw(a, 50), draw(b, 80));
                    let [low, high] = Superiority::of(&a, &b).unwrap().ci95;
                    low <= expected && expected <= high
                })
                .count();
            // The standard deviation of the count is 7.
            assert!((925..=985).contains(&contained), "{expected}: {contained} of 1000");
        }
    }

    #[test]
    fn player_that_always_wins_has_an_interval_that_excludes_little() {
        let compared = Superiority::of(&[5.0; 10], &[1.0; 12]).unwrap();
        assert_eq!((compared.p, compared.ci95[1]), (1.0, 1.0));
        // As of 10 won games of 10: n / (n + z^2).
        assert!((compared.ci95[0] - 10.0 / 13.8415).abs() < 1e-4, "{compared:?}");
    }
}
