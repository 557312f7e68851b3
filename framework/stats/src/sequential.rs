//! Comparisons that stop as soon as the answer is known, with error rates that hold however
//! often the results are looked at.

use serde::Serialize;

/// Probability that the interval of a confidence sequence ever misses the mean.
const ERROR: f64 = 0.05;

/// Weight of the prior in numbers. The interval is narrowest, among all choices, after about
/// eight times as many numbers.
const PRIOR: f64 = 16.0;

/// A 95% confidence sequence: an interval after every number, such that with probability 95% all
/// of them contain the mean. So it may be looked at after every number, and acted upon at any
/// time; a usual interval may be looked at once.
///
/// It is the confidence sequence of the t-test with a normal prior on the standardised mean
/// (Lai 1976; Wang and Ramdas 2024), exact for normal numbers with unknown variance. Use means of
/// several games, which are close to normal.
///
/// ```
/// let mut sequence = runner_stats::ConfidenceSequence::default();
/// for k in 0..100 {
///     sequence.push(5.0 + f64::from(k % 3));
/// }
/// let [low, high] = sequence.interval().unwrap();
/// assert!(5.5 < low && low < 6.0 && 6.0 < high && high < 6.5);
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ConfidenceSequence {
    count: f64,
    mean: f64,
    /// Sum of the squared deviations from the mean.
    squares: f64,
}

impl ConfidenceSequence {
    /// Adds a number.
    pub fn push(&mut self, number: f64) {
        self.count += 1.0;
        let before = number - self.mean;
        self.mean += before / self.count;
        self.squares += before * (number - self.mean);
    }

    /// Returns the mean of the numbers; 0 without any.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Returns the standard deviation of the numbers.
    pub fn deviation(&self) -> f64 {
        (self.squares / (self.count - 1.0).max(1.0)).sqrt()
    }

    /// Returns the interval; `None` while it is infinite, which it is for the first numbers, or
    /// if a number was not finite.
    pub fn interval(&self) -> Option<[f64; 2]> {
        let half = (self.squares / self.count).sqrt() * half_width(self.count)?;
        half.is_finite().then_some([self.mean - half, self.mean + half])
    }
}

/// Returns half the width of the interval after this many numbers, in standard deviations.
///
/// The mixture of likelihood ratios against the mean μ is
/// √(c / (n + c)) (V / (V - S² / (n + c)))^(n/2), with V and S the sums of squares and of the
/// deviations from μ, and c the weight of the prior. By Ville's inequality it ever exceeds
/// 1 / error with probability at most `error`; solved for μ, this is the interval.
fn half_width(n: f64) -> Option<f64> {
    let limit = ((n + PRIOR) / (PRIOR * ERROR * ERROR)).powf(1.0 / n);
    let rest = limit * n / (n + PRIOR) - (limit - 1.0);
    (rest > 0.0).then(|| ((limit - 1.0) / rest).sqrt())
}

/// Number of games of each player whose means are compared. The tests of the error rates use
/// this number.
pub const BATCH: u64 = 8;

/// The answer of a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The mean of A is larger.
    A,
    /// The mean of B is larger.
    B,
    /// The means differ by less than the margin.
    Equal,
    /// Not known yet.
    Undecided,
}

/// A sequential comparison of the mean scores of A and B, fed with means of equally many games
/// of each.
///
/// It may be stopped at any time. With probability at least 95% it never names a player whose
/// mean is not larger, and with at least 95% it never calls means equal that differ by the
/// margin or more.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Comparison {
    margin: f64,
    difference: ConfidenceSequence,
    /// A less B with the margin added: below 0 if A is less than the margin above B.
    above: ConfidenceSequence,
    /// A less B with the margin subtracted: above 0 if A is less than the margin below B.
    below: ConfidenceSequence,
    b: ConfidenceSequence,
}

impl Comparison {
    /// Returns a comparison without results. Means are equal if A's is within `margin`, a share
    /// in (0, 1), of B's.
    pub fn new(margin: f64) -> Self {
        let none = ConfidenceSequence::default();
        Self { margin, difference: none, above: none, below: none, b: none }
    }

    /// Adds the mean scores of equally many games.
    pub fn push(&mut self, a: f64, b: f64) {
        let margin = self.margin * b.abs();
        self.difference.push(a - b);
        self.above.push(a - b - margin);
        self.below.push(a - b + margin);
        self.b.push(b);
    }

    /// Returns the mean of A less that of B.
    pub fn difference(&self) -> f64 {
        self.difference.mean()
    }

    /// Returns the interval of the difference; see [`ConfidenceSequence::interval`].
    pub fn interval(&self) -> Option<[f64; 2]> {
        self.difference.interval()
    }

    /// Returns the mean of B, of which the margin is a share.
    pub fn mean_of_b(&self) -> f64 {
        self.b.mean()
    }

    /// Returns the answer so far.
    pub fn verdict(&self) -> Verdict {
        let ends = [self.difference, self.above, self.below].map(|sequence| sequence.interval());
        match ends {
            [Some([low, _]), ..] if low > 0.0 => Verdict::A,
            [Some([_, high]), ..] if high < 0.0 => Verdict::B,
            [_, Some([_, above]), Some([below, _])] if above < 0.0 && below > 0.0 => Verdict::Equal,
            _ => Verdict::Undecided,
        }
    }

    /// Returns how many pushes an answer takes if the means differ by this share of B's, from
    /// the deviation so far; `None` if that is not known.
    pub fn expected(&self, share: f64) -> Option<u64> {
        let effect = share * self.b.mean().abs() / self.difference.deviation();
        if !(effect > 0.0 && effect.is_finite()) {
            return None;
        }
        let suffices = |n: u64| half_width(n as f64).is_some_and(|half| half <= effect);
        let mut high = 1;
        while !suffices(high) {
            high = high.checked_mul(2)?;
        }
        let (mut low, mut high) = (high / 2, high);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if suffices(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        Some(high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{exponential, normal};
    use runner_core::Random;

    /// The mixture of likelihood ratios against a mean of 0, by its definition: an integral over
    /// the standardised mean, and for each an integral over the standard deviation.
    fn mixture(numbers: &[f64]) -> f64 {
        let n = numbers.len() as f64;
        let squares: f64 = numbers.iter().map(|x| x * x).sum();
        let sum: f64 = numbers.iter().sum();
        // Over σ with density 1 / σ, on a logarithmic scale; `δ` is the standardised mean.
        let over_sigma = |delta: f64| -> f64 {
            (-4000..4000)
                .map(|i| {
                    let sigma = (f64::from(i) / 500.0).exp();
                    let exponent = (squares - 2.0 * delta * sigma * sum) / (2.0 * sigma * sigma)
                        + n * delta * delta / 2.0;
                    (-exponent - n * sigma.ln()).exp()
                })
                .sum()
        };
        let density = |delta: f64| (-PRIOR * delta * delta / 2.0).exp();
        let deltas = || (-400..=400).map(|i| f64::from(i) / 200.0);
        let mixed: f64 = deltas().map(|delta| density(delta) * over_sigma(delta)).sum();
        mixed / deltas().map(density).sum::<f64>() / over_sigma(0.0)
    }

    #[test]
    fn interval_holds_the_means_that_the_mixture_does_not_reject() {
        let mut random = Random::from_word(1);
        for n in [12, 40] {
            let numbers: Vec<f64> = (0..n).map(|_| 1.0 + normal(&mut random)).collect();
            let mut sequence = ConfidenceSequence::default();
            numbers.iter().for_each(|&number| sequence.push(number));
            let [low, high] = sequence.interval().unwrap();
            for end in [low, high] {
                let against: Vec<f64> = numbers.iter().map(|number| number - end).collect();
                let ratio = mixture(&against) * ERROR;
                assert!((ratio - 1.0).abs() < 0.01, "{n}: {ratio} at {end}");
            }
        }
    }

    #[test]
    fn first_numbers_and_infinite_ones_have_no_interval() {
        let mut sequence = ConfidenceSequence::default();
        assert_eq!(sequence.interval(), None);
        sequence.push(1.0);
        assert_eq!(sequence.interval(), None);
        (0..50).for_each(|k| sequence.push(f64::from(k)));
        assert!(sequence.interval().is_some());
        sequence.push(f64::INFINITY);
        assert_eq!(sequence.interval(), None);
        let mut equal = ConfidenceSequence::default();
        (0..50).for_each(|_| equal.push(3.0));
        assert_eq!(equal.interval(), Some([3.0, 3.0]));
    }

    struct Verdicts(Vec<Verdict>);

    impl Verdicts {
        fn count(&self, verdict: Verdict) -> usize {
            self.0.iter().filter(|&&found| found == verdict).count()
        }
    }

    /// Returns the verdicts of comparisons that are looked at after every push, and the mean
    /// number of pushes until them.
    fn compare(
        runs: u32,
        pushes: u32,
        margin: f64,
        mut draw: impl FnMut() -> (f64, f64),
    ) -> (Verdicts, f64) {
        let mut counts = Vec::new();
        let mut total = 0;
        for _ in 0..runs {
            let mut comparison = Comparison::new(margin);
            for _ in 0..pushes {
                let (a, b) = draw();
                comparison.push(a, b);
                total += 1;
                if comparison.verdict() != Verdict::Undecided {
                    break;
                }
            }
            counts.push(comparison.verdict());
        }
        let mean = f64::from(total) / f64::from(runs);
        (Verdicts(counts), mean)
    }

    /// Returns the mean of a batch of scores as skewed as those of games.
    fn batch(random: &mut Random) -> f64 {
        (0..BATCH).map(|_| exponential(random)).sum::<f64>() / BATCH as f64
    }

    #[test]
    fn equal_players_are_told_apart_in_less_than_5_percent() {
        // 1,000 comparisons, each looked at up to 600 times; without a possible `Equal`, so
        // that none ends early. 50 errors are allowed; their standard deviation is 7.
        let mut random = Random::from_word(2);
        let (verdicts, _) = compare(1000, 600, 1e-9, || (batch(&mut random), batch(&mut random)));
        let wrong = verdicts.count(Verdict::A) + verdicts.count(Verdict::B);
        assert!((1..=50).contains(&wrong), "{wrong} of 1000");
        assert!(verdicts.count(Verdict::A) > 0 && verdicts.count(Verdict::B) > 0);
        // A test that is looked at as often, with intervals for one look, errs far more often.
        let mut naive = 0;
        for _ in 0..200 {
            let mut sequence = ConfidenceSequence::default();
            naive += usize::from((0..600).any(|k| {
                sequence.push(batch(&mut random) - batch(&mut random));
                let half = 1.96 * sequence.deviation() / sequence.count.sqrt();
                k > 10 && sequence.mean().abs() > half
            }));
        }
        assert!(naive > 50, "{naive} of 200");
    }

    #[test]
    fn difference_of_the_margin_is_called_equal_in_less_than_5_percent() {
        let mut random = Random::from_word(3);
        let draw = || (1.1 * batch(&mut random), batch(&mut random));
        let (verdicts, _) = compare(500, 600, 0.1, draw);
        // 25 errors are allowed; their standard deviation is 5.
        assert!(
            verdicts.count(Verdict::Equal) + verdicts.count(Verdict::B) <= 25,
            "{}",
            verdicts.count(Verdict::Equal)
        );
        assert!(verdicts.count(Verdict::A) > 400, "{}", verdicts.count(Verdict::A));
    }

    #[test]
    fn differences_are_found_in_about_the_number_of_games_that_was_said() {
        let mut random = Random::from_word(4);
        let mut pilot = Comparison::new(0.1);
        (0..2000).for_each(|_| pilot.push(batch(&mut random), batch(&mut random)));
        let said = pilot.expected(0.1).unwrap() as f64;
        let (verdicts, mean) =
            compare(200, 5000, 0.01, || (1.1 * batch(&mut random), batch(&mut random)));
        assert!(verdicts.count(Verdict::A) >= 190);
        assert!(0.6 * said < mean && mean < 1.4 * said, "said {said}, took {mean}");
        // Equal players are called equal.
        let (verdicts, _) = compare(200, 5000, 0.1, || (batch(&mut random), batch(&mut random)));
        assert!(verdicts.count(Verdict::Equal) >= 185, "{}", verdicts.count(Verdict::Equal));
    }
}
