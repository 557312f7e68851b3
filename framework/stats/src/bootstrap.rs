//! The bootstrap interval of a mean.

use crate::normal::{self, Z};
use crate::quantile;
use runner_core::Random;

const FEW: usize = 2000;
const MANY: usize = 10_000;
/// Maximum number of draws in a resample.
const GROUPS: usize = 4096;
/// Number of draws in total, unless the number of resamples is at its limits.
const DRAWS: usize = FEW * GROUPS;

/// Returns the bias-corrected and accelerated (BCa) bootstrap 95% interval of the mean of
/// numbers (Efron 1987). The same numbers give the same interval.
///
/// Up to [`GROUPS`] numbers are resampled one by one. More numbers are divided into that many
/// groups, and groups are resampled. Games are independent, so groups are too, and the mean
/// over groups has the same expectation, variance and skewness as the mean over games. The
/// variance is known less precisely, to 1/sqrt(2 * 4096) = 1.1%, but 2,000 resamples
/// determine an end of the interval no better than 8% of a standard error.
pub fn bootstrap(numbers: &[f64], mean: f64) -> [f64; 2] {
    // Sums of deviations have smaller rounding errors than sums of numbers.
    let mut groups = vec![(0.0, 0.0); numbers.len().min(GROUPS)];
    for (group, number) in (0..groups.len()).cycle().zip(numbers) {
        groups[group].0 += number - mean;
        groups[group].1 += 1.0;
    }
    let largest = groups.iter().map(|group| group.0.abs()).fold(0.0, f64::max);
    if largest == 0.0 {
        return [mean, mean];
    }
    // Squares and cubes of the deviations neither overflow nor vanish. A power of two changes no
    // other bit.
    let scale = largest.log2().floor().exp2();
    groups.iter_mut().for_each(|group| group.0 /= scale);
    let squares: f64 = groups.iter().map(|group| group.0 * group.0).sum();
    let mut random = Random::from_word(numbers.len() as u64);
    let mut deviations: Vec<f64> = (0..(DRAWS / groups.len()).clamp(FEW, MANY))
        .map(|_| {
            let (mut sum, mut count) = (0.0, 0.0);
            for _ in 0..groups.len() {
                let group = groups[random.below(groups.len() as u32) as usize];
                sum += group.0;
                count += group.1;
            }
            sum / count
        })
        .collect();
    deviations.sort_unstable_by(f64::total_cmp);
    // The acceleration of a mean is a sixth of its skewness.
    let cubes: f64 = groups.iter().map(|group| group.0.powi(3)).sum();
    let acceleration = cubes / (6.0 * squares.powf(1.5));
    let bias = bias(&deviations);
    [-Z, Z].map(|z| {
        let z = bias + z;
        let p = normal::cdf(bias + z / (1.0 - acceleration * z));
        mean + scale * quantile(&deviations, p)
    })
}

/// Returns the bias correction: the normal quantile of the share of sorted deviations below 0,
/// where those that are 0 count half.
fn bias(deviations: &[f64]) -> f64 {
    let below = deviations.partition_point(|&deviation| deviation < 0.0);
    let not_above = deviations.partition_point(|&deviation| deviation <= 0.0);
    normal::quantile((below + not_above) as f64 / (2 * deviations.len()) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::exponential;

    #[test]
    fn interval_of_extreme_numbers_is_that_of_others_scaled() {
        let numbers: Vec<f64> = (0..40).map(|k| f64::from(k * k % 17)).collect();
        let mean = numbers.iter().sum::<f64>() / 40.0;
        let expected = bootstrap(&numbers, mean);
        for exponent in [-1000, -400, 400, 1000] {
            let scale = f64::from(exponent).exp2();
            let scaled: Vec<_> = numbers.iter().map(|number| scale * number).collect();
            assert_eq!(bootstrap(&scaled, scale * mean), expected.map(|end| scale * end));
        }
        let [low, high] = bootstrap(&[1e308, 1.0, 2.0, 3.0], 2.5e307);
        assert!(low < 2.5e307 && high > 2.5e307 && high.is_finite());
    }

    /// The definition, number by number: the jackknife for the acceleration, and means of
    /// resampled numbers.
    fn reference(numbers: &[f64], resamples: usize) -> [f64; 2] {
        let n = numbers.len();
        let mean_of = |numbers: &[f64]| numbers.iter().sum::<f64>() / numbers.len() as f64;
        let mean = mean_of(numbers);
        let mut random = Random::from_word(99);
        let mut means: Vec<f64> = (0..resamples)
            .map(|_| {
                let drawn: Vec<f64> =
                    (0..n).map(|_| numbers[random.below(n as u32) as usize]).collect();
                mean_of(&drawn)
            })
            .collect();
        means.sort_by(f64::total_cmp);
        let left_out: Vec<f64> = (0..n)
            .map(|i| {
                let mut rest = numbers.to_vec();
                rest.remove(i);
                mean_of(&rest)
            })
            .collect();
        let middle = mean_of(&left_out);
        let power = |k| left_out.iter().map(|x| (middle - x).powi(k)).sum::<f64>();
        let a = power(3) / (6.0 * power(2).powf(1.5));
        let below = means.iter().filter(|&&x| x < mean).count();
        let z0 = normal::quantile(below as f64 / resamples as f64);
        [0.025, 0.975].map(|p| {
            let z = z0 + normal::quantile(p);
            quantile(&means, normal::cdf(z0 + z / (1.0 - a * z)))
        })
    }

    #[test]
    fn interval_equals_that_of_the_definition() {
        for n in [20, 300] {
            let mut random = Random::from_word(n);
            let numbers: Vec<f64> = (0..n).map(|_| exponential(&mut random)).collect();
            let mean = numbers.iter().sum::<f64>() / n as f64;
            let [low, high] = bootstrap(&numbers, mean);
            let [expected_low, expected_high] = reference(&numbers, 20_000);
            // 10,000 resamples determine an end to about 1% of the width.
            let tolerance = 0.05 * (expected_high - expected_low);
            assert!((low - expected_low).abs() < tolerance, "{n}: {low} {expected_low}");
            assert!((high - expected_high).abs() < tolerance, "{n}: {high} {expected_high}");
        }
    }

    #[test]
    fn ends_cut_off_equal_shares_of_a_skewed_mean() {
        // Of 1,000 means of 30 exponential numbers (mean 1), a normal interval is too low: it
        // misses 1 on one side far more often than on the other.
        let mut random = Random::from_word(7);
        let (mut above, mut below) = (0, 0);
        for _ in 0..1000 {
            let numbers: Vec<f64> = (0..30).map(|_| exponential(&mut random)).collect();
            let [low, high] = bootstrap(&numbers, numbers.iter().sum::<f64>() / 30.0);
            above += usize::from(low > 1.0);
            below += usize::from(high < 1.0);
        }
        // 25 each are nominal; percentile intervals of these numbers give 12 and 63.
        assert!((15..=45).contains(&above) && (25..=60).contains(&below), "{above} {below}");
    }
}
