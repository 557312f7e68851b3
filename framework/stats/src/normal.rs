//! The standard normal distribution.

use std::f64::consts::PI;

/// 97.5% quantile.
pub const Z: f64 = 1.959_963_984_540_054;

/// Beyond this, [`cdf`] is 0 or 1 to ten digits.
const LARGEST: f64 = 6.5;

/// Returns the probability of at most `x`.
pub fn cdf(x: f64) -> f64 {
    // The series does not end for NaN.
    if x.is_nan() || x.abs() > LARGEST {
        return f64::from(x > 0.0);
    }
    // The Taylor series of the integral divided by the density.
    let (mut term, mut sum, mut k) = (x, x, 1.0);
    while sum + term != sum {
        k += 2.0;
        term *= x * x / k;
        sum += term;
    }
    0.5 + sum * (-x * x / 2.0).exp() / (2.0 * PI).sqrt()
}

/// Returns the number that is not exceeded with probability `p`, in [-6.5, 6.5].
pub fn quantile(p: f64) -> f64 {
    let (mut low, mut high) = (-LARGEST, LARGEST);
    // Each step halves the interval: 13 / 2^50 is below the precision of `cdf`.
    for _ in 0..50 {
        let middle = (low + high) / 2.0;
        if cdf(middle) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_the_tabulated_ones() {
        for (x, p) in [(0.0, 0.5), (1.0, 0.841_344_746), (-2.5, 0.006_209_665), (Z, 0.975)] {
            assert!((cdf(x) - p).abs() < 1e-9, "{x}: {}", cdf(x));
            assert!((quantile(p) - x).abs() < 1e-6, "{p}: {}", quantile(p));
        }
        assert_eq!((cdf(-40.0), cdf(40.0)), (0.0, 1.0));
    }
}
