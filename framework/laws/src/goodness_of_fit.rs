//! Goodness of fit of draws to a distribution: the likelihood-ratio form of the
//! chi-squared test (G-test), with bounds on the false-alarm rate for every sample size.
//!
//! The chi-squared distribution is the limit for large counts. With rare outcomes, and at
//! a rate of one in a billion, it is wrong by orders of magnitude. The bounds here hold for
//! all counts, so no cells are pooled and nothing is assumed about the game.

/// False-alarm rate of all tests of one check together.
pub const FALSE_ALARM_RATE: f64 = 1e-9;

/// Returns an upper bound on the logarithm of the probability that draws deviate from
/// `probabilities` at least as much as `counts` do.
///
/// The deviation is n KL(counts/n || probabilities), half the statistic G of the test. For k cells
/// its moment generating function is at most (1 - t)^-(k-1) (Agrawal, "Finite-sample concentration
/// of the multinomial in relative entropy", 2020), hence for a deviation d > k - 1, by Markov, the
/// probability is at most (e d / (k-1))^(k-1) e^-d.
pub fn log_bound(counts: &[u64], probabilities: &[f64]) -> f64 {
    let n = counts.iter().sum::<u64>() as f64;
    let deviation = (counts.iter().zip(probabilities))
        .map(|(&count, p)| divergence(count as f64, n * p))
        .sum::<f64>();
    let freedom = counts.len().saturating_sub(1) as f64;
    if deviation <= freedom || freedom == 0.0 {
        return 0.0;
    }
    freedom * (1.0 + (deviation / freedom).ln()) - deviation
}

/// Returns the same bound for the number of successes in `n` independent draws whose
/// probabilities may differ and have the sum `expected`.
///
/// The one-sided bound e^(-n KL) holds for such sums too (Hoeffding 1963,
/// theorem 1); the factor 2 accounts for both sides.
pub fn log_bound_of_sum(count: u64, expected: f64, n: u64) -> f64 {
    let (count, n) = (count as f64, n as f64);
    (2f64.ln() - divergence(count, expected) - divergence(n - count, n - expected)).min(0.0)
}

fn divergence(count: f64, expected: f64) -> f64 {
    if count == 0.0 { 0.0 } else { count * (count / expected).ln() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factorial(n: u64) -> f64 {
        (1..=n).map(|k| k as f64).product()
    }

    /// Enumerates all counts of 24 draws from three outcomes with their exact
    /// probabilities. The rarest outcome is expected 0.2 times.
    #[test]
    fn bound_is_at_least_the_exact_tail_probability() {
        let p = [0.5f64, 0.492, 0.008];
        let n = 24;
        let mut all = Vec::new();
        for a in 0..=n {
            for b in 0..=n - a {
                let counts = [a, b, n - a - b];
                let ways = factorial(n) / counts.map(factorial).iter().product::<f64>();
                let exact = (0..3).map(|i| p[i].powi(counts[i] as i32)).product::<f64>() * ways;
                let deviation: f64 =
                    (0..3).map(|i| divergence(counts[i] as f64, n as f64 * p[i])).sum();
                all.push((deviation, exact, log_bound(&counts, &p)));
            }
        }
        for &(deviation, _, bound) in &all {
            let tail: f64 = all.iter().filter(|x| x.0 >= deviation).map(|x| x.1).sum();
            assert!(tail <= bound.exp() * (1.0 + 1e-9), "{tail} over {}", bound.exp());
        }
    }

    #[test]
    fn bound_of_a_sum_is_at_least_the_exact_tail_probability() {
        // Twelve draws with probability 0.1, twelve with 0.3: 4.8 expected.
        let mut exact = vec![1.0];
        for i in 0..24 {
            let p = if i < 12 { 0.1 } else { 0.3 };
            exact = (0..=i + 1)
                .map(|k| {
                    let missed = exact.get(k).map_or(0.0, |q| q * (1.0 - p));
                    missed + if k > 0 { exact[k - 1] * p } else { 0.0 }
                })
                .collect();
        }
        for k in 0..=24 {
            let tail: f64 =
                if (k as f64) < 4.8 { exact[..=k].iter().sum() } else { exact[k..].iter().sum() };
            assert!(tail <= log_bound_of_sum(k as u64, 4.8, 24).exp());
        }
    }

    /// 10,000 throws are enough to detect a die that shows six 1.2 times too often.
    #[test]
    fn biased_die_is_detected_and_a_fair_one_is_not() {
        let fair = [1.0 / 6.0; 6];
        assert!(log_bound(&[1600, 1600, 1600, 1600, 1600, 2000], &fair) < FALSE_ALARM_RATE.ln());
        assert_eq!(log_bound(&[1660, 1670, 1650, 1690, 1665, 1665], &fair), 0.0);
    }
}
