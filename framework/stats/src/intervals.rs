//! Intervals of rates and of means of few numbers. Each is a formula of a few lines, so no crate of
//! statistics is needed for them.

use crate::normal::Z;

/// Returns the Wilson 95% interval of a rate; [0, 1] without trials.
pub fn wilson(successes: u64, trials: u64) -> [f64; 2] {
    let rate = successes as f64 / trials.max(1) as f64;
    wilson_rate(rate, trials as f64)
}

/// Returns the Wilson 95% interval of a rate that is known as precisely as that of this many
/// trials, which need not be a whole number.
pub fn wilson_rate(rate: f64, trials: f64) -> [f64; 2] {
    if trials <= 0.0 {
        return [0.0, 1.0];
    }
    let n = trials;
    let p = rate;
    let centre = p + Z * Z / (2.0 * n);
    let half = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + Z * Z / n;
    // The ends at 0 and 1 are exact: rounding must not move them.
    [
        if p == 0.0 { 0.0 } else { (centre - half) / scale },
        if p == 1.0 { 1.0 } else { (centre + half) / scale },
    ]
}

/// Returns Student's 95% interval of the mean of a few independent numbers, such as the results
/// of several training seeds; `None` for fewer than two.
pub fn student(numbers: &[f64]) -> Option<[f64; 2]> {
    let n = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / n;
    let variance = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let half = t_quantile(numbers.len().checked_sub(1)?)? * (variance / n).sqrt();
    half.is_finite().then_some([mean - half, mean + half])
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
        assert_eq!(student(&[2.0, 2.0]), Some([2.0, 2.0]));
        // Tabulated quantiles for 11, 20 and 60 degrees of freedom.
        for (freedom, t) in [(11, 2.200_985), (20, 2.085_963), (60, 2.000_298)] {
            assert!((t_quantile(freedom).unwrap() - t).abs() < 0.0002, "{freedom}");
        }
        assert_eq!(student(&[1.0, f64::NAN]), None);
    }
}
