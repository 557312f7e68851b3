//! Intervals of rates and means. Each is a formula of a few lines, so no crate of statistics is
//! needed for them.

use serde::Serialize;

/// 97.5% quantile of the normal distribution.
pub const Z: f64 = 1.959_963_984_540_054;

/// Probability that an interval misses.
pub const ERROR: f64 = 0.05;

/// The least number of games whose mean score has an interval.
pub const FEWEST_GAMES: u64 = 10;

/// Returns the largest share of all games that may differ from each of `n` games (the rule of
/// three: about 3 / n): with a larger one, a different game would be among them with probability
/// 95%.
pub fn unseen_share(n: f64) -> f64 {
    1.0 - ERROR.powf(1.0 / n)
}

/// Returns the Wilson 95% interval of a rate; [0, 1] without trials.
pub fn wilson(successes: u64, trials: u64) -> [f64; 2] {
    let rate = successes as f64 / trials.max(1) as f64;
    wilson_rate(rate, trials as f64)
}

/// Returns the Wilson 95% interval of a rate `p` that is known as precisely as that of `n` trials,
/// which need not be a whole number.
pub fn wilson_rate(p: f64, n: f64) -> [f64; 2] {
    if n <= 0.0 {
        return [0.0, 1.0];
    }
    let centre = p + Z * Z / (2.0 * n);
    let half = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    // The ends at 0 and 1 are exact: rounding must not move them.
    [
        if p == 0.0 { 0.0 } else { (centre - half) / scale },
        if p == 1.0 { 1.0 } else { (centre + half) / scale },
    ]
}

/// Returns Student's 95% interval of the mean of a few independent numbers, such as the results of
/// several training seeds; `None` for fewer than two. Of equal numbers, the share that was not seen
/// may be between 0 and twice as large.
pub fn student(numbers: &[f64]) -> Option<[f64; 2]> {
    let n = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / n;
    let variance = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let half = match t_quantile(numbers.len().checked_sub(1)?)? * (variance / n).sqrt() {
        0.0 => unseen_share(n) * mean.abs(),
        half => half,
    };
    half.is_finite().then_some([mean - half, mean + half])
}

/// The difference of the means of two independent samples.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct MeanDifference {
    pub mean: f64,
    pub ci95: [f64; 2],
    /// Standard deviation of the difference of a number of the first and one of the second.
    #[serde(skip)]
    deviation: f64,
}

impl MeanDifference {
    /// Compares two samples; `None` if one of them has fewer than two numbers.
    ///
    /// B. L. Welch, "The generalization of Student's problem when several different population
    /// variances are involved" (1947).
    pub fn of(a: &[f64], b: &[f64]) -> Option<Self> {
        let [a, b] = [a, b].map(|numbers| {
            let n = numbers.len() as f64;
            let mean = numbers.iter().sum::<f64>() / n;
            (n, mean, numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0))
        });
        let mean = a.1 - b.1;
        let [of_a, of_b] = [a, b].map(|(n, _, variance)| variance / n);
        let freedom =
            (of_a + of_b).powi(2) / (of_a.powi(2) / (a.0 - 1.0) + of_b.powi(2) / (b.0 - 1.0));
        // Equal numbers show no variance.
        let least = [a, b].map(|(n, mean, _)| unseen_share(n) * mean.abs());
        let half = match (of_a + of_b).sqrt() {
            0.0 => least[0] + least[1],
            error => t_quantile(freedom as usize)? * error,
        };
        let ci95 = [mean - half, mean + half];
        half.is_finite().then_some(Self { mean, ci95, deviation: (a.2 + b.2).sqrt() })
    }

    /// Returns true if the interval excludes 0.
    pub fn is_known(&self) -> bool {
        self.ci95[0] > 0.0 || self.ci95[1] < 0.0
    }

    /// Returns the size of each of two samples with which, in nine of ten cases, the interval of a
    /// difference as large as this one excludes 0; `None` if there is no difference.
    pub fn sample_size(&self) -> Option<u64> {
        // 90% quantile of the normal distribution.
        const POWER: f64 = 1.281_551_565_544_6;
        let ratio = (Z + POWER) * self.deviation / self.mean;
        // The last term is for the quantile of Student's distribution.
        let size = ratio.powi(2) + Z * Z / 4.0;
        size.is_finite().then(|| size.ceil().max(2.0) as u64)
    }
}

/// Returns the 95% interval of the mean of at least [`FEWEST_GAMES`] scores, which may be skewed.
///
/// P. Hall, "On the removal of skewness by transformation" (1992): the statistic of Student's test
/// is transformed by a monotonic cubic polynomial, which removes its bias and skewness. Three
/// moments are estimated, so there are n - 3 degrees of freedom.
///
/// Scores that are all equal, or nearly so, do not show how far other games may differ. Therefore
/// the interval has a minimum width: a game that was not seen may score between 0 and twice the
/// mean.
pub fn of_scores(scores: &[f64], mean: f64) -> [f64; 2] {
    let n = scores.len() as f64;
    let deviations = || scores.iter().map(|score| score - mean);
    let largest = deviations().map(f64::abs).fold(0.0, f64::max);
    // Squares and cubes of ratios neither overflow nor vanish.
    let moment = |k| deviations().map(|d| (d / largest).powi(k)).sum::<f64>() / n;
    let deviation = moment(2).sqrt();
    let skewness = moment(3) / deviation.powi(3);
    let corrected = |t: f64| {
        let t = t / n.sqrt() - skewness / (6.0 * n);
        // The limit of the other formula, which divides by the skewness.
        if skewness.abs() < 1e-6 {
            return t;
        }
        3.0 * ((1.0 + skewness * t).cbrt() - 1.0) / skewness
    };
    let t = t_quantile(scores.len() - 3).expect("at least ten scores");
    let unit = largest * deviation * (n / (n - 1.0)).sqrt();
    let unseen = unseen_share(n) * mean.abs();
    let [below, above] = match largest {
        0.0 => [unseen; 2],
        _ => [corrected(t), -corrected(-t)].map(|units| (unit * units).max(unseen)),
    };
    let is_negative = scores.iter().any(|&score| score < 0.0);
    let least = if is_negative { f64::NEG_INFINITY } else { 0.0 };
    [(mean - below).max(least), mean + above]
}

/// Returns the 97.5% quantile of Student's t distribution; `None` without degrees of freedom.
fn t_quantile(freedom: usize) -> Option<f64> {
    const FEW: [f64; 10] = [
        12.706_205, 4.302_653, 3.182_446, 2.776_445, 2.570_582, 2.446_912, 2.364_624, 2.306_004,
        2.262_157, 2.228_139,
    ];
    match freedom {
        0 => None,
        1..=10 => Some(FEW[freedom - 1]),
        // Fisher's expansion: its error is below 0.0002 here.
        _ => {
            let (n, z) = (freedom as f64, Z);
            let first = (z.powi(3) + z) / 4.0;
            let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
            let third = 3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z;
            Some(z + first / n + second / n.powi(2) + third / 384.0 / n.powi(3))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::RealScores;
    use runner_core::Random;

    #[test]
    fn wilson_intervals_are_exact() {
        // 8 of 10 (Wilson 1927 by any calculator): 0.4902 to 0.9433.
        let [low, high] = wilson(8, 10);
        assert!((low - 0.4902).abs() < 5e-5 && (high - 0.9433).abs() < 5e-5, "{low} {high}");
        // 0 of 10: the upper end is z^2 / (n + z^2).
        assert_eq!(wilson(0, 10)[0], 0.0);
        assert!((wilson(0, 10)[1] - 3.8415 / 13.8415).abs() < 1e-4);
        assert_eq!(wilson(10, 10)[1], 1.0);
        assert_eq!(wilson(0, 0), [0.0, 1.0]);
    }

    #[test]
    fn intervals_of_few_numbers_are_those_of_student() {
        assert_eq!(student(&[]), None);
        assert_eq!(student(&[3.0]), None);
        // Mean 3, standard deviation sqrt(2.5), 4 degrees of freedom.
        let [low, high] = student(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        let half = 2.776_445 * (2.5f64 / 5.0).sqrt();
        assert!((low - (3.0 - half)).abs() < 1e-9 && (high - (3.0 + half)).abs() < 1e-9);
        // Of two equal numbers, 1 - √0.05 of all may be others.
        let [low, high] = student(&[2.0, 2.0]).unwrap();
        assert!((low - 0.447_214).abs() < 1e-6 && (high - 3.552_786).abs() < 1e-6);
        // Tabulated quantiles for 11, 20 and 60 degrees of freedom.
        for (freedom, t) in [(11, 2.200_985), (20, 2.085_963), (60, 2.000_298)] {
            assert!((t_quantile(freedom).unwrap() - t).abs() < 0.0002, "{freedom}");
        }
        assert_eq!(student(&[1.0, f64::NAN]), None);
    }

    #[test]
    fn difference_of_two_samples_is_that_of_welch() {
        // R: t.test(c(27.5, 21, 19, 23.6, 17), c(27.1, 22, 20.8, 23.4)): df = 6.86, here 6.
        let (a, b) = ([27.5, 21.0, 19.0, 23.6, 17.0], [27.1, 22.0, 20.8, 23.4]);
        let found = MeanDifference::of(&a, &b).unwrap();
        let error = (16.772f64 / 5.0 + 7.4625 / 4.0).sqrt();
        assert!((found.mean - (21.62 - 23.325)).abs() < 1e-9);
        assert!((found.ci95[1] - (found.mean + 2.446_912 * error)).abs() < 1e-6, "{found:?}");
        assert!(!found.is_known());
        assert_eq!(MeanDifference::of(&[1.0], &b), None);
        let equal = MeanDifference::of(&[2.0, 2.0], &[1.0, 1.0]).unwrap();
        assert!(equal.ci95[0] < 0.0 && equal.mean == 1.0, "{equal:?}");
        assert_eq!(MeanDifference::of(&a, &a).unwrap().sample_size(), None);
    }

    #[test]
    fn difference_is_known_in_nine_of_ten_samples_of_the_size_that_is_named() {
        use crate::testing::normal;
        let mut random = Random::from_word(4);
        let pair = MeanDifference { mean: 0.9, ci95: [0.0; 2], deviation: 2f64.sqrt() };
        let size = pair.sample_size().unwrap();
        // By tables of the power of Student's test.
        assert_eq!(size, 27);
        let mut draw =
            |mean: f64| (0..size).map(|_| mean + normal(&mut random)).collect::<Vec<_>>();
        let known = (0..1_000)
            .filter(|_| MeanDifference::of(&draw(0.9), &draw(0.0)).unwrap().is_known())
            .count();
        assert!((870..=930).contains(&known), "{known}");
    }

    fn interval(scores: &[f64]) -> [f64; 2] {
        of_scores(scores, scores.iter().sum::<f64>() / scores.len() as f64)
    }

    #[test]
    fn interval_of_equal_scores_has_the_width_of_the_rule_of_three() {
        // 1 - 0.05^(1 / n) is 0.2589 for 10 games and 0.00299 for 1,000.
        for (games, share) in [(10, 0.258_866), (1000, 0.002_991_25)] {
            let [low, high] = interval(&vec![200.0; games]);
            assert!((low - 200.0 * (1.0 - share)).abs() < 1e-3, "{games}: {low}");
            assert!((high - 200.0 * (1.0 + share)).abs() < 1e-3, "{games}: {high}");
            // One slightly different score does not make the others certain.
            let [near_low, near_high] = interval(&[vec![200.0; games - 1], vec![201.0]].concat());
            assert!(near_high - near_low > 0.99 * (high - low));
        }
        // Scores of 0 have no scale.
        assert_eq!(interval(&[0.0; 20]), [0.0, 0.0]);
    }

    #[test]
    fn interval_follows_scores_that_are_mirrored_or_scaled() {
        let scores: Vec<f64> = (0..40).map(|k| f64::from(k * k % 17) - 3.0).collect();
        let [low, high] = interval(&scores);
        let mirrored: Vec<f64> = scores.iter().map(|score| -score).collect();
        let [mirrored_low, mirrored_high] = interval(&mirrored);
        assert!((low + mirrored_high).abs() < 1e-12 && (high + mirrored_low).abs() < 1e-12);
        for exponent in [-1000, -400, 400, 1000] {
            let scale = f64::from(exponent).exp2();
            let scaled: Vec<_> = scores.iter().map(|score| scale * score).collect();
            assert_eq!(interval(&scaled), [low, high].map(|end| scale * end));
        }
        // One win among a thousand games: the exact interval is 0.000025 to 0.0056.
        let mut wins = vec![0.0; 1000];
        wins[7] = 1.0;
        let [low, high] = interval(&wins);
        assert!(low == 0.0 && (0.0056..0.008).contains(&high), "{low} to {high}");
    }

    /// The figures of the guide (`tournaments.md`).
    #[test]
    fn intervals_of_scores_of_2048_contain_the_mean_in_93_to_97_percent() {
        const REPETITIONS: u32 = 2000;
        for (name, column) in ["greedy", "rows", "tc-ntuple"].into_iter().zip(1..) {
            let scores = RealScores::of(column);
            let mean = scores.mean();
            for games in [10, 30, 100, 300] {
                let mut random = Random::from_word(games);
                let contains = |_: &u32| {
                    let score = |_| scores.draw(&mut random);
                    let [low, high] = interval(&(0..games).map(score).collect::<Vec<_>>());
                    low <= mean && mean <= high
                };
                let contained = (0..REPETITIONS).filter(contains).count();
                let percent = 100.0 * contained as f64 / f64::from(REPETITIONS);
                println!("{name}, {games} games: {percent:.1}%");
                assert!((93.0..=97.0).contains(&percent), "{name}, {games} games: {percent}%");
            }
        }
    }
}
